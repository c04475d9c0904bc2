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
	"github.com/rocsmith/rocsmith/internal/check/python"
	"github.com/rocsmith/rocsmith/internal/check/require"
	"github.com/rocsmith/rocsmith/internal/check/runtime"
)

// Checks returns every check. The order is that of decisiveness: what makes
// other questions moot stands first.
func Checks() []check.Check {
	return slices.Concat([]check.Check{gpu.Present, gpu.NVIDIA}, driver.Checks, access.Checks, gpu.Checks, runtime.Windows,
		[]check.Check{runtime.Imports}, python.Checks, runtime.Linux, coverage.Checks, miopen.Checks, env.Checks, memory.Checks, require.Checks)
}

// Areas returns the areas in the order in which people read them.
func Areas() []check.Area {
	return []check.Area{
		{Name: "require", Voices: []string{"require/services", "require/operations"}, Quiet: true, Each: true},
		{Name: "access", Voices: []string{"access/kfd", "access/render"}},
		{Name: "driver", Voices: []string{"driver/loaded", "driver/kernel", "driver/combination", "driver/firmware"}},
		{Name: "gpu", Voices: []string{"gpu/present"}},
		{Name: "runtime", Voices: []string{"runtime/dlls", "runtime/hip-path", "runtime/libraries", "runtime/comgr", "runtime/mixed", "runtime/installations"}, Quiet: true},
		{Name: "python", Voices: []string{"python/build", "python/device", "python/requirements"}, Quiet: true},
		{Name: "coverage", Voices: []string{"coverage/torch", "coverage/rocblas", "coverage/libraries", "coverage/hipblaslt"}, Quiet: true},
		{Name: "miopen", Voices: []string{"miopen/cache-writable", "miopen/cache-intact", "miopen/paths"}, Quiet: true},
		{Name: "env", Voices: []string{"env/names", "env/values"}},
		{Name: "memory", Voices: []string{"memory/pool"}, Quiet: true},
	}
}
