package yamltext

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// An Edit replaces bytes of a text.
type Edit struct {
	Start, End int
	New        string
}

// Why a text is not edited.
var (
	// ErrShared is an edit in an anchor that other places lead to.
	ErrShared = errors.New("other places share this text by an alias")
	// ErrForm is a way of writing that is not edited.
	ErrForm = errors.New("it is written in a way that is not edited")
)

// Apply makes edits, which must not overlap. Of two insertions at one place the
// first in the list comes first.
func Apply(data []byte, edits ...Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var out []byte
	at := 0
	for _, e := range sorted {
		if e.Start < at || e.End < e.Start || e.End > len(data) {
			return nil, fmt.Errorf("edit of bytes %d to %d: it overlaps another or is outside the text", e.Start, e.End)
		}
		out = append(out, data[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, data[at:]...), nil
}

// Replace writes another value in the place of a scalar, in the same quotes. In
// the place of an alias it writes the value itself: only that place changes.
func (n *Node) Replace(value string) (Edit, error) {
	if n.Kind() != Scalar {
		return Edit{}, fmt.Errorf("replace a collection by a value: %w", ErrForm)
	}
	if n.Alias() {
		return Edit{n.Start, n.End, write(value, 0, n.inFlow())}, nil
	}
	if n.Block() || n.bare() {
		return Edit{}, fmt.Errorf("replace a block of text: %w", ErrForm)
	}
	if n.Shared() {
		return Edit{}, ErrShared
	}
	return Edit{n.contentStart(), n.End, write(value, n.style, n.inFlow())}, nil
}

// ReplaceShared is Replace for those who know that all places which share the
// text want the new value.
func (n *Node) ReplaceShared(value string) (Edit, error) {
	if n.Alias() {
		n = n.target
	}
	if n.kind != Scalar || n.Block() || n.bare() {
		return Edit{}, fmt.Errorf("replace: %w", ErrForm)
	}
	return Edit{n.contentStart(), n.End, write(value, n.style, n.inFlow())}, nil
}

// inFlow reports that a node stands between brackets.
func (n *Node) inFlow() bool {
	for p := n.parent; p != nil; p = p.parent {
		if p.Flow() {
			return true
		}
	}
	return false
}

// SetValue gives a value to a key that has none: "key:" becomes "key: value".
func (n *Node) SetValue(c Content) (Edit, error) {
	if !n.empty() || n.parent == nil || n.parent.kind != Mapping {
		return Edit{}, fmt.Errorf("write a value for a key: %w", ErrForm)
	}
	if n.Shared() {
		return Edit{}, ErrShared
	}
	if n.inFlow() {
		return Edit{n.Start, n.End, " " + c.flow()}, nil
	}
	f := n.file
	layout := n.parent.layout()
	text := c.block(n.parent.indent(), layout)
	if c.kind == Scalar {
		return Edit{n.Start, n.End, text}, nil
	}
	// A comment behind the key stays there.
	end := f.lineEnd(n.Start)
	return Edit{end, end, text}, nil
}
