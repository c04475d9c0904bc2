package rocm

import "slices"

// Regression is a fault that came with a release, a driver or a wheel.
type Regression struct {
	Gfx        []string // "all" stands for every GPU
	Only       string   // the products or platform it is limited to
	Since      string
	FixedIn    string `json:"fixed_in"`
	Symptom    string
	Workaround string
	Check      string // a command that tells whether it is this one
	Provenance
}

const everyGPU = "all"

// Regressions are the known regressions that concern a GPU.
func Regressions(gfx string) []Regression {
	return filter(knownReleases().regressions, func(r Regression) bool {
		return slices.Contains(r.Gfx, gfx) || slices.Contains(r.Gfx, everyGPU)
	})
}

func filter[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !keep(v) })
}
