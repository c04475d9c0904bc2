package cli

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/state"
)

// TestUndoNamesEveryKind: nobody is asked to agree to an empty line.
func TestUndoNamesEveryKind(t *testing.T) {
	t.Parallel()
	own := state.Step{Act: state.Act{Kind: state.Own, Path: "/home/ada/.cache"}, Owners: make([]state.Owned, 3)}
	if got, want := undoing(own), "give /home/ada/.cache and what is in it back to the owners before (3 files and folders)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	plain := state.Step{Act: state.Act{Kind: state.Run, Argv: []string{"/bin/a", "b"}}}
	if got, want := undoing(plain), "leave what was done by /bin/a b, which needs no way back"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	plain.Back = []string{"/bin/c"}
	if got, want := undoing(plain), "run /bin/c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
