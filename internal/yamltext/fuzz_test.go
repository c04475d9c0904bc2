package yamltext_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

var seeds = []string{
	"a: 1\n", "services:\n  a:\n    group_add: [video, render] # x\n    devices:\n    - /dev/dri\n",
	"x: &a {b: c}\ny:\n  <<: *a\n", "a: |+\n  x\n\n\nb: >-2\n   y\n", "- - a\n  - b\n-\n- c: d\n  e: f", "\ufeffa: 'x''y'\r\nb: \"\\\"\"\r\n",
	"{a: [b, {c: d}], e: }\n", "---\na\n---\nb: 1\n...\n", "a:\n  b: one\n   two\n  c: ~\n", "? a\n: b\n? c\n", "[a: b, ? c]\n", "&x a: &y !!str b\n", "ä: [ö, \u2028]\n",
	"- !\n -  \n-\n- ! x\n", "a: ! [x, ! y]\nb: !\nc: ! {d: ! e}\n", "? a\n! b: 1\n? c\n", "a: !x] y\n",
}

// FuzzParse holds positions to the text: the bytes of a node, read alone, are
// the node again.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := yamltext.Parse([]byte(text))
		if err != nil {
			var placed *yamltext.Error
			if !errors.As(err, &placed) || placed.Line < 1 || placed.Line > lineCount(text) {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, doc := range file.Docs {
			inside(t, doc, 0, len(file.Data))
		}
	})
}

func lineCount(text string) int {
	count := 1
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		count += strings.Count(text, end)
	}
	return count
}

func inside(t *testing.T, n *yamltext.Node, start, end int) {
	t.Helper()
	if n.Start < start || n.End < n.Start || n.End > end {
		t.Fatalf("a node at %d to %d stands outside of %d to %d", n.Start, n.End, start, end)
	}
	if n.Alias() {
		return
	}
	for _, item := range n.Items() {
		inside(t, item, n.Start, n.End)
	}
	for _, e := range n.Entries() {
		if !e.Merged {
			inside(t, e.Key, n.Start, n.End)
			inside(t, e.Value, n.Start, n.End)
		}
	}
}

// FuzzEdits tries every edit on every node of a document. An edit is refused, or
// the text afterwards differs from the one before in what was asked and nothing
// else, as another reader of YAML sees both.
func FuzzEdits(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "110")
	}
	f.Add("a: b\n", "x: y # z")
	f.Add("a: [b]\n", "x,\n\"'y")
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text) > 2000 || strings.ToValidUTF8(value, "") != value {
			return
		}
		file, err := yamltext.Parse([]byte(text))
		if err != nil || len(file.Docs) != 1 {
			return
		}
		var before any
		if yaml.Unmarshal(file.Data, &before) != nil {
			return // keys that Go cannot hold
		}
		e := editor{t: t, file: file, value: value}
		e.try(file.Root(), nil)
	})
}

type editor struct {
	t     *testing.T
	file  *yamltext.File
	value string
	tried int
}

// try makes each edit that fits a node; path leads to it.
func (e *editor) try(n *yamltext.Node, path []any) {
	if e.tried > 60 || n.Alias() {
		return
	}
	e.tried++
	switch n.Kind() {
	case yamltext.Scalar:
		e.made(n.Replace(e.value))(path, func(any) any { return e.value })
	case yamltext.Sequence:
		e.made(n.Append(yamltext.Text(e.value)))(path, func(old any) any { return append(asList(old), e.value) })
		e.made(n.Insert(0, yamltext.Text(e.value)))(path, func(old any) any { return append([]any{e.value}, asList(old)...) })
		for i, item := range n.Items() {
			if len(n.Items()) > 1 {
				e.made(item.Remove())(path, func(old any) any { return slices.Delete(slices.Clone(asList(old)), i, i+1) })
			}
			e.try(item, append(path[:len(path):len(path)], i))
		}
	case yamltext.Mapping:
		e.mapping(n, path)
	}
}

func (e *editor) mapping(n *yamltext.Node, path []any) {
	const fresh = "a-new-key"
	with := func(old any, v any) any {
		m := map[any]any{fresh: v}
		for k, v := range asMap(old) {
			m[k] = v
		}
		return m
	}
	e.made(n.Add(fresh, yamltext.Text(e.value)))(path, func(old any) any { return with(old, e.value) })
	e.made(n.Add(fresh, yamltext.List(e.value, "b")))(path, func(old any) any { return with(old, []any{e.value, "b"}) })
	for _, entry := range n.Entries() {
		if entry.Merged || entry.Key.Kind() != yamltext.Scalar {
			continue
		}
		e.try(entry.Value, append(path[:len(path):len(path)], entry.Key.Value()))
	}
}

// made checks an edit that was not refused.
func (e *editor) made(edit yamltext.Edit, err error) func(path []any, change func(any) any) {
	return func(path []any, change func(any) any) {
		e.t.Helper()
		if err != nil {
			return
		}
		after, err := yamltext.Apply(e.file.Data, edit)
		if err != nil {
			e.t.Fatal(err)
		}
		if yamltext.Verify(e.file.Data, after, edit) != nil {
			return // refused
		}
		want, ok := changed(load(e.t, e.file.Data), path, change)
		if !ok {
			return // behind a key that is no text
		}
		if got := load(e.t, after); !reflect.DeepEqual(got, want) {
			e.t.Fatalf("at %v: %q became %q:\n%#v\nwant\n%#v", path, e.file.Data, after, got, want)
		}
	}
}

// load reads YAML into values in which scalars are their text.
func load(t *testing.T, data []byte) any {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	return values(doc.Content[0])
}

func values(n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, values(c))
		}
		return out
	case yaml.MappingNode:
		out := map[any]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := values(n.Content[i])
			if s, ok := k.(string); ok {
				out[s] = values(n.Content[i+1])
			} else {
				out[i] = []any{k, values(n.Content[i+1])}
			}
		}
		return out
	case yaml.AliasNode:
		return "*" + n.Value
	}
	return n.Value
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func asMap(v any) map[any]any {
	m, _ := v.(map[any]any)
	return m
}

// changed is a value with the change made at a path.
func changed(v any, path []any, change func(any) any) (any, bool) {
	if len(path) == 0 {
		return change(v), true
	}
	switch at := path[0].(type) {
	case int:
		list := slices.Clone(asList(v))
		inner, ok := changed(list[at], path[1:], change)
		list[at] = inner
		return list, ok
	default:
		m := map[any]any{}
		for k, v := range asMap(v) {
			m[k] = v
		}
		old, there := m[at]
		if !there {
			return nil, false
		}
		inner, ok := changed(old, path[1:], change)
		m[at] = inner
		return m, ok
	}
}
