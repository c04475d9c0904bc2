package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
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
	out := jsonScan{Schema: ScanSchema, GPUs: gpuNames(r.GPUs), Verdict: r.Overall(), Items: []jsonItem{}, Problems: append([]scan.Problem{}, r.Problems...)}
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
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	if _, err := w.Write(harmlessJSON(text.Bytes())); err != nil {
		return fmt.Errorf("write the JSON report: %w", err)
	}
	return nil
}

func gpuNames(gpus []rocm.TargetID) []string {
	out := make([]string, len(gpus))
	for i, g := range gpus {
		out[i] = g.String()
	}
	return out
}

// ScanText writes the report of a scan for a person: what was looked at, one
// line for each package or file, and what to do.
func ScanText(w io.Writer, target string, r scan.Report, s Style) error {
	t := &textWriter{style: s, told: map[string]bool{}}
	head := fmt.Sprintf("%s: %s, %d with GPU code", target, plural(r.Files, "file"), len(r.Items))
	if len(r.GPUs) > 0 {
		head += ", for " + strings.Join(gpuNames(r.GPUs), " and ")
	}
	t.line("", t.style.plain(head))
	t.blank()
	groups := groupItems(r.Items)
	for _, g := range groups {
		t.scanned(g, r.GPUs)
	}
	for _, p := range r.Problems {
		t.line("  "+t.style.mark(check.Unknown)+" ", t.style.plain(p.Path+": "+p.What))
	}
	if len(groups)+len(r.Problems) > 0 {
		t.blank()
	}
	t.line("", t.style.plain(scanClosing(r, groups)))
	if _, err := io.WriteString(w, t.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// A scanGroup is what belongs together: the files of a package, or one file.
type scanGroup struct {
	name  string
	items []scan.Item
}

func groupItems(items []scan.Item) []scanGroup {
	var out []scanGroup
	for _, i := range items {
		name := i.Package
		if name == "" {
			name = i.Path
		}
		at := slices.IndexFunc(out, func(g scanGroup) bool { return g.name == name })
		if at < 0 {
			at = len(out)
			out = append(out, scanGroup{name: name})
		}
		out[at].items = append(out[at].items, i)
	}
	return out
}

// targets are the processors that all files of a group are built for together.
func (g scanGroup) targets() []string {
	var out []string
	for _, i := range g.items {
		for _, t := range i.Targets {
			if !slices.Contains(out, t.Target) {
				out = append(out, t.Target)
			}
		}
	}
	return out
}

// lacking is the first file that does not run on a GPU.
func (g scanGroup) lacking(gpu string) (scan.Item, bool) {
	for _, i := range g.items {
		if v, judged := i.Verdicts[gpu]; judged && !v.Result.Runs() {
			return i, true
		}
	}
	return scan.Item{}, false
}

func (t *textWriter) scanned(g scanGroup, gpus []rocm.TargetID) {
	verdict, words := check.OK, []string{}
	for _, gpu := range gpuNames(gpus) {
		i, lacks := g.lacking(gpu)
		switch {
		case !lacks:
			words = append(words, fmt.Sprintf("%s: %s", gpu, g.items[0].Verdicts[gpu].Result)+slower(g, gpu))
			continue
		case i.Verdicts[gpu].Result == scan.Override && verdict != check.Fail:
			verdict = check.Warn
		default:
			verdict = check.Fail
		}
		words = append(words, i.Verdicts[gpu].Why)
	}
	mark := t.style.mark(verdict)
	if len(gpus) == 0 {
		mark = "·"
	}
	t.line("  "+t.style.plain(mark)+" ", t.style.plain(g.name))
	if targets := g.targets(); len(targets) > 0 {
		t.line("      ", t.style.plain(strings.Join(targets, " ")))
	}
	for _, w := range words {
		t.line("      ", t.style.plain(w))
	}
}

// slower says so where a folder holds only fallback kernels.
func slower(g scanGroup, gpu string) string {
	for _, i := range g.items {
		if strings.Contains(i.Verdicts[gpu].Why, "fallback code") {
			return ", fallback kernels only: slower, not broken"
		}
	}
	return ""
}

// scanClosing says the answer in a sentence, and what to install instead.
func scanClosing(r scan.Report, groups []scanGroup) string {
	switch r.Overall() {
	case scan.NoGPUCode:
		return "There is no GPU code in it."
	case scan.Unknown:
		return "Not judged: something could not be read, and may hold the code."
	case scan.Runs:
		if len(r.GPUs) == 0 {
			return fmt.Sprintf("%s with GPU code. Name a GPU, as in --gpu gfx1100, to learn whether it runs there.", plural(len(r.Items), "file"))
		}
		return "All of it holds code for " + strings.Join(gpuNames(r.GPUs), " and ") + "."
	}
	for _, g := range groups {
		for _, gpu := range r.GPUs {
			if _, lacks := g.lacking(gpu.String()); lacks {
				return fmt.Sprintf("%s does not run on %s. %s", g.name, gpu, instead(g.name, gpu.Processor))
			}
		}
	}
	return ""
}

// instead names a build that holds the code, where one is known.
func instead(name, gfx string) string {
	pkg, version, _ := strings.Cut(name, " ")
	if c, ok := rocm.TorchFor(gfx, "", version); pkg == "torch" && ok {
		return fmt.Sprintf("torch %s for ROCm %s holds it: pip install torch==%s --index-url %s", c.Version, c.ROCm, c.Version, c.Index)
	}
	if w, ok := rocm.DeviceWheels(gfx); pkg == "torch" && ok {
		return fmt.Sprintf("AMD's own wheels hold it: pip install --index-url %s \"torch[device-%s]\"", w.Index, gfx)
	}
	return "Use a build that holds " + gfx + ", or build it with " + gfx + " in its list of GPUs."
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
	groups := groupItems(r.Items)
	for _, g := range groups {
		fmt.Fprintf(&b, "| %s | %s |", cell(g.name), dash(strings.Join(g.targets(), " ")))
		for _, gpu := range names {
			result := g.items[0].Verdicts[gpu].Result
			if i, lacks := g.lacking(gpu); lacks {
				result = i.Verdicts[gpu].Result
			}
			fmt.Fprintf(&b, " %s |", result)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "- %s: %s\n", escape(p.Path), escape(p.What))
	}
	fmt.Fprintf(&b, "\n%s\n", escape(scanClosing(r, groups)))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the Markdown report: %w", err)
	}
	return nil
}
