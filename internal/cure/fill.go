package cure

import (
	"regexp"
	"strings"
	"sync"
)

// CurrentUser stands for a user whose name is not known, in commands and to
// people alike.
const CurrentUser = "$USER"

// CurrentIDs stands for the numbers of such a user.
const CurrentIDs = "$(id -u):$(id -g)"

// A filler puts values into the {placeholders} of a cure. Values come from the
// examined machine, which may be somebody else's: in a command, which is there
// to be copied into a shell, each is one word and nothing more.
type filler struct{ text, command *strings.Replacer }

func newFiller(values Values) filler {
	var text, command []string
	for name, value := range values {
		text = append(text, "{"+name+"}", strings.TrimPrefix(value, ready))
		command = append(command, "{"+name+"}", word(value))
	}
	return filler{strings.NewReplacer(text...), strings.NewReplacer(command...)}
}

var (
	plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._/:=,+@%-]+$`) })
	// A folder of the user's, wherever their home is.
	homePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$HOME/[A-Za-z0-9._/-]*$`) })
	// A path of Windows, which is pasted into PowerShell.
	windowsPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:\\`) })
	plainFlags  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(--group-add [0-9]+ ?)*$`) })
	// What Words makes: each word is quoted by itself already, or plain.
	readyWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(& )?('[^']*'|[A-Za-z0-9._/:=,+@%-]+)( ('[^']*'|[A-Za-z0-9._/:=,+@%-]+))*$`)
	})
)

// ready marks a value of several words. No name or path begins with it.
const ready = "\x1f"

// Words is a value of several words, as for the packages that pip is to
// install: in a command each of them is one word.
func Words(list ...string) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = word(strings.ReplaceAll(w, "'", ""))
	}
	call := ""
	if len(list) > 0 && windowsPath().MatchString(list[0]) {
		call = "& " // PowerShell prints a quoted path, and runs it after this
	}
	return ready + call + strings.Join(words, " ")
}

func word(value string) string {
	if words, ok := strings.CutPrefix(value, ready); ok && readyWords().MatchString(words) {
		return words
	}
	if plainWord().MatchString(value) || homePath().MatchString(value) || plainFlags().MatchString(value) || value == CurrentUser || value == CurrentIDs {
		return value
	}
	quote := `'\''`
	if windowsPath().MatchString(value) {
		quote = "''"
	}
	return "'" + strings.ReplaceAll(value, "'", quote) + "'"
}
