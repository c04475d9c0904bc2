package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The real child among mock libraries, from end to end. The libraries lie where
// AMD's wheels have them, so that --venv finds them.
func TestProbeScripts(t *testing.T) {
	t.Parallel()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler to build the mock libraries with")
	}
	dir := t.TempDir()
	child := filepath.Join(dir, "rocsmith-probe")
	run(t, "go", "build", "-o", child, "../../cmd/rocsmith-probe")
	folder := filepath.Join(dir, "venv", "lib", "python3.12", "site-packages", "_rocm_sdk_core", "lib")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for library, source := range map[string]string{
		"libamdhip64.so.6": "hip", "libhiprtc.so.6": "hiprtc", "librocblas.so.4": "rocblas", "libhipblaslt.so.0": "hipblaslt", "libMIOpen.so.1": "miopen",
	} {
		run(t, cc, "-shared", "-fPIC", "-O3", "-DMAJOR=6", "-DR0600", "-o", filepath.Join(folder, library), "../device/testdata/mock/"+source+".c", "-lm")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/probe",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("ROCSMITH_PROBE", child)
			env.Setenv("VENV", filepath.Join(dir, "venv"))
			return nil
		},
		// Where there is a driver there may be a real HIP, which answers instead.
		Condition: func(name string) (bool, error) {
			_, err := os.Stat("/dev/kfd")
			return name == "kfd" && err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if said, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, said)
	}
}
