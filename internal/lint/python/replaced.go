package python

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// ownSteps visits the installs of each build that are for AMD GPUs.
func ownSteps(p *lint.Pass, visit func(step)) {
	for _, b := range builds(p) {
		for _, s := range b.steps[b.own:] {
			if s.before.rocm {
				visit(s)
			}
		}
	}
}

func foreign(kind rocm.BuildKind) bool { return kind == rocm.BuildCUDA || kind == rocm.BuildCPU }

func causeOf(kind rocm.BuildKind) string {
	if kind == rocm.BuildCPU {
		return "wrong-torch-build-cpu"
	}
	return "wrong-torch-build-cuda"
}

// buildName is what a kind of build is called in a sentence.
func buildName(kind rocm.BuildKind) string {
	if kind == rocm.BuildCPU {
		return "processors only"
	}
	return "CUDA"
}

func replaced(p *lint.Pass) {
	report := once(p)
	ownSteps(p, func(s step) {
		t := s.before.torch
		if t == nil || t.kind != rocm.BuildROCm || unreadConstraints(s.install) {
			return
		}
		src := s.source()
		w, why, ok := s.replaces(*t)
		if !ok || w.named() || !foreign(src.kind) {
			return
		}
		f := lint.Finding{
			File: w.file, Line: w.line, Verdict: check.Fail, Cause: causeOf(src.kind),
			Message:  fmt.Sprintf("This replaces torch for ROCm by a build for %s. %s, and what %s has is built for %s.", buildName(src.kind), why, src.text, buildName(src.kind)),
			Evidence: []machine.Evidence{{From: machine.Source(t.from), Text: "torch " + known(t.version)}},
			Advice:   keepTorch(p, s, *t, w),
		}
		if w.via != "" {
			f.Evidence = append(f.Evidence, provenance(w.from))
		}
		report(s.perhaps(f))
	})
}

// perhaps makes less of what happens only where a condition holds.
func (i install) perhaps(f lint.Finding) lint.Finding {
	if i.branch {
		f.Verdict, f.Message = check.Warn, "Where its condition holds, this"+strings.TrimPrefix(f.Message, "This")
	}
	return f
}

func known(version string) string {
	if version == "" {
		return "of an unknown version, for ROCm"
	}
	return version
}

// unreadConstraints tells of constraints that could not be read: they may be all
// that is needed.
func unreadConstraints(i install) bool { return len(i.constrained) > 0 && i.partly }

func fromPyPI(p *lint.Pass) {
	report := once(p)
	strayTorch(p, report)
	ownSteps(p, func(s step) {
		src := s.source()
		wants := s.wantsTorch()
		if s.before.torch != nil || !s.before.empty || len(wants) == 0 || !foreign(src.kind) || s.keeps() || unreadConstraints(s.install) || slices.ContainsFunc(wants, want.named) {
			return
		}
		w, where := wants[0], "on an image for AMD GPUs"
		why := "It is named here"
		if w.via != "" {
			why = w.via + " requires it"
		}
		switch {
		case s.file.Kind == lint.Script:
			where = "in a script for AMD GPUs"
		case s.before.name != "":
			why += ", and the virtual environment " + s.before.name + " does not see the one of the image"
		}
		f := lint.Finding{
			File: w.file, Line: w.line, Verdict: check.Fail, Cause: causeOf(src.kind),
			Message: fmt.Sprintf("This installs torch for %s, %s. %s; what %s has is built for %s.", buildName(src.kind), where, why, src.text, buildName(src.kind)),
			Advice:  torchForROCm(p),
		}
		if w.via != "" {
			f.Evidence = []machine.Evidence{provenance(w.from)}
		}
		report(s.perhaps(f))
	})
}

// torchForROCm advises the index that has a build for the machine's GPU.
func torchForROCm(p *lint.Pass) []remedy.Remedy {
	address, text := rocm.TorchIndex("X.Y"), "Install it first, from the index of a release of ROCm"
	for _, g := range p.Machine.TargetGPUs() {
		if c, ok := rocm.TorchFor(g.Gfx.Value, "", ""); ok {
			address, text = c.Index, "Install it first, from an index whose builds hold code for "+g.Gfx.Value
			break
		}
	}
	return []remedy.Remedy{cure("python-torch-rocm", "Install torch for ROCm", command(text, "pip install torch --index-url "+address))}
}

func pins(p *lint.Pass) {
	report := unlessShared(p, once(p))
	ownSteps(p, func(s step) {
		src := s.source()
		if s.keeps() || s.noPlainSource(src) {
			return
		}
		for _, r := range s.requirements {
			version, pinned := r.pinned()
			if r.Name != "torch" || !pinned || strings.Contains(version, "+") {
				continue
			}
			if f, ok := s.judgePin(r, version, src); ok {
				report(f)
			}
		}
	})
}

// noPlainSource tells that no build for CUDA can be taken.
func (s step) noPlainSource(src source) bool {
	return src.kind == "" || src.kind == rocm.BuildROCm && !src.mixed
}

func (s step) judgePin(r requirement, version string, src source) (lint.Finding, bool) {
	f := lint.Finding{File: r.file, Line: r.line, Verdict: check.Warn, Cause: "wrong-torch-build-cuda"}
	t := s.before.torch
	switch {
	case src.mixed:
		f.Message = fmt.Sprintf("torch==%s can be had as a build for ROCm and as one for CUDA here. PyPI has that version for CUDA, and %s takes it where %s does not have it.", version, s.installer(), src.text)
		f.Mend = withBuild(r, version, src)
	case t != nil && t.kind == rocm.BuildROCm && (t.version == "" || r.Specifier.Contains(t.version)):
		f.Message = fmt.Sprintf("torch==%s is right only while %s already has it. PyPI's torch %s is a build for CUDA, and any other base lets pip install that.", version, t.from, version)
	default:
		return f, false
	}
	f.Advice = []remedy.Remedy{cure("python-pin-build", "Name the build, or leave torch to the image",
		manual(fmt.Sprintf("Write torch==%s+rocm… with the build that is meant, or take torch out of this file", version)))}
	return f, true
}

// withBuild adds the local part that pytorch.org gives its builds.
func withBuild(r requirement, version string, src source) *lint.Mend {
	release, ok := strings.CutPrefix(strings.TrimSuffix(src.text, "/"), "https://download.pytorch.org/whl/rocm")
	build := "+rocm" + release
	if _, _, published := rocm.TorchTargets(version + build); !ok || !published || !r.editable() {
		return nil
	}
	if bytes.Contains(r.file.Data[r.end:endOfLine(r.file.Data, r.end)], []byte("--hash")) {
		return nil // of the other build's file
	}
	// Behind the version there may be a marker with one of its own. A shell's word may
	// be written in pieces, and not hold it as it is.
	i := strings.Index(r.text, version)
	if i < 0 {
		return nil
	}
	at := r.start + i + len(version)
	return &lint.Mend{Title: "Pin the build for ROCm " + release, Edits: []lint.Edit{{File: r.file, Start: at, End: at, New: build}}}
}
