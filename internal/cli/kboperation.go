package cli

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// lookOperation shows one operation, or all of them in a list.
func lookOperation(args []string) ([]entry, error) {
	if err := operation.Known(args); err != nil {
		return nil, err
	}
	var entries []entry
	for _, o := range operation.All() {
		if len(args) > 0 && o.ID != args[0] {
			continue
		}
		entries = append(entries, entry{o.ID, []field{
			{"does", o.Title}, {"by", o.Library}, {"builds on", o.BuildsOn}, {"needs", strings.Join(o.AllNeeds(), ", ")},
		}})
	}
	return entries, nil
}
