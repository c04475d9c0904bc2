package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

// scanned is a wheel with one library that runs on one of two GPUs, and one file
// that could not be read, whose name would rule a terminal.
func scanned() scan.Report {
	return scan.Report{
		GPUs: []rocm.TargetID{{Processor: "gfx1100"}, {Processor: "gfx1151"}}, Files: 3,
		Items: []scan.Item{{
			Path: "x.whl!torch/lib/a.so", Kind: "elf", Package: "torch 2.9.1+rocm6.4", Targets: []scan.Target{{Target: "gfx1100", Count: 2, CodeObject: 5}},
			Verdicts: map[string]scan.Verdict{"gfx1100": {Result: scan.Exact, Why: "It is compiled for gfx1100."}, "gfx1151": {Result: scan.None, Why: "It holds code for gfx1100, and none for gfx1151."}},
		}},
		Problems: []scan.Problem{{Path: "b\x1b[31m.so", What: "it is cut short"}},
		Notes:    []scan.Note{{What: "hipBLASLt has gfx1151, rocBLAS has not: programs that use rocBLAS will stop."}},
		Advice:   []scan.Advice{{Names: []string{"torch 2.9.1+rocm6.4"}, GPU: "gfx1151", Says: "torch 2.14.0 for ROCm 7.14 holds gfx1151", Command: "pip install \"torch==2.14.0\" --index-url https://example.org"}},
	}
}

