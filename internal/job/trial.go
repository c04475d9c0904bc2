package job

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// try does the real work that the cures of a plan name as their proof, each kind
// once, in a fresh process with the variables of a new login: libraries read
// theirs once in a process.
func (s Surgeon) try(p fix.Plan, d report.Diagnosis) []state.Trial {
	var out []state.Trial
	for _, c := range p.Cures {
		for _, id := range c.Remedy.Proof {
			work, isWork := remedy.Work(id)
			if isWork && !slices.ContainsFunc(out, func(t state.Trial) bool { return t.Task == work }) {
				out = append(out, s.work(work, p.Env, d))
			}
		}
	}
	return out
}

func (s Surgeon) work(id string, env []fix.Setting, d report.Diagnosis) state.Trial {
	t := state.Trial{Task: id, AskedAt: s.Now().UTC()}
	if d.NoAMDGPU() {
		t.Why = "there is no AMD GPU here"
		return t
	}
	if s.Getenv == nil {
		t.Why = "no work is done on the GPU from here"
		return t
	}
	r := nextLogin{s.Host, env}
	before := sizes(r, cached(d.Machine))
	for _, place := range places(d.Machine) {
		ended, err := s.workIn(r, id, place)
		if s.stopped() { // the interrupt ended the work as well, which says nothing of it
			err = state.ErrInterrupted
		}
		if err != nil {
			t.Why = err.Error()
			return t
		}
		t.Verdict, t.Why, t.Where = string(ended.Verdict), ended.Why, place
		if ended.Verdict != operation.NoLibrary && ended.Verdict != operation.Skipped {
			break
		}
	}
	for file, size := range sizes(r, cached(d.Machine)) {
		if grown := size - before[file]; grown > t.After-t.Before {
			t.File, t.Before, t.After = file, before[file], size
		}
	}
	return t
}

// places are where the libraries of the work may be: on the system, and in the
// environment of Python that brings its own.
func places(m *machine.Machine) []string {
	out := []string{""}
	for _, e := range m.Python.Value {
		if _, has := e.Has("torch"); has && e.Kind != "system" {
			out = append(out, e.Prefix)
		}
	}
	return out
}

// cached are the folders of MIOpen's kernels and tuning.
func cached(m *machine.Machine) []string {
	var out []string
	for _, f := range []machine.Fact[string]{m.Caches.MIOpen.Kernels, m.Caches.MIOpen.Tuning} {
		if f.Known() && !slices.Contains(out, f.Value) {
			out = append(out, f.Value)
		}
	}
	return out
}

func (s Surgeon) workIn(r host.Reader, id, environment string) (operation.Answer, error) {
	const enough = 5 * time.Minute // a first convolution compiles
	ctx, cancel := context.WithTimeout(context.Background(), enough)
	defer cancel()
	report, err := Probe(ctx, r, s.Version, ProbeQuestion{Tasks: []string{id}, Isolate: true, Environment: environment, Getenv: s.Getenv, Variables: true}, s.Now)
	if errors.Is(err, probe.ErrNoChild) {
		return operation.Answer{}, probe.ErrNoChild // where it was looked for is for the one who asks for a probe
	}
	if err != nil {
		return operation.Answer{}, err
	}
	for _, o := range report.Outcomes {
		if o.Task.Operation == id {
			return o.Answer, nil
		}
	}
	return operation.Answer{}, errors.New("the probe did not come to it")
}

// mostCached bounds the walk through a cache.
const mostCached = 10000

// sizes are those of the files below some folders.
func sizes(r host.Reader, folders []string) map[string]int64 {
	out := map[string]int64{}
	left := mostCached
	todo := slices.Clone(folders)
	for len(todo) > 0 && left > 0 {
		dir := todo[0]
		todo = todo[1:]
		entries, _ := r.ReadDir(dir) // what is not there yet holds nothing
		for _, e := range entries {
			left--
			st, err := r.Lstat(path.Join(dir, e.Name))
			switch {
			case err != nil:
			case st.Mode.IsDir():
				todo = append(todo, path.Join(dir, e.Name))
			case st.Mode.IsRegular():
				out[path.Join(dir, e.Name)] = st.Size
			}
		}
	}
	return out
}

// variables are those of a reader, as a process is given them.
func variables(r host.Reader) []string {
	list, err := r.Environ("")
	if err != nil {
		return nil // then the child has those of rocsmith
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		out = append(out, v.Name+"="+v.Value)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return out
}
