package compose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// An outside variable is set around a compose project, where containers do not see
// it.
type outside struct {
	name, value string
	where, why  string // for people
	seen        machine.Evidence
}

const onlyNamed = "A container sees only the variables that its service names."

// around are the variables that are set where a project is started: in the shell,
// in a script that starts it, and in the .env that compose reads for itself. Of the
// last two those are left out that the project fills something in with: whoever wrote
// them knows the way.
func around(p *lint.Pass, project *composefile.Project) []outside {
	out := slices.Concat(inScripts(p, project), inEnv(p, project))
	out = slices.DeleteFunc(out, func(o outside) bool { return uses(project, o.name) })
	if p.Machine == nil || !p.Machine.Variables.Known() {
		return out
	}
	for _, v := range p.Machine.Variables.Value {
		if slices.ContainsFunc(out, func(o outside) bool { return o.name == v.Name }) {
			continue
		}
		out = append(out, outside{
			name: v.Name, value: v.Value, where: "is set in this shell", why: onlyNamed,
			seen: machine.Evidence{From: p.Machine.Variables.From, Text: v.Name + "=" + v.Value},
		})
	}
	return out
}

// uses reports a project that fills something in with a variable.
func uses(project *composefile.Project, name string) bool {
	return slices.ContainsFunc(project.Files, func(f *composefile.File) bool {
		text := string(f.YAML.Data)
		return strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name)
	})
}

// inEnv are the lines of the .env beside a project.
func inEnv(p *lint.Pass, project *composefile.Project) []outside {
	var out []outside
	for _, s := range project.Env {
		if s.Inherited {
			continue
		}
		at := fmt.Sprintf("%s:%d", shown(p, s.Path), s.Line)
		out = append(out, outside{
			name: s.Name, value: s.Value, where: "stands in " + shown(p, s.Path),
			why:  "Compose fills in its own file from there, and hands a container nothing of it that its service does not name.",
			seen: machine.Evidence{From: machine.Source(at), Text: s.Name + "=" + s.Value},
		})
	}
	return out
}

// inScripts are the exports of scripts that start a project, before they do.
func inScripts(p *lint.Pass, project *composefile.Project) []outside {
	var out []outside
	for _, f := range p.Of(lint.Script) {
		commands := shelltext.Parse(string(f.Data), nil)
		start := slices.IndexFunc(commands, func(c shelltext.Command) bool { return starts(c, f, project) })
		if start < 0 {
			continue
		}
		exports := slices.Clone(commands[start].Assignments)
		for _, c := range commands[:start] {
			exports = append(exports, c.Exports()...)
		}
		for _, a := range exports {
			if a.Value.Computed {
				continue
			}
			at := fmt.Sprintf("%s:%d", p.Name(f), a.Value.Line)
			out = append(out, outside{
				name: a.Name, value: a.Value.Text, where: "is exported by " + p.Name(f), why: onlyNamed,
				seen: machine.Evidence{From: machine.Source(at), Text: a.Name + "=" + a.Value.Text},
			})
		}
	}
	return out
}

// starts reports a command of a script that has compose start the services of a
// project: one that it names, or the one around the script.
func starts(c shelltext.Command, script *lint.File, project *composefile.Project) bool {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Text
	}
	if len(words) > 0 && words[0] == "sudo" {
		words = words[1:]
	}
	rest, ok := composeWords(words)
	if !ok || !slices.ContainsFunc(rest, func(w string) bool { return slices.Contains([]string{"up", "run", "create", "start"}, w) }) {
		return false
	}
	dir, named := path.Dir(script.Path), namedFiles(rest)
	if len(named) == 0 {
		return dir == project.Dir || project.Dir == "." || strings.HasPrefix(dir, project.Dir+"/")
	}
	return slices.ContainsFunc(project.Files, func(f *composefile.File) bool {
		return slices.ContainsFunc(named, func(n string) bool { return path.Base(n) == path.Base(f.Path) })
	})
}

// composeWords are what is said to compose, by whatever name it is called.
func composeWords(words []string) ([]string, bool) {
	switch {
	case len(words) > 1 && words[1] == "compose" && (words[0] == "docker" || words[0] == "podman"):
		return words[2:], true
	case len(words) > 0 && (words[0] == "docker-compose" || words[0] == "podman-compose"):
		return words[1:], true
	}
	return nil, false
}

func namedFiles(words []string) []string {
	var out []string
	for i, w := range words {
		if name, joined := strings.CutPrefix(w, "--file="); joined {
			out = append(out, name)
		} else if (w == "-f" || w == "--file") && i+1 < len(words) {
			out = append(out, words[i+1])
		}
	}
	return out
}
