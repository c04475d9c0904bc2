package compose

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// values are what a service has of something that a rule is about.
type values func(*composefile.Service) []*composefile.Value

// whole is the mapping of a service itself.
func whole(s *composefile.Service) []*composefile.Value { return []*composefile.Value{s.Value} }

// under are the values of a key.
func under(key string) values {
	return func(s *composefile.Service) []*composefile.Value { return []*composefile.Value{s.Get(key)} }
}

// pattern reports a service that is only there for others to extend, and wants
// what those want.
func pattern(s *composefile.Service) bool { return s.Get("image") == nil && s.Get("build") == nil }

// text is what would be edited: an alias of a scalar can be replaced alone, while
// what stands in a collection stands in its anchor.
func text(v *composefile.Value) *yamltext.Node {
	if v.Kind == yamltext.Scalar {
		return v.Node
	}
	return v.Node.Resolve()
}

// texts are all nodes whose text a value has: of a list that was merged also those
// of the services that it extends.
func texts(v *composefile.Value) []*yamltext.Node {
	switch {
	case v == nil:
		return nil
	case v.Kind == yamltext.Scalar:
		return []*yamltext.Node{v.Node}
	}
	var out []*yamltext.Node
	for _, n := range v.Parts() {
		out = append(out, n.Resolve())
	}
	return out
}

// suits reports that a node may be changed for a service: every other one that
// has it too, by an anchor or by extends, wants the same. Nobody is given a GPU
// because somebody else needs one.
func (v *view) suits(s *composefile.Service, n *yamltext.Node, of values, wants func(*composefile.Service) bool) bool {
	return !slices.ContainsFunc(v.services(), func(o *composefile.Service) bool {
		has := func(value *composefile.Value) bool { return slices.Contains(texts(value), n) }
		return !o.Same(s) && !pattern(o) && slices.ContainsFunc(of(o), has) && !wants(o)
	})
}

// An addition is a key that a service lacks.
type addition struct {
	title   string
	key     string
	content yamltext.Content
	beside  string   // the key that it belongs to
	after   []string // the keys that it is written behind, where they are
	wants   func(*composefile.Service) bool
}

// add writes a key into the mapping of a service: in the file where the key stands
// that it belongs to, else where the service itself stands.
func (a addition) add(p *lint.Pass, s *composefile.Service) *lint.Mend {
	v, near := look(p), s.Get(a.beside)
	if near != nil && near.Node.Parent() != nil {
		parent := near.Node.Parent()
		if slices.Contains(s.Parts(), parent) && !parent.Shared() && v.suits(s, parent, whole, a.wants) {
			edit, err := parent.Add(a.key, a.content, a.after...)
			return mend(p, near, a.title, edit, err)
		}
	}
	// A key that an anchor gives would be lost behind one of the service's own.
	if !v.suits(s, s.Node.Resolve(), whole, a.wants) || s.Node.Get(a.key) != nil {
		return nil
	}
	edit, err := s.Node.Add(a.key, a.content, a.after...)
	return mend(p, s.Value, a.title, edit, err)
}
