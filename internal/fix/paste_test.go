package fix_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// TestLinesToPaste has names that a shell would read as something else.
func TestLinesToPaste(t *testing.T) {
	t.Parallel()
	const odd, there = "/home/ada/R&D ada's/$a", `'/home/ada/R&D ada'\''s/$a'`
	d := desk{files: map[string]string{odd: "x"}}
	moved := plan(d, finding(remedy.Step{Kind: remedy.MoveAside, Path: odd}))
	if len(moved.Steps) != 1 {
		t.Fatalf("moved: %+v, left %+v", moved.Steps, moved.Left)
	}
	aside := `'/home/ada/R&D ada'\''s/$a.aside'`
	if got, want := moved.Steps[0].Detail, "mv -n "+there+" "+aside; got != want {
		t.Errorf("to move it: %s, want %s", got, want)
	}
	if got, want := moved.Steps[0].ByHand, "mv -n "+aside+" "+there; got != want {
		t.Errorf("to move it back: %s, want %s", got, want)
	}
	owned := plan(d, finding(remedy.Step{Kind: remedy.ChangeOwner, Path: odd, Value: "1000:1000", Root: true}))
	if len(owned.Steps) != 1 {
		t.Fatalf("owned: %+v, left %+v", owned.Steps, owned.Left)
	}
	if got := owned.Steps[0].ByHand; got != "sudo chown 1000:0 "+there {
		t.Errorf("to give it back: %s, want the owner before, and %s", got, there)
	}
}
