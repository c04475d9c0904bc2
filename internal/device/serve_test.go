package device

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/operation"
)

func TestEveryTaskIsDone(t *testing.T) {
	t.Parallel()
	var known []string
	for _, task := range operation.Tasks() {
		known = append(known, task.ID)
	}
	slices.Sort(known)
	if done := slices.Sorted(maps.Keys(work)); !slices.Equal(done, known) {
		t.Errorf("done is %v, asked for is %v", done, known)
	}
}

// allTasks asks for everything in one child, as a parent without need to isolate
// could.
func allTasks() []string {
	var questions []string
	for _, task := range operation.Tasks() {
		questions = append(questions, fmt.Sprintf(`{"task":%q,"device":0}`, task.ID))
	}
	return questions
}

func TestAllPasses(t *testing.T) {
	t.Parallel()
	s := among(t, "six").run(t, allTasks()...)
	if s.code != 0 || len(s.answers) != 2*len(operation.Tasks()) {
		t.Fatalf("exit %d with %d answers: %s", s.code, len(s.answers), s.stderr)
	}
	for _, a := range s.answers {
		if a.Verdict != operation.Started {
			wants(t, a, operation.Pass)
		}
	}
}

// Which file did it, and its version, is a part of every answer.
func TestLibrariesAreNamed(t *testing.T) {
	t.Parallel()
	for task, library := range map[string]string{
		"copy": "libamdhip64.so.7 (7.2.12345)", "compile/transpose": "libhiprtc.so.7 (9.0)", "gemm/strided-batched": "librocblas.so.5 (4.2.0.mock)",
		"gemm-lt/fp32": "libhipblaslt.so.1 (0.10.2)", "conv2d/small": "libMIOpen.so.1 (3.2.1)",
	} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			a := among(t, "seven").ask(t, task)
			wants(t, a, operation.Pass)
			if !strings.HasSuffix(a.Library, filepath.Join("seven", library)) {
				t.Errorf("done by %q, want %s", a.Library, library)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]map[string]string{
		"six":   {"gfx": "gfx1100", "runtime": "6.2.12345", "name": "Mock GPU 0", "bus": "0000:03:00.0", "memory": "25769803776"},
		"seven": {"gfx": "gfx1100", "runtime": "7.2.12345"},
		"old":   {"gfx": "gfx906:sramecc+:xnack-", "runtime": "6.2.12345"},
		"five":  {"gfx": "", "runtime": "5.2.12345"}, // a layout without a name is not guessed at
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			a := among(t, folder).ask(t, "identity")
			wants(t, a, operation.Pass)
			for name, value := range want {
				if a.Facts[name] != value {
					t.Errorf("%s is %q, want %q", name, a.Facts[name], value)
				}
			}
			if a.Numbers["memory_free"] != 20<<30 || a.Numbers["devices"] != 1 {
				t.Errorf("numbers: %v", a.Numbers)
			}
		})
	}
}

