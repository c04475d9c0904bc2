package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

// ScanSchema is the number of the JSON format of scan.
const ScanSchema = 1

type jsonScan struct {
	Schema   int            `json:"schema"`
	GPUs     []string       `json:"gpus"`
	Verdict  scan.Overall   `json:"verdict"`
	Items    []jsonItem     `json:"items"`
	Problems []scan.Problem `json:"problems"`
	Notes    []scan.Note    `json:"notes"`
	Advice   []scan.Advice  `json:"advice"`
}

type jsonItem struct {
	Path     string                 `json:"path"`
	Kind     string                 `json:"kind"`
	Package  string                 `json:"package,omitempty"`
	Targets  []jsonTarget           `json:"targets"`
	Needs    []string               `json:"needs"`
	Verdicts map[string]jsonVerdict `json:"verdicts"`
}

type jsonTarget struct {
	Target     string `json:"target"`
	Count      int    `json:"count"`
	CodeObject int    `json:"code_object"`
	Compressed bool   `json:"compressed"`
}

type jsonVerdict struct {
	Result scan.Result `json:"result"`
	Why    string      `json:"why"`
}

// ScanJSON writes the report of a scan for programs.
func ScanJSON(w io.Writer, r scan.Report) error {
	out := jsonScan{
		Schema: ScanSchema, GPUs: gpuNames(r.GPUs), Verdict: r.Overall(), Items: []jsonItem{},
		Problems: append([]scan.Problem{}, r.Problems...), Notes: append([]scan.Note{}, r.Notes...), Advice: append([]scan.Advice{}, r.Advice...),
	}
	for _, i := range r.Items {
		item := jsonItem{Path: i.Path, Kind: i.Kind, Package: i.Package, Needs: append([]string{}, i.Needs...), Targets: []jsonTarget{}, Verdicts: map[string]jsonVerdict{}}
		for _, t := range i.Targets {
			item.Targets = append(item.Targets, jsonTarget(t))
		}
		for gpu, v := range i.Verdicts {
			item.Verdicts[gpu] = jsonVerdict(v)
		}
		out.Items = append(out.Items, item)
	}
	return asJSON(w, out)
}

func gpuNames(gpus []rocm.TargetID) []string {
	out := make([]string, len(gpus))
	for i, g := range gpus {
		out[i] = g.String()
	}
	return out
}

// ScanMarkdown writes the report of a scan to be pasted into an issue.
func ScanMarkdown(w io.Writer, target string, r scan.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### rocsmith scan %s: %s\n\n", cell(target), r.Overall())
	names := gpuNames(r.GPUs)
	b.WriteString("| what | targets |")
	for _, gpu := range names {
		fmt.Fprintf(&b, " %s |", gpu)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(names)) + "\n")
	for _, g := range groupItems(r.Items) {
		fmt.Fprintf(&b, "| %s | %s |", cell(g.name), dash(strings.Join(g.targets(), " ")))
		for _, gpu := range names {
			fmt.Fprintf(&b, " %s |", g.worst(gpu).Result)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "- %s: %s\n", escape(p.Path), escape(p.What))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", escape(noted(n)))
	}
	fmt.Fprintf(&b, "\n%s\n", escape(scanClosing(r)))
	for _, a := range r.Advice {
		fmt.Fprintf(&b, "- %s\n", escape(advised(a)))
		if a.Command != "" {
			fmt.Fprintf(&b, "\n      %s\n", harmless(oneLine(a.Command)))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}
