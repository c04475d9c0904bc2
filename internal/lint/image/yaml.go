package image

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func inCompose(p *lint.Project, f *lint.File, add func(reference)) {
	root := yamltext.RootOf(f.Data)
	services := root.Child("services")
	if services == nil || services.Kind() != yamltext.Mapping {
		return
	}
	values, built := variables(p, f), builtBeside(p, f)
	for _, e := range services.Entries() {
		image := e.Value.Child("image")
		// With build, in this file or in one laid over it, image is the name that is
		// given to what is built.
		if image == nil || built[e.Key.Value()] {
			continue
		}
		name, ok := filled(image.Value(), values)
		if !ok {
			continue
		}
		r := reference{file: f, line: image.Line, name: name, override: environmentOf(e.Value)}
		for _, d := range items(e.Value.Child("devices")) {
			r.gpu = r.gpu || isGPU(d.Value())
		}
		add(r)
	}
}

// builtBeside are the services that a compose file of the same folder builds.
func builtBeside(p *lint.Project, f *lint.File) map[string]bool {
	out := map[string]bool{}
	for _, other := range p.Of(lint.Compose) {
		services := yamltext.RootOf(other.Data).Child("services")
		if path.Dir(other.Path) != path.Dir(f.Path) || services == nil || services.Kind() != yamltext.Mapping {
			continue
		}
		for _, e := range services.Entries() {
			if e.Value.Child("build") != nil {
				out[e.Key.Value()] = true
			}
		}
	}
	return out
}

// environmentOf is the override in the environment of a service.
func environmentOf(service *yamltext.Node) string {
	env := service.Child("environment")
	if v := env.Child(rocm.OverrideVariable); v != nil {
		return v.Value()
	}
	for _, item := range items(env) {
		if value, ok := strings.CutPrefix(item.Value(), rocm.OverrideVariable+"="); ok {
			return value
		}
	}
	return ""
}

// inManifest finds the containers of whatever kinds the documents are: a mapping
// with a name and an image is one.
func inManifest(f *lint.File, add func(reference)) {
	file, err := yamltext.Parse(f.Data)
	if err != nil {
		return
	}
	for _, doc := range file.Docs {
		doc.Mappings(func(n *yamltext.Node) {
			image := n.Child("image")
			if image == nil || image.Value() == "" || n.Child("name") == nil {
				return
			}
			r := reference{file: f, line: image.Line, name: image.Value()}
			r.gpu = n.Child("resources").Child("limits").Child("amd.com/gpu") != nil
			for _, v := range items(n.Child("env")) {
				if name := v.Child("name"); name != nil && name.Value() == rocm.OverrideVariable && v.Child("value") != nil {
					r.override = v.Child("value").Value()
				}
			}
			add(r)
		})
	}
}

func inDevContainer(f *lint.File, add func(reference)) {
	if image := yamltext.RootOf(lint.StripJSONC(f.Data)).Child("image"); image != nil {
		add(reference{file: f, line: image.Line, name: image.Value()})
	}
}

func items(n *yamltext.Node) []*yamltext.Node {
	if n == nil || n.Kind() != yamltext.Sequence {
		return nil
	}
	return n.Items()
}
