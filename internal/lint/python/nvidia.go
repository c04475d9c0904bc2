package python

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func nvidiaLibraries(p *lint.Pass) {
	report := unlessShared(p, once(p))
	ownSteps(p, func(s step) {
		for _, r := range s.requirements {
			if !comesWithCUDA(r.Name) {
				continue
			}
			report(lint.Finding{
				File: r.file, Line: r.line, Verdict: check.Warn, Cause: "wrong-torch-build-cuda", Mend: withoutLine(r),
				Message: fmt.Sprintf("%s is a library of NVIDIA's, and this is for AMD GPUs. It comes along with torch for CUDA, so the list was probably frozen where that is installed; look at its pin of torch.", r.Name),
				Advice:  []remedy.Remedy{cure("python-no-nvidia", "Take it out", manual("Take "+r.text+" out of "+p.Name(r.file)))},
			})
		}
	})
}

// comesWithCUDA tells the libraries that torch for CUDA requires:
// nvidia-cublas-cu12, and not tools such as nvidia-ml-py.
func comesWithCUDA(name string) bool {
	rest, ok := strings.CutPrefix(name, "nvidia-")
	i := strings.LastIndex(rest, "-cu")
	return ok && i > 0 && strings.Trim(rest[i+len("-cu"):], "0123456789") == "" && len(rest) > i+len("-cu")
}

// withoutLine takes a requirement out with its line, where nothing else but a
// comment stands on it, and with the comments below that pip-compile writes for it.
func withoutLine(r requirement) *lint.Mend {
	if r.file.Kind != lint.Requirements || !r.editable() {
		return nil
	}
	data := r.file.Data
	start := bytes.LastIndexByte(data[:r.start], '\n') + 1
	end := endOfLine(data, r.end)
	behind := strings.TrimSpace(string(data[r.end:end]))
	if strings.TrimSpace(string(data[start:r.start])) != "" || behind != "" && !strings.HasPrefix(behind, "#") {
		return nil
	}
	for end < len(data) && (data[end] == ' ' || data[end] == '\t') {
		next := endOfLine(data, end)
		if !strings.HasPrefix(strings.TrimSpace(string(data[end:next])), "#") {
			break
		}
		end = next
	}
	return &lint.Mend{Title: "Take " + r.Name + " out", Edits: []lint.Edit{{File: r.file, Start: start, End: end}}}
}

// endOfLine is the byte behind the line that goes on from a place.
func endOfLine(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}
