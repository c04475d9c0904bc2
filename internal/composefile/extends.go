package composefile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// extending resolves the extends of the services of one document.
type extending struct {
	loader   *loader
	layer    layer
	file     *File
	services *Value
	trail    []string
}

func (x *extending) all() (*Value, error) {
	out := x.services.clone()
	for _, name := range x.services.keys {
		v, err := x.service(name)
		if err != nil {
			return nil, err
		}
		out.set(name, v)
	}
	return out, nil
}

func (x *extending) service(name string) (*Value, error) {
	v := x.services.fields[name]
	extends := v.Get("extends")
	if extends == nil {
		return v, nil
	}
	step := x.file.Path + " " + name
	if slices.Contains(x.trail, step) {
		return nil, &Error{extends.File.Path, extends.Line(), fmt.Sprintf("the service %s extends itself: %s", name, strings.Join(append(slices.Clone(x.trail), step), " extends "))}
	}
	base, err := x.base(name, extends, append(slices.Clone(x.trail), step))
	if err != nil {
		return nil, err
	}
	own := v.without("extends")
	if base == nil {
		return own, nil
	}
	return mergeService(base, own)
}

// base is the service that another extends; nil where it cannot be known.
func (x *extending) base(name string, extends *Value, trail []string) (*Value, error) {
	ref, file := extends.String(), (*Value)(nil)
	if extends.Kind == yamltext.Mapping {
		ref, file = extends.Get("service").String(), extends.Get("file")
	}
	from := &extending{loader: x.loader, layer: x.layer, file: x.file, services: x.services, trail: trail}
	if file.String() != "" {
		target := path.Join(x.layer.dir, file.Text)
		if outside(file.Text) && !strings.HasPrefix(file.Text, "../") || strings.HasPrefix(target, "..") {
			x.loader.skip(file, "this file is outside of the project, and was not read")
			return nil, nil
		}
		var err error
		if from, err = x.open(file, target, trail); err != nil {
			return nil, err
		}
	}
	if from.services.Get(ref) == nil {
		return nil, &Error{extends.File.Path, extends.Line(), fmt.Sprintf("the service %s extends %q, which %s does not have", name, ref, from.file.Path)}
	}
	base, err := from.service(ref)
	if from.file != x.file {
		base = rewritten(base)
	}
	return base, err
}

// open reads the services of another file. Paths in it begin at its own folder.
func (x *extending) open(file *Value, target string, trail []string) (*extending, error) {
	f, err := x.loader.open(target)
	if err != nil {
		return nil, at(file, target, err)
	}
	in := layer{dir: path.Dir(target), scope: x.layer.scope, trail: x.layer.trail}
	out := &extending{loader: x.loader, layer: in, file: f, trail: trail}
	for _, doc := range f.YAML.Docs {
		top, err := in.read(f, doc)
		if err != nil {
			return nil, err
		}
		if s := top.Get("services"); s != nil && s.Kind == yamltext.Mapping {
			if out.services, err = overlay(out.services, s); err != nil {
				return nil, err
			}
		}
	}
	if out.services == nil {
		return nil, &Error{file.File.Path, file.Line(), target + " has no services"}
	}
	return out, nil
}
