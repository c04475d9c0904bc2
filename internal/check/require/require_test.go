package require

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

func found(id string, verdicts ...check.Verdict) []check.Finding {
	var out []check.Finding
	for _, v := range verdicts {
		out = append(out, check.Finding{Check: id, Verdict: v, Message: string(v) + " says " + id, Evidence: []machine.Evidence{{From: "x", Text: "y"}}})
	}
	return out
}

func TestWorst(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		found []check.Finding
		need  string
		want  check.Verdict // "" for none
		left  bool
	}{
		{"left out", nil, "a/b", "", true},
		{"good", found("a/b", check.OK), "a/b", "", false},
		{"not asked", found("a/b", check.Skipped), "a/b", "", false},
		{"a failure after a good answer", found("a/b", check.OK, check.Fail), "a/b", check.Fail, false},
		{"a warning after a good answer", found("a/b", check.OK, check.Warn), "a/b", "", false},
		{"a warning before a good answer", found("a/b", check.Warn, check.OK), "a/b", check.Warn, false},
		{"unknown outweighs a warning", found("a/b", check.Warn, check.Unknown), "a/b", check.Unknown, false},
		{"a warning of an area", found("a/b", check.Warn), "a", "", false},
		{"a failure of an area", found("a/b", check.Fail), "a", check.Fail, false},
		{"another check", found("a/c", check.Fail), "a/b", "", true},
	} {
		f, left := worst(tc.found, tc.need)
		var got check.Verdict
		if f != nil {
			got = f.Verdict
		}
		if got != tc.want || left != tc.left {
			t.Errorf("%s: %q, left out %t", tc.name, got, left)
		}
	}
}

// allGood answers every need of every operation.
func allGood() []check.Finding {
	var out []check.Finding
	for _, o := range operation.All() {
		for _, need := range o.Needs {
			if !strings.Contains(need, "/") {
				need += "/x"
			}
			out = append(out, found(need, check.OK)...)
		}
	}
	return out
}

func TestJudge(t *testing.T) {
	t.Parallel()
	some := &machine.Machine{ROCm: machine.Know([]machine.Installation{{Version: "7.2.0"}}, "x")}
	none := &machine.Machine{ROCm: machine.Know([]machine.Installation{}, "x")}
	for _, tc := range []struct {
		name  string
		m     *machine.Machine
		found []check.Finding
		want  check.Verdict
		says  string
	}{
		{"all is well", some, allGood(), check.OK, "gemm can be served"},
		{"no kernels", some, append(allGood(), found("coverage/rocblas", check.Fail)...), check.Fail, "gemm cannot be served here: fail says coverage/rocblas"},
		{"unknown", some, append(allGood(), found("access/kfd", check.Unknown)...), check.Unknown, "Not judged: whether gemm can be served"},
		{"in doubt", some, append(found("coverage/torch", check.Warn), allGood()...), check.Warn, "gemm is in doubt here"},
		{"nothing there", none, allGood(), check.Unknown, "no ROCm was found here"},
		{"left out", some, nil, check.Unknown, "was left out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := runOperations(check.Input{Machine: tc.m, Found: tc.found, Operations: []string{"gemm"}})
			if len(got) != 1 || got[0].Verdict != tc.want || !strings.Contains(strings.ToLower(got[0].Message), strings.ToLower(tc.says)) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// A service has the worst answer of its operations, and names the one.
func TestServices(t *testing.T) {
	t.Parallel()
	m := &machine.Machine{ROCm: machine.Know([]machine.Installation{{Version: "7.2.0"}}, "x")}
	in := check.Input{Machine: m, Found: append(allGood(), found("miopen/cache-writable", check.Fail)...), Services: []operation.Service{
		{Name: "chat", Needs: []string{"gemm"}}, {Name: "layout", Needs: []string{"gemm", "conv2d"}},
	}}
	got := runServices(in)
	if len(got) != 2 || got[0].Verdict != check.OK || got[1].Verdict != check.Fail || got[1].Subject != "layout" || !strings.Contains(got[1].Message, "for want of conv2d") {
		t.Errorf("got %+v", got)
	}
}
