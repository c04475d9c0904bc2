package fix

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// readAtLogin reports a file of variables that is read once, when somebody logs in: a
// new shell has what its session has.
func readAtLogin(file string) bool {
	known := []string{".profile", ".bash_profile", ".zprofile", "environment", "profile"}
	return slices.Contains(known, path.Base(file)) || slices.Contains([]string{"environment.d", "profile.d"}, path.Base(path.Dir(file)))
}

// begins says when a change of variables is felt. Until is what helps before that in a
// shell that is open.
func (b *builder) begins(f *file, until string) {
	session, shells, rest := "start a new shell", "those that are open", "those that are open do not have the new variables"
	switch {
	case ofUnit(f.path): // the cure starts the service anew
		b.after("in shells that are open and have it too: " + until)
		return
	case readAtLogin(f.path) || readAtLogin(f.named):
		b.login = true
		session, shells, rest = "log out and in again", "shells that are open", "what runs now does not have the new variables"
	}
	if until == "" {
		b.after(session + ": " + rest)
		return
	}
	b.after(session + ", or in " + shells + ": " + until)
}

// ofUnit reports a file of a service of systemd, or of what was added to one.
func ofUnit(file string) bool {
	return path.Ext(file) == ".service" || strings.HasSuffix(path.Dir(file), ".service.d")
}

// unset is the word for it in the language of the shell.
func (b *builder) unset(name string) string {
	switch path.Base(b.who.Shell) {
	case "fish":
		return "set -e " + name
	case "csh", "tcsh":
		return "unsetenv " + name
	}
	return "unset " + name
}

// otherShell is a line that lets another shell go on in place of this one.
var otherShell = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[;&|{(]\s*|\b(?:then|else|do|and|or)\s+)exec\s+(?:-\S+\s+)*["']?(?:\$\((?:which|command\s+-v)\s+)?(?:[\w./-]*/)?(bash|zsh|fish|ksh|mksh|dash|tcsh|csh|nu|elvish|xonsh|pwsh)\b`)
})

// endsForPrograms is a line by which a shell's file ends where nobody types, as that of
// Debian's .bashrc: *) return;; in a case of $-.
var endsForPrograms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\*\)\s*return\b|(?:\$-|\$\{?PS1\b).*\breturn\b`)
})

// peopleOnly is the number of the line at which a file ends for programs that no person
// started, and 0 where there is none.
func (f *file) peopleOnly() int {
	return 1 + slices.IndexFunc(f.lines, func(l string) bool { return endsForPrograms().MatchString(strings.TrimSpace(l)) })
}

// inTheWay says why the shell would not have a variable that is set in the block: it
// does not come that far, or a line below sets another value.
func (f *file) inTheWay(name, shell string) error {
	end := slices.Index(f.lines, blockEnd)
	if end < 0 {
		end = len(f.lines)
	}
	sets := regexp.MustCompile(`^(?:\w+\s+(?:-\S+\s+)*)?` + regexp.QuoteMeta(name) + `[=\s]`)
	for i, line := range f.lines {
		line = strings.TrimSpace(line)
		other := otherShell().FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "alias "):
		case i < end && other != nil && other[1] != shell:
			return fmt.Errorf("line %d starts %s, and what stands below is not read; set it in the files of %s", i+1, other[1], other[1])
		case i > end && sets.MatchString(line):
			return errors.New("a line below the block of rocsmith sets it again: line " + fmt.Sprint(i+1))
		}
	}
	return nil
}
