package composefile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// Bounds of a project.
const (
	maxFiles    = 500
	maxIncludes = 50 // within one another
)

type loader struct {
	options Options
	opened  map[string]*File
	project *Project
	reads   int
}

// A layer is what files are read in: the folder of the project and its
// variables; and the files that led here, to notice circles.
type layer struct {
	dir   string
	scope scope
	trail []string
}

// open reads and parses a file once.
func (l *loader) open(name string) (*File, error) {
	if f := l.opened[name]; f != nil {
		if !slices.Contains(l.project.Files, f) {
			l.project.Files = append(l.project.Files, f)
		}
		return f, nil
	}
	if l.reads++; l.reads > maxFiles {
		return nil, fmt.Errorf("the project has more than %d files", maxFiles)
	}
	data, err := l.options.Read(name)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", reason(err))
	}
	doc, err := yamltext.Parse(data)
	if err != nil {
		var syntax *yamltext.Error
		if errors.As(err, &syntax) {
			return nil, &Error{name, syntax.Line, syntax.Reason}
		}
		return nil, err
	}
	f := &File{Path: name, YAML: doc}
	l.opened[name] = f
	l.project.Files = append(l.project.Files, f)
	return f, nil
}

// files reads files over one another and returns their services.
func (l *loader) files(in layer, names []string) (*Value, error) {
	var services *Value
	for _, name := range names {
		f, err := l.open(name)
		if err != nil {
			return nil, inFile(name, err)
		}
		for _, doc := range f.YAML.Docs {
			services, err = l.document(in, f, doc, services)
			if err != nil {
				return nil, inFile(name, err)
			}
		}
	}
	return services, nil
}

// inFile makes an error of a file an *Error.
func inFile(name string, err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return placed
	}
	return &Error{name, 1, err.Error()}
}

// document lays one document over the services before it.
func (l *loader) document(in layer, f *File, doc *yamltext.Node, before *Value) (*Value, error) {
	top, err := in.read(f, doc)
	if err != nil {
		return nil, err
	}
	services := top.Get("services")
	if services != nil && services.Null {
		services = nil
	}
	if services != nil && services.Kind != yamltext.Mapping {
		return nil, &Error{f.Path, services.Line(), "services is not a mapping"}
	}
	in.trail = append(slices.Clone(in.trail), f.Path)
	if services, err = l.includes(in, top.Get("include"), services); err != nil {
		return nil, err
	}
	l.addVolumes(top.Get("volumes"))
	if services == nil {
		return before, nil
	}
	x := extending{loader: l, layer: in, file: f, services: services}
	if services, err = x.all(); err != nil {
		return nil, err
	}
	return overlay(before, services)
}

// addVolumes lays the volumes of a file over those of the files before it, and of
// those that it includes.
func (l *loader) addVolumes(volumes *Value) {
	for _, name := range volumes.Keys() {
		v := volumes.fields[name]
		before := l.project.Volumes[name]
		if before == nil || before.fields == nil {
			l.project.Volumes[name] = v
			continue
		}
		merged := before.without()
		for _, key := range v.Keys() {
			merged.set(key, v.fields[key])
		}
		l.project.Volumes[name] = merged
	}
}

// read makes a value of a document.
func (in layer) read(f *File, doc *yamltext.Node) (*Value, error) {
	r := reading{file: f, dir: in.dir, scope: in.scope}
	top := r.value(doc)
	switch {
	case r.err != nil:
		return nil, r.err
	case top.Kind != yamltext.Mapping:
		return nil, &Error{f.Path, doc.Line, "this is no compose file: it does not begin with keys"}
	}
	return top, nil
}

// overlay merges services by name.
func overlay(before, over *Value) (*Value, error) {
	out := over.clone()
	if before != nil {
		out = before.without()
	}
	for _, name := range over.keys {
		v := over.fields[name]
		if v.tag == "!reset" {
			out = out.without(name)
			continue
		}
		merged, err := mergeService(rewritten(out.fields[name]), v)
		if err != nil {
			return nil, err
		}
		if merged.Kind == yamltext.Mapping {
			merged = dedupe(merged)
		}
		out.set(name, merged)
	}
	return out, nil
}

// includes adds the services of other projects. Those of this one override them.
func (l *loader) includes(in layer, include, services *Value) (*Value, error) {
	if include == nil || include.Null {
		return services, nil
	}
	if include.Kind != yamltext.Sequence {
		return nil, &Error{include.File.Path, include.Line(), "include is not a list"}
	}
	if len(in.trail) > maxIncludes {
		return nil, &Error{include.File.Path, include.Line(), fmt.Sprintf("includes are nested more than %d deep", maxIncludes)}
	}
	for _, item := range include.Items {
		imported, err := l.include(in, item)
		if err != nil {
			return nil, err
		}
		if imported == nil {
			continue
		}
		if services == nil {
			services = imported
			continue
		}
		if services, err = imports(imported, services); err != nil {
			return nil, err
		}
	}
	return services, nil
}

// imports lays own services over included ones. The same service, reached on two
// ways, is one.
func imports(imported, own *Value) (*Value, error) {
	out := own.without()
	for _, name := range imported.keys {
		v, mine := imported.fields[name], own.fields[name]
		switch {
		case mine == nil:
			out.set(name, v)
		case same(v, mine):
		default:
			merged, err := mergeService(rewritten(v), mine)
			if err != nil {
				return nil, err
			}
			out.set(name, merged)
		}
	}
	return out, nil
}

func (l *loader) include(in layer, item *Value) (*Value, error) {
	paths := []*Value{item}
	var directory *Value
	var envFiles []*Value
	if item.Kind == yamltext.Mapping {
		if item.Get("path") == nil {
			return nil, &Error{item.File.Path, item.Line(), "this include has no path"}
		}
		paths = asList(item.Get("path")).Items
		directory = item.Get("project_directory")
		if e := item.Get("env_file"); e != nil {
			envFiles = asList(e).Items
		}
	}
	var names []string
	for i, p := range paths {
		if outside(p.Text) && !strings.HasPrefix(p.Text, "../") {
			l.skip(p, "this include is not in the project, and was not read")
			return nil, nil
		}
		name := path.Join(in.dir, p.Text)
		if strings.HasPrefix(name, "..") {
			l.skip(p, "this include is outside of the project, and was not read")
			return nil, nil
		}
		if i == 0 && slices.Contains(in.trail, name) {
			return nil, &Error{p.File.Path, p.Line(), "this include leads back to itself: " + strings.Join(append(slices.Clone(in.trail), name), " includes ")}
		}
		if _, err := l.open(name); err != nil {
			return nil, at(p, name, err)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	inner := layer{dir: path.Dir(names[0]), trail: in.trail}
	if directory.String() != "" {
		inner.dir = path.Join(in.dir, directory.Text)
	}
	var err error
	if inner.scope, err = l.environment(inner.dir, envFiles, in.scope.files); err != nil {
		return nil, err
	}
	return l.files(inner, names)
}

// at gives an error without a place that of the value which led to it.
func at(v *Value, name string, err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return placed
	}
	return &Error{v.File.Path, v.Line(), fmt.Sprintf("%s: %v", name, err)}
}

func (l *loader) skip(v *Value, why string) {
	l.project.Skipped = append(l.project.Skipped, &Error{v.File.Path, v.Line(), why})
}
