package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A matrixGPU is what is known of kernels, firmware and releases for one GPU.
type matrixGPU struct {
	Gfx         string             `json:"gfx"`
	Kernels     []matrixKernel     `json:"kernels"`
	Firmware    []matrixFirmware   `json:"firmware"`
	BadKernels  []matrixBadKernel  `json:"bad_kernels"`
	Regressions []matrixRegression `json:"regressions"`
}

type cited struct {
	Source     string `json:"source"`
	Confidence string `json:"confidence"`
	Verified   bool   `json:"verified"`
}

type matrixKernel struct {
	Text          string      `json:"text"`
	ROCm          string      `json:"rocm,omitempty"` // the release the rule was stated for
	Recommended   string      `json:"recommended,omitempty"`
	UpstreamFloor string      `json:"upstream_floor,omitempty"`
	UbuntuHWE     string      `json:"ubuntu_hwe_min,omitempty"`
	UbuntuOEM     string      `json:"ubuntu_oem_min,omitempty"`
	Firmware      string      `json:"firmware,omitempty"`
	Releases      []matrixRow `json:"releases"`
	Note          string      `json:"note,omitempty"`
	cited
}

type matrixRow struct {
	ROCm  []string `json:"rocm"`
	Fixed string   `json:"fixed_kernel"`
	Older string   `json:"older_kernel"`
}

type matrixFirmware struct {
	Firmware string `json:"firmware"`
	Bad      string `json:"bad"`
	Good     string `json:"good"`
	Symptom  string `json:"symptom"`
	Note     string `json:"note,omitempty"`
	cited
}

type matrixBadKernel struct {
	Below      string `json:"kernel_below"`
	Symptom    string `json:"symptom"`
	Workaround string `json:"workaround,omitempty"`
	cited
}

type matrixRegression struct {
	Only       string `json:"only,omitempty"`
	Since      string `json:"since,omitempty"`
	FixedIn    string `json:"fixed_in,omitempty"`
	Symptom    string `json:"symptom"`
	Workaround string `json:"workaround,omitempty"`
	cited
}

func cite(p rocm.Provenance) cited {
	return cited{Source: p.Source, Confidence: string(p.Confidence), Verified: !p.Unverified}
}

func (a *App) kbMatrix(format *string) *cobra.Command {
	cmd := &cobra.Command{
		Use: "matrix", Short: "Which kernel, firmware and ROCm go together, GPU by GPU",
		Example: "  rocsmith kb matrix\n  rocsmith kb matrix --gpu gfx1151", Args: cobra.NoArgs,
	}
	gfx := cmd.Flags().String("gpu", "", "only this gfx, like gfx1151")
	cmd.RunE = func(*cobra.Command, []string) error {
		rows, err := matrix(strings.ToLower(*gfx))
		if err != nil {
			return err
		}
		return a.printMatrix(rows, *format)
	}
	return cmd
}

// matrix collects what is known: of one GPU all of it, else of every GPU that a
// kernel, a firmware or a regression is named for.
func matrix(gfx string) ([]matrixGPU, error) {
	if gfx != "" {
		if _, ok := rocm.LookupTarget(gfx); !ok {
			return nil, fmt.Errorf("no GPU is called %q; names look like gfx1151", gfx)
		}
		return []matrixGPU{matrixOf(gfx)}, nil
	}
	var out []matrixGPU
	for _, t := range rocm.Targets() {
		if row := matrixOf(t.Gfx); len(row.Kernels)+len(row.Firmware)+len(row.BadKernels) > 0 {
			out = append(out, row)
		}
	}
	return out, nil
}

func matrixOf(gfx string) matrixGPU {
	row := matrixGPU{Gfx: gfx, Kernels: []matrixKernel{}, Firmware: []matrixFirmware{}, BadKernels: []matrixBadKernel{}, Regressions: []matrixRegression{}}
	for _, k := range rocm.KernelRules(gfx) {
		rule := matrixKernel{k.Text, k.ROCm, k.Recommended, k.UpstreamFloor, k.UbuntuHWEMin, k.UbuntuOEMMin, k.Firmware, []matrixRow{}, k.MatrixNote, cite(k.Provenance)}
		for _, r := range k.Matrix {
			rule.Releases = append(rule.Releases, matrixRow{r.ROCm, r.Fixed, r.Older})
		}
		row.Kernels = append(row.Kernels, rule)
	}
	for _, f := range rocm.FirmwareRules(gfx) {
		row.Firmware = append(row.Firmware, matrixFirmware{f.Firmware, fmt.Sprintf("%#x", f.Bad), fmt.Sprintf("%#x", f.Good), f.Symptom, f.Note, cite(f.Provenance)})
	}
	for _, k := range rocm.KnownBadKernels(gfx) {
		row.BadKernels = append(row.BadKernels, matrixBadKernel{k.KernelBelow, k.Symptom, k.Workaround, cite(k.Provenance)})
	}
	for _, r := range rocm.Regressions(gfx) {
		// What concerns every GPU says nothing of this one.
		if slices.Contains(r.Gfx, gfx) {
			row.Regressions = append(row.Regressions, matrixRegression{r.Only, r.Since, r.FixedIn, r.Symptom, r.Workaround, cite(r.Provenance)})
		}
	}
	return row
}

