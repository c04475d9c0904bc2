package survey

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
)

// TestOursFirst holds the choice among many files to sorting them all.
func TestOursFirst(t *testing.T) {
	t.Parallel()
	wanted := func(name string) bool { return !strings.HasSuffix(name, ".txt") }
	ours := func(name string) bool { return strings.HasPrefix(name, "gfx1030") }
	for _, count := range []int{0, 1, mostFiles - 1, mostFiles, mostFiles + 1, 500} {
		var entries []host.Entry
		var first, rest []string
		for i := range count {
			name := fmt.Sprintf("gfx%s_%d.ukdb", []string{"1100", "90a", "1030"}[i%3], i)
			entries = append(entries, host.Entry{Name: name}, host.Entry{Name: name + ".txt"})
			if ours(name) {
				first = append(first, name)
			} else {
				rest = append(rest, name)
			}
		}
		rand.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		slices.Sort(first)
		slices.Sort(rest)
		want := slices.Concat(first, rest)
		want = want[:min(len(want), mostFiles)]
		got, left := oursFirst(entries, wanted, ours)
		if !slices.Equal(got, want) || left != count-len(want) {
			t.Errorf("of %d files %q, and %d left; want %q and %d", count, got, left, want, count-len(want))
		}
	}
}