func TestScanReports(t *testing.T) {
	t.Parallel()
	var text, md, junit, sarif, asJSON bytes.Buffer
	for _, err := range []error{
		report.ScanText(&text, "x.whl", scanned(), report.Style{}), report.ScanMarkdown(&md, "x.whl", scanned()),
		report.ScanJUnit(&junit, scanned()), report.ScanSARIF(&sarif, "test", scanned()), report.ScanJSON(&asJSON, scanned()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "md": md.String(), "junit": junit.String(), "sarif": sarif.String(), "json": asJSON.String()} {
		if strings.Contains(out, "\x1b") || !strings.Contains(out, "gfx1151") || !strings.Contains(out, "it is cut short") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "md": md.String(), "json": asJSON.String()} {
		if name != "json" && !strings.Contains(out, "Some of it does not run on gfx1151.") {
			t.Errorf("%s names the wrong GPU:\n%s", name, out)
		}
		if !strings.Contains(out, "rocBLAS has not") || !strings.Contains(out, "--index-url https://example.org") {
			t.Errorf("%s has no note, or no advice:\n%s", name, out)
		}
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal(junit.Bytes(), &suite); err != nil || suite.Tests != 3 || suite.Failures != 1 || suite.Errors != 1 {
		t.Errorf("JUnit: %+v, %v", suite, err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string `json:"ruleId"`
				Locations []struct {
					Physical struct {
						Artifact struct{ URI string } `json:"artifactLocation"`
					} `json:"physicalLocation"`
				}
			}
		}
	}
	if err := json.Unmarshal(sarif.Bytes(), &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 {
		t.Fatalf("SARIF: %+v, %v", log, err)
	}
	if got := log.Runs[0].Results[0]; got.RuleID != "no-code-for-gpu" || got.Locations[0].Physical.Artifact.URI != "x.whl" {
		t.Errorf("SARIF: %+v", got)
	}
}

// venv is a usual environment: packages that run, and some that do not.
func venv(t *testing.T) scan.Report {
	t.Helper()
	r := scan.Report{GPUs: []rocm.TargetID{{Processor: "gfx1151"}}, Files: 31000}
	item := func(pkg, file string, v scan.Verdict, targets ...string) {
		i := scan.Item{Path: ".venv/lib/python3.12/site-packages/" + file, Kind: "elf", Package: pkg, Verdicts: map[string]scan.Verdict{"gfx1151": v}}
		for _, name := range targets {
			i.Targets = append(i.Targets, scan.Target{Target: name, Count: 1})
		}
		r.Items = append(r.Items, i)
	}
	many := []string{"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1031", "gfx1032", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1200", "gfx1201"}
	none := scan.Verdict{Result: scan.None, Why: "It holds code for others, and none for gfx1151."}
	for n := range 40 {
		item("torch 2.9.1+rocm6.4", "torch/lib/"+strings.Repeat("x", n)+".so", none, many...)
	}
	item("torchvision 0.24.1+rocm6.4", "torchvision/_C.so", none, many...)
	for n := range 14 {
		item("fine-"+string(rune('a'+n))+" 1.0", "fine/x.so", scan.Verdict{Result: scan.Exact, Why: "It is compiled for gfx1151."}, "gfx1151")
	}
	r.Advice = []scan.Advice{{Names: []string{"torch 2.9.1+rocm6.4", "torchvision 0.24.1+rocm6.4"}, GPU: "gfx1151", Says: "torch 2.14.0 for ROCm 7.14 holds gfx1151", Command: "pip install torch"}}
	return r
}

func TestScanFitsOnOneScreen(t *testing.T) {
	t.Parallel()
	for _, style := range []report.Style{{}, {Unicode: true}} {
		var out bytes.Buffer
		if err := report.ScanText(&out, ".venv", venv(t), style); err != nil {
			t.Fatal(err)
		}
		text := strings.TrimSuffix(out.String(), "\n")
		lines := strings.Split(text, "\n")
		if len(lines) > 24 {
			t.Errorf("%d lines:\n%s", len(lines), text)
		}
		for _, l := range lines {
			if len([]rune(l)) > 80 {
				t.Errorf("wider than 80 columns: %s", l)
			}
		}
		for _, want := range []string{"torch 2.9.1+rocm6.4         no gfx1151", "torchvision 0.24.1+rocm6.4  no gfx1151", "gfx900 906 908 90a 942 950 1010", "more", "and 6 more that run", "Some of it does not run on gfx1151.", "    pip install torch"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		if strings.Count(text, "gfx900 906") != 1 {
			t.Errorf("the targets of two packages are written twice:\n%s", text)
		}
	}
}

func TestScanSentences(t *testing.T) {
	t.Parallel()
	on := func(r scan.Result, why string) map[string]scan.Verdict {
		return map[string]scan.Verdict{"gfx1031": {Result: r, Why: why}}
	}
	target := []scan.Target{{Target: "gfx1030", Count: 1}}
	for name, c := range map[string]struct {
		item scan.Item
		want string
	}{
		"override":   {scan.Item{Path: "a.so", Kind: "elf", Targets: target, Verdicts: on(scan.Override, "It holds none; code for its sibling gfx1030 would run under HSA_OVERRIDE_GFX_VERSION=10.3.0, with a caution.")}, "which AMD does not support"},
		"cuda":       {scan.Item{Path: "a.so", Kind: "cuda", Verdicts: on(scan.None, "It is built for CUDA.")}, "built for CUDA: no code for AMD's GPUs"},
		"not needed": {scan.Item{Path: "libMIOpen.so", Kind: "elf", Verdicts: on(scan.NotNeeded, "It compiles.")}, "It compiles"},
		"runtime":    {scan.Item{Path: "a.so", Kind: "elf", Targets: target, Verdicts: on(scan.NoRuntime, "It is there; it asks for libamdhip64.so.6.")}, "it asks for libamdhip64.so.6"},
		"fallback":   {scan.Item{Path: "a", Kind: "kernels", Targets: target, Verdicts: on(scan.Exact, "All of it is fallback code.")}, "fallback kernels only: slower, not broken"},
		"features":   {scan.Item{Path: "a.so", Kind: "elf", Targets: []scan.Target{{Target: "gfx1031:xnack+"}}, Verdicts: on(scan.None, "It wants xnack on.")}, "It wants xnack on"},
	} {
		var out bytes.Buffer
		r := scan.Report{GPUs: []rocm.TargetID{{Processor: "gfx1031"}}, Files: 1, Items: []scan.Item{c.item}}
		if err := report.ScanText(&out, "x", r, report.Style{}); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: no %q (%v) in:\n%s", name, c.want, err, out.String())
		}
	}
	for want, r := range map[string]scan.Report{
		"There is no GPU code in it.":                               {},
		"There is nothing in it to judge.":                          {Notes: []scan.Note{{Path: "libamdhip64.so.6", What: "libamdhip64.so.6 is a part of the runtime."}}},
		"It does not run on this machine. It is of the other make.": {NVIDIA: "NVIDIA's RTX 4090", Notes: []scan.Note{{What: "It is of the other make."}}, Items: []scan.Item{{Path: "a", Kind: "elf", Targets: target}}},
	} {
		var out bytes.Buffer
		if err := report.ScanText(&out, "x", r, report.Style{}); err != nil || !strings.Contains(strings.ReplaceAll(out.String(), "\n", " "), want) {
			t.Errorf("no %q (%v) in:\n%s", want, err, out.String())
		}
	}
}
