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
	if !strings.Contains(text.String(), "torch 2.9.1+rocm6.4 does not run on gfx1151") || !strings.Contains(text.String(), "--index-url") {
		t.Errorf("no answer, or no cure:\n%s", text.String())
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
