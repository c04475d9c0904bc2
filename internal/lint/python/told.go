package python

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// maxVariables bounds what is kept; a Dockerfile has some dozens. Where there are
// more, nothing is said of where packages come from.
const maxVariables = 200

// set notes a variable, as far as its value is known.
func (w *walker) set(o option) {
	value, ok := w.expand(o.value)
	if !ok {
		value = "$" + o.name // set to what is not known
	}
	o.value = value
	if _, there := w.vars[o.name]; !there && len(w.vars) >= maxVariables {
		w.configured = true
		return
	}
	w.vars[o.name] = o
}

// expand puts in the values of variables that are known.
func (w *walker) expand(text string) (string, bool) {
	values := map[string]string{}
	if strings.Contains(text, "$") {
		for name, o := range w.vars {
			if !strings.Contains(o.value, "$") {
				values[name] = o.value
			}
		}
	}
	return w.syntax.Expand(text, values)
}

// arguments notes the defaults of ARG. One without takes that from before the
// first FROM.
func (w *walker) arguments(in *dockerfile.Instruction) {
	for _, pair := range in.Pairs {
		o := option{name: pair.Name.Text, value: pair.Value.Text, file: w.file, line: pair.Name.Line}
		if global, there := w.globals[o.name]; pair.Bare && there {
			o.value = global
		} else if pair.Bare {
			o.value = "$" + o.name
		}
		w.set(o)
	}
}

// assign notes what a shell sets for the commands behind.
func (w *walker) assign(c shelltext.Command) {
	given := c.Exports()
	if len(c.Words) == 0 {
		given = append(given, c.Assignments...)
	}
	for _, a := range given {
		w.set(option{name: a.Name, value: a.Value.Text, file: w.file, line: a.Value.Line})
	}
}

// told gives an install what it reads beside its command line: variables of pip and
// uv, and their values in its own words. Options of the command come before them.
func (w *walker) told(i *install, c shelltext.Command) {
	was := w.vars
	if len(c.Assignments) > 0 { // PIP_INDEX_URL=… pip install
		w.vars = maps.Clone(was)
		for _, a := range c.Assignments {
			w.set(option{name: a.Name, value: a.Value.Text, file: w.file, line: a.Value.Line})
		}
	}
	i.blind = i.blind || w.configured
	for _, o := range i.pointers() {
		if value, ok := w.expand(o.value); ok && strings.Contains(o.value, "$") {
			o.value = value
		}
	}
	prefix := "PIP_"
	if i.uv {
		prefix = "UV_"
	}
	if o, there := w.vars[prefix+"INDEX_URL"]; there && i.index == nil {
		i.index = &o
	}
	if o, there := w.vars["UV_DEFAULT_INDEX"]; there && i.uv && i.index == nil {
		i.index = &o
	}
	i.extra = append(i.extra, w.addresses(prefix+"EXTRA_INDEX_URL")...)
	i.find = append(i.find, w.addresses(prefix+"FIND_LINKS")...)
	for _, o := range w.addresses(prefix + "CONSTRAINT") {
		i.constrained = append(i.constrained, o.value)
	}
	if i.uv {
		i.extra = append(i.extra, w.addresses("UV_INDEX")...)
		if o, there := w.vars["UV_TORCH_BACKEND"]; there && i.backend == "" {
			i.backend = o.value
		}
	}
	w.vars = was
}

// addresses are the values of a variable that holds several.
func (w *walker) addresses(name string) []option {
	var out []option
	values := strings.Fields(w.vars[name].value)
	for _, value := range values {
		o := w.vars[name]
		o.value = value
		if len(values) > 1 {
			o.start, o.end = 0, 0 // another name would be one for all of them
		}
		if label, address, named := strings.Cut(value, "="); named && !strings.Contains(label, ":") { // name=https://…
			o.value = address
		}
		out = append(out, o)
	}
	return out
}

// pointers are the addresses of an install, to be changed.
func (i *install) pointers() []*option {
	var out []*option
	for n := range i.extra {
		out = append(out, &i.extra[n])
	}
	for n := range i.find {
		out = append(out, &i.find[n])
	}
	if i.index != nil {
		out = append(out, i.index)
	}
	return out
}

// configures tells a command that changes what pip or uv reads of themselves, or a
// file of theirs by its name.
func configures(c shelltext.Command, written []string) bool {
	if slices.ContainsFunc(written, isConfiguration) {
		return true
	}
	base, found := "", false
	if len(c.Words) > 2 {
		base, found = c.Name(), slices.ContainsFunc(c.Words[1:], func(w shelltext.Word) bool { return w.Text == "config" })
	}
	return found && (strings.HasPrefix(base, "pip") || strings.HasPrefix(base, "python"))
}

func isConfiguration(name string) bool {
	switch path.Base(name) {
	case "pip.conf", "pip.ini", "uv.toml":
		return true
	}
	return false
}
