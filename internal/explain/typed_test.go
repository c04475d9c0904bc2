package explain

import (
	"regexp"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// TestWhatIsToBeTyped has no words of a sentence in it where a log does not tell a name.
func TestWhatIsToBeTyped(t *testing.T) {
	t.Parallel()
	words := regexp.MustCompile(`[=\[](your|the|its) |rocsmith (kb|scan|doctor|lint|run|explain|fix) ([a-z]+ )?(your|the|its) |(pip|apt|dnf) install (-[a-zA-Z-]+ )*(your|the|its) `)
	catalogue, err := cause.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, os := range []string{"linux", "windows"} {
		for _, c := range catalogue.Causes {
			made, err := Remedies(c, &machine.Machine{OS: os}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range made {
				for _, s := range r.Steps {
					if found := words.FindString(s.Text + "\n" + s.Command); found != "" {
						t.Errorf("%s on %s: %q in %q %q", c.ID, os, found, s.Text, s.Command)
					}
				}
			}
		}
	}
}
