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
	if p.Machine == nil || !p.Machine.Variables.Known() {
		return
	}
	r, view := reporting(p), look(p)
	for _, s := range view.gpus {
		for _, v := range p.Machine.Variables.Value {
			if !concerns(v) || !view.lacksVariable(s, v.Name) {
				continue
			}
			f := at(p, environment(s))
			f.Verdict = check.Warn
			f.Evidence = []machine.Evidence{{From: p.Machine.Variables.From, Text: v.Name + "=" + v.Value}}
			f.Message = fmt.Sprintf("%s=%s is set in this shell, and service %s does not pass it on. A container sees only the variables that its service names.", v.Name, v.Value, s.Name)
			f.Mend = pass(p, s, v.Name)
			if f.Mend == nil {
				f.Advice = advice("compose-pass-variable", "Pass "+v.Name+" on", "Name it, without a value, in environment of service "+s.Name)
			}
			r.report(f)
		}
	}
}

// concerns reports a variable that means the same in a container: one that ROCm
// reads, and that is not a path of the host.
func concerns(v machine.Variable) bool {
	_, known := rocm.LookupVariable(v.Name)
	return known && v.Value != "" && !strings.ContainsAny(v.Value, "/\\")
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
			beside: "devices", after: []string{"devices", "group_add", "image", "build"}, wants: wants,
		}.add(p, s)
	}
	if env.Node.Kind() == yamltext.Mapping {
		edit, err := env.Node.Add(name, yamltext.Nothing())
		return mend(p, env, title, edit, err)
	}
	edit, err := env.Node.Append(yamltext.Text(name))
	return mend(p, env, title, edit, err)
}
