package yamltext

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// indent is the column of the keys of a block mapping.
func (n *Node) indent() int { return n.file.column(n.entries[0].Key.Start) }

// Add adds an entry to a mapping, behind the first of the named keys that it
// has, else at its end.
func (n *Node) Add(key string, c Content, after ...string) (Edit, error) {
	switch {
	case n.Kind() != Mapping:
		return Edit{}, fmt.Errorf("add a key to what has none: %w", ErrForm)
	case n.Alias() || n.Shared():
		return Edit{}, ErrShared
	case n.unbraced() && n.Flow():
		return Edit{}, fmt.Errorf("add a key to a pair: %w", ErrForm)
	case n.own(key) != nil:
		return Edit{}, fmt.Errorf("add the key %s, which is there: %w", key, ErrForm)
	}
	name := write(key, 0, n.Flow() || n.inFlow())
	if len(n.entries) == 0 {
		if !n.Flow() {
			return Edit{}, fmt.Errorf("add a key to nothing: %w", ErrForm)
		}
		open := n.contentStart() + 1
		return Edit{open, open, name + ": " + c.flow()}, nil
	}
	last := n.entries[len(n.entries)-1]
	for i := len(after) - 1; i >= 0; i-- {
		if e := n.own(after[i]); e != nil {
			last = *e
		}
	}
	if n.Flow() {
		return n.file.addFlow(last.Value.End, name+": "+c.flow(), n.newLine(last.Key)), nil
	}
	if n.explicit(last) {
		return Edit{}, fmt.Errorf("add a key: %w", ErrForm)
	}
	text := strings.Repeat(" ", n.indent()) + name + ":" + c.block(n.indent(), n.layout())
	return n.file.addLine(last.end(), text), nil
}

// end is where an entry ends: behind its colon at least.
func (e Entry) end() int { return max(e.Key.End, e.Value.End) }

// explicit reports keys that are written with a question mark.
func (n *Node) explicit(e Entry) bool {
	return n.file.at(n.contentStart()) == '?' || e.Key.Kind() != Scalar || e.Key.Block() ||
		n.file.column(e.Key.Start) != n.indent()
}

func (n *Node) own(key string) *Entry {
	for i, e := range n.Resolve().entries {
		if e.Key.Kind() == Scalar && e.Key.Value() == key {
			return &n.Resolve().entries[i]
		}
	}
	return nil
}

// RemoveKey takes an entry out of a mapping, with its lines and the comment
// behind it. The last entry takes the key of the mapping along.
func (n *Node) RemoveKey(key string) (Edit, error) {
	e := n.own(key)
	if e == nil || n.Alias() {
		return Edit{}, fmt.Errorf("remove the key %s, which is not there: %w", key, ErrForm)
	}
	return e.Value.Remove()
}

func (n *Node) removeEntry(value *Node) (Edit, error) {
	if len(n.entries) == 1 {
		return n.Remove()
	}
	i := 0
	for n.entries[i].Value != value {
		i++
	}
	e := n.entries[i]
	if n.Flow() {
		spans := make([]span, len(n.entries))
		for j, other := range n.entries {
			spans[j] = span{other.Key.Start, other.end()}
		}
		return n.removeFlow(spans, i), nil
	}
	next := -1
	if i+1 < len(n.entries) {
		next = n.entries[i+1].Key.Start
	}
	if n.explicit(e) {
		return Edit{}, fmt.Errorf("remove a key: %w", ErrForm)
	}
	return n.file.removeLines(span{e.Key.Start, e.end()}, next)
}

// layout looks at how the file around a node is laid out: first at the mapping
// itself, then at those around it.
func (n *Node) layout() layout {
	l := layout{eol: n.file.eol(n.Start), step: 2, list: -1}
	for m := n; m != nil && l.list < 0; m = m.parent {
		l.list = m.listIndent()
	}
	if root := n.root(); l.list < 0 {
		l.list = root.anyListIndent(0)
	}
	if p := n.parent; n.kind == Mapping && p != nil && p.kind == Mapping && p.style&yaml.FlowStyle == 0 && len(n.entries) > 0 && !n.Flow() {
		if step := n.indent() - p.indent(); step > 0 && step <= 8 {
			l.step = step
		}
	}
	if l.list < 0 {
		l.list = l.step
	}
	return l
}

func (n *Node) root() *Node {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// listIndent is how much deeper than their keys the block sequences of a block
// mapping stand; -1 where it has none.
func (n *Node) listIndent() int {
	if n.kind != Mapping || n.Flow() {
		return -1
	}
	for _, e := range n.entries {
		v := e.Value
		if v.target == nil && v.kind == Sequence && !v.Flow() && len(v.items) > 0 {
			if deeper := n.file.column(v.dash(0)) - n.indent(); deeper >= 0 && deeper <= 8 {
				return deeper
			}
		}
	}
	return -1
}

// anyListIndent looks for the first block sequence of a document.
func (n *Node) anyListIndent(depth int) int {
	if indent := n.listIndent(); indent >= 0 || n.target != nil || depth > maxDepth {
		return indent
	}
	for child := range n.children() {
		if indent := child.anyListIndent(depth + 1); indent >= 0 {
			return indent
		}
	}
	return -1
}
