package job

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// PlanLint works out what the mends make of the files, and how they are put on the
// disk. Nothing is changed.
func (l Linter) PlanLint(q LintRequest) (report.LintPlan, error) {
	judged, err := l.lint(q)
	if err != nil {
		return report.LintPlan{}, err
	}
	p := judged.Result.Project
	mended := lint.MendAll(p, judged.setting, l.rules())
	plan := report.LintPlan{Lint: judged.Lint, Mended: mended, Top: judged.top}
	closed := map[*lint.File]error{}
	for _, c := range mended.Changes {
		step, err := l.step(judged.top, p, c)
		if err != nil {
			closed[c.File] = err
			continue
		}
		plan.Plan.Steps = append(plan.Plan.Steps, step)
	}
	folders, err := l.folders(judged.top, p, mended.Folders)
	if err != nil {
		closed[&lint.File{}] = err
	}
	plan.Plan.Steps = append(plan.Plan.Steps, folders...)
	if len(closed) > 0 {
		plan.Plan.Steps = nil // a mend may be spread over files: all of it, or nothing
	}
	for _, f := range mended.Taken {
		if len(closed) == 0 {
			plan.Plan.Cures = append(plan.Plan.Cures, cureOf(f))
		}
	}
	plan.Plan.Left = left(mended, closed, judged.setting.Needs)
	return plan, nil
}

func cureOf(f lint.Found) fix.Cure {
	c := f.Check()
	return fix.Cure{Finding: c, Remedy: c.Remedies[0]}
}

// left says of each mend that is not made why, and of the rest that they are for a
// person.
func left(m lint.Mended, closed map[*lint.File]error, needs grant.Needs) []fix.Left {
	var out []fix.Left
	for _, r := range m.Refused {
		out = append(out, fix.Left{Finding: r.Found.Check(), Why: r.Why})
	}
	var why []string
	for _, err := range closed {
		why = append(why, err.Error())
	}
	slices.Sort(why)
	if len(why) > 0 {
		for _, f := range m.Taken {
			out = append(out, fix.Left{Finding: f.Check(), Why: strings.Join(why, "; ")})
		}
	}
	for _, f := range m.Left.Found {
		refused := slices.ContainsFunc(m.Refused, func(r lint.Refusal) bool { return r.Found.Place() == f.Place() && r.Found.Rule.ID == f.Rule.ID })
		if c := f.Check(); c.Verdict.Worse(check.OK) && !refused {
			out = append(out, fix.Left{Finding: c, Why: unmended(f, needs)})
		}
	}
	return out
}

// unmended is why a finding has no mend.
func unmended(f lint.Found, needs grant.Needs) string {
	switch {
	case f.Verdict == check.Unknown:
		return "it could not be judged"
	case !needs.Complete() && (f.Cause == "container-gid-mismatch" || f.Cause == "device-permission-group"):
		return "the number is that of the GPU's node, and no GPU of the machine is known"
	}
	return "this is for you to decide"
}

// step is one file to be written, as the disk has it now.
func (l Linter) step(top string, p *lint.Project, c lint.Change) (fix.Step, error) {
	place, image, err := state.Look(l.inFull(top, c.File.Path), true)
	switch {
	case err != nil:
		return fix.Step{}, err
	case !bytes.Equal(image.Data, c.File.Data):
		return fix.Step{}, fmt.Errorf("%s was changed in the meantime", place)
	}
	if err := l.mayWrite(place, image); err != nil {
		return fix.Step{}, err
	}
	shown := p.Name(c.File)
	return fix.Step{
		Title: "edit " + shown, Detail: fix.Diff(shown, string(c.File.Data), string(c.After)),
		Act: state.Act{Kind: state.Write, Path: place, Before: image, New: c.After},
	}, nil
}

