package composefile

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// How a key of a service is merged with the same key of a file before it, where
// that is not as everything else: mappings key by key, lists one behind the other
// without repeats, and scalars by the later one. Compose-spec, 13-merge.md; the
// whole is held to compose-go.
type manner int

const (
	plainly  manner = iota
	pairs           // lists of NAME=value, or mappings, by name
	lists           // scalars count as lists of one
	replaced        // the later one alone
	builds          // a path is a mapping with a context
)

var manners = map[string]manner{
	"annotations": pairs, "environment": pairs, "labels": pairs, "sysctls": pairs, "deploy.labels": pairs,
	"build.args": pairs, "build.additional_contexts": pairs, "build.labels": pairs,
	"dns": lists, "dns_opt": lists, "dns_search": lists, "env_file": lists, "extra_hosts": lists, "tmpfs": lists, "label_file": lists,
	"command": replaced, "entrypoint": replaced, "healthcheck.test": replaced,
	"build": builds,
}

// unique are the lists of which the later one of two equals stays, in the place
// of the first, and what makes items equal.
var unique = map[string]func(*Value) string{
	"cap_add": nameOf, "cap_drop": nameOf, "profiles": nameOf, "links": nameOf, "build.tags": nameOf,
	"devices": deviceTarget, "volumes": volumeTarget, "env_file": envFilePath,
	"dns": nameOf, "dns_opt": nameOf, "dns_search": nameOf, "tmpfs": nameOf,
}

// mergeService lays a service over another of the same name, or over the one
// that it extends.
func mergeService(base, over *Value) (*Value, error) { return mergeAt("", base, over) }

// rewritten is a service of another file. By the time that something is laid over
// it, compose has written its devices and volumes out, so that the short form of
// one is no repeat of it.
func rewritten(service *Value) *Value {
	if service == nil || service.Kind != yamltext.Mapping {
		return service
	}
	out := service.without()
	for _, key := range []string{"devices", "volumes"} {
		list := out.fields[key]
		if list == nil || list.Kind != yamltext.Sequence {
			continue
		}
		long := *list
		long.Items = make([]*Value, len(list.Items))
		for i, item := range list.Items {
			v := *item
			v.long = true
			long.Items[i] = &v
		}
		out.set(key, &long)
	}
	return out
}

func mergeAt(at string, base, over *Value) (*Value, error) {
	switch {
	case over.tag == "!override":
		return over, nil
	case base == nil && over.Kind == yamltext.Mapping:
		return mergeMappings(at, over.clone(), over) // what it resets goes
	case base == nil:
		return over, nil
	case manners[at] == pairs:
		return mergePairs(base, over), nil
	case manners[at] == lists:
		return mergeLists(asList(base), asList(over)), nil
	case manners[at] == replaced:
		return over, nil
	case manners[at] == builds:
		return mergeMappings(at, asBuild(base), asBuild(over))
	case over.Null:
		return base, nil
	case base.Null:
		return over, nil
	case base.Kind != over.Kind:
		return nil, &Error{Path: over.File.Path, Line: over.Line(), Reason: "this cannot replace what " + base.File.Path + " says, which is of another kind"}
	}
	switch base.Kind {
	case yamltext.Mapping:
		return mergeMappings(at, base, over)
	case yamltext.Sequence:
		return mergeLists(base, over), nil
	}
	return over, nil
}

func mergeMappings(at string, base, over *Value) (*Value, error) {
	out := base.without()
	out.Node, out.File, out.Dir, out.parts = over.Node, over.File, over.Dir, partsOf(base, over)
	for _, key := range over.keys {
		v := over.fields[key]
		if v.tag == "!reset" {
			out = out.without(key)
			continue
		}
		below := key
		if at != "" {
			below = at + "." + key
		}
		merged, err := mergeAt(below, out.fields[key], v)
		if err != nil {
			return nil, err
		}
		out.set(key, merged)
	}
	return out, nil
}

func mergeLists(base, over *Value) *Value {
	out := *over
	out.parts = partsOf(base, over)
	out.Items = slices.Clone(base.Items)
	for _, item := range over.Items {
		if !slices.ContainsFunc(out.Items, func(v *Value) bool { return same(v, item) }) {
			out.Items = append(out.Items, item)
		}
	}
	return &out
}

// mergePairs merges by name. Both forms become a list.
func mergePairs(base, over *Value) *Value {
	out := *over
	out.Kind, out.parts = yamltext.Sequence, partsOf(base, over)
	out.Items = lastOf(append(slices.Clone(asPairs(base).Items), asPairs(over).Items...), nameOf)
	return &out
}

// lastOf keeps the later one of equals, in the place of the first.
func lastOf(items []*Value, key func(*Value) string) []*Value {
	place := map[string]int{}
	var out []*Value
	for _, item := range items {
		k := key(item)
		if i, there := place[k]; there {
			out[i] = item
			continue
		}
		place[k] = len(out)
		out = append(out, item)
	}
	return out
}

// asPairs makes NAME=value of a mapping.
func asPairs(v *Value) *Value {
	if v.Kind != yamltext.Mapping {
		return asList(v)
	}
	out := *v
	out.Kind, out.keys, out.fields = yamltext.Sequence, nil, nil
	for _, key := range v.keys {
		field := *v.fields[key]
		if field.Null {
			field.Text = key
		} else {
			field.Text = key + "=" + field.Text
		}
		field.Null = false
		out.Items = append(out.Items, &field)
	}
	return &out
}

func asList(v *Value) *Value {
	if v.Kind != yamltext.Scalar {
		return v
	}
	out := *v
	out.Kind = yamltext.Sequence
	if !v.Null {
		out.Items = []*Value{v}
	}
	return &out
}

func asBuild(v *Value) *Value {
	if v.Kind == yamltext.Mapping {
		return v
	}
	out := v.clone()
	out.Kind = yamltext.Mapping
	if !v.Null {
		out.set("context", v)
	}
	return out
}

// dedupe applies unique to a service.
func dedupe(service *Value) *Value {
	out := service.without()
	for at, key := range unique {
		list := out.Get(strings.Split(at, ".")...)
		if list == nil || list.Kind != yamltext.Sequence || strings.Contains(at, ".") {
			continue
		}
		once := *list
		once.Items = lastOf(list.Items, key)
		out.set(at, &once)
	}
	return out
}

func nameOf(v *Value) string {
	name, _, _ := strings.Cut(v.String(), "=")
	return name
}

func deviceTarget(v *Value) string {
	if v.Kind == yamltext.Mapping {
		return v.Get("target").String()
	}
	return parseDevice(v.Text).Target
}

func volumeTarget(v *Value) string {
	if v.Kind == yamltext.Mapping {
		return v.Get("target").String()
	}
	return parseVolume(v.Text).Target
}

func envFilePath(v *Value) string {
	name := v.String()
	if v.Kind == yamltext.Mapping {
		name = v.Get("path").String()
	}
	return path.Join(v.Dir, name)
}
