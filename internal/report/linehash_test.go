package report

import (
	"slices"
	"strings"
	"testing"
)

// The values are those of GitHub's own tests (github/codeql-action,
// src/fingerprints.test.ts), which an upload compares with ours.
func TestLineHashesAreGitHubs(t *testing.T) {
	t.Parallel()
	six := []string{"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"}
	for text, want := range map[string][]string{
		"":                   {"c129715d7a2bc9a3:1"},
		" a\nb\n  \t\tc\n d": {"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"},
		" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End\n":             six,
		" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r":             six,
		" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n": six,
		" hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n":         six,
		strings.Repeat("Lorem ipsum dolor sit amet.\n", 10): {
			"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3", "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6",
			"a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1", "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1",
		},
	} {
		if got := lineHashes(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
