package probe

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func TestDataIsSound(t *testing.T) {
	t.Parallel()
	if _, err := signatures(); err != nil {
		t.Error(err)
	}
	rows, err := meanings()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		// Panics where a cure asks for a value that nobody gives.
		if got := (Judging{Machine: &machine.Machine{OS: "linux"}}).remedies(row); (len(got) > 0) != (row.Cure != "") {
			t.Errorf("%+v: remedies %+v", row, got)
		}
		if row.Library != "" && !slices.ContainsFunc(operation.Tasks(), func(t operation.Task) bool { return t.Library == row.Library }) {
			t.Errorf("no task is done by %q", row.Library)
		}
	}
	for _, id := range slices.Concat(groundwork, healthy, []string{"gemm/identity", "compile/vector-add"}) {
		if _, ok := operation.LookupTask(id); !ok {
			t.Errorf("there is no task %q", id)
		}
	}
}

func TestDataIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"- {verdict: hang, cause: bad-luck}", "- {cause: page-fault-gpu-hang}", "- {verdict: hang}", "- {verdict: hang, cause: page-fault-gpu-hang, weight: heavy}", "- {verdict: hang, colour: red}", "- ["} {
		if _, err := parseMeanings([]byte(text)); err == nil {
			t.Errorf("%q is a meaning", text)
		}
	}
	for _, text := range []string{"- {says: [x], cause: bad-luck, source: y}", "- {cause: page-fault-gpu-hang, source: y}", "- {says: [x], cause: page-fault-gpu-hang}", "- ["} {
		if _, err := parseSignatures([]byte(text)); err == nil {
			t.Errorf("%q is a signature", text)
		}
	}
}

// How a process ends is judged from what it said, then from how it died.
func TestJudgeEnd(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		end   ending
		words string
		want  operation.Verdict
		says  string
	}{
		{"go", ending{code: 2}, "SIGABRT: abort\nPC=0x1", operation.Crash, "SIGABRT: abort"},
		{"go, with stacks", ending{code: 2}, "fatal error: unexpected signal during runtime execution\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x0]\n", operation.Crash, "SIGSEGV: segmentation violation"},
		{"signal", ending{signal: "SIGBUS"}, "", operation.Crash, "SIGBUS"},
		{"shell", ending{code: 139}, "", operation.Crash, "SIGSEGV"},
		{"windows", ending{code: 0xC0000005}, "", operation.Crash, "access violation (0xC0000005)"},
		{"windows, signed", ending{code: -1073741819}, "", operation.Crash, "0xC0000005"},
		{"memory", ending{signal: "SIGKILL"}, "", operation.Crash, "memory runs out"},
		{"exit", ending{code: 3}, "", operation.Failed, "exit code 3"},
		{"nothing", ending{}, "", operation.Failed, "without an answer"},
		{"panic", ending{code: 2}, "panic: runtime error: index out of range\n\ngoroutine 1", operation.Crash, "rocsmith-probe itself failed"},
		{"fault", ending{code: 2}, "x\nMemory access fault by GPU node-1 (Agent handle: 0x5)\nSIGABRT: abort", operation.GPUFault, "Memory access fault by GPU node-1 (Agent handle: 0x5)"},
		{"exception", ending{signal: "SIGABRT"}, "HW Exception by GPU node-1 reason :GPU Hang", operation.GPUFault, "GPU Hang"},
		{"aperture", ending{code: 134}, ":0:rocdevice.cpp: Callback: Queue 0x7f aborting with error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: code: 0x29", operation.GPUFault, "Callback: Queue"},
		{"loader", ending{code: 127, silent: true}, "a: error while loading shared libraries: libc.so.6: cannot open", operation.CannotStart, "libc.so.6"},
		{"engine", ending{code: 125, silent: true, apart: true}, "Error: no such device", operation.CannotStart, "no such device"},
		{"in a container", ending{code: 2, apart: true}, "SIGSEGV: segmentation violation", operation.Crash, "SIGSEGV"},
	} {
		if v, why := judgeEnd(tc.end, tc.words); v != tc.want || !strings.Contains(why, tc.says) {
			t.Errorf("%s: %s: %s", tc.name, v, why)
		}
	}
}

func card(gfx string, variables ...machine.Variable) *machine.Machine {
	return &machine.Machine{
		OS: "linux", Variables: machine.Know(variables, "environment"),
		GPUs: machine.Know([]machine.GPU{{Vendor: machine.AMD, Name: "Radeon", Address: "0000:03:00.0", Gfx: machine.Know(gfx, "kfd"), Node: machine.Know(1, "kfd")}}, "kfd"),
	}
}

