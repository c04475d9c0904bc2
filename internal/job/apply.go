package job

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// An Outcome is what became of a plan.
type Outcome struct {
	Entry state.Entry
	// Rest are the steps of root that were not taken, and why.
	Rest []fix.Step
	Why  error
}

// Apply takes the steps of a plan: those of root through sudo, the others here;
// then it asks the checks again.
func (s Surgeon) Apply(p fix.Plan) (Outcome, error) {
	j, _, err := s.open()
	if err != nil {
		return Outcome{}, err
	}
	defer func() { _ = j.Close() }()
	fresh := entryFor(p, s.Version)
	fresh.Boot, fresh.Expects = s.boot(), expected(p.Steps)
	e, err := j.Begin(fresh, acts(p.User()))
	if err != nil {
		return Outcome{}, err
	}
	out, err := s.asRoot(j, e, p)
	if err != nil {
		return out, err
	}
	if err := s.here(j, e); err != nil {
		out.Entry = *e
		return out, err
	}
	s.prove(e, p, out)
	out.Entry = *e
	return out, j.Record(e)
}

// asRoot hands the steps of root over. That it was asked is on the disk before,
// so that a run that is killed in between can be taken back.
func (s Surgeon) asRoot(j *state.Journal, e *state.Entry, p fix.Plan) (Outcome, error) {
	steps := p.Root()
	if len(steps) == 0 {
		return Outcome{}, nil
	}
	e.RootPart = true
	if err := j.Record(e); err != nil {
		return Outcome{}, err
	}
	err := s.handOver(*e, steps)
	if err == nil {
		return Outcome{}, nil
	}
	if errors.Is(err, state.ErrStopped) {
		j.Forget(e)
		return Outcome{}, err
	}
	if errors.Is(err, state.ErrNoRoot) {
		withoutRoot(e, p)
		j.Forget(e)
		if len(p.User()) > 0 {
			return Outcome{Rest: steps, Why: err}, nil
		}
		return Outcome{Rest: steps, Why: err}, err
	}
	// Whether it was rolled back or killed: root looks, and takes back what stands.
	if back := s.rootBack(e.ID); back != nil {
		return Outcome{}, errors.Join(err, back, standsYet(j, e, back))
	}
	e.RootPart, e.Status = false, state.RolledBack
	if s.stopped() {
		err = errors.Join(state.ErrInterrupted, err)
	}
	return Outcome{Entry: *e}, errors.Join(&state.RollbackError{Err: err}, j.Record(e))
}

// withoutRoot lets an entry say what is done of a plan without the steps of root.
func withoutRoot(e *state.Entry, p fix.Plan) {
	less := p.WithoutRoot()
	e.RootPart, e.RootSteps, e.Wrote = false, nil, leaves(acts(less.Steps))
	e.Waits, e.ByHand, e.Rescue = less.Waits(), less.ByHand(), less.Rescue()
	for _, c := range p.Cures {
		if i := slices.Index(e.Titles, c.Remedy.Title); i >= 0 && c.NeedsRoot() {
			e.Titles[i] += " (without the steps of root)"
		}
	}
}

// standsYet marks an entry whose steps of root could not be taken back: the next
// run tries again, and where somebody changed something since, undo can be asked.
func standsYet(j *state.Journal, e *state.Entry, back error) error {
	e.Status = state.Doing
	if errors.Is(back, state.ErrKept) {
		e.Status = state.Kept
	}
	return j.Record(e)
}

// here takes the steps of this user. Where they fail, those of root are taken
// back as well.
func (s Surgeon) here(j *state.Journal, e *state.Entry) error {
	err := j.Apply(e)
	if err == nil || !e.RootPart {
		return err
	}
	if back := s.rootBack(e.ID); back != nil {
		return errors.Join(err, fmt.Errorf("and the steps of root stand: %w", back), standsYet(j, e, back))
	}
	e.RootPart = false
	begun := func(step state.Step) bool { return step.Status != state.Planned }
	if e.Status == state.Doing && !slices.ContainsFunc(e.Steps, begun) {
		e.Status = state.RolledBack
		err = &state.RollbackError{Err: err}
	}
	return errors.Join(err, j.Record(e))
}

func acts(steps []fix.Step) []state.Act {
	out := make([]state.Act, len(steps))
	for i, s := range steps {
		out[i] = s.Act
	}
	return out
}

func entryFor(p fix.Plan, version string) state.Entry {
	e := state.Entry{Version: version, Titles: slices.Clone(p.Titles), Wrote: leaves(acts(p.Steps)), Waits: p.Waits(), ByHand: p.ByHand(), Rescue: p.Rescue()}
	for _, s := range p.Root() {
		e.RootSteps = append(e.RootSteps, s.Title)
	}
	for _, c := range p.Cures {
		e.Cures = append(e.Cures, state.Cure{ID: c.Remedy.ID, Title: c.Remedy.Title, Check: c.Finding.Check, Subject: c.Finding.Subject, Cause: c.Finding.Cause})
		if !slices.Contains(e.Titles, c.Remedy.Title) {
			e.Titles = append(e.Titles, c.Remedy.Title)
		}
	}
	return e
}

