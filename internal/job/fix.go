package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A Surgeon plans and applies cures on the machine that this process runs on.
type Surgeon struct {
	Host    host.Reader
	Version string
	Now     func() time.Time
	// Root runs this program as root with arguments and an input; nil where that
	// is not to be tried.
	Root func(input []byte, args ...string) (string, error)
	// Stopped is asked whether somebody wants this to end; nil is no.
	Stopped func() bool
	// Getenv is of this process, to find the program that works on the GPU; nil
	// where none is to be done.
	Getenv func(string) string
}

// Plan diagnoses the machine and plans the cures that somebody asks for.
func (s Surgeon) Plan(q FixQuestion) (fix.Plan, report.Diagnosis, error) {
	d, err := Diagnose(s.Host, s.Version, Question{}, s.Now)
	if err != nil {
		return fix.Plan{}, d, err
	}
	if q.Kernels.Path != "" {
		if d.Findings, err = q.Kernels.add(s.Host, d); err != nil {
			return fix.Plan{}, d, err
		}
		q.Wish.Only = []string{kernelCheck}
	}
	p, err := PlanOn(d, q, s.person(d.Machine), s.world(d.Machine, false))
	return p, d, err
}

// PlanOn plans the cures for a machine that was judged.
func PlanOn(d report.Diagnosis, q FixQuestion, who fix.Person, w fix.World) (fix.Plan, error) {
	findings, err := q.asked(d)
	if err != nil {
		return fix.Plan{}, err
	}
	return fix.Make(findings, q.Wish, who, w), nil
}

func known(name string, findings []check.Finding) bool {
	return slices.ContainsFunc(findings, func(f check.Finding) bool {
		return name == f.Check || name == f.Area() || name == f.Cause && name != "" ||
			slices.ContainsFunc(f.Remedies, func(r remedy.Remedy) bool { return r.ID == name })
	})
}

func (s Surgeon) person(m *machine.Machine) fix.Person {
	get := func(name string) string {
		value, _, _ := s.Host.Getenv(name)
		return value
	}
	return fix.Person{
		UID: m.Process.Value.UID, Name: m.Process.Value.Name, Home: get("HOME"), Shell: get("SHELL"),
		Zsh: get("ZDOTDIR"), Config: get("XDG_CONFIG_HOME"),
	}
}

// A world answers what a plan asks beyond the findings.
type world struct {
	host   host.Reader
	groups *machine.Machine
	strict bool // paths must be real already: they were shown to a person
}

func (s Surgeon) world(m *machine.Machine, strict bool) world { return world{s.Host, m, strict} }

func (w world) Look(file string, content bool) (string, state.Image, error) {
	place, image, err := state.Look(file, content)
	if err == nil && w.strict && place != file {
		err = fmt.Errorf("%s leads to %s", file, place)
	}
	return place, image, err
}

func (w world) MayWrite(folder string) bool { return w.host.Access(folder, 'w') == nil }

func (w world) Program(name string) (string, bool) {
	for _, dir := range w.folders(name) {
		if st, err := w.host.Lstat(path.Join(dir, name)); err == nil && !st.Mode.IsDir() {
			return path.Join(dir, name), true
		}
	}
	return "", false
}

// folders are where a program may be. People install uv for themselves.
func (w world) folders(name string) []string {
	home, set, err := w.host.Getenv("HOME")
	if name != "uv" || !set || err != nil {
		return state.Programs
	}
	return append([]string{path.Join(home, ".local/bin"), path.Join(home, ".cargo/bin")}, state.Programs...)
}

func (w world) List(folder string) ([]string, error) {
	entries, err := w.host.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

func (w world) HasGroup(name string) bool {
	_, ok := w.groups.GroupNamed(name)
	return ok
}

// StateDir is where rocsmith keeps what it changed. Under sudo that is root's
// own folder, because the variables may still be those of the caller.
func StateDir(r host.Reader) (string, error) {
	get := func(name string) string {
		value, _, _ := r.Getenv(name)
		return value
	}
	p, err := r.Process()
	if err == nil && p.EUID == 0 && get("SUDO_UID") != "" {
		return path.Join(homeOfRoot(r), ".local/state/rocsmith"), nil
	}
	if dir := get("XDG_STATE_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "rocsmith"), nil
	}
	if home := get("HOME"); path.IsAbs(home) {
		return path.Join(home, ".local/state/rocsmith"), nil
	}
	return "", errors.New("there is no place for rocsmith's journal: neither XDG_STATE_HOME nor HOME names a folder")
}

func homeOfRoot(r host.Reader) string {
	data, _ := r.ReadFile("/etc/passwd")
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); len(f) == 7 && f[2] == "0" && path.IsAbs(f[5]) {
			return f[5]
		}
	}
	return "/root"
}

