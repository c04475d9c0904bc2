package composefile

import (
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A File is one file of a project.
type File struct {
	Path string // as it was opened
	YAML *yamltext.File
}

// A Value is something that a project says, with the place where it says so.
type Value struct {
	Kind yamltext.Kind
	// Text of a scalar, its variables filled in.
	Text string
	Null bool
	// Node is where the text stands; of what was merged, the last part.
	Node *yamltext.Node
	File *File
	// Dir is the folder that relative paths in it begin at.
	Dir string
	// Vars are the variables that stand in a scalar.
	Vars []Reference

	Items  []*Value
	keys   []string
	fields map[string]*Value
	tag    string
	key    *yamltext.Node // of the entry, in a mapping
	long   bool           // compose has written it out
	parts  []*yamltext.Node
}

// Parts are the nodes that a collection was merged of, Node among them. Of a scalar
// the last one alone counts.
func (v *Value) Parts() []*yamltext.Node {
	if len(v.parts) == 0 {
		return []*yamltext.Node{v.Node}
	}
	return v.parts
}

// partsOf are the nodes of two values that become one.
func partsOf(base, over *Value) []*yamltext.Node {
	out := slices.Clone(base.Parts())
	for _, n := range over.Parts() {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// Get returns the value of a key; nil where there is none.
func (v *Value) Get(keys ...string) *Value {
	for _, key := range keys {
		if v == nil {
			return nil
		}
		v = v.fields[key]
	}
	return v
}

// Keys returns the keys of a mapping in the order in which they were first said.
func (v *Value) Keys() []string {
	if v == nil {
		return nil
	}
	return v.keys
}

// String is the text of a scalar, or "" where there is none.
func (v *Value) String() string {
	if v == nil || v.Kind != yamltext.Scalar {
		return ""
	}
	return v.Text
}

// Line is where the value stands, counted from 1; of an entry the line of its
// key.
func (v *Value) Line() int {
	if v.key != nil && !v.key.Alias() {
		return v.key.Line
	}
	return v.Node.Line
}

// Known reports that no variable in it is unset, so that its text is what an
// engine would be given.
func (v *Value) Known() bool {
	return !slices.ContainsFunc(v.Vars, func(r Reference) bool { return r.From == Unset })
}

// set adds or replaces the value of a key. Values are shared between services,
// so this is for new ones only.
func (v *Value) set(key string, to *Value) {
	if _, there := v.fields[key]; !there {
		v.keys = append(v.keys, key)
	}
	v.fields[key] = to
}

// without is a mapping less some keys.
func (v *Value) without(drop ...string) *Value {
	out := v.clone()
	for _, key := range v.keys {
		if !slices.Contains(drop, key) {
			out.set(key, v.fields[key])
		}
	}
	return out
}

// clone is a mapping like another, with no keys yet.
func (v *Value) clone() *Value {
	out := *v
	out.keys, out.fields = nil, map[string]*Value{}
	return &out
}

// reading makes values of the nodes of one file.
type reading struct {
	file  *File
	dir   string
	scope scope
	err   error // the first
}

func (r *reading) value(n *yamltext.Node) *Value {
	v := &Value{Kind: n.Kind(), Node: n, File: r.file, Dir: r.dir, tag: n.Tag()}
	switch v.Kind {
	case yamltext.Sequence:
		for _, item := range n.Items() {
			v.Items = append(v.Items, r.value(item))
		}
	case yamltext.Mapping:
		v.fields = map[string]*Value{}
		for _, e := range n.Entries() {
			field := r.value(e.Value)
			field.key = e.Key
			v.set(e.Key.Value(), field)
		}
	default:
		v.Null = n.Null()
		r.scalar(v)
	}
	return v
}

func (r *reading) scalar(v *Value) {
	raw := v.Node.Value()
	text, vars, err := r.scope.fill(raw)
	if err != nil && r.err == nil {
		r.err = &Error{Path: r.file.Path, Line: v.Node.Line, Reason: err.Error()}
	}
	v.Text, v.Vars = text, vars
	if text == raw && v.typed() {
		v.Text = canonical(raw)
	}
}

// typed scalars are more than text to YAML: numbers and truth values.
func (v *Value) typed() bool { return v.tag == "!!int" || v.tag == "!!float" || v.tag == "!!bool" }

// canonical is how compose writes a number or a truth value: 0x10 is 16.
func canonical(raw string) string {
	var value any
	if yaml.Unmarshal([]byte(raw), &value) != nil {
		return raw
	}
	return fmt.Sprint(value)
}

// same compares as compose does: a number is not the text of a number.
func same(a, b *Value) bool {
	if a.Kind != b.Kind || a.Kind == yamltext.Scalar && a.long != b.long {
		return false
	}
	switch a.Kind {
	case yamltext.Sequence:
		return slices.EqualFunc(a.Items, b.Items, same)
	case yamltext.Mapping:
		if len(a.keys) != len(b.keys) {
			return false
		}
		for _, key := range a.keys {
			if other := b.fields[key]; other == nil || !same(a.fields[key], other) {
				return false
			}
		}
		return true
	}
	return a.Text == b.Text && a.Null == b.Null && cmp.Compare(a.class(), b.class()) == 0
}

// class tells numbers from text. What came of a variable is text.
func (v *Value) class() string {
	if v.typed() && len(v.Vars) == 0 {
		return v.tag
	}
	return "!!str"
}
