package probe

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/programtest"
)

// fakeEngine keeps a list of its calls, knows one image and one container, and
// runs what it is told to run without any walls.
const fakeEngine = `#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
case "$1 $2 $3" in
"image inspect good" | "container inspect good") exit 0 ;;
*" inspect "*) echo "no such thing: $3" >&2; exit 1 ;;
esac
case $1 in
run)
	shift
	while [ "$1" != --volume ]; do shift; done
	exec "${2%%:*}"
	;;
cp) cp "$2" "$(dirname "$0")/${3##*/}" ;;
exec)
	case $4 in
	rm | sh) exit 0 ;;
	esac
	exec "$(dirname "$0")/${4#/}"
	;;
esac
`

func withEngine(t *testing.T) (getenv func(string) string, calls func() string) {
	t.Helper()
	dir := t.TempDir()
	programtest.Write(t, filepath.Join(dir, "podman"), fakeEngine)
	return func(name string) string {
			if name == "PATH" {
				return dir
			}
			return ""
		}, func() string {
			text, _ := os.ReadFile(filepath.Join(dir, "calls"))
			return string(text)
		}
}

// passing is a program that passes one task.
func passing(t *testing.T, said string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rocsmith-probe")
	programtest.Write(t, file, "#!/bin/sh\n"+said)
	return file
}

const passes = `read q; echo '{"task":"a","verdict":"pass"}'`

func TestInImage(t *testing.T) {
	t.Parallel()
	getenv, calls := withEngine(t)
	place, err := InImage(getenv, passing(t, passes), "good", Devices{Nodes: []string{"/dev/kfd", "/dev/dri"}, GIDs: []uint32{110}})
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, Request{Start: place.Start, Tasks: []operation.Task{task("a", "x")}})
	if got["a"].Answer.Verdict != operation.Pass {
		t.Errorf("%+v", got["a"])
	}
	for _, want := range []string{
		"run --rm --interactive --pull=never --network=none --name rocsmith-probe-", ":/rocsmith-probe:ro --entrypoint /rocsmith-probe",
		"--device /dev/kfd --device /dev/dri --group-add 110 good\n", "rm --force rocsmith-probe-",
	} {
		if !strings.Contains(calls(), want) {
			t.Errorf("%q is not among\n%s", want, calls())
		}
	}
	// What does not start in there is a result.
	place, err = InImage(getenv, passing(t, "echo 'exec /rocsmith-probe: no such file or directory' >&2; exit 127"), "good", Devices{})
	if err != nil {
		t.Fatal(err)
	}
	got = ask(t, Request{Start: place.Start, Tasks: []operation.Task{task("a", "x")}})
	if a := got["a"].Answer; a.Verdict != operation.CannotStart || !strings.Contains(a.Why, "exit code 127") || !strings.Contains(a.Why, "no such file") {
		t.Errorf("%+v", a)
	}
}

func TestInContainer(t *testing.T) {
	t.Parallel()
	getenv, calls := withEngine(t)
	place, err := InContainer(getenv, passing(t, passes), "good")
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, Request{Start: place.Start, Tasks: []operation.Task{task("a", "x")}})
	if got["a"].Answer.Verdict != operation.Pass {
		t.Errorf("%+v", got["a"])
	}
	if err := place.Close(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"cp ", "exec --interactive good /rocsmith-probe-", "exec --user=0 good sh -c for p in", "exec --user=0 good rm -f /rocsmith-probe-"} {
		if !strings.Contains(calls(), want) {
			t.Errorf("%q is not among\n%s", want, calls())
		}
	}
}

func TestPlacesThatAreNot(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	getenv, _ := withEngine(t)
	for name, tc := range map[string]struct {
		open func() (Place, error)
		says string
	}{
		"no engine":     {func() (Place, error) { return InImage(none, "p", "good", Devices{}) }, "neither docker nor podman"},
		"no image":      {func() (Place, error) { return InImage(getenv, "p", "bad", Devices{}) }, "no engine knows the image bad"},
		"a flag":        {func() (Place, error) { return InImage(getenv, "p", "--privileged", Devices{}) }, "no name"},
		"no container":  {func() (Place, error) { return InContainer(getenv, "p", "bad") }, "no such thing: bad"},
		"no copy":       {func() (Place, error) { return InContainer(getenv, "/none", "good") }, "put the probe into the container"},
		"no folder":     {func() (Place, error) { return InEnvironment(host.Live(), "p", "/none") }, "holds no libraries"},
		"no libraries":  {func() (Place, error) { return InEnvironment(host.Live(), "p", t.TempDir()) }, "holds no libraries"},
		"torch of CUDA": {func() (Place, error) { return InEnvironment(host.Live(), "p", venv(t, "torch/lib/libtorch_cuda.so")) }, "holds no libraries"},
	} {
		if _, err := tc.open(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func venv(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		f = filepath.Join(dir, "lib", "python3.12", "site-packages", f)
		if err := os.MkdirAll(filepath.Dir(f), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLibrariesOf(t *testing.T) {
	t.Parallel()
	dir := venv(t, "torch/lib/libamdhip64.so", "_rocm_sdk_core/lib/libamdhip64.so.7", "_rocm_sdk_libraries_gfx110X_all/lib/librocblas.so.5", "numpy/lib/librocblas.so")
	got, err := LibrariesOf(host.Live(), dir)
	site := filepath.Join(dir, "lib", "python3.12", "site-packages")
	want := []string{site + "/_rocm_sdk_core/lib", site + "/_rocm_sdk_libraries_gfx110X_all/lib", site + "/torch/lib"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	l, err := Here("p", got[:1]).Start()
	if err != nil || !slices.Equal(l.Argv, []string{"p", "--library-path", want[0]}) {
		t.Errorf("%v, %v", l.Argv, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := filepath.Join(dir, "rocsmith-probe")
	if err := os.WriteFile(child, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	from := func(variables map[string]string) func(string) string {
		return func(name string) string { return variables[name] }
	}
	for name, tc := range map[string]struct {
		variables  map[string]string
		want, says string
	}{
		"named":      {map[string]string{Variable: child}, child, ""},
		"in PATH":    {map[string]string{"PATH": "bin:/none:" + dir}, child, ""},
		"none":       {nil, "", "go build ./cmd/rocsmith-probe"},
		"named none": {map[string]string{Variable: dir + "/none", "PATH": dir}, "", "is no file"},
		"a folder":   {map[string]string{Variable: dir}, "", "is no file"},
	} {
		got, err := Find(from(tc.variables), "linux")
		if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got := howToBuild("/tmp/go-build123/b001/exe/rocsmith"); !strings.Contains(got, "Under go run") {
		t.Error(got)
	}
}
