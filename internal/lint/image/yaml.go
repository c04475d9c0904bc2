package image

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func inCompose(p *lint.Project, f *lint.File, add func(reference)) {
	root := rootOf(f.Data)
	services := child(root, "services")
	if services == nil || services.Kind() != yamltext.Mapping {
		return
	}
	values, built := variables(p, f), builtBeside(p, f)
	for _, e := range services.Entries() {
		image := child(e.Value, "image")
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
		for _, d := range items(child(e.Value, "devices")) {
			r.gpu = r.gpu || isGPU(d.Value())
		}
		add(r)
	}
}

// builtBeside are the services that a compose file of the same folder builds.
func builtBeside(p *lint.Project, f *lint.File) map[string]bool {
	out := map[string]bool{}
	for _, other := range p.Of(lint.Compose) {
		services := child(rootOf(other.Data), "services")
		if path.Dir(other.Path) != path.Dir(f.Path) || services == nil || services.Kind() != yamltext.Mapping {
			continue
		}
		for _, e := range services.Entries() {
			if child(e.Value, "build") != nil {
				out[e.Key.Value()] = true
			}
		}
	}
	return out
}

// environmentOf is the override in the environment of a service.
func environmentOf(service *yamltext.Node) string {
	env := child(service, "environment")
	if v := child(env, rocm.OverrideVariable); v != nil {
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
		walk(doc, func(n *yamltext.Node) {
			image := child(n, "image")
			if image == nil || image.Value() == "" || child(n, "name") == nil {
				return
			}
			r := reference{file: f, line: image.Line, name: image.Value()}
			r.gpu = child(child(child(n, "resources"), "limits"), "amd.com/gpu") != nil
			for _, v := range items(child(n, "env")) {
				if name := child(v, "name"); name != nil && name.Value() == rocm.OverrideVariable && child(v, "value") != nil {
					r.override = child(v, "value").Value()
				}
			}
			add(r)
		})
	}
}

func inDevContainer(f *lint.File, add func(reference)) {
	if image := child(rootOf(lint.StripJSONC(f.Data)), "image"); image != nil {
		add(reference{file: f, line: image.Line, name: image.Value()})
	}
}

func rootOf(data []byte) *yamltext.Node {
	file, err := yamltext.Parse(data)
	if err != nil {
		return nil // said by project/readable
	}
	return file.Root()
}

func child(n *yamltext.Node, key string) *yamltext.Node {
	if n == nil || n.Kind() != yamltext.Mapping {
		return nil
	}
	return n.Get(key)
}

func items(n *yamltext.Node) []*yamltext.Node {
	if n == nil || n.Kind() != yamltext.Sequence {
		return nil
	}
	return n.Items()
}

// walk visits the mappings below a node. Aliases are not followed: what they
// stand for is visited where it stands.
func walk(n *yamltext.Node, visit func(*yamltext.Node)) {
	if n == nil || n.Alias() {
		return
	}
	switch n.Kind() {
	case yamltext.Mapping:
		visit(n)
		for _, e := range n.Entries() {
			if !e.Merged {
				walk(e.Value, visit)
			}
		}
	case yamltext.Sequence:
		for _, item := range n.Items() {
			walk(item, visit)
		}
	}
}
