package require

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// What work showed counts where it speaks; else the facts do.
func TestProbedOutweighsFacts(t *testing.T) {
	t.Parallel()
	some := &machine.Machine{ROCm: machine.Know([]machine.Installation{{Version: "7.2.0"}}, "x")}
	result := func(task string, v operation.Verdict) operation.Result {
		id, _, _ := strings.Cut(task, "/")
		return operation.Result{Task: task, Operation: id, Library: "L", Verdict: v, Why: "so it went"}
	}
	lost := append(allGood(), found("coverage/rocblas", check.Fail)...)
	for _, tc := range []struct {
		name    string
		asked   string
		found   []check.Finding
		results []operation.Result
		want    check.Verdict
		says    string
	}{
		{"passed against the facts", "gemm", lost, []operation.Result{result("gemm/fp32", operation.Pass)}, check.OK, "the result was right"},
		{"wrong against the facts", "gemm", allGood(), []operation.Result{result("gemm/fp32", operation.Pass), result("gemm/fp16", operation.WrongResult)}, check.Fail, "gemm/fp16 of L gave wrong result"},
		{"a crash", "conv2d", allGood(), []operation.Result{result("conv2d/small", operation.Crash)}, check.Fail, "gave crash"},
		{"no kernel", "gemm-lt", allGood(), []operation.Result{result("gemm-lt/fp32", operation.NoKernel)}, check.Fail, "no kernel"},
		{"what it builds on", "attention", allGood(), []operation.Result{result("gemm/fp32", operation.Hang)}, check.Fail, "attention cannot be served here: gemm/fp32"},
		{"itself before what it builds on", "conv1d", allGood(), []operation.Result{result("conv2d/tall", operation.Hang), result("conv1d", operation.Pass)}, check.OK, "conv1d can be served"},
		{"skipped for it", "conv1d", allGood(), []operation.Result{result("copy", operation.NoPermission), result("conv1d", operation.Skipped)}, check.Fail, "no permission"},
		{"slow", "conv2d", allGood(), []operation.Result{result("conv2d/small", operation.Slow)}, check.Unknown, "So it went"},
		{"one slow among good ones", "conv2d", allGood(), []operation.Result{result("conv2d/tall", operation.Pass), result("conv2d/small", operation.Slow)}, check.Unknown, "So it went"},
		{"no library: the facts speak", "gemm", lost, []operation.Result{result("gemm/fp32", operation.NoLibrary)}, check.Fail, "coverage/rocblas"},
		{"no library: the facts are good", "gemm", allGood(), []operation.Result{result("gemm/fp32", operation.NoLibrary)}, check.OK, "nothing that was looked at"},
		{"of another operation", "gemm", allGood(), []operation.Result{result("softmax/miopen", operation.WrongResult)}, check.OK, "nothing that was looked at"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := check.Input{Machine: some, Found: tc.found, Operations: []string{tc.asked}, Probed: operation.Results{Results: tc.results}}
			got := runOperations(in)
			if len(got) != 1 || got[0].Verdict != tc.want || !strings.Contains(got[0].Message, tc.says) {
				t.Errorf("got %+v", got)
			}
			if len(got) == 1 && len(got[0].Evidence) == 0 {
				t.Errorf("no evidence: %+v", got[0])
			}
		})
	}
}
