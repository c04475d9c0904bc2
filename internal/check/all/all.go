// Package all is the one list of all checks.
package all

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/access"
	"github.com/rocsmith/rocsmith/internal/check/coverage"
	"github.com/rocsmith/rocsmith/internal/check/driver"
	"github.com/rocsmith/rocsmith/internal/check/env"
	"github.com/rocsmith/rocsmith/internal/check/gpu"
	"github.com/rocsmith/rocsmith/internal/check/memory"
	"github.com/rocsmith/rocsmith/internal/check/miopen"
	"github.com/rocsmith/rocsmith/internal/check/runtime"
)

// Checks returns every check. The order is that of decisiveness: what makes
// other questions moot stands first.
func Checks() []check.Check {
	return slices.Concat([]check.Check{gpu.Present}, driver.Checks, access.Checks, gpu.Checks, coverage.Checks, runtime.Checks, miopen.Checks, env.Checks, memory.Checks)
}

// Areas returns the areas in the order in which people read them.
func Areas() []check.Area {
	return []check.Area{
		{Name: "access", Voices: []string{"access/kfd", "access/render"}},
		{Name: "driver", Voices: []string{"driver/loaded", "driver/kernel", "driver/combination", "driver/firmware"}},
		{Name: "gpu", Voices: []string{"gpu/present"}},
		{Name: "coverage", Voices: []string{"coverage/torch"}, Quiet: true},
		{Name: "runtime", Voices: []string{"runtime/libraries", "runtime/comgr", "runtime/mixed", "runtime/installations"}, Quiet: true},
		{Name: "miopen", Voices: []string{"miopen/cache-writable", "miopen/cache-intact", "miopen/paths"}, Quiet: true},
		{Name: "env", Voices: []string{"env/names", "env/values"}},
		{Name: "memory", Voices: []string{"memory/pool"}, Quiet: true},
	}
}
