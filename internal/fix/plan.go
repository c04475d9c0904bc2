// Package fix turns the cures of findings into a plan: what would be changed, in which order, with which rights, and how it is taken back.
package fix

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A World is what a plan has to know of the machine beyond its findings.
type World interface {
	// Look returns the real path of a file and what is there.
	Look(file string, content bool) (string, state.Image, error)
	// MayWrite reports whether this process may make and rename files in a folder.
	MayWrite(folder string) bool
	// Program returns the full path of a command.
	Program(name string) (string, bool)
	// List names what is in a folder; one that is not there holds nothing.
	List(folder string) ([]string, error)
	// HasGroup reports whether there is a group of that name.
	HasGroup(name string) bool
}

// A Person is who the cures are for.
type Person struct {
	UID   uint32
	Name  string
	Home  string
	Shell string // the login shell, as $SHELL names it
	// Zsh and Config are where zsh and fish look for their files, where that is not
	// the home and ~/.config: $ZDOTDIR, $XDG_CONFIG_HOME.
	Zsh, Config string
}

// A Wish is what somebody wants cured.
type Wish struct {
	Only []string    // checks, causes or cures; none is everything
	Risk remedy.Risk // the greatest that is accepted
	Pip  bool        // commands of pip and uv may be run
	// From tells of causes that something else than the doctor names where that
	// was: a line of a log.
	From map[string]string
}

// A Cure is a remedy that was chosen for a finding.
type Cure struct {
	Finding check.Finding
	Remedy  remedy.Remedy
	From    string // where the fault was seen: "doctor, access/kfd"
	alone   Plan   // what it would be without the others
}

// NeedsRoot reports a cure with a step of root.
func (c Cure) NeedsRoot() bool { return len(c.alone.Root()) > 0 }

// A Left is a finding that rocsmith does not cure itself, and why.
type Left struct {
	Finding check.Finding
	Why     string
}

// A Step is one change of a plan.
type Step struct {
	Title  string
	Why    string // what a new file is for, and what it costs
	Detail string // a difference, or a command line
	ByHand string // how to take it back without rocsmith
	Root   bool
	Boot   bool // what the machine starts with depends on it
	Act    state.Act
	// Source is what was asked for, to be handed to a rocsmith that runs as root.
	Source []remedy.Step
}

// A Plan is everything that would be done.
type Plan struct {
	Cures []Cure
	// Titles say what it is for where no finding asked for it.
	Titles []string
	Steps  []Step
	Then   []string // what is left to a person afterwards
	Ways   []string // to start a machine that does not start any more
	Left   []Left
	// Env is how the variables of a new login will differ, and Login that it takes one
	// until they do.
	Env   []Setting
	Login bool
}

// A Setting is a variable with its new value, or without any.
type Setting struct {
	Name, Value string
	Unset       bool
}

// Root and User return the steps that need root, and those that do not.
func (p Plan) Root() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return !s.Root })
}

// User returns the steps that this user may take.
func (p Plan) User() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.Root })
}

// WithoutRoot is what a plan comes to where the steps of root are not taken.
func (p Plan) WithoutRoot() Plan {
	p.Steps, p.Then, p.Login = p.User(), nil, false
	all := p.Cures
	p.Cures = nil
	for _, c := range all {
		if c.NeedsRoot() {
			continue
		}
		p.Cures, p.Login = append(p.Cures, c), p.Login || c.alone.Login
		for _, text := range c.alone.Then {
			if !slices.Contains(p.Then, text) {
				p.Then = append(p.Then, text)
			}
		}
	}
	return p
}

// Make chooses for each finding the first remedy that rocsmith can apply, and
// puts the steps of all of them together.
func Make(findings []check.Finding, wish Wish, who Person, w World) Plan {
	b := newBuilder(who, w)
	for _, f := range check.ByWeight(findings) {
		if f.Verdict == check.Unknown || len(f.Remedies) == 0 || !wish.Wants(f) {
			continue
		}
		b = b.cure(f, wish)
	}
	return b.plan()
}

// Parts makes a plan of steps that another rocsmith chose.
func Parts(steps []remedy.Step, who Person, w World) (Plan, error) {
	b := newBuilder(who, w)
	for _, s := range steps {
		if err := b.take(s); err != nil {
			return Plan{}, err
		}
	}
	return b.plan(), nil
}

// Wants reports whether a finding is among what was asked for.
func (w Wish) Wants(f check.Finding) bool {
	if len(w.Only) == 0 {
		return true
	}
	names := []string{f.Check, f.Area(), f.Cause}
	for _, r := range f.Remedies {
		names = append(names, r.ID)
	}
	return slices.ContainsFunc(w.Only, func(only string) bool { return only != "" && slices.Contains(names, only) })
}

// among are the remedies to choose from: those that were named, where one was.
func (w Wish) among(all []remedy.Remedy) []remedy.Remedy {
	named := slices.DeleteFunc(slices.Clone(all), func(r remedy.Remedy) bool { return !slices.Contains(w.Only, r.ID) })
	if len(named) > 0 {
		return named
	}
	return all
}

// from says where a fault was seen.
func (w Wish) from(f check.Finding) string {
	var places []string
	if f.Check != "" {
		places = append(places, "doctor, "+f.Check)
	}
	if named := w.From[f.Cause]; named != "" {
		places = append(places, named)
	}
	return strings.Join(places, "; ")
}

// accepts tells whether a risk is not greater than the accepted one.
func (w Wish) accepts(r remedy.Risk) bool {
	order := []remedy.Risk{remedy.Safe, remedy.Disruptive, remedy.Final}
	return slices.Index(order, r) <= slices.Index(order, w.Risk)
}

