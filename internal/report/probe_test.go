package report

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
)

// probed judges answers to the real tasks, which pass unless said otherwise.
func probed(said map[string]operation.Answer) probe.Report {
	m := &machine.Machine{
		OS: "linux", Variables: machine.Know([]machine.Variable{{Name: machine.OverrideVariable, Value: "10.3.0"}}, "environment"),
		GPUs: machine.Know([]machine.GPU{{Vendor: machine.AMD, Name: "Radeon", Gfx: machine.Know("gfx1031", "kfd"), Node: machine.Know(1, "kfd")}}, "kfd"),
	}
	var outcomes []probe.Outcome
	for _, t := range operation.Tasks() {
		a, ok := said[t.ID]
		if !ok {
			a = operation.Answer{Verdict: operation.Pass, Numbers: map[string]float64{"max_abs_diff": 0}, Facts: map[string]string{"gfx": "gfx1030"}}
		}
		o := probe.Outcome{Task: t, Answer: a}
		if a.Verdict == operation.Hang {
			o.Health = &probe.Health{Answers: true}
			o.Words = "last words\x1b[2J"
		}
		outcomes = append(outcomes, o)
	}
	r := probe.Judge(probe.Judging{Machine: m, Outcomes: outcomes, Explain: probe.CauseInWords})
	r.Version = "test"
	return r
}

func reports() map[string]probe.Report {
	return map[string]probe.Report{
		"fine": probed(nil),
		"broken": probed(map[string]operation.Answer{
			"softmax/miopen":  {Verdict: operation.WrongResult, Numbers: map[string]float64{"correlation": 0.133, "max_abs_diff": 0.8}},
			"conv2d/tall":     {Verdict: operation.Hang, Why: "killed after 30 s, child idle"},
			"conv2d/boundary": {Verdict: operation.Skipped, Why: "x"},
			"gemm-lt/fp32":    {Verdict: operation.NoKernel, Why: "no solution for gfx1030"},
			"gemm-lt/fp16":    {Verdict: operation.NoKernel, Why: "no solution for gfx1030"},
		}),
		"no start": probed(map[string]operation.Answer{"init": {Verdict: operation.CannotStart, Why: "the loader is not there"}}),
	}
}

func TestProbeJSONFollowsTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/probe.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range reports() {
		var b bytes.Buffer
		if err := ProbeJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := operation.ParseResults(b.Bytes()); err != nil {
			t.Errorf("%s cannot be read back: %v", name, err)
		}
		if strings.ContainsRune(b.String(), '\x1b') {
			t.Errorf("%s: control characters", name)
		}
		broken := strings.Replace(b.String(), `"id": "G3"`, `"id": "G9"`, 1)
		if value, err = jsonschema.UnmarshalJSON(strings.NewReader(broken)); err != nil || schema.Validate(value) == nil {
			t.Errorf("%s: the schema accepts a gate G9", name)
		}
	}
}

func TestProbeText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := ProbeText(&b, reports()["broken"], Style{Unicode: true, Width: 100}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"gfx1030 under HSA_OVERRIDE_GFX_VERSION=10.3.0 (the card is gfx1031) · 23 tasks\n",
		"  ✓ gemm       rocBLAS     identity exact, fp32 exact,",
		"  ! gemm-lt    hipBLASLt   no kernel: no solution for gfx1030\n",
		"  ✗ softmax    MIOpen      wrong result: correlation 0.133\n",
		"  ✗ conv2d     MIOpen      tall: hang: killed after 30 s, child idle; small exact; not asked:\n",
		"✗ MIOpen hangs in conv2d/tall",
		"The GPU still answers.\n",
		"numerically wrong: programs would run, and softmax would give wrong numbers",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Count(b.String(), "no solution for gfx1030") > 3 {
		t.Errorf("the same is said too often:\n%s", b.String())
	}
}

// Every form says the same of each task.
func TestProbeForms(t *testing.T) {
	t.Parallel()
	for name, r := range reports() {
		var suite junitSuite
		var text, page bytes.Buffer
		if err := ProbeJUnit(&text, r); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(text.Bytes(), &suite); err != nil {
			t.Fatal(err)
		}
		failures, errs, skipped := 0, 0, 0
		for _, o := range r.Outcomes {
			switch {
			case o.Answer.Verdict == operation.CannotStart:
				errs++
			case o.Weight == check.Fail:
				failures++
			case o.Weight != check.OK:
				skipped++
			}
		}
		if suite.Tests != len(r.Outcomes) || suite.Failures != failures || suite.Errors != errs || suite.Skipped != skipped {
			t.Errorf("%s: JUnit counts %+v", name, suite)
		}
		if err := ProbeMarkdown(&page, r); err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Outcomes {
			if !strings.Contains(page.String(), "| "+o.Task.ID+" | "+o.Task.Library+" | "+string(o.Answer.Verdict)+" |") {
				t.Errorf("%s: %s is not in the Markdown", name, o.Task.ID)
			}
		}
	}
}
