package job

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A ScanTarget is a file or folder as somebody wrote it, and its full path.
type ScanTarget struct{ Given, Path string }

// Scan looks for GPU code in files of a machine. Where no GPU is named, it is
// judged for those of the machine, and for its runtimes. Paths in the report begin
// as they were given.
func Scan(r host.Reader, targets []ScanTarget, q scan.Request) scan.Report {
	if len(q.GPUs) == 0 {
		m := survey.Take(r)
		for _, g := range m.TargetGPUs() {
			q.GPUs = append(q.GPUs, rocm.TargetID{Processor: m.EffectiveGfx(g)})
		}
		q.Host = hostOf(m)
		if value, _, err := r.Getenv("LD_LIBRARY_PATH"); err == nil && q.Host != nil {
			q.Host.Folders = strings.Split(value, ":")
		}
	}
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = host.FileName(r.OS(), t.Path)
	}
	out := scan.Files(host.Files(r), names, q)
	for i := range out.Items {
		out.Items[i].Path = asGiven(targets, names, out.Items[i].Path)
	}
	for i := range out.Problems {
		out.Problems[i].Path = asGiven(targets, names, out.Problems[i].Path)
	}
	for i := range out.Notes {
		out.Notes[i].Path = asGiven(targets, names, out.Notes[i].Path)
	}
	for i := range out.Advice {
		for n, name := range out.Advice[i].Names {
			out.Advice[i].Names[n] = asGiven(targets, names, name)
		}
	}
	return out
}

// hostOf is what a machine offers to what shall run on it. It is nil where that could
// not be seen.
func hostOf(m *machine.Machine) *scan.Host {
	if m.GPUs.Unread() {
		return nil
	}
	var out scan.Host
	if nvidia := m.NVIDIAGPUs(); len(nvidia) > 0 && len(m.AMDGPUs()) == 0 {
		out.NVIDIA = "NVIDIA's " + cmp.Or(nvidia[0].Name, nvidia[0].PCIID)
	}
	if m.OS == "windows" {
		return windowsHost(m, out)
	}
	if m.ROCm.Unread() || m.Linkage.Unread() && len(m.ROCm.Value) > 0 {
		return &scan.Host{NVIDIA: out.NVIDIA, Unseen: true}
	}
	for _, i := range m.ROCm.Value {
		if major, known := rocm.SonameMajor("libamdhip64", i.Version); known {
			out.Runtimes = add(out.Runtimes, fmt.Sprintf("libamdhip64.so.%d", major))
		}
	}
	libraries := slices.Clone(m.Linkage.Value.Plain)
	for _, f := range m.Linkage.Value.Files {
		libraries = append(libraries, f.Gets...)
	}
	for _, l := range libraries {
		out.Runtimes = add(out.Runtimes, path.Base(l.Real))
		out.Runtimes = add(out.Runtimes, path.Base(l.Name))
	}
	return &out
}

// windowsHost takes the runtimes that the display driver brings, and wheels.
func windowsHost(m *machine.Machine, out scan.Host) *scan.Host {
	if m.Windows.Folders.Unread() {
		out.Unseen = true
		return &out
	}
	for _, d := range rocm.DriverDLLs() {
		if _, there := m.DriverFolder().Has(d.DLL); there {
			out.Runtimes = add(out.Runtimes, d.DLL)
		}
	}
	for _, i := range m.ROCm.Value {
		if i.How != machine.HowWheels {
			continue // an SDK runs on what the driver brings
		}
		for _, d := range m.DLLsOf(i).Runtimes() {
			out.Runtimes = add(out.Runtimes, d.Name)
		}
	}
	return &out
}

func add(list []scan.Runtime, file string) []scan.Runtime {
	r, ok := scan.RuntimeOf(file)
	if !ok || slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}

func asGiven(targets []ScanTarget, names []string, name string) string {
	for i, t := range targets {
		if rest, ok := strings.CutPrefix(name, names[i]); ok && (rest == "" || rest[0] == '/' || rest[0] == '!') {
			return strings.TrimSuffix(t.Given, "/") + rest
		}
	}
	return name
}
