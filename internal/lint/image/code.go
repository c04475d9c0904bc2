package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func withoutCode(p *lint.Pass) {
	gpus := p.Machine.TargetGPUs()
	for _, r := range references(p) {
		if r.override != "" || len(gpus) == 0 { // what an override makes of it is for env/override
			continue
		}
		known, ok := rocm.LookupImage(r.repository, r.tag)
		if code, local := lookInto(p, r); local { // which counts more than any list
			reportCode(p, r, gpus, code, known)
		} else if ok {
			reportList(p, r, gpus, known)
		}
	}
}

// reportList judges an image by what its publisher builds it for.
func reportList(p *lint.Pass, r reference, gpus []machine.GPU, known rocm.Image) {
	gfx, from, ok := known.Targets(r.tag)
	if !ok || from.Unverified {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(gpus), func(g machine.GPU) bool { return rocm.AnyRuns(gfx, g.Gfx.Value) })
	if len(missing) == 0 {
		return
	}
	f := lint.Finding{
		File: r.file, Line: r.line, Verdict: check.Fail, Cause: "no-kernel-image-for-arch",
		Evidence: []machine.Evidence{{From: missing[0].Gfx.From, Text: missing[0].Label() + ": " + missing[0].Gfx.Value}, provenance(from)},
		Advice:   otherwise(missing[0].Gfx.Value, gfx, known),
	}
	f.Message = fmt.Sprintf("%s holds no code for %s. It is built for %s; programs stop at their first kernel, or leave the GPU alone.",
		r.name, missing[0].Gfx.Value, strings.Join(gfx, ", "))
	// A list that was inferred, or that holds for some of the GPUs, is no proof.
	if known.Torch || from.Confidence == rocm.Community || len(missing) < len(gpus) {
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("%s probably holds no code for %s. %s", r.name, missing[0].Gfx.Value, inferred(gfx, known, r.tag))
	}
	p.Report(f)
}

// lookInto asks for the files of an image for AMD GPUs, once for each name.
func lookInto(p *lint.Pass, r reference) (lint.ImageCode, bool) {
	if p.Image == nil || !r.amd() {
		return lint.ImageCode{}, false
	}
	type seen struct {
		code lint.ImageCode
		ok   bool
	}
	s := lint.Shared(p.Project, "image/code/"+r.name, func() seen {
		code, ok := p.Image(r.name)
		return seen{code, ok}
	})
	return s.code, s.ok
}

// reportCode speaks up where nothing in the image runs on a GPU. Where some of it
// does, scan tells what and what not.
func reportCode(p *lint.Pass, r reference, gpus []machine.GPU, code lint.ImageCode, known rocm.Image) {
	missing := slices.DeleteFunc(slices.Clone(gpus), func(g machine.GPU) bool { return code.Runs[g.Gfx.Value] })
	if len(missing) == 0 {
		return
	}
	first := code.Files[0]
	f := lint.Finding{
		File: r.file, Line: r.line, Verdict: check.Fail, Cause: "no-kernel-image-for-arch",
		Evidence: []machine.Evidence{
			{From: missing[0].Gfx.From, Text: missing[0].Label() + ": " + missing[0].Gfx.Value},
			{From: machine.Source(code.Store), Text: first.Path + ": " + strings.Join(first.Targets, ", ")},
		},
		Advice: otherwise(missing[0].Gfx.Value, first.Targets, known),
	}
	files := "the one file with GPU code in it has"
	if n := len(code.Files); n > 1 {
		files = fmt.Sprintf("the %d files with GPU code in it have", n)
	}
	f.Message = fmt.Sprintf("%s holds no code for %s: the image is on this machine, and %s none. Programs stop at their first kernel, or leave the GPU alone.", r.name, missing[0].Gfx.Value, files)
	if len(missing) < len(gpus) {
		f.Verdict = check.Warn
	}
	p.Report(f)
}

func inferred(gfx []string, known rocm.Image, tag string) string {
	list := strings.Join(gfx, ", ")
	if torch, release := known.Versions(tag); known.Torch {
		return fmt.Sprintf("The wheels of torch %s for ROCm %s are built for %s; scan the image to be sure.", torch, release, list)
	}
	return fmt.Sprintf("It is said to be built for %s; scan the image to be sure.", list)
}

// otherwise advises what runs on the GPU instead.
func otherwise(gpu string, codes []string, known rocm.Image) []remedy.Remedy {
	var out []remedy.Remedy
	if w, ok := rocm.DeviceWheels(gpu); ok && known.Torch {
		out = append(out, advice("image-own-torch", "Install torch for this GPU over it",
			command("AMD builds wheels for it", fmt.Sprintf("pip install --index-url %s \"torch[device-%s]\"", w.Index, gpu)))...)
	}
	for _, c := range codes {
		value, _ := rocm.OverrideValue(c)
		o, err := rocm.JudgeOverride(gpu, value)
		if err != nil || o.Verdict != rocm.OverrideSameFamily {
			continue
		}
		text := fmt.Sprintf("On this machine only, set %s=%s: it runs code for %s. %s", rocm.OverrideVariable, value, c, o.Caution)
		return append(out, advice("image-override", "Run code of the same family", manual(strings.TrimSpace(text)))...)
	}
	return append(out, advice("image-another", "Take an image that is built for "+gpu, manual("Look for a tag or an image whose list of targets has "+gpu+", or build it for "+gpu))...)
}
