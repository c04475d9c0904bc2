// Package cure turns a named cure into a remedy for one machine: the same advice reads differently in a container, on Fedora and on Ubuntu.
package cure

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Values fill the {placeholders} of a cure.
type Values map[string]string

// A recipe is one named cure with its variants, the first that fits wins.
type recipe struct {
	ID       string      `yaml:"id"`
	Title    string      `yaml:"title"`
	Risk     remedy.Risk `yaml:"risk"`
	Proof    []string    `yaml:"proof"`
	Apply    bool        `yaml:"apply"`  // rocsmith may take the steps itself
	Source   string      `yaml:"source"` // where the advice was read
	Variants []variant   `yaml:"variants"`
}

type variant struct {
	When  condition `yaml:"when"`
	Title string    `yaml:"title"` // in place of the recipe's
	Steps []step    `yaml:"steps"`
}

type step struct {
	Kind    remedy.Kind `yaml:"kind"`
	Text    string      `yaml:"text"`
	Command string      `yaml:"command"`
	Path    string      `yaml:"path"`
	User    string      `yaml:"user"`
	Group   string      `yaml:"group"`
	Name    string      `yaml:"name"`
	Value   string      `yaml:"value"`
	Content string      `yaml:"content"`
	Root    bool        `yaml:"root"`
	Line    string      `yaml:"line"` // a number, or a placeholder for one
	Old     string      `yaml:"old"`
	New     string      `yaml:"new"`
}

// A condition says for which machines a variant is meant. Every field that is
// set must hold.
type condition struct {
	OS        []string `yaml:"os"`        // "linux", "windows"
	Container []string `yaml:"container"` // kinds; "any" is every kind that shares a host's kernel
	Rootless  *bool    `yaml:"rootless"`
	Distro    []string `yaml:"distro"`  // ids of os-release, or what it is like
	Version   []string `yaml:"version"` // VERSION_ID, where packages are named after it
	OSTree    bool     `yaml:"ostree"`  // an image that rpm-ostree replaces as a whole
}

// data holds a file for each area, and in log those cures that only a log asks
// for: the doctor does not read them, which would take it longer than its checks.
//
//go:embed data/*.yaml data/log/*.yaml
var data embed.FS

var (
	book    = sync.OnceValues(func() (map[string]recipe, error) { return readAll(data, "data/*.yaml") })
	logBook = sync.OnceValues(func() (map[string]recipe, error) { return readAll(data, "data/log/*.yaml") })
)

// readAll collects the recipes of some files; a name stands for one cure in all
// of them.
func readAll(files fs.FS, pattern string) (map[string]recipe, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the cures: %w", err)
		}
		all = append(append(all, text...), '\n')
	}
	return parse(all)
}

// For makes a cure concrete. The names and placeholders are fixed by the data
// and the calling check; a mismatch is a mistake in rocsmith, and panics so that
// the tests over all machines find it.
func For(m *machine.Machine, id string, values Values) remedy.Remedy {
	made, err := Make(m, id, values)
	if err != nil {
		panic(err)
	}
	return made
}

// Make makes a cure concrete whose name and placeholders come from somewhere
// else than a check.
func Make(m *machine.Machine, id string, values Values) (remedy.Remedy, error) {
	for _, read := range []func() (map[string]recipe, error){book, logBook} {
		recipes, err := read()
		if err != nil {
			return remedy.Remedy{}, err
		}
		if r, ok := recipes[id]; ok {
			return r.make(m, values)
		}
	}
	return remedy.Remedy{}, fmt.Errorf("there is no cure %q", id)
}

// IDs returns the names of all cures, sorted.
func IDs() ([]string, error) {
	recipes, err := book()
	if err != nil {
		return nil, err
	}
	more, err := logBook()
	if err != nil {
		return nil, err
	}
	ids := slices.AppendSeq(slices.Collect(maps.Keys(recipes)), maps.Keys(more))
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return nil, fmt.Errorf("the cure %q stands in two books", ids[i])
		}
	}
	return ids, nil
}

func parse(data []byte) (map[string]recipe, error) {
	var list []recipe
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true) // a misspelt key would be advice silently lost
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("read the cures: %w", err)
	}
	recipes := make(map[string]recipe, len(list))
	var errs []error
	for _, r := range list {
		if _, taken := recipes[r.ID]; taken {
			errs = append(errs, fmt.Errorf("cure %q stands twice", r.ID))
		}
		if err := r.validate(); err != nil {
			errs = append(errs, fmt.Errorf("cure %q: %w", r.ID, err))
		}
		recipes[r.ID] = r
	}
	return recipes, errors.Join(errs...)
}

// validate wants a last variant without a condition, so that there is always
// something to say.
func (r recipe) validate() error {
	if len(r.Variants) == 0 || !r.Variants[len(r.Variants)-1].When.always() {
		return errors.New("the last variant must fit every machine")
	}
	for _, p := range r.Proof {
		if work, isWork := remedy.Work(p); isWork {
			if _, known := operation.Lookup(work); !known {
				return fmt.Errorf("its proof is work that nobody knows: %s", p)
			}
		}
	}
	for _, v := range r.Variants {
		if err := (remedy.Remedy{ID: r.ID, Title: r.Title, Risk: r.Risk, Steps: v.steps(newFiller(nil))}).Validate(); err != nil {
			return err
		}
		for _, s := range v.Steps {
			if strings.Contains(s.Command, "sudo ") && !s.Root {
				return fmt.Errorf("%q needs root: true", s.Command)
			}
		}
	}
	return nil
}