// folders are the steps that make what is missing, those above first. They get the
// rights that mkdir gives, and the owner of what they are in.
func (l Linter) folders(top string, p *lint.Project, wanted []string) ([]fix.Step, error) {
	const rights = 0o755
	var out []fix.Step
	var add func(full string) error
	add = func(full string) error {
		place, image, err := state.Look(full, false)
		switch {
		case err != nil:
			return err
		case image.Folder, slices.ContainsFunc(out, func(s fix.Step) bool { return s.Act.Path == place }):
			return nil
		case !image.Absent:
			return fmt.Errorf("%s is not a folder", place)
		}
		if err := add(path.Dir(place)); err != nil {
			return err
		}
		if len(out) == 0 || path.Dir(place) != out[len(out)-1].Act.Path {
			if err := l.Host.Access(path.Dir(place), 'w'); err != nil {
				return fmt.Errorf("make a folder in %s: %w", path.Dir(place), err)
			}
		}
		out = append(out, fix.Step{
			Title: "make the folder " + l.shown(top, p, place), ByHand: remedy.Paste("rmdir", place),
			Act: state.Act{Kind: state.MakeDir, Path: place, Before: image, Mode: rights},
		})
		return nil
	}
	for _, folder := range wanted {
		if err := add(l.inFull(top, folder)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shown is a path of the machine as a person would name it.
func (l Linter) shown(top string, p *lint.Project, full string) string {
	if name, inside := strings.CutPrefix(full, strings.TrimSuffix(top, "/")+"/"); inside {
		return p.Name(&lint.File{Path: name})
	}
	return full
}

// inFull is the path on the machine of a file of a project, or of another one that
// is in full already.
func (l Linter) inFull(top, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return host.PathOf(l.Host.OS(), path.Join(host.FileName(l.Host.OS(), top), name))
}

// mayWrite refuses files of others beforehand: they would have to stay theirs.
func (l Linter) mayWrite(place string, image state.Image) error {
	who, err := l.Host.Process()
	switch {
	case err != nil:
		return fmt.Errorf("learn who this is: %w", err)
	case who.EUID != 0 && image.UID != who.EUID:
		return fmt.Errorf("%s belongs to uid %d", place, image.UID)
	}
	if err := l.Host.Access(path.Dir(place), 'w'); err != nil {
		return fmt.Errorf("write to the folder of %s: %w", place, err)
	}
	return nil
}

// ApplyLint writes the files of a plan through the journal, and judges the project
// again.
func (s Surgeon) ApplyLint(l Linter, q LintRequest, p report.LintPlan) (state.Entry, report.Lint, error) {
	j, _, err := s.open()
	if err != nil {
		return state.Entry{}, report.Lint{}, err
	}
	defer func() { _ = j.Close() }()
	entry := entryFor(p.Plan, s.Version)
	for i, f := range p.Mended.Taken { // the journal is read from any folder
		entry.Cures[i].Subject = fmt.Sprintf("%s:%d", l.inFull(p.Top, f.File.Path), f.Line)
	}
	e, err := j.Begin(entry, acts(p.Plan.Steps))
	if err != nil {
		return state.Entry{}, report.Lint{}, err
	}
	if err := j.Apply(e); err != nil {
		return *e, report.Lint{}, err
	}
	after, err := l.Lint(q)
	if err != nil {
		return *e, after, errors.Join(errors.New("the mends were made, and then the project could not be judged"), err)
	}
	for _, f := range p.Mended.Taken {
		e.Proofs = append(e.Proofs, state.Proof{
			Check: f.Rule.ID, Before: string(f.Verdict), After: string(still(f, after.Result)), AskedAt: s.Now().UTC(),
		})
	}
	return *e, after, j.Record(e)
}

// still is what a rule says of a file now. Lines may have moved, so it is the
// sentence that tells one finding from another.
func still(f lint.Found, now lint.Result) check.Verdict {
	for _, n := range now.Found {
		if n.Rule.ID == f.Rule.ID && n.File.Path == f.File.Path && n.Message == f.Message && n.By == nil {
			return n.Verdict
		}
	}
	return check.OK
}
