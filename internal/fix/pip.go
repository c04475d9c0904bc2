package fix

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A pipCall is a command of pip or uv that changes one environment of Python.
type pipCall struct {
	argv   []string
	prefix string // of the environment
	verb   string // install, uninstall
}

// parsePip reads a command of a cure; it is not ok for every other one, and for
// the system's own Python, which belongs to the system's package manager.
func parsePip(words []string) (c pipCall, ok bool) {
	var rest []string
	switch {
	case len(words) > 4 && path.Base(words[0]) == "python" && words[1] == "-m" && words[2] == "pip":
		c.prefix, c.verb, rest = path.Dir(path.Dir(words[0])), words[3], words[4:]
		ok = path.Base(path.Dir(words[0])) == "bin"
	case len(words) > 5 && words[0] == "uv" && words[1] == "pip" && words[3] == "--python":
		c.prefix, c.verb, rest = path.Dir(path.Dir(words[4])), words[2], words[5:]
		ok = path.Base(words[4]) == "python" && path.Base(path.Dir(words[4])) == "bin"
	}
	if c.verb == "uninstall" && len(rest) > 0 && rest[0] == "-y" {
		rest = rest[1:]
	}
	c.argv = words
	return c, ok && path.IsAbs(c.prefix) && c.prefix != "/usr" && c.prefix != "/" && slices.Contains([]string{"install", "uninstall"}, c.verb) && pipWords(rest)
}

// pipWords accepts packages, and the few flags that cures use.
func pipWords(words []string) bool {
	packages := 0
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--index-url" || w == "-c":
			i++
		case w == "--upgrade" || w == "--no-deps" || w == "--force-reinstall":
		case strings.HasPrefix(w, "-") || strings.ContainsAny(w, "*/$"):
			return false
		default:
			packages++
		}
	}
	return packages > 0
}

// constraintsOf reads the line of a cure that notes which versions must stay.
func constraintsOf(line string) ([]string, bool) {
	list, found := strings.CutPrefix(line, `printf '%s\n' `)
	if !found {
		return nil, false
	}
	if list, found = strings.CutSuffix(list, " > "+constraintsFile); !found {
		return nil, false
	}
	words, err := split(list)
	return words, err == nil
}

const constraintsFile = "rocm-constraints.txt"

// byPip reports a cure whose every change is a command of pip or uv, and that does
// not stop after it took something out.
func byPip(r remedy.Remedy) bool {
	calls, removed := 0, false
	for _, s := range r.Steps {
		switch s.Kind {
		case remedy.Manual:
			if removed {
				return false
			}
			continue
		case remedy.Command:
		default:
			return false
		}
		if _, note := constraintsOf(s.Command); note {
			continue
		}
		words, err := split(s.Command)
		c, ok := parsePip(words)
		if err != nil || !ok {
			return false
		}
		calls, removed = calls+1, c.verb == "uninstall"
	}
	return calls > 0
}

// pip adds the commands of a cure, in their order.
func (b *builder) pip(r remedy.Remedy) error {
	var pinned []string
	for i, s := range r.Steps {
		if s.Kind == remedy.Manual {
			b.after(s.Text)
			continue
		}
		if list, note := constraintsOf(s.Command); note {
			pinned = list
			continue
		}
		words, err := split(s.Command)
		if err != nil {
			return err
		}
		c, _ := parsePip(words)
		if err := b.pipStep(s, c, pinned, after(r.Steps[i+1:])); err != nil {
			return err
		}
	}
	return nil
}

// after is the command of pip that installs what an earlier one made room for.
func after(steps []remedy.Step) []string {
	for _, s := range steps {
		words, err := split(s.Command)
		if c, ok := parsePip(words); err == nil && ok && c.verb == "install" {
			return c.argv
		}
	}
	return nil
}

func (b *builder) pipStep(s remedy.Step, c pipCall, pinned, next []string) error {
	prefix, image, err := b.world.Look(c.prefix, false)
	switch {
	case err != nil:
		return err
	case !image.Folder || image.UID != b.who.UID:
		return fmt.Errorf("%s is not your environment", prefix)
	case slices.Contains(c.argv, "-c") && len(pinned) == 0:
		return errors.New("nothing says which versions must stay")
	}
	argv, err := b.inPlace(c.argv, prefix, pinned, s)
	if err != nil {
		return err
	}
	step := Step{
		Title: "run " + typed(argv, false), Source: []remedy.Step{s},
		Why:    "Undo installs the versions again that are there now: their index must be reachable then, and files are as pip makes them.",
		ByHand: fmt.Sprintf("install what rocsmith case lists as the versions before, with %s", typed(argv[:slices.Index(argv, "pip")+1], false)),
		Act:    state.Act{Kind: state.Install, Path: prefix, Argv: argv},
	}
	if c.verb == "uninstall" && next != nil {
		first, err := b.inPlace(next, prefix, pinned, s)
		if err != nil {
			return err
		}
		again := "--ignore-installed" // else what is still there would do
		if path.Base(first[0]) == "uv" {
			again = "--reinstall"
		}
		step.Act.First = slices.Insert(first, slices.Index(first, "install")+1, "--dry-run", again)
	}
	for _, o := range b.runs {
		switch {
		case o.Act.Kind != state.Install || o.Act.Path != prefix:
		case slices.Equal(o.Act.Argv, argv):
			return nil // another cure does it
		default:
			if name, both := overlap(o.Act.Argv, argv); both {
				return fmt.Errorf("another cure of this plan changes %s in %s already", name, prefix)
			}
		}
	}
	b.runs = append(b.runs, step)
	return nil
}

// overlap finds a package that two commands with the same verb name.
func overlap(a, b []string) (string, bool) {
	verb := func(argv []string) int { return slices.Index(argv, "pip") + 1 }
	if a[verb(a)] != b[verb(b)] {
		return "", false
	}
	base := func(w string) string {
		if i := strings.IndexAny(w, "[=<>!~"); i >= 0 {
			return w[:i]
		}
		return w
	}
	for _, x := range a[verb(a)+1:] {
		for _, y := range b[verb(b)+1:] {
			if base(x) == base(y) && !strings.HasPrefix(x, "-") && !strings.Contains(x, "/") {
				return base(x), true
			}
		}
	}
	return "", false
}

// inPlace names programs and files by their full paths.
func (b *builder) inPlace(words []string, prefix string, pinned []string, s remedy.Step) ([]string, error) {
	argv := slices.Clone(words)
	if argv[0] == "uv" {
		file, ok := b.world.Program("uv")
		if !ok {
			return nil, errors.New("uv is not installed")
		}
		argv[0] = file
	}
	for i, w := range argv {
		if i > 0 && argv[i-1] == "-c" && w == constraintsFile {
			argv[i] = path.Join(prefix, constraintsFile)
			if err := b.write(remedy.Step{Kind: remedy.WriteFile, Text: s.Text, Path: argv[i], Content: strings.Join(pinned, "\n")}); err != nil {
				return nil, err
			}
		}
	}
	return argv, nil
}