func (a *App) printMatrix(rows []matrixGPU, format string) error {
	switch format {
	case "json":
		enc := json.NewEncoder(a.Stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(struct {
			Schema int         `json:"schema"`
			GPUs   []matrixGPU `json:"gpus"`
		}{1, rows})
	case "text":
		for i, row := range rows {
			if i > 0 {
				a.say("\n")
			}
			a.say("%s\n", row.Gfx)
			a.printMatrixRow(row)
		}
		return nil
	}
	return fmt.Errorf("there is no format %q; choose text or json", format)
}

func (a *App) printMatrixRow(row matrixGPU) {
	field := func(name, value string) { a.say("%s", report.Field(name, value, a.style())) }
	if len(row.Kernels)+len(row.Firmware)+len(row.BadKernels)+len(row.Regressions) == 0 {
		field("kernel", "no rule is known for it")
		return
	}
	for _, k := range row.Kernels {
		field("kernel", k.describe())
		a.printReleases(k.Releases)
		field("", mention("firmware: ", k.Firmware))
		field("", k.Note)
		field("", k.cited.String())
	}
	for _, f := range row.Firmware {
		field("firmware", fmt.Sprintf("%s %s is bad, %s is good: %s", f.Firmware, f.Bad, f.Good, f.Symptom))
		field("", f.Note)
		field("", f.cited.String())
	}
	for _, k := range row.BadKernels {
		field("bad kernel", fmt.Sprintf("below %s: %s%s", k.Below, k.Symptom, mention("; workaround: ", k.Workaround)))
		field("", k.cited.String())
	}
	for _, r := range row.Regressions {
		field("regression", fmt.Sprintf("since %s%s%s: %s%s", cmp.Or(r.Since, "an unknown release"), mention(", fixed in ", r.FixedIn), mention(", only ", r.Only), r.Symptom, mention("; workaround: ", r.Workaround)))
		field("", r.cited.String())
	}
}

// describe writes the words of the rule, after those of its numbers that they
// leave out.
func (k matrixKernel) describe() string {
	var numbers []string
	for _, n := range [][2]string{{"", k.Recommended}, {"Ubuntu HWE ", k.UbuntuHWE}, {"Ubuntu OEM ", k.UbuntuOEM}, {"upstream ", k.UpstreamFloor}} {
		if n[1] != "" && !strings.Contains(k.Text, n[1]) {
			numbers = append(numbers, n[0]+n[1])
		}
	}
	text := k.Text
	if len(numbers) > 0 {
		text = strings.Join(numbers, ", ") + " or newer: " + text
	}
	if k.ROCm != "" {
		text = "for ROCm " + k.ROCm + ": " + text
	}
	return text
}

// mention writes a word before a value that is there, and nothing before none.
func mention(before, value string) string {
	if value == "" {
		return ""
	}
	return before + value
}

func (c cited) String() string {
	return rocm.Provenance{Source: c.Source, Confidence: rocm.Confidence(c.Confidence), Unverified: !c.Verified}.String()
}

// printReleases writes the table of releases in 80 columns: long lists of
// releases go on in the next line.
func (a *App) printReleases(rows []matrixRow) {
	if len(rows) == 0 {
		return
	}
	const line, width = "  %-12s %-34s %-14s %s\n", 34
	a.say(line, "ROCm", "release", "such a kernel", "an older one")
	for _, r := range rows {
		fixed, older := r.Fixed, r.Older
		for _, part := range report.Wrap(strings.Join(r.ROCm, " "), width) {
			a.say("%s\n", strings.TrimRight(strings.TrimSuffix(fmt.Sprintf(line, "", part, fixed, older), "\n"), " "))
			fixed, older = "", ""
		}
	}
}
