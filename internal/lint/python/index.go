package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func indexForm(p *lint.Pass) {
	report := once(p)
	sourceForm(p, report)
	var given []option
	for _, b := range builds(p) {
		for _, s := range b.steps {
			if b.file.Kind != lint.PyProject {
				given = append(given, s.asIndex()...)
			}
		}
	}
	for _, f := range p.Of(lint.Dockerfile) {
		given = append(given, variables(f)...)
	}
	for _, o := range given {
		if f, wrong := judgeForm(o); wrong {
			report(f)
		}
	}
}

// asIndex are the addresses that are given as an index.
func (i install) asIndex() []option {
	if i.index == nil {
		return i.extra
	}
	return append(slices.Clone(i.extra), *i.index)
}

// variables are the addresses that a Dockerfile gives to pip by its variables.
func variables(f *lint.File) []option {
	file, err := dockerfile.Parse(f.Data)
	if err != nil {
		return nil // said by project/readable
	}
	var out []option
	for _, in := range file.Instructions {
		for _, pair := range in.Pairs {
			name := pair.Name
			if in.Name != "ENV" || name.Text != "PIP_INDEX_URL" && name.Text != "PIP_EXTRA_INDEX_URL" {
				continue
			}
			if value, ok := file.Expand(pair.Value.Text, nil); ok {
				out = append(out, option{name: name.Text, value: value, file: f, line: name.Line, start: name.Start, end: name.End})
			}
		}
	}
	return out
}

func judgeForm(o option) (lint.Finding, bool) {
	index, ok := rocm.LookupIndex(o.value)
	if !ok || !index.Flat {
		return lint.Finding{}, false
	}
	right := map[string]string{"-i": "-f", "PIP_INDEX_URL": "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL": "PIP_FIND_LINKS"}[o.name]
	if right == "" {
		right = "--find-links"
	}
	f := lint.Finding{
		File: o.file, Line: o.line, Verdict: check.Fail, Cause: "wrong-torch-build-cuda",
		Message:  fmt.Sprintf("%s is a list of files and no index. As %s pip finds no package there; it stops, or takes torch from PyPI, which has builds for CUDA.", o.value, o.name),
		Evidence: []machine.Evidence{provenance(index.Provenance)},
		Advice:   []remedy.Remedy{cure("python-find-links", "Give it as a list of files", manual("Write "+right+" instead of "+o.name))},
	}
	if o.end > o.start && o.end <= len(o.file.Data) && string(o.file.Data[o.start:o.end]) == o.name && !o.entangled(right) {
		f.Mend = &lint.Mend{Title: "Write " + right + " instead of " + o.name, Edits: []lint.Edit{{File: o.file, Start: o.start, End: o.end, New: right}}}
	}
	return f, true
}

// entangled tells a variable of pip's that cannot have another name by itself: the
// file speaks of it elsewhere, or gives pip addresses by others, too, of which the
// last one of a name counts.
func (o option) entangled(right string) bool {
	if !strings.HasPrefix(o.name, "PIP_") {
		return false
	}
	text := string(o.file.Data)
	return strings.Contains(text, right) || strings.Count(text, "PIP_INDEX_URL")+strings.Count(text, "PIP_EXTRA_INDEX_URL") > 1
}

func extraIndex(p *lint.Pass) {
	report := unlessShared(p, once(p))
	for _, b := range builds(p) {
		for _, s := range b.steps[b.own:] {
			if f, wrong := judgeExtra(s); wrong {
				report(f)
			}
		}
	}
}

func judgeExtra(s step) (lint.Finding, bool) {
	src := s.source()
	kept := s.before.torch != nil && !s.upgrade
	if !src.mixed || kept || s.keeps() || src.index.Flat && src.at.name != "--find-links" && src.at.name != "-f" {
		return lint.Finding{}, false
	}
	for _, w := range s.wantsTorch() {
		if _, pinned := w.pinned(); pinned && w.via == "" {
			return lint.Finding{}, false
		}
	}
	if len(s.wantsTorch()) == 0 {
		return lint.Finding{}, false
	}
	return lint.Finding{
		File: src.at.file, Line: src.at.line, Verdict: check.Warn, Cause: "wrong-torch-build-cuda",
		Message:  fmt.Sprintf("torch may come from PyPI here, as a build for CUDA. %s asks %s and PyPI alike and takes the higher version, and PyPI often has the newer one.", s.installer(), src.text),
		Evidence: []machine.Evidence{provenance(src.index.Provenance)},
		Mend:     onlyIndex(s, src),
		Advice:   []remedy.Remedy{oneSource(s, src)},
	}, true
}

// oneSource advises how torch comes from one index alone.
func oneSource(s step, src source) remedy.Remedy {
	const title = "Give torch one source"
	switch s.tool {
	case "Poetry":
		return cure("python-one-source", title, manual(`Write priority = "explicit" below its url, and torch = { version = "…", source = "its name" }`))
	case "PDM":
		return cure("python-one-source", title, manual(`Write include_packages = ["torch", "torchvision", "torchaudio"] below its url`))
	}
	return cure("python-one-source", title,
		command("Install torch alone, from that index only", "pip install torch --index-url "+src.text),
		manual("Then install the rest from PyPI, or pin torch with its build (torch==A.B.C+rocmX.Y)"))
}

// onlyIndex makes the index the only one, where it has all that is installed.
func onlyIndex(s step, src source) *lint.Mend {
	family := []string{"torch", "torchvision", "torchaudio", "triton", "pytorch-triton-rocm"}
	all := !slices.ContainsFunc(s.requirements, func(r requirement) bool { return !slices.Contains(family, r.Name) })
	o := src.at
	if !all || s.partly || s.index != nil || len(s.extra) != 1 || o.name != "--extra-index-url" || o.end <= o.start || string(o.file.Data[o.start:o.end]) != o.name {
		return nil
	}
	return &lint.Mend{Title: "Take torch from that index only", Edits: []lint.Edit{{File: o.file, Start: o.start, End: o.end, New: "--index-url"}}}
}
