package job

import (
	"fmt"
	"time"

	"github.com/rocsmith/rocsmith/internal/check/runtime"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/report"
)

// Environment judges a machine and decides what a process needs there.
func Environment(r host.Reader, version string, now func() time.Time) (report.Environment, error) {
	d, err := Diagnose(r, version, Question{}, now)
	if err != nil {
		return report.Environment{}, err
	}
	return environment(r, d), nil
}

// environment is the one decision that env prints and run applies.
func environment(r host.Reader, d report.Diagnosis) report.Environment {
	e := report.Environment{Diagnosis: d, System: r.OS(), Needs: grant.For(d.Machine)}
	if d.NoAMDGPU() {
		return e // what a machine without a GPU has set is nobody's business here
	}
	e.Settings = launch.Settings(d.Findings, lookup(r, d))
	if s, ok := sdkOnPath(d.Machine); ok {
		e.Settings = append(e.Settings, s)
	}
	e.Unchanged = launch.Unchanged(d.Findings, e.Settings, lookup(r, d))
	return e
}

// sdkOnPath puts the SDK that fits first on PATH, whatever HIP_PATH says: Windows
// looks for DLLs there. Wheels bring theirs along.
func sdkOnPath(m *machine.Machine) (launch.Setting, bool) {
	if m.OS != "windows" || m.EnvironmentMajor() != 0 {
		return launch.Setting{}, false
	}
	sdk, ok := runtime.FittingSDK(m)
	folder := m.DLLsOf(sdk).Path
	if !ok || folder == "" {
		return launch.Setting{}, false
	}
	which := "is the one that fits"
	if len(m.HIPSDKs()) == 1 {
		which = "is the only one here"
	}
	why := fmt.Sprintf("%s %s, and its programs and DLLs are not on PATH", sdk.SDKName(), which)
	if on := m.FoldersOnPath(); len(on) > 0 {
		if machine.SamePath(on[0].Path, folder) {
			return launch.Setting{}, false
		}
		why = fmt.Sprintf("%s %s, and %s comes before it on PATH", sdk.SDKName(), which, on[0].Path)
	}
	return launch.Setting{Name: "PATH", Value: folder, Prepend: true, Why: why, Check: "runtime/hip-path"}, true
}

// lookup is the environment of a machine that was judged.
func lookup(r host.Reader, d report.Diagnosis) launch.Lookup {
	return func(name string) (string, bool) {
		if value, set := d.Machine.Variable(name); set {
			return value, true
		}
		value, set, err := r.Getenv(name) // what the survey did not ask for
		return value, set && err == nil
	}
}
