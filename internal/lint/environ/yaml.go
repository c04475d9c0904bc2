package environ

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func inCompose(p *lint.Project, f *lint.File) []setting {
	services := yamltext.RootOf(f.Data).Child("services")
	if services == nil || services.Kind() != yamltext.Mapping {
		return nil
	}
	elsewhere := fromEnvFile(p, f)
	var out []setting
	for _, e := range services.Entries() {
		for _, s := range environment(f, e.Value.Child("environment")) {
			value, ok := filled(s.value, elsewhere)
			if s.computed = !ok; ok {
				s.value = value
			}
			out = append(out, s)
		}
	}
	return out
}

// environment reads both forms: a mapping, and a list of NAME=value.
func environment(f *lint.File, env *yamltext.Node) []setting {
	if env == nil || env.Alias() { // what an alias stands for is read where it stands
		return nil
	}
	var out []setting
	switch env.Kind() {
	case yamltext.Mapping:
		for _, e := range env.Entries() {
			if v := e.Value; !e.Merged && v.Kind() == yamltext.Scalar && !v.Null() {
				out = append(out, setting{file: f, line: v.Line, name: e.Key.Value(), value: v.Value(), start: v.Start, end: v.End, node: v})
			}
		}
	case yamltext.Sequence:
		for _, item := range env.Items() {
			if name, value, ok := strings.Cut(item.Value(), "="); ok && item.Kind() == yamltext.Scalar {
				out = append(out, setting{file: f, line: item.Line, name: name, value: value, start: item.Start, end: item.End, node: item})
			}
		}
	}
	return out
}

// filled puts the defaults in for variables. What .env sets is judged there.
func filled(text string, elsewhere map[string]bool) (string, bool) {
	for name := range elsewhere {
		if strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name) {
			return "", false
		}
	}
	if !strings.Contains(text, "$") {
		return text, true
	}
	return fallback(text)
}

func inManifest(f *lint.File) []setting {
	file, err := yamltext.Parse(f.Data)
	if err != nil {
		return nil // said by project/readable
	}
	var out []setting
	for _, doc := range file.Docs {
		doc.Mappings(func(n *yamltext.Node) {
			env := n.Child("env")
			if env == nil || env.Kind() != yamltext.Sequence || env.Alias() {
				return
			}
			for _, item := range env.Items() {
				name, value := item.Child("name"), item.Child("value")
				if name != nil && value != nil && !strings.Contains(value.Value(), "$(") {
					out = append(out, setting{file: f, line: value.Line, name: name.Value(), value: value.Value(), start: value.Start, end: value.End, node: value})
				}
			}
		})
	}
	return out
}

func inDevContainer(f *lint.File) []setting {
	root := yamltext.RootOf(lint.StripJSONC(f.Data))
	var out []setting
	for _, key := range []string{"containerEnv", "remoteEnv"} {
		for _, s := range environment(f, root.Child(key)) {
			if !strings.Contains(s.value, "${") {
				out = append(out, s)
			}
		}
	}
	return out
}