// In old releases hiprtc is a part of the runtime.
func TestCompilerWithinTheRuntime(t *testing.T) {
	t.Parallel()
	a := among(t, "five").ask(t, "softmax/compiled")
	wants(t, a, operation.Pass)
	if !strings.Contains(a.Library, "libamdhip64.so.5") {
		t.Errorf("compiled by %q", a.Library)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mock, task string
		want       operation.Verdict
		words      []string
	}{
		{"hipInit=999", "init", operation.Failed, []string{"hipInit", "999", "mockError999", "the mock's words"}},
		{"hipInit=3", "init", operation.Failed, []string{"hipInit"}},
		{"hipGetDeviceCount=101", "init", operation.NoDevice, nil},
		{"hipSetDevice=101", "init", operation.NoDevice, []string{"hipSetDevice"}},
		{"hipMalloc=2", "copy", operation.NoMemory, []string{"hipMalloc of 67108864 bytes", "mockError2"}},
		{"hipMemcpy=700", "copy", operation.GPUFault, []string{"hipMemcpy from the GPU"}},
		{"hipMemcpy=wrong", "copy", operation.WrongResult, []string{"1 of 67108864 bytes", "at 1000"}},
		{"hipMemset=nothing", "copy", operation.WrongResult, []string{"filled"}},
		{"hipModuleLoadData=209", "compile/vector-add", operation.NoKernel, []string{"hipModuleLoadData"}},
		{"hipModuleLoadData=200", "compile/vector-add", operation.NoKernel, nil},
		{"hipModuleLaunchKernel=98", "compile/vector-add", operation.NoKernel, nil},
		{"hipDeviceSynchronize=719", "compile/vector-add", operation.GPUFault, []string{"hipDeviceSynchronize"}},
		{"hipDeviceSynchronize=700", "gemm/fp32", operation.GPUFault, nil},
		{"hipDeviceSynchronize=702", "gemm/fp32", operation.GPUFault, nil},
		{"hiprtcCompileProgram=6", "compile/vector-add", operation.Failed, []string{"HIPRTC_ERROR_COMPILATION", "the mock does not like it"}},
		{"hiprtcCreateProgram=1", "compile/vector-add", operation.NoMemory, nil},
		{"hiprtcGetCodeSize=11", "compile/vector-add", operation.Failed, nil},
		{"rocblas_create_handle=5", "gemm/identity", operation.NoMemory, nil},
		{"rocblas_gemm_ex=15", "gemm/fp32", operation.NoKernel, []string{"rocblas_status_arch_mismatch"}},
		{"rocblas_gemm_ex=6", "gemm/fp32", operation.Failed, []string{"rocblas_gemm_ex returned 6"}},
		{"rocblas_gemm_ex=14", "gemm/whisper", operation.NoKernel, []string{"first convolution, 384×3000×240"}},
		{"hipblasLtMatmulAlgoGetHeuristic=nothing", "gemm-lt/fp32", operation.NoKernel, []string{"finds no kernel"}},
		{"hipblasLtMatmulAlgoGetHeuristic=8", "gemm-lt/fp32", operation.NoKernel, []string{"HIPBLAS_STATUS_ARCH_MISMATCH"}},
		{"hipblasLtMatmul=2", "gemm-lt/fp16", operation.NoMemory, nil},
		{"miopenCreate=4", "conv1d", operation.NoMemory, nil},
		{"miopenFindConvolutionForwardAlgorithm=nothing", "conv2d/small", operation.NoKernel, nil},
		{"miopenConvolutionForward=7", "conv2d/tall", operation.Failed, []string{"miopenStatusUnknownError"}},
		{"miopenConvolutionForward=7 hipGetLastError=209", "conv2d/tall", operation.NoKernel, []string{"miopenStatusUnknownError", "mockError209"}},
		{"miopenConvolutionForward=7 hipGetLastError=719", "conv2d/tall", operation.GPUFault, nil},
		{"miopenBatchNormalizationForwardInference=5", "batchnorm", operation.Failed, nil},
	} {
		t.Run(test.mock+" "+test.task, func(t *testing.T) {
			t.Parallel()
			wants(t, among(t, "six").misbehaving(test.mock).ask(t, test.task), test.want, test.words...)
		})
	}
}

func TestWrongNumbers(t *testing.T) {
	t.Parallel()
	for call, tasks := range map[string][]string{
		"rocsmith_add":                             {"compile/vector-add"},
		"rocsmith_reduce":                          {"compile/block-reduce"},
		"rocsmith_transpose":                       {"compile/transpose"},
		"rocsmith_softmax":                         {"softmax/compiled"},
		"rocsmith_layernorm":                       {"layernorm/compiled"},
		"rocblas_gemm_ex":                          {"gemm/identity", "gemm/fp32", "gemm/fp16", "gemm/bf16", "gemm/whisper"},
		"rocblas_gemm_strided_batched_ex":          {"gemm/strided-batched"},
		"hipblasLtMatmul":                          {"gemm-lt/fp32", "gemm-lt/fp16"},
		"miopenConvolutionForward":                 {"conv2d/small", "conv2d/boundary", "conv2d/tall", "conv1d"},
		"miopenSoftmaxForward_V2":                  {"softmax/miopen"},
		"miopenBatchNormalizationForwardInference": {"batchnorm"},
		"miopenLayerNormForward":                   {"layernorm/miopen"},
	} {
		for _, task := range tasks {
			t.Run(task, func(t *testing.T) {
				t.Parallel()
				a := among(t, "six").misbehaving(call+"=wrong").ask(t, task)
				wants(t, a, operation.WrongResult, "largest difference")
				if a.Numbers["correlation"] > 0.9 || a.Numbers["max_abs_diff"] <= a.Numbers["threshold"] {
					t.Errorf("numbers: %v", a.Numbers)
				}
			})
		}
	}
}

