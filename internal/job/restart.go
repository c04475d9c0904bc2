package job

import (
	"errors"
	"fmt"
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
	var words []string // module.parameter=value
	for _, s := range steps {
		switch {
		case s.Act.Kind == state.Write && strings.HasPrefix(s.Act.Path, "/etc/modprobe.d/"):
			words = append(words, newOptions(s.Act)...)
		case s.Act.Kind == state.Run:
			words = append(words, newWords(s.Act.Argv)...)
		}
		for _, source := range s.Source {
			if s.Boot && !strings.Contains(source.New, " ") {
				words = append(words, source.New)
			}
		}
	}
	var out []state.Expected
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		module, parameter, found := strings.Cut(name, ".")
		if found && value != "" && module != "" {
			out = append(out, state.Expected{Parameter: module + "." + strings.ReplaceAll(parameter, "-", "_"), Want: value})
		}
	}
	return unique(out)
}

// newOptions are the settings of lines that a write adds to modprobe.d.
func newOptions(a state.Act) []string {
	before := strings.Split(string(a.Before.Data), "\n")
	var out []string
	for line := range strings.Lines(string(a.New)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "options" || slices.Contains(before, strings.TrimSuffix(line, "\n")) {
			continue
		}
		for _, w := range words[2:] {
			out = append(out, words[1]+"."+w)
		}
	}
	return out
}

// newWords are those that a tool of a boot loader adds to the kernel's.
func newWords(argv []string) []string {
	var out []string
	for _, w := range argv {
		for _, flag := range []string{"--args=", "--append-if-missing="} {
			if word, found := strings.CutPrefix(w, flag); found {
				out = append(out, word)
			}
		}
	}
	return out
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
// came, and marks what they say in the journal. Where it cannot be had now, that
// is only shown, and marked the next time.
func (s Surgeon) Restarted(d report.Diagnosis) ([]state.Entry, error) {
	entries, err := s.Entries()
	if err != nil {
		return nil, err
	}
	boot := s.boot()
	if len(s.answered(entries, boot, d)) == 0 {
		return entries, nil
	}
	j, _, err := s.open()
	switch {
	case errors.Is(err, state.ErrBusy), errors.Is(err, state.ErrNoRoot):
		return entries, nil
	case err != nil:
		return entries, fmt.Errorf("mark what the restart brought: %w", err)
	}
	defer func() { _ = j.Close() }()
	// Until the journal was this process's alone, another may have undone an entry.
	if entries, err = j.Entries(); err != nil {
		return nil, err
	}
	for _, e := range s.answered(entries, boot, d) {
		if err := j.Record(e); err != nil {
			return entries, err
		}
	}
	return entries, nil
}

// answered are the entries that waited, with the answers.
func (s Surgeon) answered(entries []state.Entry, boot string, d report.Diagnosis) []*state.Entry {
	var changed []*state.Entry
	for i := range entries {
		if e := &entries[i]; waited(*e, boot) {
			s.afterStart(e, d)
			changed = append(changed, e)
		}
	}
	return changed
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
