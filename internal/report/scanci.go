package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
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
				results = append(results, sarif(rule, "error", i.Path, gpu+": "+v.Why))
			}
		}
	}
	for _, p := range r.Problems {
		results = append(results, sarif("not-judged", "warning", p.Path, p.What))
	}
	out := map[string]any{
		"version": "2.1.0",
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []any{map[string]any{
			"tool": map[string]any{"driver": map[string]any{
				"name": "rocsmith", "version": version, "informationUri": "https://github.com/rocsmith/rocsmith",
				"rules": []any{
					map[string]any{"id": "no-code-for-gpu", "shortDescription": map[string]string{"text": "A file holds no code for a GPU"}},
					map[string]any{"id": "no-runtime", "shortDescription": map[string]string{"text": "A file asks for a runtime that is not there"}},
					map[string]any{"id": "not-judged", "shortDescription": map[string]string{"text": "A file could not be judged"}},
				},
			}},
			"results": results,
		}},
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("write the SARIF report: %w", err)
	}
	if _, err := w.Write(append(harmlessJSON(text), '\n')); err != nil {
		return fmt.Errorf("write the SARIF report: %w", err)
	}
	return nil
}

type sarifResult struct {
	Rule      string            `json:"ruleId"`
	Level     string            `json:"level"`
	Message   map[string]string `json:"message"`
	Locations []sarifLocation   `json:"locations"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
	} `json:"physicalLocation"`
}

// sarif is one result. What is inside of an archive is found at the archive.
func sarif(rule, level, file, text string) sarifResult {
	outer, inner, nested := strings.Cut(file, "!")
	if nested {
		text = inner + ": " + text
	}
	var at sarifLocation
	at.Physical.Artifact.URI = (&url.URL{Path: outer}).String()
	return sarifResult{Rule: rule, Level: level, Message: map[string]string{"text": text}, Locations: []sarifLocation{at}}
}