func (c condition) always() bool {
	return c.OS == nil && c.Container == nil && c.Rootless == nil && c.Distro == nil && c.Version == nil && !c.OSTree
}

func (c condition) holds(m *machine.Machine) bool {
	if c.OS != nil && !slices.Contains(c.OS, m.OS) {
		return false
	}
	if c.Container != nil && !c.inContainer(m) {
		return false
	}
	if c.Rootless != nil && *c.Rootless != m.Container.Value.Rootless {
		return false
	}
	if c.Version != nil && !slices.Contains(c.Version, m.Distro.Value.Version) {
		return false
	}
	if c.OSTree && !ostree(m.Distro.Value) {
		return false
	}
	return c.Distro == nil || c.rank(m) < unlike
}

// ostree knows the images of Fedora and its kin; other systems that are replaced
// as a whole have other tools.
func ostree(d machine.Distro) bool {
	return d.Immutable && (d.ID == "fedora" || slices.Contains(d.Like, "fedora"))
}

func (c condition) inContainer(m *machine.Machine) bool {
	kind := m.Container.Value.Kind
	if !m.Container.Known() || kind == "wsl2" {
		return false
	}
	return slices.Contains(c.Container, kind) || slices.Contains(c.Container, "any")
}

const unlike = 1 << 10

// rank says how near the distribution is to those of the condition: 0 is this
// very one, then in the order of what it says it is like. Mint is like Ubuntu
// first and like Debian second, and has Ubuntu's packages.
func (c condition) rank(m *machine.Machine) int {
	d := m.Distro.Value
	// An image that is replaced as a whole, and a hypervisor with a kernel of its
	// own, do not take a distribution's ordinary packages.
	if c.Distro == nil || d.Immutable || strings.HasSuffix(m.Kernel.Value, "-pve") {
		return unlike
	}
	for i, id := range append([]string{d.ID}, d.Like...) {
		if slices.Contains(c.Distro, id) {
			return i
		}
	}
	return unlike
}

func (r recipe) make(m *machine.Machine, values Values) (remedy.Remedy, error) {
	fill := newFiller(values)
	v := r.variantFor(m)
	title := r.Title
	if v.Title != "" {
		title = v.Title
	}
	made := remedy.Remedy{ID: r.ID, Title: fill.text.Replace(title), Risk: r.Risk, Steps: v.steps(fill), Proof: slices.Clone(r.Proof), Apply: r.Apply}
	return made, r.unfilled(values)
}

// variantFor takes the first variant that holds; among those for a distribution
// the one that is nearest. The last one always holds.
func (r recipe) variantFor(m *machine.Machine) variant {
	first := slices.IndexFunc(r.Variants, func(v variant) bool { return v.When.holds(m) })
	best := r.Variants[first]
	for _, v := range r.Variants[first:] {
		if best.When.Distro != nil && v.When.holds(m) && v.When.rank(m) < best.When.rank(m) {
			best = v
		}
	}
	return best
}

func (v variant) steps(fill filler) []remedy.Step {
	steps := make([]remedy.Step, 0, len(v.Steps))
	for _, s := range v.Steps {
		steps = append(steps, remedy.Step{
			Kind: s.Kind, Text: fill.text.Replace(s.Text), Command: fill.command.Replace(s.Command), Path: fill.text.Replace(s.Path),
			User: fill.text.Replace(s.User), Group: fill.text.Replace(s.Group), Name: fill.text.Replace(s.Name),
			Value: fill.text.Replace(s.Value), Content: fill.text.Replace(s.Content), Root: s.Root,
			Line: number(fill.text.Replace(s.Line)), Old: fill.text.Replace(s.Old), New: fill.text.Replace(s.New),
		})
	}
	return steps
}

// number reads the number of a line. A placeholder that is not filled yet, and a
// place that is no line, are 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[a-z_]+\}`) })

// unfilled looks at all variants of the cure, also those for other machines, and
// as they are written: a slip in one of them is found on any machine, and a line
// from somebody's file may hold braces of its own.
func (r recipe) unfilled(values Values) error {
	texts := []string{r.Title}
	for _, v := range r.Variants {
		texts = append(texts, v.Title)
		for _, s := range v.Steps {
			texts = append(texts, s.Text, s.Command, s.Path, s.User, s.Group, s.Name, s.Value, s.Content, s.Line, s.Old, s.New)
		}
	}
	for _, t := range texts {
		for _, hole := range placeholder().FindAllString(t, -1) {
			if _, given := values[strings.Trim(hole, "{}")]; !given {
				return fmt.Errorf("cure %q: nothing was given for %s", r.ID, hole)
			}
		}
	}
	return nil
}