// open takes the journal, and brings to its end what was interrupted.
func (s Surgeon) open() (*state.Journal, []state.Entry, error) {
	dir, err := StateDir(s.Host)
	if err != nil {
		return nil, nil, err
	}
	j, err := state.Open(dir, s.Now)
	if err != nil {
		return nil, nil, err
	}
	j.Stopped = s.Stopped
	kept, err := s.rootFirst(j)
	if err != nil {
		return nil, nil, errors.Join(err, j.Close())
	}
	recovered, err := j.Recover()
	for i := range recovered {
		if slices.Contains(kept, recovered[i].ID) {
			recovered[i].Status = state.Kept // undo can be asked for the rest
			err = errors.Join(err, j.Record(&recovered[i]))
		}
	}
	if err != nil {
		return nil, recovered, errors.Join(err, j.Close())
	}
	return j, recovered, nil
}

func (s Surgeon) stopped() bool { return s.Stopped != nil && s.Stopped() }

// rootFirst takes back what root did for entries that were interrupted, and names
// those of which something was left because somebody changed it since.
func (s Surgeon) rootFirst(j *state.Journal) (kept []string, err error) {
	entries, err := j.Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Open() || !e.RootPart {
			continue
		}
		switch err := s.rootBack(e.ID); {
		case errors.Is(err, state.ErrKept):
			kept = append(kept, e.ID)
		case err != nil:
			return kept, fmt.Errorf("take back the steps of root of %s, which was interrupted: %w", e.ID, err)
		}
	}
	return kept, nil
}

// rootBack lets the rocsmith of root take back what it did for an entry.
func (s Surgeon) rootBack(id string) error {
	if s.Root == nil {
		return state.ErrNoRoot
	}
	name, err := s.nameOf(id)
	if err != nil {
		return err
	}
	_, err = s.Root(nil, "undo", "--for", name, "--yes")
	return err
}

// nameOf names an entry of this user to the rocsmith of root.
func (s Surgeon) nameOf(id string) (string, error) {
	p, err := s.Host.Process()
	if err != nil {
		return "", fmt.Errorf("learn who this is: %w", err)
	}
	return fmt.Sprintf("%d/%s", p.UID, id), nil
}

// UndoFor takes back what was done for an entry in somebody's journal. That
// nothing stands is fine: it was taken back already, or never done.
func (s Surgeon) UndoFor(name string) ([]state.Conflict, error) {
	j, _, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = j.Close() }()
	entries, err := j.Entries()
	if err != nil {
		return nil, err
	}
	var errs []error
	var kept []state.Conflict
	for i := range entries {
		if e := &entries[i]; e.For == name && e.Standing() {
			conflicts, err := j.Undo(e)
			errs, kept = append(errs, err), append(kept, conflicts...)
		}
	}
	return kept, errors.Join(errs...)
}

// Recover brings to its end what an earlier run left half done. It is asked
// before a plan is made, and opens the journal only where there is such a thing.
func (s Surgeon) Recover() ([]state.Entry, error) {
	entries, err := s.Entries()
	if err != nil || !slices.ContainsFunc(entries, state.Entry.Open) {
		return nil, err
	}
	j, recovered, err := s.open()
	if err != nil {
		return recovered, err
	}
	return recovered, j.Close()
}

// Entries reads the journal.
func (s Surgeon) Entries() ([]state.Entry, error) {
	dir, err := StateDir(s.Host)
	if err != nil {
		return nil, err
	}
	return state.Read(dir)
}

// Undo takes an entry back, with the part of root.
func (s Surgeon) Undo(id string) (state.Entry, []state.Conflict, error) {
	j, _, err := s.open()
	if err != nil {
		return state.Entry{}, nil, err
	}
	defer func() { _ = j.Close() }()
	entries, err := j.Entries()
	if err != nil {
		return state.Entry{}, nil, err
	}
	i := slices.IndexFunc(entries, func(e state.Entry) bool { return e.ID == id })
	if i < 0 {
		return state.Entry{}, nil, fmt.Errorf("there is no entry %s in the journal; rocsmith undo --list names them", id)
	}
	e := &entries[i]
	var kept []state.Conflict
	if e.RootPart && e.Standing() {
		switch err := s.rootBack(e.ID); {
		case errors.Is(err, state.ErrKept):
			kept = append(kept, state.Conflict{Path: "the part of root", Why: "something of it could not be taken back; root's rocsmith said what, and why", Command: true})
		case err != nil:
			return *e, nil, err
		}
	}
	conflicts, err := j.Undo(e)
	if err == nil && len(kept) > 0 {
		e.Status = state.Kept // it can be tried again
		err = j.Record(e)
	}
	return *e, append(kept, conflicts...), err
}
