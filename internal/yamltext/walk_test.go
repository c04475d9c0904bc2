package yamltext_test

import (
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func TestMappingsAreVisitedOnce(t *testing.T) {
	t.Parallel()
	root := yamltext.RootOf([]byte("a: &x {n: 1}\nb: *x\nc:\n  <<: *x\n  n: 2\nd: [{n: 3}]\n"))
	var seen []string
	root.Mappings(func(n *yamltext.Node) {
		if v := n.Child("n"); v != nil {
			seen = append(seen, v.Value())
		}
	})
	if want := []string{"1", "2", "3"}; !slices.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
	if root.Child("b").Child("n").Value() != "1" || root.Child("d").Child("n") != nil || root.Child("e").Child("n") != nil {
		t.Error("Child goes wrong behind an alias, in a list or where nothing is")
	}
	if yamltext.RootOf([]byte("a: [")) != nil {
		t.Error("broken text has a root")
	}
}