// outcomes are those of the real tasks: all pass but for what is said. What needs
// a task that did not pass is skipped, as Run does.
func outcomes(gfx string, said map[string]operation.Verdict) []Outcome {
	var out []Outcome
	failed := map[string]bool{}
	for _, t := range operation.Tasks() {
		v := operation.Pass
		if s, ok := said[t.ID]; ok {
			v = s
		} else if s, ok := said[t.Library]; ok {
			v = s
		}
		if slices.ContainsFunc(t.Needs, func(n string) bool { return failed[n] }) {
			v = operation.Skipped
		}
		failed[t.ID] = v != operation.Pass
		a := operation.Answer{Task: t.ID, Verdict: v, Why: string(v)}
		if t.ID == "identity" && v == operation.Pass {
			a.Facts = map[string]string{"gfx": gfx, "bus": "0000:03:00.0"}
		}
		out = append(out, Outcome{Task: t, Answer: a})
	}
	return out
}

func verdicts(gates []Gate) string {
	var out []string
	for _, g := range gates {
		out = append(out, g.ID+" "+string(g.Verdict))
	}
	return strings.Join(out, ", ")
}

func TestJudge(t *testing.T) {
	t.Parallel()
	override := machine.Variable{Name: machine.OverrideVariable, Value: "10.3.0"}
	foreign := []check.Finding{{Check: "gpu/override", Verdict: check.Fail, Cause: "hsa-override-wrong", Message: "x", Remedies: []remedy.Remedy{{ID: "unset-variable"}}}}
	good := []check.Finding{{Check: "coverage/rocblas", Verdict: check.OK, Message: "x"}, {Check: "runtime/comgr", Verdict: check.OK, Message: "x"}}
	hidden := []check.Finding{{Check: "gpu/visible", Verdict: check.Fail, Cause: "visible-devices-misset", Message: "HIP_VISIBLE_DEVICES=7 hides all", Remedies: []remedy.Remedy{{ID: "unset-variable"}}}}
	for _, tc := range []struct {
		name  string
		m     *machine.Machine
		found []check.Finding
		gfx   string
		said  map[string]operation.Verdict
		want  Verdict
		cause string // of the first finding
		gates string
	}{
		{"all is well", card("gfx1100"), good, "gfx1100", nil, Passed, "", "G1 ok, G2 ok, G3 ok, G4 ok, G5 ok, G6 skipped, G7 ok"},
		{"a sibling's code", card("gfx1031", override), good, "gfx1030", nil, Passed, "", "G1 ok, G2 warn, G3 ok, G4 ok, G5 ok, G6 skipped, G7 ok"},
		{"another GPU than the kernel's", card("gfx1100"), good, "gfx1101", nil, Passed, "", "G1 ok, G2 fail, G3 ok, G4 ok, G5 ok, G6 skipped, G7 ok"},
		{"foreign code", card("gfx1010", override), foreign, "gfx1030", map[string]operation.Verdict{"softmax/miopen": operation.WrongResult}, Broken, "hsa-override-wrong", "G1 ok, G2 warn, G3 ok, G4 ok, G5 skipped, G6 skipped, G7 fail"},
		{"wrong without a reason", card("gfx1100"), good, "gfx1100", map[string]operation.Verdict{"softmax/miopen": operation.WrongResult}, Broken, "", "G1 ok, G2 ok, G3 ok, G4 ok, G5 ok, G6 skipped, G7 fail"},
		{"no tensile", card("gfx1031"), nil, "gfx1031", map[string]operation.Verdict{"rocBLAS": operation.NoKernel}, Broken, "missing-tensile-kernels", "G1 ok, G2 ok, G3 ok, G4 fail, G5 skipped, G6 skipped, G7 fail"},
		{"hipBLASLt leaves it out", card("gfx1030"), good, "gfx1030", map[string]operation.Verdict{"hipBLASLt": operation.NoKernel}, Partial, "missing-hipblaslt-kernels", "G1 ok, G2 ok, G3 ok, G4 ok, G5 ok, G6 skipped, G7 ok"},
		{"no MIOpen", card("gfx1030"), good, "gfx1030", map[string]operation.Verdict{"MIOpen": operation.NoLibrary}, Partial, "", "G1 ok, G2 ok, G3 ok, G4 ok, G5 ok, G6 skipped, G7 ok"},
		{"no right", card("gfx1030"), nil, "", map[string]operation.Verdict{"init": operation.NoPermission}, Broken, "device-permission-group", "G1 ok, G2 fail, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
		{"hidden", card("gfx1030"), hidden, "", map[string]operation.Verdict{"init": operation.NoDevice}, Broken, "visible-devices-misset", "G1 ok, G2 fail, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
		{"fault", card("gfx1030"), nil, "gfx1030", map[string]operation.Verdict{"conv2d/tall": operation.GPUFault}, Broken, "page-fault-gpu-hang", "G1 ok, G2 ok, G3 ok, G4 ok, G5 skipped, G6 skipped, G7 fail"},
		{"slow", card("gfx1030"), nil, "gfx1030", map[string]operation.Verdict{"conv2d/tall": operation.Slow}, Broken, "", "G1 ok, G2 ok, G3 ok, G4 ok, G5 skipped, G6 skipped, G7 fail"},
		{"no GPU", &machine.Machine{OS: "linux", GPUs: machine.Know([]machine.GPU{}, "pci")}, nil, "", map[string]operation.Verdict{"init": operation.NoDevice}, NoGPU, "", "G1 fail, G2 fail, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
		{"no HIP", card("gfx1030"), nil, "", map[string]operation.Verdict{"init": operation.NoLibrary}, NoLibrary, "library-not-found", "G1 ok, G2 unknown, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
		{"nothing is known", &machine.Machine{}, nil, "", map[string]operation.Verdict{"init": operation.NoDevice}, Broken, "", "G1 unknown, G2 fail, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
		{"cannot start", card("gfx1030"), nil, "", map[string]operation.Verdict{"init": operation.CannotStart}, NoStart, "", "G1 ok, G2 unknown, G3 skipped, G4 skipped, G5 skipped, G6 skipped, G7 skipped"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := Judge(Judging{Machine: tc.m, Found: tc.found, Outcomes: outcomes(tc.gfx, tc.said), Explain: CauseInWords})
			if r.Verdict != tc.want {
				t.Errorf("verdict %s, want %s", r.Verdict, tc.want)
			}
			if got := verdicts(r.Gates); got != tc.gates {
				t.Errorf("gates\n%s, want\n%s", got, tc.gates)
			}
			cause := ""
			if len(r.Findings) > 0 {
				cause = r.Findings[0].Cause
			}
			if cause != tc.cause {
				t.Errorf("cause %q, want %q", cause, tc.cause)
			}
			for _, f := range r.Findings {
				if len(f.Evidence) == 0 || f.Message == "" {
					t.Errorf("without evidence: %+v", f)
				}
			}
		})
	}
}

// The words of a library name the cause, where its verdict does not.
func TestWordsNameTheCause(t *testing.T) {
	t.Parallel()
	list := outcomes("gfx1030", map[string]operation.Verdict{"conv2d/tall": operation.Failed})
	for i := range list {
		if list[i].Task.ID == "conv2d/tall" {
			list[i].Words = "MIOpen Error: Internal error while accessing SQLite database: attempt to write a readonly database"
		}
	}
	r := Judge(Judging{Machine: card("gfx1030"), Outcomes: list, Explain: CauseInWords})
	if len(r.Findings) != 1 || r.Findings[0].Cause != "miopen-db-readonly" {
		t.Errorf("%+v", r.Findings)
	}
}

func TestAnomalies(t *testing.T) {
	t.Parallel()
	r := Judge(Judging{Machine: card("gfx1100"), Outcomes: outcomes("gfx1101", nil), Explain: CauseInWords})
	if len(r.Anomalies) != 1 || !strings.HasPrefix(r.Anomalies[0], "G3 and G4 and G7 passed although G2 failed") {
		t.Errorf("%q", r.Anomalies)
	}
	if r = Judge(Judging{Machine: card("gfx1100"), Outcomes: outcomes("gfx1100", nil), Explain: CauseInWords}); len(r.Anomalies) != 0 {
		t.Errorf("%q", r.Anomalies)
	}
}

func TestGPUShowsRealAndEffective(t *testing.T) {
	t.Parallel()
	m := card("gfx1031", machine.Variable{Name: machine.OverrideVariable, Value: "10.3.0"})
	r := Judge(Judging{Machine: card("gfx90a"), Outcomes: outcomes("gfx90a:sramecc+:xnack-", nil), Explain: CauseInWords})
	if r.GPU.Gfx != "gfx90a" || r.GPU.Effective != "gfx90a" || r.Gates[1].Verdict != check.OK {
		t.Errorf("%+v, %+v", r.GPU, r.Gates[1])
	}
	got := Judge(Judging{Machine: m, Outcomes: outcomes("gfx1030", nil), Explain: CauseInWords}).GPU
	if got.Gfx != "gfx1031" || got.Effective != "gfx1030" || got.Override != "HSA_OVERRIDE_GFX_VERSION=10.3.0" {
		t.Errorf("%+v", got)
	}
}
