package job

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// The words for what a proof waits for.
const (
	nextLoginWaits = "the next login"
	nextStart      = "the next start of the machine"
)

// boot tells one start of the machine from another; "" where that is not known.
func (s Surgeon) boot() string {
	data, err := s.Host.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// expected are the parameters of modules that steps will give another value at the
// next start.
func expected(steps []fix.Step) []state.Expected {
	var out []state.Expected
	add := func(module, setting string) {
		name, value, found := strings.Cut(setting, "=")
		if found && value != "" && module != "" {
			out = append(out, state.Expected{Parameter: module + "." + strings.ReplaceAll(name, "-", "_"), Want: value})
		}
	}
	for _, s := range steps {
		switch {
		case s.Act.Kind == state.Write && strings.HasPrefix(s.Act.Path, "/etc/modprobe.d/"):
			before := strings.Split(string(s.Act.Before.Data), "\n")
			for line := range strings.Lines(string(s.Act.New)) {
				words := strings.Fields(line)
				if len(words) < 3 || words[0] != "options" || slices.Contains(before, strings.TrimSuffix(line, "\n")) {
					continue
				}
				for _, w := range words[2:] {
					add(words[1], w)
				}
			}
		case s.Act.Kind == state.Run:
			for _, w := range s.Act.Argv {
				for _, flag := range []string{"--args=", "--append-if-missing="} {
					if word, found := strings.CutPrefix(w, flag); found {
						module, setting, _ := strings.Cut(word, ".")
						add(module, setting)
					}
				}
			}
		}
	}
	for _, s := range steps {
		for _, source := range s.Source {
			if module, setting, found := strings.Cut(source.New, "."); found && !strings.Contains(source.New, " ") && s.Boot {
				add(module, setting)
			}
		}
	}
	return unique(out)
}

func unique(list []state.Expected) []state.Expected {
	var out []state.Expected
	for _, e := range list {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// Restarted asks the checks again that waited for a start of the machine, once it
// came, and marks what they say in the journal. Where another rocsmith holds it,
// that is only shown.
func (s Surgeon) Restarted(d report.Diagnosis) ([]state.Entry, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	boot := s.boot()
	var changed []*state.Entry
	for i := range entries {
		if e := &entries[i]; waited(*e, boot) {
			s.afterStart(e, d)
			changed = append(changed, e)
		}
	}
	if len(changed) == 0 {
		return entries, nil
	}
	j, _, err := s.open()
	if err != nil {
		return entries, nil //nolint:nilerr // it is known all the same, and marked the next time
	}
	defer func() { _ = j.Close() }()
	for _, e := range changed {
		if err := j.Record(e); err != nil {
			return entries, err
		}
	}
	return entries, nil
}

// waited reports an entry in force that was made before this start, and whose
// proof waits for it.
func waited(e state.Entry, boot string) bool {
	return e.Status == state.Done && e.Boot != "" && boot != "" && e.Boot != boot &&
		slices.ContainsFunc(e.Proofs, func(p state.Proof) bool { return p.Waits == nextStart && p.Restarted == "" })
}

func (s Surgeon) afterStart(e *state.Entry, d report.Diagnosis) {
	for i := range e.Proofs {
		p := &e.Proofs[i]
		if p.Waits == nextStart && i < len(e.Cures) {
			p.Restarted, p.RestartedAt = string(check.Skipped), s.Now().UTC()
			if c := e.Cures[i]; c.Check != "" {
				p.Restarted = string(Verdict(d.Findings, c.Check, c.Subject))
			}
		}
	}
	for i := range e.Expects {
		x := &e.Expects[i]
		module, name, _ := strings.Cut(x.Parameter, ".")
		if data, err := s.Host.ReadFile(path.Join("/sys/module", module, "parameters", name)); err == nil {
			x.Found = strings.TrimSpace(string(data))
		}
	}
}
