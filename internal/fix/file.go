package fix

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A file is one that a plan rewrites, with all edits of all cures in it.
type file struct {
	path   string
	named  string // what it was asked for by, maybe a link
	image  state.Image
	lines  []string // with their ends; an edit may make two of one
	shell  bool     // its lines are commands
	root   bool
	mode   uint32 // where it is new
	source []remedy.Step
	notes  []string // how to take it back by hand
	why    string   // of a file that is written whole, or of the variables that are set in it
	from   string   // the file of a package that it is a copy of
}

func (b *builder) open(name string) (*file, error) {
	place, image, err := b.world.Look(name, true)
	switch {
	case err != nil:
		return nil, err
	case image.Folder:
		return nil, fmt.Errorf("%s is a folder", place)
	}
	if f, ok := b.files[place]; ok {
		return f, nil
	}
	f := &file{path: place, named: name, image: image, mode: privateMode, shell: !listFile(name) && !listFile(place)}
	for line := range strings.Lines(string(image.Data)) {
		f.lines = append(f.lines, line)
	}
	foreign := !image.Absent && image.UID != b.who.UID
	f.root = b.who.UID != 0 && (foreign || !b.world.MayWrite(b.existing(path.Dir(place))))
	if ofSystem(place) {
		f.mode = publicMode
	}
	b.files[place], b.order = f, append(b.order, place)
	return f, nil
}

// New files of a person are theirs alone; those of the system are read by all.
const (
	privateMode   = 0o600
	publicMode    = 0o644
	privateFolder = 0o700
	publicFolder  = 0o755
)

func ofSystem(place string) bool {
	return strings.HasPrefix(place, "/etc/") || strings.HasPrefix(place, "/run/")
}

// existing is the nearest folder above that is there.
func (b *builder) existing(dir string) string {
	for dir != "/" {
		if _, i, err := b.world.Look(dir, false); err == nil && !i.Absent {
			return dir
		}
		dir = path.Dir(dir)
	}
	return dir
}

func (f *file) text() string { return strings.Join(f.lines, "") }

func (f *file) changed() bool {
	return f.text() != string(f.image.Data) || f.image.Absent && len(f.lines) > 0
}

func (f *file) asked(s remedy.Step, byHand string) {
	s.Path = or(f.from, f.path)
	f.source = append(f.source, s)
	if byHand != "" && !slices.Contains(f.notes, byHand) {
		f.notes = append(f.notes, byHand)
	}
}

// explain adds what a variable is for.
func (f *file) explain(text string) {
	switch {
	case f.why == "":
		f.why = text
	case !strings.Contains(f.why, text):
		f.why += "; " + text
	}
}

func (f *file) step() Step {
	title := "edit " + f.path
	if f.image.Absent {
		title = "write " + f.path
	}
	notes := f.notes
	switch {
	case f.from != "":
		notes = []string{f.away()}
	case strings.Contains(f.text(), mark):
		notes = append(slices.Clone(notes), f.byHand())
	}
	return Step{
		Title: title, Why: f.why, Detail: Diff(f.path, string(f.image.Data), f.text()), ByHand: strings.Join(notes, "; "), Root: f.root,
		Boot:   bootFile(f.path),
		Act:    state.Act{Kind: state.Write, Path: f.path, Before: f.image, New: []byte(f.text()), Mode: f.mode},
		Source: f.source,
	}
}

// away says how a file of our own is taken back.
func (f *file) away() string { return typed([]string{"mv", f.path, f.path + ".aside"}, f.root) }

// bootFile tells what the machine reads while it starts.
func bootFile(p string) bool {
	loader := slices.ContainsFunc(entryFolders, func(dir string) bool { return path.Dir(p) == dir })
	return strings.HasPrefix(p, "/etc/modprobe.d/") || ofGrub(p) || p == kernelCommandLine || loader || strings.HasPrefix(p, "/lib/firmware/")
}

// Write plans a file that somebody asked for by its name. What it holds already is
// shown in the difference, and the journal keeps it.
func Write(title, name, content string, who Person, w World) (Plan, error) {
	_, image, err := w.Look(name, true)
	if err != nil {
		return Plan{}, err
	}
	p, err := Parts([]remedy.Step{{Kind: remedy.WriteFile, Text: title, Path: name, Content: content, Old: string(image.Data)}}, who, w)
	p.Titles = []string{title}
	return p, err
}

// write makes a file of our own. One that is there already is somebody's, unless
// it holds what the step says that it replaces.
func (b *builder) write(s remedy.Step) error {
	f, err := b.open(s.Path)
	if err != nil {
		return err
	}
	if err := b.byNixOS(f.path); err != nil {
		return err
	}
	text := strings.TrimSuffix(s.Content, "\n") + "\n"
	if f.text() != "" && f.text() != text && f.text() != s.Old {
		return fmt.Errorf("%s is there already, with something else in it", f.path)
	}
	if err := b.folders(path.Dir(f.path), s); err != nil {
		return err
	}
	f.lines, f.why = []string{text}, s.Text
	byHand := ""
	if f.image.Absent {
		byHand = f.away()
	}
	f.asked(s, byHand)
	return nil
}

// folders makes what is missing above a file, for its owner alone where it is a
// person's.
func (b *builder) folders(dir string, s remedy.Step) error {
	place, image, err := b.world.Look(dir, false)
	switch {
	case err != nil:
		return err
	case image.Folder, slices.ContainsFunc(b.others, func(o Step) bool { return o.Act.Path == place }):
		return nil
	case !image.Absent:
		return fmt.Errorf("%s is not a folder", place)
	}
	if err := b.folders(path.Dir(place), s); err != nil {
		return err
	}
	mode := uint32(privateFolder)
	if ofSystem(place) {
		mode = publicFolder
	}
	root := b.who.UID != 0 && !b.world.MayWrite(b.existing(path.Dir(place)))
	b.others = append(b.others, Step{
		Title: "make the folder " + place, ByHand: typed([]string{"rmdir", place}, root), Source: []remedy.Step{{Kind: remedy.Command, Text: s.Text, Command: remedy.Paste("mkdir", "-p", place)}},
		Root: root,
		Act:  state.Act{Kind: state.MakeDir, Path: place, Before: image, Mode: mode},
	})
	return nil
}

// moveAside renames, and never onto a name that is taken.
func (b *builder) moveAside(s remedy.Step) error {
	place, image, err := b.world.Look(s.Path, false)
	switch {
	case err != nil:
		return err
	case image.Absent:
		return fmt.Errorf("%s: %w", place, errGone)
	case slices.ContainsFunc(b.others, func(o Step) bool { return o.Act.Path == place }):
		return nil // another cure moves it already
	}
	to := place + ".aside"
	for n := 2; ; n++ {
		if _, taken, err := b.world.Look(to, false); err != nil || taken.Absent {
			break
		}
		to = fmt.Sprintf("%s.aside-%d", place, n)
	}
	s.Path = place
	root := b.who.UID != 0 && !b.world.MayWrite(path.Dir(place))
	b.others = append(b.others, Step{
		Title: "move aside " + place, Detail: typed([]string{"mv", "-n", place, to}, root), ByHand: typed([]string{"mv", "-n", to, place}, root),
		Root: root, Boot: bootFile(place),
		Act: state.Act{Kind: state.Move, Path: place, To: to, Before: image}, Source: []remedy.Step{s},
	})
	return nil
}