// leaves are the files that acts leave.
func leaves(acts []state.Act) []state.Wrote {
	var out []state.Wrote
	for _, a := range acts {
		if w, ok := a.Leaves(); ok {
			out = append(out, w)
		}
	}
	return out
}

// A part is what a rocsmith hands to the one that it starts as root: what is to
// be done, not how; the other makes its own plan of it, from the same closed list.
type part struct {
	Entry state.Entry   `json:"entry"`
	Steps []remedy.Step `json:"steps"`
	// Shown are the sums of what a person said yes to, which may take a while, and
	// then there is sudo's password: where the other makes something else of the
	// steps, it does nothing.
	Shown []string `json:"shown"`
}

// sums tell acts from others, by all that a person was shown of them.
func sums(acts []state.Act) ([]string, error) {
	out := make([]string, 0, len(acts))
	for _, a := range acts {
		a.Before = state.Image{Absent: a.Before.Absent, Folder: a.Before.Folder, Sum: a.Before.Sum}
		data, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("sum up a step: %w", err)
		}
		out = append(out, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	slices.Sort(out)
	return out, nil
}

func (s Surgeon) handOver(e state.Entry, steps []fix.Step) error {
	if s.Root == nil {
		return state.ErrNoRoot
	}
	name, err := s.nameOf(e.ID)
	if err != nil {
		return err
	}
	p := part{Entry: state.Entry{Version: e.Version, Titles: e.Titles, Cures: e.Cures, For: name, ByHand: fix.Plan{Steps: steps}.ByHand(), Rescue: e.Rescue}}
	for _, step := range steps {
		p.Steps = append(p.Steps, step.Source...)
	}
	if p.Shown, err = sums(acts(steps)); err != nil {
		return err
	}
	input, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("hand steps over to root: %w", err)
	}
	_, err = s.Root(input, "fix", "--part")
	return err
}

// MaxPart bounds what is read from the rocsmith that started this one.
const MaxPart = 8 << 20

// ApplyPart takes the steps that another rocsmith handed over.
func (s Surgeon) ApplyPart(input []byte) (state.Entry, error) {
	var p part
	if err := json.Unmarshal(input, &p); err != nil {
		return state.Entry{}, fmt.Errorf("read the steps: %w", err)
	}
	if err := (remedy.Remedy{ID: "part", Title: "part", Risk: remedy.Safe, Steps: p.Steps}).Validate(); err != nil {
		return state.Entry{}, err
	}
	j, _, err := s.open() // what was interrupted is taken back before anything is looked at
	if err != nil {
		return state.Entry{}, err
	}
	defer func() { _ = j.Close() }()
	m := survey.Take(s.Host)
	plan, err := fix.Parts(p.Steps, s.person(m), s.world(m, true))
	if err != nil {
		return state.Entry{}, err
	}
	made, err := sums(acts(plan.Steps))
	switch {
	case err != nil:
		return state.Entry{}, err
	case !slices.Equal(made, p.Shown):
		return state.Entry{}, errOtherPlan
	}
	e, err := j.Begin(p.words(), acts(plan.Steps))
	if err != nil {
		return state.Entry{}, err
	}
	err = j.Apply(e)
	return *e, err
}

// words is the entry with what it says to people, and nothing that is done: steps that
// came with it would not be of the plan.
func (p part) words() state.Entry {
	e := p.Entry
	return state.Entry{Version: e.Version, Titles: e.Titles, Cures: e.Cures, For: e.For, ByHand: e.ByHand, Rescue: e.Rescue}
}

var errOtherPlan = errors.New("the steps of root would not be those that were shown: a file changed in between, or root sees the machine differently; nothing was done as root")

// nextLogin is the machine with the variables that a new login will have.
type nextLogin struct {
	host.Reader
	env []fix.Setting
}

func (n nextLogin) Getenv(name string) (string, bool, error) {
	for _, s := range slices.Backward(n.env) {
		if s.Name == name {
			return s.Value, !s.Unset, nil
		}
	}
	return n.Reader.Getenv(name)
}

func (n nextLogin) Environ(prefix string) ([]host.Variable, error) {
	vars, err := n.Reader.Environ(prefix)
	if err != nil {
		return nil, err
	}
	for _, s := range n.env {
		if !strings.HasPrefix(s.Name, prefix) {
			continue
		}
		vars = slices.DeleteFunc(vars, func(v host.Variable) bool { return v.Name == s.Name })
		if !s.Unset {
			vars = append(vars, host.Variable{Name: s.Name, Value: s.Value})
		}
	}
	slices.SortFunc(vars, func(a, b host.Variable) int { return strings.Compare(a.Name, b.Name) })
	return vars, nil
}
