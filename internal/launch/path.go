package launch

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A Workplace is where a command was given: what its words mean there.
type Workplace struct {
	Dir  string // the working folder, absolute and without symbolic links
	Home string // the caller's home folder, likewise; "" where there is none
	// Look asks what a path is. It follows symbolic links.
	Look func(path string) Place
	// Apart tells that the container has a working folder of its own, as a service
	// of a compose file has: a bare word is the caller's only where the service
	// mounts it.
	Apart bool
}

// A Place is what a path leads to.
type Place struct {
	Kind Kind
	Real string // without symbolic links
	// Beyond are the folders outside of a folder that its own symbolic links lead
	// to: without them a container sees links to nothing.
	Beyond []string
}

// A Kind is what a path leads to, as far as a mount is concerned.
type Kind int

// The kinds of places.
const (
	Nothing Kind = iota // or nothing that the caller may see
	File                // anything but a folder
	Folder
)

// A Translation is a command made ready for a container.
type Translation struct {
	Args   []string
	Mounts []Mount
	// Dir is the working folder in the container; "" where it could not be given.
	Dir string
	// Image holds words that were left to the image, although something of that
	// name is here too.
	Image []string
	// Notes are sentences about what is not as it would be without a container.
	Notes []string
}

// imageFolders are those that belong to the image: an absolute path below them
// means the container's own file, as /usr/bin/python3 and /opt/rocm do, unless
// the working folder or a --mount holds it.
var imageFolders = []string{
	"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/proc", "/run", "/sbin", "/sys", "/usr", "/var",
}

// sharedFolders hold everybody's files: a file in them is mounted alone.
var sharedFolders = []string{"/tmp", "/var/tmp", "/mnt", "/media", "/run/media", "/srv", "/home"}

// Translate finds the paths in a command, and what has to be mounted for it.
//
// What is mounted has the same path in the container as here, so that paths in
// files and in messages mean the same on both sides. A word is the caller's
// where it is relative, begins with ~, or is absolute and not below a folder of
// the image, and names something that is here or could be made in a folder that
// is here. All other words stay as they are.
func Translate(words []string, w Workplace, given []Mount) (Translation, error) {
	t := translator{Workplace: w, given: given}
	t.enter()
	for i, word := range words {
		translated := word
		switch {
		case i == 0 && !strings.Contains(word, "/"): // a program of the image, found by its name
		case i > 0 && isScript(words[i-1], word) && !t.here(word):
		default:
			var err error
			if translated, err = t.word(word); err != nil {
				return Translation{}, err
			}
		}
		t.out.Args = append(t.out.Args, translated)
	}
	t.out.Mounts = tidy(append(slices.Clone(given), t.found...))
	return t.out, nil
}

// A translator works on one command.
type translator struct {
	Workplace

	given []Mount
	found []Mount
	out   Translation
}

// enter gives the container the working folder, unless that would give it
// everything.
func (t *translator) enter() {
	inside, ok := within(t.given, t.Dir)
	switch {
	case t.Apart:
	case ok:
		t.out.Dir = inside
	case !t.tooWide(t.Dir):
		t.out.Dir = t.Dir
		t.add(t.Dir)
	default:
		t.out.Notes = append(t.out.Notes, fmt.Sprintf(
			"%s is not mounted as a whole: what the program writes there is lost; work in a folder of its own, or give it with --mount %s", t.Dir, t.Dir))
	}
}

// tooWide tells of folders that hold more than a command can need.
func (t *translator) tooWide(dir string) bool {
	return dir == "/" || below("/opt/rocm", dir) || t.holdsHome(dir) || slices.Contains(sharedFolders, dir) || slices.Contains(imageFolders, dir)
}

func (t *translator) holdsHome(dir string) bool { return t.Home != "" && below(dir, t.Home) }

// absolute is the path that a name means, where it can mean one.
func (t *translator) absolute(name string) (string, bool) {
	switch {
	case name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") || strings.Contains(name, "://"):
		return "", false
	case name == "~" || strings.HasPrefix(name, "~/"):
		return path.Join(t.Home, name[1:]), t.Home != ""
	case path.IsAbs(name):
		return path.Clean(name), true
	}
	return path.Join(t.Dir, name), true
}

