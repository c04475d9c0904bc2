package report

import (
	"slices"
	"strings"
	"testing"
)

// The values are those that GitHub's own upload gives (github/codeql-action,
// src/fingerprints.test.ts), which compares them with ours.
func TestLineHashesAreGitHubs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                   {"c129715d7a2bc9a3:1"},
		" a\nb\n  \t\tc\n d": {"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"},
	} {
		if got := lineHashes(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Blanks and the kind of the ends of lines do not count, and lines that read alike for
// a hundred characters are numbered.
func TestLineHashesTellLinesApart(t *testing.T) {
	t.Parallel()
	plain := lineHashes("services:\n  app:\n\n    image: x\n")
	if len(plain) != 5 {
		t.Fatalf("%q", plain)
	}
	for _, other := range []string{"services:\r\n  app:\r\n\r\n    image: x\r\n", "services:\r  app:\r\r    image: x\r", "services:\n\tapp: \t\n\r\n image: x\n"} {
		if got := lineHashes(other); !slices.Equal(got, plain) {
			t.Errorf("%q: %q, want %q", other, got, plain)
		}
	}
	if got := lineHashes("# a line above\nservices:\n  app:\n\n    image: x\n"); !slices.Equal(got[1:], plain) {
		t.Errorf("a line above changes those below: %q, want %q", got[1:], plain)
	}
	same := lineHashes(strings.Repeat("- /dev/dri\n", 20))
	hash, _, _ := strings.Cut(same[0], ":")
	for i := range 9 { // what follows the tenth differs within a hundred characters
		if want := hash + ":" + string(rune('1'+i)); same[i] != want {
			t.Errorf("line %d: %s, want %s", i+1, same[i], want)
		}
	}
	if same[19] == same[0] || len(slices.Compact(slices.Sorted(slices.Values(same)))) != len(same) {
		t.Errorf("%q", same)
	}
}