// A builder collects the changes of several cures, so that one file is written
// once and a boot image is made once.
type builder struct {
	who    Person
	world  World
	cures  []Cure
	left   []Left
	files  map[string]*file
	order  []string // of the files
	others []Step   // folders and moves
	runs   []Step   // commands
	last   []Step   // commands that make something from the files
	then   []string
	ways   []string // to start a machine that does not
	env    []Setting
	login  bool
}

func newBuilder(who Person, w World) builder {
	return builder{who: who, world: w, files: map[string]*file{}}
}

// clone lets a cure be tried: where one of its steps cannot be taken, none is.
func (b builder) clone() builder {
	c := b
	c.files = map[string]*file{}
	for name, f := range maps.All(b.files) {
		twin := *f
		twin.lines, twin.source, twin.notes = slices.Clone(f.lines), slices.Clone(f.source), slices.Clone(f.notes)
		c.files[name] = &twin
	}
	for _, list := range []*[]Step{&c.others, &c.runs, &c.last} {
		*list = slices.Clone(*list)
	}
	c.ways = slices.Clone(b.ways)
	c.order, c.then, c.env = slices.Clone(b.order), slices.Clone(b.then), slices.Clone(b.env)
	return c
}

func (b builder) cure(f check.Finding, wish Wish) builder {
	why, applied := "", false
	for _, r := range wish.among(f.Remedies) {
		tried, alone := b.clone(), newBuilder(b.who, b.world)
		err := tried.remedy(r, wish)
		if err == nil && alone.remedy(r, wish) == nil && alone.changes() == 0 {
			// With others it may share a step; one that has none of its own cures nothing.
			err = fmt.Errorf("%s: that is so already", r.Title)
		}
		if err == nil {
			tried.cures = append(slices.Clone(b.cures), Cure{Finding: f, Remedy: r, From: wish.from(f), alone: alone.plan()})
			return tried
		}
		// Why a cure that could be taken was not says more than that one is for people.
		if why == "" || r.Apply && !applied {
			why, applied = err.Error(), r.Apply
		}
	}
	b.left = append(b.left, Left{f, why})
	return b
}

func (b *builder) remedy(r remedy.Remedy, wish Wish) error {
	switch {
	case !r.Apply && byPip(r):
		return b.remedyByPip(r, wish)
	case !r.Applies():
		return fmt.Errorf("%s: this is for you to do", r.Title)
	case !wish.accepts(r.Risk):
		return fmt.Errorf("%s: its risk is %s", r.Title, r.Risk)
	}
	taken := 0
	var gone error
	for _, s := range r.Steps {
		switch err := b.take(s); {
		case errors.Is(err, errGone):
			gone = err // what is not there need not be moved, if the rest can be done
		case err != nil:
			return err
		case s.Changes():
			taken++
		}
	}
	if taken == 0 {
		return gone
	}
	return nil
}

// remedyByPip takes a cure of packages, which is only done on request.
func (b *builder) remedyByPip(r remedy.Remedy, wish Wish) error {
	switch {
	case !wish.Pip:
		return fmt.Errorf("%s: this is for you to do; with --pip rocsmith does it", r.Title)
	case !wish.accepts(remedy.Disruptive):
		return fmt.Errorf("%s: what pip does cannot always be taken back", r.Title)
	}
	return b.pip(r)
}

// errGone is a file to be moved aside that is not there.
var errGone = errors.New("it is not there")

func (b *builder) changes() int {
	n := len(b.others) + len(b.runs) + len(b.last)
	for _, f := range b.files {
		if f.changed() {
			n++
		}
	}
	return n
}

// take adds one step of a remedy.
func (b *builder) take(s remedy.Step) error {
	s.Path, s.Value, s.Command = b.home(s.Path), b.own(s.Value), b.own(s.Command)
	switch s.Kind {
	case remedy.EditFile:
		return b.edit(s)
	case remedy.WriteFile:
		return b.write(s)
	case remedy.CopyFile:
		return b.copy(s)
	case remedy.KernelWord:
		return b.kernelWord(s)
	case remedy.ChangeOwner:
		return b.changeOwner(s)
	case remedy.JoinGroup:
		return b.join(s)
	case remedy.SetEnv:
		return b.setEnv(s)
	case remedy.MoveAside:
		return b.moveAside(s)
	case remedy.Command:
		return b.command(s)
	case remedy.Manual:
		b.after(s.Text)
		return nil
	}
	return fmt.Errorf("unknown kind of step %q", s.Kind)
}

func (b *builder) after(text string) {
	if !slices.Contains(b.then, text) {
		b.then = append(b.then, text)
	}
}

// own puts the user's number where a shell would.
func (b *builder) own(text string) string {
	return strings.ReplaceAll(text, "$(id -u)", fmt.Sprint(b.who.UID))
}

// home writes a path of the user's in full.
func (b *builder) home(p string) string {
	for _, prefix := range []string{"$HOME/", "~/"} {
		if rest, found := strings.CutPrefix(p, prefix); found && b.who.Home != "" {
			return path.Join(b.who.Home, rest)
		}
	}
	return p
}

// plan puts folders and files first, then commands, and last what is made from
// files.
func (b builder) plan() Plan {
	p := Plan{Cures: b.cures, Then: b.then, Ways: b.ways, Left: b.left, Env: b.env, Login: b.login}
	p.Steps = append(p.Steps, b.others...)
	for _, name := range b.order {
		if f := b.files[name]; f.changed() {
			p.Steps = append(p.Steps, f.step())
		}
	}
	p.Steps = append(append(p.Steps, b.runs...), b.last...)
	return p
}