// Zeros, and a call that does nothing and says that all is well.
func TestNoNumbers(t *testing.T) {
	t.Parallel()
	for call, task := range map[string]string{"rocblas_gemm_ex": "gemm/identity", "miopenSoftmaxForward_V2": "softmax/miopen", "hipblasLtMatmul": "gemm-lt/fp16"} {
		wants(t, among(t, "six").misbehaving(call+"=zero").ask(t, task), operation.WrongResult, "correlation 0.000000")
		wants(t, among(t, "six").misbehaving(call+"=nothing").ask(t, task), operation.WrongResult, "were never written")
	}
}

// One number that is none is enough.
func TestNaN(t *testing.T) {
	t.Parallel()
	a := among(t, "six").misbehaving("rocsmith_softmax=nan").ask(t, "softmax/compiled")
	wants(t, a, operation.WrongResult, "1 of 96000 values")
	if a.Numbers["not_finite"] != 1 {
		t.Errorf("numbers: %v", a.Numbers)
	}
}

// The machine of which a detection says that all is well: products are right
// and softmax is not.
func TestProductsRightSoftmaxWrong(t *testing.T) {
	t.Parallel()
	c := among(t, "six").misbehaving("rocsmith_softmax=wrong miopenSoftmaxForward_V2=wrong")
	s := c.run(t, `{"task":"gemm/fp32"}`, `{"task":"softmax/miopen"}`, `{"task":"softmax/compiled"}`, `{"task":"gemm/identity"}`)
	if len(s.answers) != 8 {
		t.Fatalf("%d answers", len(s.answers))
	}
	for i, want := range []operation.Verdict{operation.Pass, operation.WrongResult, operation.WrongResult, operation.Pass} {
		wants(t, s.answers[2*i+1], want)
	}
}

// What a library does to its process is the parent's to judge: the child must
// have said what it was about to do, and nothing more.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		code   int
		stderr string
	}{
		"segv":  {2, "SIGSEGV"},
		"abort": {2, "mock: rocblas_gemm_ex aborts"},
		"exit":  {3, ""},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := among(t, "six").misbehaving("rocblas_gemm_ex="+how).run(t, `{"task":"gemm/identity"}`, `{"task":"copy"}`)
			if len(s.answers) != 1 || s.answers[0].Verdict != operation.Started || s.code != want.code || !strings.Contains(s.stderr, want.stderr) {
				t.Errorf("exit %d, answers %+v, said %s", s.code, s.answers, s.stderr)
			}
		})
	}
}

