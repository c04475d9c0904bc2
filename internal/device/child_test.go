package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// scratch holds what is built for the tests.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "rocsmith-device-") })

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := scratch(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// probe builds the child as it is released: what crashes needs a process of its
// own, and so do two majors of one library.
var probe = sync.OnceValues(func() (string, error) {
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", err
	}
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "rocsmith-probe.exe")
	cmd := exec.Command(compiler, "build", "-o", binary, "../../cmd/rocsmith-probe")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build rocsmith-probe: %w: %s", err, said)
	}
	return binary, nil
})

// A mockFile is a library that is compiled for the tests.
type mockFile struct {
	file    string // DIR/NAME
	sources []string
	flags   []string
}

// The folders: six and seven are whole ROCm releases; old is a HIP whose only
// layout is the first; five has hiprtc within the runtime, and no layout that
// has a name; lame lacks a symbol; bare has a MIOpen without layer norm; nvidia is the
// other backend's.
var mockFiles = []mockFile{
	{"six/libamdhip64.so.6", []string{"hip"}, []string{"-DMAJOR=6", "-DR0600", "-DR0000"}},
	{"six/libhiprtc.so.6", []string{"hiprtc"}, nil},
	{"six/librocblas.so.4", []string{"rocblas"}, nil},
	{"six/libhipblaslt.so.0", []string{"hipblaslt"}, nil},
	{"six/libMIOpen.so.1", []string{"miopen"}, nil},
	{"seven/libamdhip64.so.7", []string{"hip"}, []string{"-DMAJOR=7", "-DR0600"}},
	{"old/libamdhip64.so.6", []string{"hip"}, []string{"-DMAJOR=6", "-DR0000"}},
	{"five/libamdhip64.so.5", []string{"hip", "hiprtc"}, []string{"-DMAJOR=5"}},
	{"lame/libamdhip64.so.6", []string{"hip"}, []string{"-DMAJOR=6", "-DWITHOUT_MEMGETINFO"}},
	{"nvidia/libcuda.so.1", []string{"cuda"}, nil},
	{"nvidia/libnvrtc.so.13", []string{"hiprtc"}, []string{"-DCUDA"}},
	{"nvidia/libcublas.so.13", []string{"cublas"}, nil},
	{"nvidia/libcublasLt.so.13", []string{"hipblaslt"}, []string{"-DCUBLAS"}},
	{"nvidia/libcudnn.so.9", []string{"cudnn"}, nil},
	{"bare/libMIOpen.so.1", []string{"miopen"}, []string{"-DWITHOUT_LAYERNORM"}},
}

// mocks compiles them once, for this very machine: they multiply large matrices.
var mocks = sync.OnceValues(func() (string, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", err
	}
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	for _, m := range mockFiles {
		if err := m.compile(cc, dir); err != nil {
			return dir, err
		}
	}
	// A release shares what does not depend on its version.
	for from, to := range map[string]string{"libhiprtc.so.6": "libhiprtc.so.7", "librocblas.so.4": "librocblas.so.5", "libhipblaslt.so.0": "libhipblaslt.so.1", "libMIOpen.so.1": "libMIOpen.so.1"} {
		if err := os.Link(filepath.Join(dir, "six", from), filepath.Join(dir, "seven", to)); err != nil {
			return dir, err
		}
	}
	return dir, nil
})

func (m mockFile) compile(cc, dir string) error {
	out := filepath.Join(dir, filepath.FromSlash(m.file))
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	args := append([]string{"-shared", "-fPIC", "-O3", "-march=native", "-o", out}, m.flags...)
	for _, s := range m.sources {
		args = append(args, filepath.Join("testdata", "mock", s+".c"))
	}
	if said, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile %s: %w: %s", m.file, err, said)
	}
	return nil
}

// A child is a rocsmith-probe among mocks.
type child struct {
	folders []string // of the mocks, or anywhere
	env     []string
	args    []string
}

// among gives a child the libraries of a mock folder; the test is skipped where
// they cannot be made.
func among(t *testing.T, folders ...string) child {
	t.Helper()
	dir, err := mocks()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("there is no C compiler to build the mock libraries with")
	case system == "windows":
		t.Skip("the mock libraries are built for ELF systems")
	case err != nil:
		t.Fatal(err)
	}
	var c child
	for _, f := range folders {
		c.folders = append(c.folders, filepath.Join(dir, f))
	}
	return c
}

// misbehaving sets what calls of the mocks do.
func (c child) misbehaving(actions string) child {
	c.env = append(c.env, "MOCK="+actions)
	return c
}

func (c child) command(t *testing.T, questions ...string) *exec.Cmd {
	t.Helper()
	binary, err := probe()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		t.Skip("there is no go command to build rocsmith-probe with")
	case err != nil:
		t.Fatal(err)
	}
	args := c.args
	for _, f := range c.folders {
		args = append(args, "--library-path", f)
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.env...)
	cmd.Stdin = strings.NewReader(strings.Join(questions, "\n") + "\n")
	return cmd
}

// said is what a child wrote and how it ended.
type said struct {
	answers []operation.Answer
	stderr  string
	code    int
}

func (c child) run(t *testing.T, questions ...string) said {
	t.Helper()
	cmd := c.command(t, questions...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said{parseAnswers(t, out.Bytes()), stderr.String(), cmd.ProcessState.ExitCode()}
}

func parseAnswers(t *testing.T, data []byte) []operation.Answer {
	t.Helper()
	var answers []operation.Answer
	for line := range bytes.Lines(data) {
		var a operation.Answer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%q is not an answer: %v", line, err)
		}
		answers = append(answers, a)
	}
	return answers
}

// ask has a child do one task and gives its verdict.
func (c child) ask(t *testing.T, task string) operation.Answer {
	t.Helper()
	s := c.run(t, fmt.Sprintf(`{"task":%q}`, task))
	if len(s.answers) != 2 || s.answers[0].Verdict != operation.Started || s.answers[0].Task != task {
		t.Fatalf("%s: want started and a verdict, got %+v (exit %d, %s)", task, s.answers, s.code, s.stderr)
	}
	if s.code != 0 {
		t.Errorf("%s: exit %d", task, s.code)
	}
	return s.answers[1]
}

// wants holds an answer to a verdict and to words of its reason.
func wants(t *testing.T, a operation.Answer, verdict operation.Verdict, words ...string) {
	t.Helper()
	if a.Verdict != verdict {
		t.Errorf("%s: %s (%s), want %s", a.Task, a.Verdict, a.Why, verdict)
	}
	for _, w := range words {
		if !strings.Contains(a.Why, w) {
			t.Errorf("%s: %q does not say %q", a.Task, a.Why, w)
		}
	}
}
