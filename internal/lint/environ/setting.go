package environ

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/shelltext"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A setting is a variable that a file sets.
type setting struct {
	file        *lint.File
	line        int
	name, value string
	computed    bool           // a shell or a builder works the value out; it stands as it is written
	start, end  int            // bytes that the value stands in, quotes included; both 0 where it is not edited
	branch      bool           // a script sets it in a branch, or behind a test
	node        *yamltext.Node // of YAML: the value, or the item that holds name and value
}

// text writes a setting as people do. Values come from outside, and may be long.
func (s setting) text() string {
	value := strings.Join(strings.Fields(s.value), " ")
	if r := []rune(value); len(r) > 48 {
		value = string(r[:48]) + "…"
	}
	return s.name + "=" + value
}

// local settings are one machine's own, and need not hold for others.
func (s setting) local() bool { return s.file.Kind == lint.EnvFile }

// concerns tells the settings that are for AMD GPUs: by their names, or because
// the project is.
func (s setting) concerns(p *lint.Pass) bool {
	first, _, _ := strings.Cut(s.name, "_")
	switch first {
	case "HSA", "HIP", "MIOPEN", "ROCR", "ROCM", "ROCBLAS", "HIPBLASLT", "RCCL", "AMD":
		return true
	}
	return p.ForAMD()
}

func provenance(p rocm.Provenance) machine.Evidence {
	return machine.Evidence{From: machine.Source(p.Grade()), Text: p.Source}
}

// settings returns what the files of a project set, without values that only a
// shell or a builder can work out.
func settings(p *lint.Pass) []setting {
	return slices.DeleteFunc(slices.Clone(allSettings(p)), func(s setting) bool { return s.computed })
}

// allSettings returns what the files of a project set, read once.
func allSettings(p *lint.Pass) []setting {
	return lint.Shared(p.Project, "env/settings", func() []setting {
		var out []setting
		for _, f := range p.Files {
			switch f.Kind {
			case lint.Dockerfile:
				out = append(out, inDockerfile(f)...)
			case lint.Compose:
				out = append(out, inCompose(p.Project, f)...)
			case lint.Kubernetes:
				out = append(out, inManifest(f)...)
			case lint.DevContainer:
				out = append(out, inDevContainer(f)...)
			case lint.Script:
				out = append(out, inScript(f)...)
			case lint.EnvFile:
				out = append(out, inEnvFile(f)...)
			case lint.Quadlet:
				out = append(out, inQuadlet(f)...)
			}
		}
		return slices.DeleteFunc(out, func(s setting) bool { return strings.Contains(s.value, "{{") }) // a template
	})
}

func inDockerfile(f *lint.File) []setting {
	file, err := dockerfile.Parse(f.Data)
	if err != nil {
		return nil // said by project/readable
	}
	var out []setting
	values := map[string]string{}
	for _, in := range file.Instructions {
		for _, pair := range in.Pairs {
			if pair.Bare {
				continue
			}
			value, ok := file.Expand(pair.Value.Text, values)
			if ok {
				values[pair.Name.Text] = value
			} else {
				value = strings.Trim(pair.Value.Text, `"`)
			}
			if in.Name == "ENV" {
				out = append(out, setting{file: f, line: pair.Name.Line, name: pair.Name.Text, value: value, computed: !ok, start: pair.Value.Start, end: pair.Value.End})
			}
		}
	}
	return out
}

func inScript(f *lint.File) []setting {
	var out []setting
	all := shelltext.Parse(string(f.Data), nil)
	unset := map[string]bool{}
	for _, c := range all {
		if c.Name() == "unset" {
			for _, w := range c.Words[1:] {
				unset[w.Text] = true
			}
		}
	}
	for _, c := range all {
		for _, a := range append(c.Exports(), c.Assignments...) {
			if a.Value.Computed && unset[a.Name] {
				continue // what becomes of it is taken back where it is not right
			}
			value, ok := plain(a.Value)
			out = append(out, setting{file: f, line: a.Value.Line, name: a.Name, value: value, computed: !ok, branch: c.Conditional, start: a.Value.Start, end: a.Value.End})
		}
		out = append(out, passedOn(f, c)...)
	}
	return out
}

// passedOn are the variables that a script gives to a container: docker run -e
// NAME=VALUE.
func passedOn(f *lint.File, c shelltext.Command) []setting {
	engine := slices.IndexFunc(c.Words, func(w shelltext.Word) bool { return w.Text == "docker" || w.Text == "podman" })
	if engine < 0 || engine > 2 || !hasWords(c, "run") && !hasWords(c, "create") && !hasWords(c, "exec") {
		return nil
	}
	var out []setting
	for i, w := range c.Words[engine:] {
		text := strings.TrimPrefix(w.Text, "--env=")
		before := c.Words[max(engine+i-1, 0)].Text
		if text == w.Text && before != "-e" && before != "--env" {
			continue
		}
		name, value, given := strings.Cut(text, "=")
		if !given || w.Computed {
			continue
		}
		out = append(out, setting{file: f, line: w.Line, name: name, value: value, branch: c.Conditional})
	}
	return out
}

// plain is the value of a word, or the default in ${NAME:-default}; not ok and as
// it is written where neither is known.
func plain(w shelltext.Word) (string, bool) {
	if !w.Computed {
		return w.Text, true
	}
	if value, ok := fallback(w.Text); ok {
		return value, true
	}
	return w.Text, false
}

// fallback is the text with the defaults of all its variables in their place. It
// is not ok where there is a variable without one.
func fallback(text string) (string, bool) {
	if strings.ContainsAny(text, "`(*?[") {
		return "", false
	}
	return (&dockerfile.File{}).Expand(text, nil)
}

func inEnvFile(f *lint.File) []setting {
	var out []setting
	line, at := 0, 0
	for text := range strings.Lines(string(f.Data)) {
		line++
		start := at
		at += len(text)
		body := strings.TrimRight(text, "\r\n")
		name, value, ok := strings.Cut(body, "=")
		start += len(name) + 1
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		if !ok || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		plain := strings.TrimSpace(value)
		if quoted := strings.Trim(plain, `"'`); quoted != plain {
			plain = quoted
		} else if i := strings.Index(plain, " #"); i >= 0 {
			plain = strings.TrimSpace(plain[:i])
		}
		out = append(out, setting{file: f, line: line, name: name, value: plain, computed: strings.Contains(value, "$"), start: start, end: start + len(value)})
	}
	return out
}

// inQuadlet reads the lines Environment=A=1 "B=2".
func inQuadlet(f *lint.File) []setting {
	var out []setting
	line := 0
	for text := range strings.Lines(string(f.Data)) {
		line++
		list, ok := strings.CutPrefix(strings.TrimSpace(text), "Environment=")
		if !ok {
			continue
		}
		for _, c := range shelltext.Parse(list, nil) {
			for _, a := range c.Assignments {
				out = append(out, setting{file: f, line: line, name: a.Name, value: a.Value.Text})
			}
			for _, w := range c.Words {
				if name, value, ok := strings.Cut(w.Text, "="); ok && !w.Computed {
					out = append(out, setting{file: f, line: line, name: name, value: value})
				}
			}
		}
	}
	return out
}

// fromEnvFile are the names that the .env beside a compose file sets.
func fromEnvFile(p *lint.Project, f *lint.File) map[string]bool {
	out := map[string]bool{}
	for _, env := range p.Of(lint.EnvFile) {
		if env.Path == path.Join(path.Dir(f.Path), ".env") {
			for _, s := range inEnvFile(env) {
				out[s.name] = true
			}
		}
	}
	return out
}
