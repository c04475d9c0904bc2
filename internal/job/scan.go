package job

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A ScanTarget is a file or folder as somebody wrote it, and its full path.
type ScanTarget struct{ Given, Path string }

// Scan looks for GPU code in files of a machine. Where no GPU is named, it is
// judged for those of the machine. Paths in the report begin as they were given.
func Scan(r host.Reader, targets []ScanTarget, q scan.Request) scan.Report {
	if len(q.GPUs) == 0 {
		m := survey.Take(r)
		for _, g := range m.TargetGPUs() {
			q.GPUs = append(q.GPUs, rocm.TargetID{Processor: m.EffectiveGfx(g)})
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
	return out
}

func asGiven(targets []ScanTarget, names []string, name string) string {
	for i, t := range targets {
		if rest, ok := strings.CutPrefix(name, names[i]); ok && (rest == "" || rest[0] == '/' || rest[0] == '!') {
			return strings.TrimSuffix(t.Given, "/") + rest
		}
	}
	return name
}
