package explain

import (
	"os"
	"strings"
	"testing"
)

// What rocminfo and libamdhip64 print in five states of /dev/kfd is told apart. The files hold their genuine words,
// printed on a machine without a GPU: so "with the group" meets the same dead node as root does.
func TestStatesOfKFD(t *testing.T) {
	t.Parallel()
	c := written(t)
	for name, want := range map[string]string{
		"kfd-missing":        "device-node-missing",
		"kfd-no-group":       "device-permission-group",
		"kfd-with-group":     "kfd-bad-state", // the right is there, and nothing answers
		"kfd-dead-node":      "kfd-bad-state",
		"kfd-another-device": "kfd-bad-state", // it opens, and does not speak KFD
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("../../testdata/logs/" + name + ".log")
			if err != nil {
				t.Fatal(err)
			}
			e := explained(t, c, string(text), Surroundings{})
			if len(e.Causes) == 0 || e.Causes[0].Cause.ID != want {
				t.Fatalf("explained by %v, not %s", ids(e), want)
			}
			if e.Causes[0].Confidence == Possible {
				t.Errorf("%s is only possible (%.2f)", want, e.Causes[0].Score)
			}
			// Each names its own line, not the "no device" that all have in common.
			if strings.HasPrefix(e.Causes[0].Evidence[0].Text, "hip") {
				t.Errorf("the evidence is %v", e.Causes[0].Evidence)
			}
		})
	}
}
