package fix

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// mark stands before what rocsmith put out of force.
const mark = "# rocsmith: "

// nothing is the command of every shell that does nothing.
const nothing = ": "

// edit changes lines of somebody's file, and only so that the line can be
// recognised: whatever else stands in it makes it a case for its owner.
func (b *builder) edit(s remedy.Step) error {
	f, err := b.openToEdit(s)
	if err != nil {
		return err
	}
	if err := f.apply(s); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if s.Name != "" {
		b.env = append(b.env, Setting{Name: s.Name, Unset: true})
		b.begins(f, b.unset(s.Name))
	}
	f.asked(s, "")
	return nil
}

// byHand says how to bring the marked lines back into force.
func (f *file) byHand() string {
	sign, more := mark, ""
	if f.shell {
		sign = nothing + mark
	}
	if slices.ContainsFunc(f.lines, func(l string) bool { return strings.Contains(l, mark) && strings.Count(l, "\n") > 1 }) {
		more = ", and remove the lines that were written below them"
	}
	return fmt.Sprintf("in %s, remove %q before the lines that are marked with it%s", f.path, sign, more)
}

var errOther = errors.New("the line is not what it was when the machine was looked at")

func (f *file) apply(s remedy.Step) error {
	switch {
	case f.image.Absent && f.from == "":
		return errors.New("there is no such file")
	case s.Line == 0 && s.Old+s.New != "" && ofGrub(f.path):
		return f.grubWord(s.Old, s.New)
	case s.Line == 0 && s.Old+s.New != "" && bootFile(f.path):
		if !f.entryWord(s.Old, s.New) {
			return errOther
		}
		return nil
	case s.Line < 1 || s.Line > len(f.lines):
		return errOther
	case s.Old != "":
		return f.word(s.Line-1, s.Old, s.New)
	case strings.Contains(f.lines[s.Line-1], mark):
		return nil // another cure did it
	case s.Name != "":
		return f.assignment(s.Line-1, s.Name)
	}
	f.comment(s.Line - 1)
	return nil
}

// comment puts a line out of force. In a shell a command that does nothing takes
// its place: an if without a command in it is an error, and nobody could log in.
func (f *file) comment(i int) {
	text := strings.TrimLeft(f.lines[i], " \t")
	indent := f.lines[i][:len(f.lines[i])-len(text)]
	no := ""
	if f.shell {
		no = nothing
	}
	f.lines[i] = indent + no + mark + text
}

// listFile knows the files of settings that no shell reads. Every other one is
// taken for a shell's: people keep theirs under names of their own, and link to
// them from .bashrc.
func listFile(p string) bool {
	known := []string{"environment", ".env", path.Base(kernelCommandLine)}
	return slices.Contains(known, path.Base(p)) || ofGrub(p) || slices.Contains([]string{".conf", ".service", ".env"}, path.Ext(p))
}

// assignment puts a line out of force that sets this variable and does nothing
// else.
func (f *file) assignment(i int, name string) error {
	// A value of several pieces, quoted or not, or an assignment that is quoted as
	// a whole; a blank outside quotes would begin something else.
	const value = `(?:"[^"` + "`" + `\\]*"|'[^']*'|[^\s;&|<>()"'` + "`" + `\\#]+)*`
	quoted := regexp.QuoteMeta(name)
	only := regexp.MustCompile(`^\s*(?:export\s+|(?:declare|typeset)\s+-g?x\s+|set\s+(?:-{1,2}[a-z]+\s+)+|setenv\s+|Environment=)?` +
		`(?:` + quoted + `(?:=|\s+)` + value + `|"` + quoted + `=[^"` + "`" + `\\]*"|'` + quoted + `=[^']*')\s*(?:#.*)?$`)
	line := strings.TrimRight(f.lines[i], "\r\n")
	continued := i > 0 && strings.HasSuffix(strings.TrimRight(f.lines[i-1], "\r\n"), `\`)
	switch {
	case !strings.Contains(line, name):
		return errOther
	case f.shell && f.inDocument(i):
		return fmt.Errorf("line %d is part of a text that the shell passes on (a here-document), and sets nothing", i+1)
	case continued || !only.MatchString(line):
		return fmt.Errorf("line %d does more than set %s; take it out by hand", i+1, name)
	}
	f.comment(i)
	return nil
}

// hereDocument is what begins one, with the word that ends it; <<< is something else.
var hereDocument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^<])<<-?\s*(?:'(\w+)'|"(\w+)"|\\?(\w+))`)
})

// inDocument reports a line between the beginning of a here-document and its end.
func (f *file) inDocument(i int) bool {
	for at := 0; at < i; at++ {
		m := hereDocument().FindStringSubmatch(f.lines[at])
		if m == nil || strings.HasPrefix(strings.TrimSpace(f.lines[at]), "#") {
			continue
		}
		word := m[1] + m[2] + m[3]
		length := slices.IndexFunc(f.lines[at+1:], func(l string) bool { return strings.TrimSpace(l) == word })
		if length < 0 {
			continue // a shift in arithmetic looks like one
		}
		if at += 1 + length; at >= i {
			return true
		}
	}
	return false
}

// inForce is what stands in a line now: the last of those that edits made of it.
func (f *file) inForce(i int) string {
	line := strings.TrimRight(f.lines[i], "\r\n")
	return line[strings.LastIndex(line, "\n")+1:]
}

// instead keeps a line as a comment, once, and writes another one after it.
func (f *file) instead(i int, line string) {
	old := strings.TrimSuffix(f.lines[i], "\n")
	if at := strings.LastIndex(old, "\n"); at >= 0 {
		f.lines[i] = old[:at+1] + line + "\n"
		return
	}
	f.lines[i] = mark + old + "\n" + line + "\n"
}

// word takes a parameter out of a line of modprobe.d. The line is kept as a
// comment; what is left of it, and a line in its place, stand after it.
func (f *file) word(i int, old, fresh string) error {
	parts := strings.Split(strings.TrimSuffix(f.lines[i], "\n"), "\n")
	has := func(line string) bool {
		words := strings.Fields(line)
		return len(words) > 2 && slices.ContainsFunc(words[2:], func(w string) bool { return sameParameter(w, old) })
	}
	at := slices.IndexFunc(parts, func(line string) bool { return !strings.HasPrefix(strings.TrimSpace(line), "#") && has(line) })
	switch {
	case at < 0 && strings.HasPrefix(parts[0], mark) && has(strings.TrimPrefix(parts[0], mark)):
		return nil // another cure took it out
	case slices.ContainsFunc(parts, func(line string) bool { return strings.HasSuffix(line, `\`) }):
		return errors.New("the line goes on in the next one; take it out by hand")
	case at < 0:
		return errOther
	}
	line := parts[at]
	rest := slices.DeleteFunc(strings.Fields(line), func(w string) bool { return sameParameter(w, old) })
	parts = slices.Delete(parts, at, at+1)
	if len(parts) == 0 {
		parts, at = []string{mark + line}, 1
	}
	if len(rest) > 2 {
		parts = slices.Insert(parts, at, strings.Join(rest, " "))
	}
	if fresh != "" {
		parts = append(parts, fresh)
	}
	f.lines[i] = strings.Join(parts, "\n") + "\n"
	return nil
}

// sameParameter compares as modprobe does: a dash is an underscore, and a
// parameter without a value has none.
func sameParameter(a, b string) bool {
	nameA, valueA, _ := strings.Cut(a, "=")
	nameB, valueB, _ := strings.Cut(b, "=")
	return strings.ReplaceAll(nameA, "-", "_") == strings.ReplaceAll(nameB, "-", "_") && valueA == valueB
}
