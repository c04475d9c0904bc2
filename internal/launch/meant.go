package launch

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// ofTheShell are commands that are no programs, which people write before one.
var ofTheShell = []string{".", "alias", "cd", "eval", "exec", "export", "set", "source", "ulimit", "umask", "unset"}

// meant says what somebody meant who named a program that is none, as far as that can
// be told from the word: a shell would have understood it.
func meant(word string) string {
	switch {
	case assignment().MatchString(word):
		return "; a variable is set by env: write env " + word + " before the command"
	case slices.Contains(ofTheShell, word):
		return "; it is a command of the shell: write sh -c and, in quotes, all that the shell is to do"
	case strings.ContainsAny(word, " \t\n"):
		return "; that is one word: write the command without quotes around all of it, or sh -c before it"
	case !strings.ContainsAny(word, pathSeparators) && isFile(word):
		return "; to run the file of that name in this folder, write ./" + word
	}
	return ""
}
