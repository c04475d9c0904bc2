package report

import (
	"slices"
	"strings"
	"testing"
)

func TestACaseKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"serve --token abc --port 1":                                 "serve --token (hidden) --port 1",
		"serve --hf-token=abc --password --verbose":                  "serve --hf-token=(hidden) --password --verbose",
		"env OPENAI_API_KEY=x train":                                 "env OPENAI_API_KEY=(hidden) train",
		"train hf_0123456789abcdefghij --x=sk-012345678901234567890": "train (hidden) --x=(hidden)",
		"train --max-tokens 20 --tokenizer llama hf_home sk-learn":   "",
	} {
		if want == "" {
			want = line
		}
		argv := strings.Fields(line)
		if got := strings.Join(withoutSecrets(argv), " "); got != want || !slices.Equal(argv, strings.Fields(line)) {
			t.Errorf("%q: %q", line, got)
		}
	}
}
