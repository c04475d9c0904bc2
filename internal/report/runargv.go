package report

import (
	"slices"
	"strings"
)

// hidden stands for a word that a case does not keep.
const hidden = "(hidden)"

// withoutSecrets is a command line as a case keeps it: people attach a case to a
// report. What the name of an option, a variable or the word itself shows to be a
// secret is left out; what a program writes is not looked through for them.
func withoutSecrets(argv []string) []string {
	out := slices.Clone(argv)
	for i, word := range out {
		name, value, has := strings.Cut(word, "=")
		switch {
		case has && value != "" && namesSecret(name):
			out[i] = name + "=" + hidden
		case has && isSecret(value):
			out[i] = name + "=" + hidden
		case isSecret(word):
			out[i] = hidden
		case i > 0 && strings.HasPrefix(argv[i-1], "-") && namesSecret(argv[i-1]) && !strings.HasPrefix(word, "-"):
			out[i] = hidden
		}
	}
	return out
}

// namesSecret tells of names such as --hf-token, OPENAI_API_KEY and --password.
func namesSecret(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	return slices.ContainsFunc([]string{"token", "password", "passwd", "secret", "api_key", "apikey", "access_key"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// isSecret tells of the keys that begin with the mark of who gave them out: Hugging
// Face, OpenAI and others, GitHub.
func isSecret(word string) bool {
	const shortest = 20
	return len(word) >= shortest && slices.ContainsFunc([]string{"hf_", "sk-", "ghp_", "gho_", "github_pat_"}, func(mark string) bool { return strings.HasPrefix(word, mark) })
}
