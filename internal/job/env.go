package job

import (
	"fmt"
	"slices"
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
	return environment(r, d, now)
}

// environment is the one decision that env prints and run applies.
func environment(r host.Reader, d report.Diagnosis, now func() time.Time) (report.Environment, error) {
	e := report.Environment{Diagnosis: d, System: r.OS(), Needs: grant.For(d.Machine), Findings: d.Findings}
	if d.NoAMDGPU() {
		return e, nil // what a machine without a GPU has set is nobody's business here
	}
	e.Settings = launch.Settings(d.Findings, lookup(r, d))
	if err := lookAgain(r, &e, now); err != nil {
		return e, err
	}
	if s, ok := sdkOnPath(d.Machine); ok {
		e.Settings = append(e.Settings, s)
	}
	e.Unchanged = launch.Unchanged(e.Findings, e.Settings, lookup(r, d))
	return e, nil
}

// lookAgain judges the machine with what was decided in force: of two variables that
// hide the GPUs, the second counts only when the first is gone, and checks that wait
// for a wrong variable have not spoken yet.
func lookAgain(r host.Reader, e *report.Environment, now func() time.Time) error {
	const most = 4 // variables that stand behind each other: ROCR_, HIP_ and CUDA_VISIBLE_DEVICES, and one more
	for range most {
		inForce := given(slices.DeleteFunc(slices.Clone(e.Settings), isNotYet))
		if len(inForce) == 0 {
			return nil
		}
		with := nextLogin{r, inForce}
		d, err := Diagnose(with, e.Diagnosis.Version, Question{}, now)
		if err != nil {
			return err
		}
		e.Findings = d.Findings
		settings := launch.Merge(e.Settings, launch.Settings(d.Findings, lookup(with, d)))
		if slices.Equal(settings, e.Settings) {
			return nil
		}
		e.Settings = settings
	}
	return nil
}

// isNotYet tells of a folder that is made when a command starts: looked at before, it
// would seem to be missing.
func isNotYet(s launch.Setting) bool { return s.Folder != "" }

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
