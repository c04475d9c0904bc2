package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// groupVariables holds numbers that come from variables to those of the nodes: a
// default is right on the machine of whoever wrote it.
func groupVariables(p *lint.Pass) {
	if !p.Needs.Complete() || translates(p.Engine) {
		return
	}
	v := look(p)
	r := reporting(p)
	for _, project := range v.projects {
		for _, s := range project.Services {
			if !v.given(s) {
				continue
			}
			for _, g := range s.Groups() {
				if ref, meant, ok := meantBy(p, g); ok && g.Text != digits(meant.gid) {
					r.report(groupVariable(p, project, s, g, ref, meant))
				}
			}
		}
	}
}

// meaning is the group that a variable is named for.
type meaning struct {
	gid uint32
	why machine.Evidence
}

// meantBy reads from the name of a variable which node it is for: nothing else
// tells.
func meantBy(p *lint.Pass, v *composefile.Value) (composefile.Reference, meaning, bool) {
	if len(v.Vars) != 1 {
		return composefile.Reference{}, meaning{}, false
	}
	ref := v.Vars[0]
	name := strings.ToLower(ref.Name)
	group := ""
	switch {
	case strings.Contains(name, "render") || strings.Contains(name, "kfd"):
		group = "render"
	case strings.Contains(name, "video"):
		group = "video"
	}
	gid, why, ok := wanted(p.Machine, group)
	return ref, meaning{gid, why}, ok && group != ""
}

func groupVariable(p *lint.Pass, project *composefile.Project, s *composefile.Service, g *composefile.Value, ref composefile.Reference, m meaning) lint.Finding {
	f := at(p, g)
	f.Verdict, f.Cause = check.Warn, mismatch
	if slices.Contains(p.Needs.GIDs(), m.gid) && handed(s, string(m.why.From)) {
		f.Verdict = check.Fail
	}
	m.why = passed(p.Machine, []*composefile.Service{s}, m.gid, m.why)
	f.Evidence = []machine.Evidence{m.why}
	env := envFile(p, project.EnvPath)
	line := fmt.Sprintf("%s=%d", ref.Name, m.gid)
	switch {
	case ref.From == composefile.FromShell:
		f.Message = fmt.Sprintf("%s is %s in this shell, and %s belongs to gid %d. Service %s gets the number of the shell.", ref.Name, cmp.Or(g.Text, "nothing"), m.why.From, m.gid, s.Name)
		f.Advice = paste("compose-variable-export", "Export the number of the node", "In the shell that starts compose", "export "+line)
	case ref.From == composefile.FromEnvFile:
		f.Message = fmt.Sprintf("%s:%d sets %s to %s, and %s belongs to gid %d. Service %s gets the wrong group.", shown(p, ref.Setting.Path), ref.Setting.Line, ref.Name, cmp.Or(g.Text, "nothing"), m.why.From, m.gid, s.Name)
		f.Mend = setVariable(p, ref.Setting, m.gid)
	case env != nil:
		f.Message = unsetMessage(g, ref, m, s)
		f.Mend = addVariable(env, line)
	case ref.HasDefault:
		f.Message = unsetMessage(g, ref, m, s)
		if v := look(p); v.suits(s, text(g), groups, v.given) {
			f.Mend = setDefault(p, g, ref, m.gid)
		}
	default:
		f.Message = unsetMessage(g, ref, m, s)
		if place, told := sampled(p, ref.Name); told {
			f.Verdict = check.Warn
			f.Message = fmt.Sprintf("%s has no value here yet, and service %s gets no group without it; %s belongs to gid %d. %s is where this project sets it.", ref.Name, s.Name, m.why.From, m.gid, place)
		}
	}
	if f.Mend == nil && f.Advice == nil {
		f.Advice = paste("compose-env-file", "Write the number into .env", "Compose reads .env beside the compose file", remedy.Paste("echo", line)+" >> "+remedy.Paste(shown(p, project.EnvPath)))
	}
	return f
}

func unsetMessage(g *composefile.Value, ref composefile.Reference, m meaning, s *composefile.Service) string {
	if ref.HasDefault {
		return fmt.Sprintf("%s is not set, so service %s gets gid %s; %s belongs to gid %d here. Distributions number the group differently.", ref.Name, s.Name, g.Text, m.why.From, m.gid)
	}
	return fmt.Sprintf("%s has no default and no value in .env, so service %s gets no group; %s belongs to gid %d here.", ref.Name, s.Name, m.why.From, m.gid)
}

// envFile is the file that compose takes variables from, where there is one.
func envFile(p *lint.Pass, path string) *lint.File {
	f, err := p.File(path, lint.EnvFile)
	if err != nil {
		return nil
	}
	return f
}

func setVariable(p *lint.Pass, set *composefile.Setting, gid uint32) *lint.Mend {
	f := envFile(p, set.Path)
	if f == nil || set.Inherited {
		return nil
	}
	return &lint.Mend{
		Title: fmt.Sprintf("Set %s to %d in %s", set.Name, gid, p.Name(f)),
		Edits: []lint.Edit{{File: f, Start: set.Start, End: set.End, New: digits(gid)}},
	}
}

func addVariable(f *lint.File, line string) *lint.Mend {
	text, eol := string(f.Data), "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	add := line + eol
	if text != "" && !strings.HasSuffix(text, "\n") {
		add = eol + line
	}
	return &lint.Mend{Title: "Add " + line + " to .env", Edits: []lint.Edit{{File: f, Start: len(f.Data), End: len(f.Data), New: add}}}
}

// setDefault writes another default into the reference, and nothing else.
func setDefault(p *lint.Pass, v *composefile.Value, ref composefile.Reference, gid uint32) *lint.Mend {
	raw := v.Node.Value()
	for _, operator := range []string{":-", "-"} {
		before := "${" + ref.Name + operator + ref.Default + "}"
		if strings.Count(raw, before) == 1 {
			edit, err := v.Node.Replace(strings.Replace(raw, before, "${"+ref.Name+operator+digits(gid)+"}", 1))
			return mend(p, v, fmt.Sprintf("Write %d as the default of %s", gid, ref.Name), edit, err)
		}
	}
	return nil
}
