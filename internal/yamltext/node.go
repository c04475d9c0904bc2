package yamltext

import (
	"iter"

	"go.yaml.in/yaml/v3"
)

// A Kind is what a node is made of.
type Kind int

// The kinds of nodes.
const (
	Scalar Kind = iota
	Sequence
	Mapping
)

// A Node is a value at a place in the text. An alias is a node of its own, with
// the place of its name, that reads as what it stands for.
type Node struct {
	Line       int // counted from 1
	Start, End int // bytes of the text, anchor and tag included
	Anchor     string

	file    *File
	parent  *Node
	kind    Kind
	value   string
	tag     string
	style   yaml.Style
	items   []*Node
	entries []Entry
	target  *Node // of an alias
	uses    int   // aliases that lead here
}

// An Entry is one line of a mapping.
type Entry struct {
	Key, Value *Node
	// Merged entries stand in another mapping, to which a merge key leads.
	Merged bool
}

// Resolve returns what an alias stands for, and other nodes themselves.
func (n *Node) Resolve() *Node {
	if n != nil && n.target != nil {
		return n.target
	}
	return n
}

// Kind tells what the node is, or what its alias stands for.
func (n *Node) Kind() Kind {
	if n == nil {
		return Scalar
	}
	return n.Resolve().kind
}

// Value is the text of a scalar, without quotes; "" for what is none.
func (n *Node) Value() string {
	if n == nil || n.Kind() != Scalar {
		return ""
	}
	return n.Resolve().value
}

// Tag is the type of a scalar as YAML resolves it: "!!str", "!!int", "!!null".
func (n *Node) Tag() string {
	if n == nil {
		return "!!null"
	}
	return n.Resolve().tag
}

// Null reports a value that is not there, or is null.
func (n *Node) Null() bool { return n.Tag() == "!!null" }

// Alias reports that the text of the node is a name for another.
func (n *Node) Alias() bool { return n.target != nil }

// Flow reports a collection in brackets.
func (n *Node) Flow() bool { return n.Resolve().style&yaml.FlowStyle != 0 }

// Quoted reports a scalar in quotes.
func (n *Node) Quoted() bool {
	return n.Resolve().style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// Block reports a scalar that is written as | or >.
func (n *Node) Block() bool { return n.Resolve().style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 }

// Items returns the members of a sequence; those of the anchor, for an alias.
func (n *Node) Items() []*Node {
	if n == nil {
		return nil
	}
	return n.Resolve().items
}

// Parent is the collection that a node stands in.
func (n *Node) Parent() *Node { return n.parent }

// File is the text that a node stands in.
func (n *Node) File() *File { return n.file }

// Shared reports that the node stands in an anchor that aliases lead to: a
// change there is a change in all those places.
func (n *Node) Shared() bool {
	for ; n != nil; n = n.parent {
		if n.uses > 0 {
			return true
		}
	}
	return false
}

// Get returns the value of a key, its own or a merged one; nil where there is
// none.
func (n *Node) Get(key string) *Node {
	if e, found := n.Entry(key); found {
		return e.Value
	}
	return nil
}

// Entry returns the entry of a key, its own or a merged one.
func (n *Node) Entry(key string) (Entry, bool) {
	for _, e := range n.Entries() {
		if e.Key.Value() == key && e.Key.Kind() == Scalar {
			return e, true
		}
	}
	return Entry{}, false
}

// Entries returns the entries of a mapping in their order, then those that merge
// keys bring and that it does not have itself.
func (n *Node) Entries() []Entry {
	if n == nil || n.Kind() != Mapping {
		return nil
	}
	var out []Entry
	var merges []*Node
	seen := map[string]bool{}
	for _, e := range n.Resolve().entries {
		if e.Key.merge() {
			merges = append(merges, e.Value)
			continue
		}
		seen[e.Key.Value()] = true
		out = append(out, e)
	}
	for _, m := range merges {
		out = append(out, merged(m, seen)...)
	}
	return out
}

// merged are the entries of one merge key: those of a mapping, or of a list of
// them, of which an earlier one counts before a later one.
func merged(value *Node, seen map[string]bool) []Entry {
	sources := []*Node{value}
	if value.Kind() == Sequence {
		sources = value.Items()
	}
	var out []Entry
	for _, source := range sources {
		for _, e := range source.Entries() {
			if key := e.Key.Value(); !seen[key] {
				seen[key] = true
				e.Merged = true
				out = append(out, e)
			}
		}
	}
	return out
}

func (n *Node) merge() bool { return n.kind == Scalar && n.tag == "!!merge" }

// children yields what a node is made of, and what its alias stands for.
func (n *Node) children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n.target != nil {
			yield(n.target)
			return
		}
		for _, item := range n.items {
			if !yield(item) {
				return
			}
		}
		for _, e := range n.entries {
			if !yield(e.Key) || !yield(e.Value) {
				return
			}
		}
	}
}
