package explain

import (
	"slices"
	"strings"
	"testing"
)

// "Use another release" is answered by what the releases hold.
func TestAnotherRelease(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]string{
		"gfx803":  "has kernels for gfx803 in 5.0.0 to 5.7.1 alone",
		"gfx1010": "in 5.0.0 to 5.7.1 and 6.1.0 to 6.2.4 alone",
		"gfx1031": "An older ROCm does not help",
		"gfx1030": "hardly what is wrong",
	} {
		if got := anotherRelease(gfx, "3.12"); !strings.Contains(got, want) || !strings.Contains(got, "Python 3.12") {
			t.Errorf("%s: %s", gfx, got)
		}
	}
	if got := anotherRelease("gfx9999", ""); got != "" {
		t.Errorf("of an unknown GPU: %s", got)
	}
	all := []string{"1", "2", "3", "4", "5"}
	for want, with := range map[string][]string{"1 to 2 and 5": {"1", "2", "5"}, "3": {"3"}, "1 to 5": all} {
		if got := runs(with, all); got != want {
			t.Errorf("%v: %s", with, got)
		}
	}
}

// It is said of causes that people cure so, on Linux, where the GPU is known.
func TestReleaseIsAnswered(t *testing.T) {
	t.Parallel()
	c := written(t)
	const line = "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx803"
	e := explained(t, c, line, Surroundings{})
	i := slices.IndexFunc(e.Causes, func(s Suspect) bool { return s.Cause.ID == "missing-tensile-kernels" })
	if i < 0 || !strings.Contains(e.Causes[i].Release, "5.7.1 alone") {
		t.Errorf("%+v", e.Causes)
	}
	if e := explained(t, c, closed, Surroundings{GPUs: []string{"gfx803"}}); len(e.Causes) == 0 || e.Causes[0].Release != "" {
		t.Errorf("%+v", e.Causes)
	}
}
