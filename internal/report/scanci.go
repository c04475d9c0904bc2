package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/scan"
)

// ScanJUnit writes the report of a scan as test results: one test for each item
// and GPU, and one for each problem.
func ScanJUnit(w io.Writer, r scan.Report) error {
	suite := junitSuite{Name: "rocsmith scan"}
	for _, i := range r.Items {
		for _, gpu := range gpuNames(r.GPUs) {
			v := i.Verdicts[gpu]
			test := junitCase{Class: harmless(i.Path), Name: gpu}
			if !v.Result.Runs() {
				test.Failure = &junitText{Message: string(v.Result), Text: harmless(v.Why)}
				suite.Failures++
			}
			suite.Cases = append(suite.Cases, test)
		}
	}
	for _, p := range r.Problems {
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{Class: harmless(p.Path), Name: "readable", Error: &junitText{Message: "not judged", Text: harmless(p.What)}})
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, text); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr,omitempty"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// scanRules are what a scan finds, as rules of a static analysis.
var scanRules = []sarifRule{
	{
		ID: "no-code-for-gpu", Short: sarifText{Text: "A file holds no code for a GPU."},
		Full: sarifText{Text: "A program or library holds GPU code, and none that runs on the GPU in question."},
		Help: sarifText{Text: "Install a build for that GPU: rocsmith scan names one where it is known."},
	},
	{
		ID: "no-runtime", Short: sarifText{Text: "A file asks for a runtime that is not there."},
		Full: sarifText{Text: "A program or library was built for another runtime than AMD's, such as CUDA, or for a library that is missing."},
		Help: sarifText{Text: "Install the build for ROCm, or the library that it asks for."},
	},
	{
		ID: "not-judged", Short: sarifText{Text: "A file could not be judged."},
		Full: sarifText{Text: "A file could not be read, or not to its end, so that nothing is known of the GPU code in it."},
		Help: sarifText{Text: "Look at the reason that is given; a file that was cut short has to be fetched again."},
	},
}

// ScanSARIF writes what does not run, and what could not be read, as results of a
// static analysis (SARIF 2.1.0).
func ScanSARIF(w io.Writer, version string, r scan.Report) error {
	results := []sarifResult{}
	for _, i := range r.Items {
		for _, gpu := range gpuNames(r.GPUs) {
			if v := i.Verdicts[gpu]; !v.Result.Runs() {
				rule := "no-code-for-gpu"
				if v.Result == scan.NoRuntime {
					rule = "no-runtime"
				}
				results = append(results, scanResult(rule, "error", i.Path, gpu+": "+v.Why))
			}
		}
	}
	for _, p := range r.Problems {
		results = append(results, scanResult("not-judged", "warning", p.Path, p.What))
	}
	return asJSON(w, sarifLog{sarifVersion, sarifSchema, []sarifRun{{
		Tool:    sarifTool{sarifDriver{Name: "rocsmith", Version: version, About: homepage, Rules: scanRules}},
		Calls:   []sarifCall{{Successful: len(r.Problems) == 0}},
		Results: results,
	}}})
}

// scanResult is one result. What is inside of an archive is found at the archive;
// files of code have no lines.
func scanResult(rule, level, file, text string) sarifResult {
	outer, inner, nested := strings.Cut(file, "!")
	if nested {
		text = inner + ": " + text
	}
	return sarifResult{
		Rule: rule, RuleIndex: slices.IndexFunc(scanRules, func(r sarifRule) bool { return r.ID == rule }), Level: level, Message: sarifText{Text: text},
		Locations: []sarifLocation{{sarifPlace{Artifact: sarifArtifact{URI: (&url.URL{Path: outer}).String()}}}},
	}
}