// path translates one name, or leaves it as it is where it means nothing here.
func (t *translator) path(name string) (string, error) {
	abs, ok := t.absolute(name)
	if !ok || abs == "/" {
		return name, nil
	}
	if inside, ok := within(t.given, abs); ok && !below(t.Dir, abs) {
		return inside, nil
	}
	place := t.Look(abs)
	switch {
	case t.Apart && !leads(name):
		return t.mountedAlready(name, abs, place), nil
	case path.IsAbs(name) && t.ofImage(abs):
		if place.Kind != Nothing {
			t.out.Image = append(t.out.Image, name)
		}
		return name, nil
	case place.Kind == Nothing:
		return t.newFile(name, abs)
	case place.Real != abs && t.ofImage(place.Real):
		// A link such as venv/bin/python: it leads to the image's own there too.
		return t.spelled(name, abs), t.give(path.Dir(abs), Folder)
	}
	if err := t.give(place.Real, place.Kind); err != nil {
		return "", err
	}
	for _, folder := range place.Beyond {
		if !t.tooWide(folder) && !t.ofImage(folder) {
			t.add(folder)
		}
	}
	if place.Real != abs {
		return t.inContainer(place.Real), nil
	}
	return t.spelled(name, abs), nil
}

// mountedAlready is the path in the container of something that is here and that
// a service mounts; else the name as it is.
func (t *translator) mountedAlready(name, abs string, place Place) string {
	if inside, ok := within(t.given, abs); ok && place.Kind != Nothing {
		return inside
	}
	return name
}

// ofImage tells of paths that mean the container's own files.
func (t *translator) ofImage(abs string) bool {
	if t.mounted(abs) {
		return false
	}
	holds := func(dir string) bool { return below(dir, abs) }
	return slices.ContainsFunc(imageFolders, holds) && !slices.ContainsFunc(sharedFolders, func(dir string) bool { return dir != abs && holds(dir) })
}

func (t *translator) mounted(abs string) bool {
	_, ok := within(slices.Concat(t.given, t.found), abs)
	return ok
}

// newFile gives the folder that something is to be made in.
func (t *translator) newFile(name, abs string) (string, error) {
	parent := path.Dir(abs)
	place := t.Look(parent)
	for place.Kind == Nothing && parent != "/" {
		parent = path.Dir(parent)
		place = t.Look(parent)
	}
	switch {
	case parent == "/", place.Kind != Folder: // a word that only looks like a path
		return name, nil
	case !leads(name) && below(parent, t.Dir): // any word could be a file to be made in the working folder
		return name, nil
	case place.Real != parent && t.ofImage(place.Real):
		return name, nil
	}
	rest := strings.TrimPrefix(abs, parent)
	if err := t.giveForNew(place.Real, place.Real+rest); err != nil {
		return "", err
	}
	if place.Real != parent {
		return t.inContainer(place.Real + rest), nil
	}
	return t.spelled(name, abs), nil
}

// giveForNew mounts a folder so that something can be made in it.
func (t *translator) giveForNew(dir, wanted string) error {
	switch {
	case t.mounted(dir):
		return nil
	case dir == "/tmp" || dir == "/var/tmp":
		t.add(dir) // meant for what is made and thrown away by everybody
		return nil
	case t.tooWide(dir):
		return fmt.Errorf("nothing is there yet, and to make it there the container would need the whole of %s; %s, or allow it with --mount %s",
			dir, makeFirst(dir, wanted), remedy.Paste(dir))
	}
	t.add(dir)
	return nil
}

// makeFirst says which folder below dir to make for what is wanted there. What
// stands in dir itself may have to be a folder or a file; only some names tell.
func makeFirst(dir, wanted string) string {
	if parent := path.Dir(wanted); parent != dir {
		return fmt.Sprintf("make its folder first (mkdir -p %s)", remedy.Paste(parent))
	}
	if path.Ext(wanted) != "" {
		return "name it in a folder of its own"
	}
	return fmt.Sprintf("if it is to be a folder, make it first (mkdir -p %s)", remedy.Paste(wanted))
}

// give mounts what is here already: a folder, or the folder of a file, because
// programs put a new file in the place of an old one, and look beside it.
func (t *translator) give(place string, kind Kind) error {
	if t.mounted(place) {
		return nil
	}
	if kind == File {
		if dir := path.Dir(place); !t.tooWide(dir) {
			t.add(dir)
		} else {
			t.add(place)
		}
		return nil
	}
	switch {
	case t.holdsHome(place):
		return fmt.Errorf("the container would get the whole of %s; name a folder in it, or allow it with --mount %s", place, remedy.Paste(place))
	case !t.tooWide(place):
		t.add(place)
	}
	return nil
}

func (t *translator) add(p string) { t.found = append(t.found, Mount{Source: p, Target: p}) }

// spelled is a name as the caller wrote it, where it means the same in the
// container: relative to the same folder, or absolute.
func (t *translator) spelled(name, abs string) string {
	if strings.HasPrefix(name, "~") || t.out.Dir != t.Dir && !path.IsAbs(name) {
		return t.inContainer(abs)
	}
	return name
}

// inContainer is the path that a path of this machine has in the container.
func (t *translator) inContainer(abs string) string {
	if inside, ok := within(t.given, abs); ok {
		return inside
	}
	return abs
}

// below tells whether a path is a folder or lies in it.
func below(dir, p string) bool {
	return dir == p || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}
