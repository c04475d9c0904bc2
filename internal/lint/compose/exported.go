package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// exported finds variables that are set where compose is started, and that no GPU
// service is given: a container sees nothing of the shell.
func exported(p *lint.Pass) {
	r, view := reporting(p), look(p)
	for _, project := range view.projects {
		for _, o := range around(p, project) {
			if !concerns(o.name, o.value) || !helps(p, o.name, o.value) {
				continue
			}
			for _, s := range project.Services {
				if view.given(s) && view.lacksVariable(s, o.name) {
					r.report(unpassed(p, s, o))
				}
			}
		}
	}
}

func unpassed(p *lint.Pass, s *composefile.Service, o outside) lint.Finding {
	f := at(p, environment(s))
	f.Verdict = check.Warn
	f.Evidence = []machine.Evidence{o.seen}
	f.Message = fmt.Sprintf("%s=%s %s, and service %s does not pass it on. %s", o.name, o.value, o.where, s.Name, o.why)
	f.Mend = pass(p, s, o.name)
	if f.Mend == nil {
		f.Advice = advice("compose-pass-variable", "Pass "+o.name+" on", "Name it, without a value, in environment of service "+s.Name)
	}
	return f
}

// concerns reports a variable that means the same in a container: one that ROCm
// reads, and that is not a path of the host.
func concerns(name, value string) bool {
	_, known := rocm.LookupVariable(name)
	return known && value != "" && !strings.ContainsAny(value, "/\\")
}

// helps reports a value that a service is better off with. An override that does
// not fit the GPU, and switches that were left on, do no harm while nothing passes
// them on: doctor and the rules about variables speak of those.
func helps(p *lint.Pass, name, value string) bool {
	if _, bad := rocm.JudgeSetting(name, value); bad {
		return false
	}
	if name != rocm.OverrideVariable {
		return true
	}
	if _, err := rocm.ParseOverride(value); err != nil {
		return false
	}
	gpus := p.Machine.TargetGPUs()
	return len(gpus) == 0 || slices.ContainsFunc(gpus, func(g machine.GPU) bool {
		o, err := rocm.JudgeOverride(g.Gfx.Value, value)
		return err == nil && o.Verdict == rocm.OverrideSameFamily
	})
}

// lacksVariable reports a service that computes with ROCm and is not given a
// variable, as far as its env files were read.
func (v *view) lacksVariable(s *composefile.Service, name string) bool {
	given, whole := s.Environment()
	return v.rocm[s] != "" && whole && !slices.ContainsFunc(given, func(g composefile.Variable) bool { return g.Name == name })
}

func environment(s *composefile.Service) *composefile.Value {
	if e := s.Get("environment"); e != nil {
		return e
	}
	return s.Value
}

// pass names a variable in environment, in the form that it has there.
func pass(p *lint.Pass, s *composefile.Service, name string) *lint.Mend {
	title := "Pass " + name + " on to " + s.Name
	v, env := look(p), s.Get("environment")
	wants := func(o *composefile.Service) bool { return v.lacksVariable(o, name) }
	if env == nil || !v.suits(s, text(env), under("environment"), wants) {
		return addition{
			title: title, key: "environment", content: yamltext.List(name),
			beside: "devices", after: []string{"group_add", "devices", "image", "build"}, wants: wants,
		}.add(p, s)
	}
	if env.Node.Kind() == yamltext.Mapping {
		edit, err := env.Node.Add(name, yamltext.Nothing())
		return mend(p, env, title, edit, err)
	}
	edit, err := env.Node.Append(yamltext.Text(name))
	return mend(p, env, title, edit, err)
}
