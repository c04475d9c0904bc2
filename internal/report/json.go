package report

import (
	"io"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Schema is the number of the JSON format. Fields are added under the same
// number; removing or renaming one needs a new number.
const Schema = 1

type jsonReport struct {
	Schema   int             `json:"schema"`
	Rocsmith string          `json:"rocsmith"`
	Verdict  check.Verdict   `json:"verdict"`
	Machine  jsonMachine     `json:"machine"`
	Findings []check.Finding `json:"findings"`
}

// Single values that are not known are null, never zero or empty; lists that are
// not known are empty, and a finding says why.
type jsonMachine struct {
	OS        *string      `json:"os"`
	Kernel    *string      `json:"kernel"`
	Distro    *string      `json:"distro"`
	Container *string      `json:"container"`
	Rootless  bool         `json:"rootless"`
	Virtual   *string      `json:"virtual"`
	ROCm      []jsonROCm   `json:"rocm"`
	GPUs      []jsonGPU    `json:"gpus"`
	Python    []jsonPython `json:"python"`
}

// jsonPython is an environment with the packages that compute on GPUs.
type jsonPython struct {
	Prefix   string        `json:"prefix"`
	Kind     string        `json:"kind"`
	Python   *string       `json:"python"`
	Active   bool          `json:"active"`
	Packages []jsonPackage `json:"packages"`
}

type jsonPackage struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Build   *string `json:"build"` // "rocm", "cuda" or "cpu"
	ROCm    *string `json:"rocm"`
}

type jsonROCm struct {
	Version string `json:"version"`
	Path    string `json:"path"`
	How     string `json:"how"`
}

type jsonGPU struct {
	Vendor       string  `json:"vendor"`
	Name         string  `json:"name"`
	PCIID        string  `json:"pci_id"`
	Address      *string `json:"address"`
	Gfx          *string `json:"gfx"`
	GfxFrom      *string `json:"gfx_from"` // "kernel" or "pci-id"
	EffectiveGfx *string `json:"effective_gfx"`
	Kind         *string `json:"kind"`
	VRAMBytes    *int64  `json:"vram_bytes"`
	RenderNode   *string `json:"render_node"`
	KFDNode      *int    `json:"kfd_node"`
}

// JSON writes the report for programs.
func JSON(w io.Writer, d Diagnosis) error {
	out := jsonReport{
		Schema: Schema, Rocsmith: d.Version, Verdict: d.Verdict(),
		Machine: machineJSON(d.Machine), Findings: complete(d.Findings),
	}
	return asJSON(w, out)
}

// complete writes empty lists as lists, so that readers need no special case.
func complete(findings []check.Finding) []check.Finding {
	out := make([]check.Finding, len(findings))
	copy(out, findings)
	for i := range out {
		if out[i].Evidence == nil {
			out[i].Evidence = []machine.Evidence{}
		}
		if out[i].Remedies == nil {
			out[i].Remedies = []remedy.Remedy{}
		}
	}
	return out
}

func machineJSON(m *machine.Machine) jsonMachine {
	out := jsonMachine{
		OS: orNull(m.OS), Kernel: known(m.Kernel), Virtual: known(m.Hypervisor),
		ROCm: []jsonROCm{}, GPUs: []jsonGPU{}, Python: []jsonPython{},
	}
	if m.Distro.Known() {
		out.Distro = orNull(m.Distro.Value.Name)
	}
	if m.Container.Known() {
		out.Container, out.Rootless = orNull(m.Container.Value.Kind), m.Container.Value.Rootless
	}
	for _, i := range m.ROCm.Value {
		out.ROCm = append(out.ROCm, jsonROCm{i.Version, i.Path, i.How})
	}
	for _, g := range m.GPUs.Value {
		out.GPUs = append(out.GPUs, gpuJSON(m, g))
	}
	for _, e := range m.Python.Value {
		out.Python = append(out.Python, pythonJSON(e))
	}
	return out
}

func pythonJSON(e machine.PythonEnvironment) jsonPython {
	out := jsonPython{Prefix: e.Prefix, Kind: e.Kind, Python: orNull(e.Python), Active: e.Active, Packages: []jsonPackage{}}
	for _, p := range e.Watched {
		out.Packages = append(out.Packages, jsonPackage{
			Name: p.Name, Version: p.Version, Build: orNull(string(p.Build.Value.Kind)), ROCm: orNull(p.Build.Value.ROCm),
		})
	}
	return out
}

func gpuJSON(m *machine.Machine, g machine.GPU) jsonGPU {
	out := jsonGPU{
		Vendor: g.Vendor, Name: g.Label(), PCIID: g.PCIID, Address: orNull(g.Address),
		Kind: orNull(g.Kind), VRAMBytes: known(g.VRAM), RenderNode: known(g.RenderNode), KFDNode: known(g.Node),
	}
	if g.Vendor == machine.AMD && g.Gfx.Known() {
		from := "kernel"
		if g.Gfx.Why != "" {
			from = "pci-id"
		}
		out.Gfx, out.GfxFrom, out.EffectiveGfx = &g.Gfx.Value, &from, orNull(m.EffectiveGfx(g))
	}
	return out
}

func known[T any](f machine.Fact[T]) *T {
	if f.Known() {
		return &f.Value
	}
	return nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