func TestHang(t *testing.T) {
	t.Parallel()
	cmd := among(t, "six").misbehaving("miopenConvolutionForward=hang").command(t, `{"task":"conv2d/boundary"}`)
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() || lines.Text() != "mock: miopenConvolutionForward hangs" {
		t.Errorf("the child says %q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for lines := bufio.NewScanner(answers); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
	}
	if got := parseAnswers(t, []byte(all.String())); len(got) != 1 || got[0].Verdict != operation.Started {
		t.Errorf("answers: %+v", got)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
}

// What libraries print must not stand between the answers.
func TestLibrariesThatPrint(t *testing.T) {
	t.Parallel()
	s := among(t, "six").misbehaving("hipInit=print").run(t, `{"task":"init"}`)
	if len(s.answers) != 2 || s.answers[1].Verdict != operation.Pass || !strings.Contains(s.stderr, "mock: hipInit prints") {
		t.Errorf("answers %+v, said %q", s.answers, s.stderr)
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	c := among(t, "six")
	c.env = []string{"MOCK_GPUS=2"}
	s := c.run(t, `{"task":"identity","device":1}`, `{"task":"identity","device":2}`, `{"task":"identity","device":-1}`)
	if len(s.answers) != 6 || s.answers[1].Facts["name"] != "Mock GPU 1" || s.answers[1].Facts["bus"] != "0000:04:00.0" {
		t.Fatalf("answers: %+v", s.answers)
	}
	wants(t, s.answers[3], operation.NoDevice, "no GPU number 2", "counts 2")
	wants(t, s.answers[5], operation.NoDevice, "no GPU number -1")
	c.env = []string{"MOCK_GPUS=0", "HIP_VISIBLE_DEVICES=7"}
	a := c.ask(t, "init")
	wants(t, a, operation.NoDevice, "counts 0 GPUs")
}

func TestBadLibraries(t *testing.T) {
	t.Parallel()
	six := among(t, "six").folders[0]
	put := func(t *testing.T, name, content string) child {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return child{folders: []string{dir, six}}
	}
	t.Run("a text file", func(t *testing.T) {
		t.Parallel()
		wants(t, put(t, "libamdhip64.so", strings.Repeat("this is no library\n", 9)).ask(t, "init"), operation.NoLibrary, "libamdhip64.so: ", "invalid ELF header")
	})
	t.Run("an empty file", func(t *testing.T) {
		t.Parallel()
		wants(t, put(t, "libamdhip64.so.6", "").ask(t, "init"), operation.NoLibrary, "file too short")
	})
	t.Run("another architecture", func(t *testing.T) {
		t.Parallel()
		data, err := os.ReadFile(filepath.Join(six, "libamdhip64.so.6"))
		if err != nil {
			t.Fatal(err)
		}
		data[18] = 21 // e_machine: EM_PPC64
		wants(t, put(t, "libamdhip64.so.6", string(data)).ask(t, "init"), operation.NoLibrary, "libamdhip64.so.6", "cannot open shared object file", "built for EM_PPC64")
	})
	t.Run("a symbol missing", func(t *testing.T) {
		t.Parallel()
		wants(t, among(t, "lame").ask(t, "init"), operation.NoLibrary, "hipMemGetInfo", "libamdhip64.so.6")
	})
	t.Run("a library missing", func(t *testing.T) {
		t.Parallel()
		for task, file := range map[string]string{
			"compile/vector-add": "libhiprtc.so.6", "gemm/identity": "librocblas.so.4", "gemm-lt/fp32": "libhipblaslt.so.1", "conv1d": "libMIOpen.so.1",
		} {
			a := among(t, "old").ask(t, task)
			wants(t, a, operation.NoLibrary, file, "cannot open shared object file")
			if !strings.Contains(a.Library, "libamdhip64") {
				t.Errorf("%s: loaded was %q", task, a.Library)
			}
		}
	})
	t.Run("none at all", func(t *testing.T) {
		t.Parallel()
		if _, err := dlopen("libamdhip64.so.6"); err == nil {
			t.Skip("this system has a libamdhip64 of its own")
		}
		wants(t, child{}.ask(t, "init"), operation.NoLibrary, "libamdhip64.so.7", "cannot open shared object file: No such file or directory")
	})
	t.Run("a release without layer norm", func(t *testing.T) {
		t.Parallel()
		wants(t, among(t, "bare", "six").ask(t, "layernorm/miopen"), operation.Skipped, "miopenLayerNormForward")
	})
}

func TestBadQuestions(t *testing.T) {
	t.Parallel()
	s := child{}.run(t, `{"task":"gemm"}`, `nonsense`, ``, `{"task":7}`, `[]`, `{}`)
	var whys []string
	for _, a := range s.answers {
		if a.Verdict != operation.Started {
			whys = append(whys, string(a.Verdict)+" "+a.Why)
		}
	}
	want := []string{`failed there is no task "gemm"`, "failed the question is not JSON", "failed the question is not JSON", "failed the question is not JSON", `failed there is no task ""`}
	if s.code != 0 || !slices.EqualFunc(whys, want, strings.HasPrefix) {
		t.Errorf("exit %d: %q", s.code, whys)
	}
	if s := (child{}).run(t, strings.Repeat("x", mostLine+1)); s.code != 2 || !strings.Contains(s.stderr, "token too long") {
		t.Errorf("a long line: exit %d, %s", s.code, s.stderr)
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"--backend opencl": `there is no backend "opencl"`,
		"--speed 9":        "flag provided but not defined",
		"gemm":             `"gemm" is not a flag`,
		"--library-path":   "flag needs an argument",
	} {
		s := child{args: strings.Fields(args)}.run(t)
		if s.code != 2 || len(s.answers) != 0 || !strings.Contains(s.stderr, says) {
			t.Errorf("%s: exit %d, %v, %s", args, s.code, s.answers, s.stderr)
		}
	}
	if s := (child{args: []string{"--help"}}).run(t); s.code != 0 || !strings.Contains(s.stderr, "library-path") {
		t.Errorf("help: exit %d, %s", s.code, s.stderr)
	}
}

// Where there is no such GPU, CUDA's backend must say so as calmly.
func TestCUDAWithoutLibrary(t *testing.T) {
	t.Parallel()
	if _, err := dlopen("libcuda.so.1"); err == nil {
		t.Skip("this system has a libcuda")
	}
	wants(t, child{args: []string{"--backend", "cuda"}}.ask(t, "init"), operation.NoLibrary, "libcuda.so.1")
}

// The other backend does the same tasks through the same interface.
func TestCUDA(t *testing.T) {
	t.Parallel()
	c := among(t, "nvidia")
	c.args = []string{"--backend", "cuda"}
	questions := slices.DeleteFunc(allTasks(), func(q string) bool { return strings.Contains(q, "gemm/whisper") }) // more of gemm/fp32
	s := c.run(t, questions...)
	if s.code != 0 || len(s.answers) != 2*len(questions) {
		t.Fatalf("exit %d with %d answers: %s", s.code, len(s.answers), s.stderr)
	}
	for i := 1; i < len(s.answers); i += 2 {
		switch a := s.answers[i]; a.Task {
		case "layernorm/miopen":
			wants(t, a, operation.Skipped, "cuDNN has no layer norm")
		case "identity":
			wants(t, a, operation.Pass)
			if a.Facts["gfx"] != "sm_90" || a.Facts["runtime"] != "13.0" {
				t.Errorf("facts: %v", a.Facts)
			}
		default:
			wants(t, a, operation.Pass)
		}
	}
}

func TestCUDAVerdicts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mock, task string
		want       operation.Verdict
		words      string
	}{
		{"cuInit=100", "init", operation.NoDevice, "cuInit returned 100"},
		{"cuDeviceGetCount=nothing", "init", operation.NoDevice, "counts 0 GPUs"},
		{"cuDevicePrimaryCtxRetain=2", "init", operation.NoMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
		{"cuMemAlloc_v2=2", "copy", operation.NoMemory, "67108864 bytes"},
		{"cuModuleLoadData=209", "compile/vector-add", operation.NoKernel, ""},
		{"nvrtcCompileProgram=6", "compile/vector-add", operation.Failed, "nvrtcCompileProgram"},
		{"cuCtxSynchronize=700", "gemm/identity", operation.GPUFault, ""},
		{"cublasGemmEx=8", "gemm/identity", operation.NoKernel, "CUBLAS_STATUS_ARCH_MISMATCH"},
		{"cublasLtMatmul=8", "gemm-lt/fp32", operation.NoKernel, "CUBLAS_STATUS_ARCH_MISMATCH"},
		{"cudnnConvolutionForward=6", "conv2d/small", operation.NoKernel, "CUDNN_STATUS_ARCH_MISMATCH"},
		{"cudnnSoftmaxForward=wrong", "softmax/miopen", operation.WrongResult, ""},
		{"cublasLtMatmul=wrong", "gemm-lt/fp16", operation.WrongResult, ""},
	} {
		t.Run(test.mock, func(t *testing.T) {
			t.Parallel()
			c := among(t, "nvidia").misbehaving(test.mock)
			c.args = []string{"--backend", "cuda"}
			wants(t, c.ask(t, test.task), test.want, test.words)
		})
	}
}

// A panic is a verdict, not the end.
func TestPanicsAreAnswers(t *testing.T) {
	t.Parallel()
	wants(t, answerTo(nil, operation.Question{Task: "init"}), operation.Failed, "rocsmith-probe failed")
}

// silent is a backend without libraries.
type silent struct{ backend }

func (silent) runtime() (runtimeAPI, error) { return nil, refuse(operation.NoLibrary, "there is none") }

// Whatever is asked, the answers are lines of JSON that name a verdict.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"task":"init"}` + "\n" + `{"task":"gemm/fp32","device":-1}`))
	f.Add([]byte("{}\n[1]\nnull\n\"\xff\""))
	f.Fuzz(func(t *testing.T, questions []byte) {
		var out bytes.Buffer
		if err := serve(silent{}, bytes.NewReader(questions), &out); err != nil && !errors.Is(err, bufio.ErrTooLong) {
			t.Error(err)
		}
		for _, a := range parseAnswers(t, out.Bytes()) {
			if !slices.Contains([]operation.Verdict{operation.Started, operation.NoLibrary, operation.Failed}, a.Verdict) {
				t.Errorf("%q is answered by %+v", questions, a)
			}
		}
	})
}
