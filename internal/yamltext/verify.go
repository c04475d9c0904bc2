package yamltext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Verify parses a text before and after edits and tells whether anything but
// what stands in the edited bytes came out different: every node outside of them
// must be there again, with the same value, at the place to which its text moved,
// and every new node must stand in new text.
func Verify(before, after []byte, edits ...Edit) error {
	f, err := Parse(before)
	if err != nil {
		return fmt.Errorf("before the edit: %w", err)
	}
	return f.Verify(after, edits...)
}

// Verify is the same for a text that was parsed before.
func (f *File) Verify(after []byte, edits ...Edit) error {
	made, err := Apply(f.Data, edits...)
	if err != nil {
		return err
	}
	if !bytes.Equal(made, after) {
		return errors.New("the text differs elsewhere than in the edited bytes")
	}
	now, err := Parse(after)
	if err != nil {
		return fmt.Errorf("after the edit: %w", err)
	}
	if len(f.Docs) != len(now.Docs) {
		return fmt.Errorf("the edit changed the number of documents from %d to %d", len(f.Docs), len(now.Docs))
	}
	v := newVerifier(edits)
	for i := range f.Docs {
		if err := v.same(f.Docs[i], now.Docs[i]); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct{ edits []Edit }

func newVerifier(edits []Edit) verifier {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return verifier{sorted}
}

// same compares a node that was not removed with what became of it.
func (v verifier) same(b, a *Node) error {
	if b.kind != a.kind || b.Anchor != a.Anchor || b.Alias() != a.Alias() {
		return different(b, a)
	}
	if b.Alias() {
		if b.value != a.value || v.image(b.target.Start) != a.target.Start && !v.touched(b.target) {
			return different(b, a)
		}
		return nil
	}
	switch b.kind {
	case Sequence:
		return v.items(b, a)
	case Mapping:
		return v.entries(b, a)
	}
	if b.value == a.value && b.tag == a.tag {
		return nil
	}
	retagged := b.tag != a.tag && (b.style|a.style)&yaml.TaggedStyle != 0 // a tag that is written, not one of the value
	if v.touched(b) && !retagged && v.image(b.Start) == a.Start && v.imageOfEnd(b.End) == a.End {
		return nil // the edit is in the scalar and nowhere else
	}
	return different(b, a)
}

func different(b, a *Node) error {
	return fmt.Errorf("the edit would change more than it should: what line %d said (%.40q) would read %.40q in line %d", b.Line, b.Value(), a.Value(), a.Line)
}

func (v verifier) items(b, a *Node) error {
	old := slices.DeleteFunc(slices.Clone(b.items), v.gone)
	now := slices.DeleteFunc(slices.Clone(a.items), v.added)
	if len(old) != len(now) || b.tag != a.tag {
		return different(b, a)
	}
	for i := range old {
		if err := v.same(old[i], now[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v verifier) entries(b, a *Node) error {
	old := slices.DeleteFunc(slices.Clone(b.entries), func(e Entry) bool { return v.gone(e.Key) })
	now := slices.DeleteFunc(slices.Clone(a.entries), func(e Entry) bool { return v.added(e.Key) })
	if len(old) != len(now) || b.tag != a.tag {
		return different(b, a)
	}
	for i := range old {
		if err := v.same(old[i].Key, now[i].Key); err != nil {
			return err
		}
		was, is := old[i].Value, now[i].Value
		if (v.gone(was) || was.empty()) && (v.added(is) || is.empty()) {
			continue
		}
		if err := v.same(was, is); err != nil {
			return err
		}
	}
	return nil
}

// image is where a place went, imageOfEnd where the end of something went.
func (v verifier) image(at int) int {
	return v.shift(at, func(e Edit) bool { return e.End <= at })
}

func (v verifier) imageOfEnd(at int) int {
	return v.shift(at, func(e Edit) bool { return e.Start < at })
}

func (v verifier) shift(at int, before func(Edit) bool) int {
	to := at
	for _, e := range v.edits {
		if before(e) {
			to += len(e.New) - (e.End - e.Start)
		}
	}
	return to
}

// touched reports that an edit lies in a node.
func (v verifier) touched(n *Node) bool {
	return slices.ContainsFunc(v.edits, func(e Edit) bool {
		if e.Start == e.End {
			return n.Start < e.Start && e.Start < n.End
		}
		return e.Start < n.End && n.Start < e.End
	})
}

// gone reports that a node was removed.
func (v verifier) gone(n *Node) bool {
	return slices.ContainsFunc(v.edits, func(e Edit) bool {
		if n.Start == n.End {
			return e.Start < n.Start && n.Start <= e.End
		}
		return e.Start <= n.Start && n.End <= e.End
	})
}

// added reports that a node of the text afterwards begins in what an edit wrote.
func (v verifier) added(n *Node) bool {
	by := 0
	for _, e := range v.edits {
		if start := e.Start + by; start <= n.Start && n.Start < start+len(e.New) {
			return true
		}
		by += len(e.New) - (e.End - e.Start)
	}
	return false
}
