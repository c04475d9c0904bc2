package python

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// sourceForm judges the addresses in pyproject files: lists of files that are given
// as an index.
func sourceForm(p *lint.Pass, report func(lint.Finding)) {
	for _, f := range p.Of(lint.PyProject) {
		m := parseManifest(f)
		for _, o := range m.older {
			if finding, wrong := judgeForm(o); wrong {
				finding.Advice = []remedy.Remedy{cure("python-find-links", "Give it as a list of files", manual("Write it into find-links of [tool.uv], instead of "+o.name))}
				report(finding)
			}
		}
		for _, src := range m.sources {
			if index, ok := rocm.LookupIndex(src.value); ok && index.Flat && !src.flat {
				report(src.malformed(index))
			}
		}
	}
}

func (p packages) malformed(index rocm.PythonIndex) lint.Finding {
	f := lint.Finding{
		File: p.file, Line: p.line, Verdict: check.Fail, Cause: "wrong-torch-build-cuda",
		Message:  fmt.Sprintf("%s is a list of files and no index. %s asks below it for a page of each package, finds none, and takes torch from PyPI, which has builds for CUDA.", p.value, p.tool),
		Evidence: []machine.Evidence{provenance(index.Provenance)},
	}
	switch p.tool {
	case "uv":
		f.Advice = []remedy.Remedy{cure("python-flat-index", "Say that it is a list", manual(`Add format = "flat" below its url`))}
		f.Mend = p.below(`format = "flat"`)
	case "PDM":
		f.Advice = []remedy.Remedy{cure("python-flat-index", "Say that it is a list", manual(`Add type = "find_links" below its url`))}
		f.Mend = p.below(`type = "find_links"`)
	default: // which knows lists only by addresses that end in .html
		f.Advice = []remedy.Remedy{cure("python-wheel-url", "Name the wheel itself", manual(`Write torch = { url = "…" } with the address of the wheel in that list`))}
	}
	return f
}

// below adds a line behind that of the address.
func (p packages) below(line string) *lint.Mend {
	before := string(p.file.Data[:p.lineEnd])
	if !strings.HasSuffix(before, "\n") {
		return nil
	}
	end := "\n"
	if strings.HasSuffix(before, "\r\n") {
		end = "\r\n"
	}
	return &lint.Mend{Title: "Add " + line, Edits: []lint.Edit{{File: p.file, Start: p.lineEnd, End: p.lineEnd, New: line + end}}}
}
