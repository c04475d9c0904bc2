package fix

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// The one block that rocsmith keeps in a shell's file.
const (
	blockBegin = "# >>> rocsmith >>>\n"
	blockEnd   = "# <<< rocsmith <<<\n"
)

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// setEnv sets a variable in the file of the login shell. To unset one is a word
// for the shells that are open; the lines that set it are edits of their own.
func (b *builder) setEnv(s remedy.Step) error {
	if s.Value == "" {
		if !slices.Contains(b.env, Setting{Name: s.Name, Unset: true}) { // else it was said with the edit
			b.after("in shells that are open: " + b.unset(s.Name))
		}
		return nil
	}
	value := b.home(s.Value)
	if !variableName().MatchString(s.Name) || strings.ContainsAny(value, "'\n\r\x00") {
		return fmt.Errorf("%s: its value cannot be written into a shell's file as it is", s.Name)
	}
	if err := b.settled(s.Name, value); err != nil {
		return err
	}
	name, line, ok := b.shell(s.Name, value)
	if !ok {
		return fmt.Errorf("%s: there is no file known in which your shell would read it", s.Name)
	}
	f, err := b.open(name)
	switch {
	case err != nil:
		return err
	case f.ours() != nil:
		return fmt.Errorf("%s: %w", s.Name, f.ours())
	case f.root: // a rocsmith of root would look for the file of root's own shell
		return fmt.Errorf("%s: %s is not yours to write", s.Name, f.path)
	}
	if err := f.inTheWay(s.Name, path.Base(b.who.Shell)); err != nil {
		return fmt.Errorf("%s: %s: %w", s.Name, f.path, err)
	}
	if err := b.folders(path.Dir(f.path), s); err != nil {
		return err
	}
	f.block(s.Name, line)
	f.explain(s.Name + ": " + s.Text)
	f.asked(s, fmt.Sprintf("in %s, remove the lines from %q to %q", f.path, strings.TrimSpace(blockBegin), strings.TrimSpace(blockEnd)))
	b.env = append(b.env, Setting{Name: s.Name, Value: value})
	b.begins(f, "")
	if n := f.peopleOnly(); n > 0 {
		b.after(fmt.Sprintf("where cron, a service or ssh HOST COMMAND uses the GPU, set it there too: line %d of %s ends the file for them", n, f.path))
	}
	return nil
}

// settled refuses a second value for a variable, and a home that is somebody
// else's: sudo and containers leave HOME pointing there.
func (b *builder) settled(name, value string) error {
	for _, set := range b.env {
		if set.Name == name && !set.Unset && set.Value != value {
			return fmt.Errorf("%s: another cure of this plan sets it to %s", name, set.Value)
		}
	}
	if _, home, err := b.world.Look(b.who.Home, false); err != nil || home.UID != b.who.UID {
		return fmt.Errorf("%s: the home %s is not yours to write into", name, b.who.Home)
	}
	return nil
}

// shell names the file that the login shell reads at every start, and the line
// in its language. Single quotes keep every character what it is.
func (b *builder) shell(name, value string) (file, line string, ok bool) {
	if b.who.Home == "" {
		return "", "", false
	}
	export := fmt.Sprintf("export %s='%s'\n", name, value)
	switch path.Base(b.who.Shell) {
	case "bash":
		return path.Join(b.who.Home, ".bashrc"), export, true
	case "sh", "dash", "ksh", "mksh": // at a login
		return path.Join(b.who.Home, ".profile"), export, true
	case "zsh":
		return path.Join(or(b.who.Zsh, b.who.Home), ".zshrc"), export, true
	case "fish":
		return path.Join(or(b.who.Config, path.Join(b.who.Home, ".config")), "fish/config.fish"), fmt.Sprintf("set -gx %s '%s'\n", name, value), true
	}
	// Other shells get it from systemd's manager of the user, as services do; $ and
	// \ mean something there, environment.d(5).
	if b.isFolder("/run/systemd/system") && !strings.ContainsAny(value, `$\"`) {
		return path.Join(or(b.who.Config, path.Join(b.who.Home, ".config")), "environment.d/90-rocsmith.conf"), fmt.Sprintf("%s=\"%s\"\n", name, value), true
	}
	return "", "", false
}

// or is a folder, or another one where it is not named in full.
func or(folder, other string) string {
	if path.IsAbs(folder) {
		return folder
	}
	return other
}

// block puts a line into the marked block, in place of one for the same name,
// and makes the block where there is none. Lines outside are not touched.
func (f *file) block(name, line string) {
	begin, end := slices.Index(f.lines, blockBegin), slices.Index(f.lines, blockEnd)
	if begin < 0 || end < begin {
		if n := len(f.lines); n > 0 && !strings.HasSuffix(f.lines[n-1], "\n") {
			f.lines[n-1] += "\n"
		}
		f.lines = append(f.lines, blockBegin, line, blockEnd)
		return
	}
	same := func(l string) bool {
		return strings.HasPrefix(l, name+"=") || strings.Contains(l, " "+name+"=") || strings.Contains(l, " "+name+" ")
	}
	inside := slices.DeleteFunc(slices.Clone(f.lines[begin+1:end]), same)
	f.lines = slices.Concat(f.lines[:begin+1], inside, []string{line}, f.lines[end:])
}
