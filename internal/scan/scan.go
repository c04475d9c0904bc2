// Package scan finds the GPU code in files, folders and wheels, and says on which GPUs it runs.
package scan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A Request is what somebody wants to know of some targets.
type Request struct {
	GPUs []rocm.TargetID // none: list what is there
	Deep bool            // look at every byte that may hold code
}

// A Report is what was found.
type Report struct {
	GPUs     []rocm.TargetID
	Items    []Item    // what holds GPU code, sorted by path
	Files    int       // that were looked at
	Problems []Problem // what does not add up, or could not be read
}

// An Item is a file, or a folder of kernels, that holds GPU code.
type Item struct {
	Path     string
	Kind     string // that of the file, "kernels" for a folder of them, "cuda" for a build without AMD's code
	Package  string // the Python package it belongs to, "torch 2.9.1+rocm6.4"
	Targets  []Target
	Needs    []string // libraries of HIP or CUDA that it asks for
	Verdicts map[string]Verdict

	codes   []rocm.Code
	kernels map[string]codeobj.FolderTarget // by processor, of a folder of kernels
	merged  bool                            // one index for all GPUs
}

// A Target is one kind of GPU that an item holds code for.
type Target struct {
	Target     string // "gfx90a:xnack+"
	Count      int
	CodeObject int // the highest version among them; 0 where it was not read
	Compressed bool
}

// A Verdict says whether an item runs on one GPU.
type Verdict struct {
	Result Result
	Why    string
}

// A Result is the answer for one GPU.
type Result string

// The results, from the best to the worst.
const (
	Exact      Result = "exact"
	Generic    Result = "generic"
	SPIRV      Result = "spirv"    // compiled when it is loaded
	Override   Result = "override" // only code of the same family is there
	None       Result = "none"
	Unreadable Result = "unreadable"
)

// Runs reports whether code of that kind runs as it is.
func (r Result) Runs() bool { return r == Exact || r == Generic || r == SPIRV }

// A Problem is something that does not add up, or could not be read.
type Problem struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// Overall is the answer for all GPUs that were asked for.
type Overall string

// The answers.
const (
	Runs      Overall = "runs"
	Partial   Overall = "partial" // some items, or on some GPUs
	No        Overall = "no"
	Unknown   Overall = "unknown" // something could not be read
	NoGPUCode Overall = "no-gpu-code"
)

// Overall weighs all verdicts. What could not be read never passes.
func (r Report) Overall() Overall {
	good, bad := 0, 0
	for _, i := range r.Items {
		for _, v := range i.Verdicts {
			if v.Result.Runs() {
				good++
			} else {
				bad++
			}
		}
	}
	switch {
	case bad > 0 && good > 0:
		return Partial
	case bad > 0:
		return No
	case len(r.Problems) > 0:
		return Unknown
	case len(r.Items) == 0:
		return NoGPUCode
	}
	return Runs
}

// item describes what a file holds; it is not ok where that is nothing.
func item(f codeobj.File) (Item, bool) {
	if len(f.Objects) == 0 || f.Infrastructure {
		return Item{}, false
	}
	out := Item{Path: f.Path, Kind: string(f.Kind)}
	out.add(f.Objects)
	return out, true
}

// add counts objects by their target.
func (i *Item) add(objects []codeobj.Object) {
	for _, o := range objects {
		text := cmp.Or(o.Target.String(), o.Text)
		at := slices.IndexFunc(i.Targets, func(t Target) bool { return t.Target == text })
		if at < 0 {
			at = len(i.Targets)
			i.Targets = append(i.Targets, Target{Target: text})
		}
		t := &i.Targets[at]
		t.Count++
		t.CodeObject = max(t.CodeObject, o.CodeObject)
		t.Compressed = t.Compressed || o.Compressed
		if code := o.Code(); !slices.Contains(i.codes, code) {
			i.codes = append(i.codes, code)
		}
	}
	slices.SortFunc(i.Targets, func(a, b Target) int { return compareTargets(a.Target, b.Target) })
}

// judge says for each GPU whether the item runs on it.
func (i *Item) judge(gpus []rocm.TargetID) {
	i.Verdicts = map[string]Verdict{}
	for _, gpu := range gpus {
		i.Verdicts[gpu.String()] = i.verdict(gpu)
	}
}

func (i *Item) verdict(gpu rocm.TargetID) Verdict {
	if i.Kind == "cuda" {
		return i.forCUDA(gpu)
	}
	results := map[rocm.Match]Result{rocm.MatchExact: Exact, rocm.MatchGeneric: Generic, rocm.MatchSPIRV: SPIRV}
	match, code, why := rocm.BestMatch(i.codes, gpu)
	if match != rocm.MatchNone {
		return i.asKernels(code.Target.Processor, Verdict{results[match], why})
	}
	for _, usual := range usualSettings(gpu) {
		if match, _, why := rocm.BestMatch(i.codes, usual); match != rocm.MatchNone {
			return Verdict{results[match], why + " That is how the GPU runs unless somebody changed it."}
		}
	}
	if sibling, value, ok := i.sibling(gpu); ok {
		return Verdict{Override, strings.TrimSuffix(why, ".") + "; code for its sibling " + sibling + " would run under HSA_OVERRIDE_GFX_VERSION=" + value + ", with a caution."}
	}
	return Verdict{None, why}
}

// asKernels says what a folder of kernels makes of code that would run: without an
// index the library does not find it, and fallbacks are slow.
func (i *Item) asKernels(processor string, v Verdict) Verdict {
	t, known := i.kernels[processor]
	switch {
	case !known || i.merged:
	case !t.Index:
		return Verdict{None, "There are files for " + processor + ", but no index, so the library finds none of them."}
	case t.Tuned == 0 && t.Fallback > 0:
		v.Why += " All of it is fallback code, which is slower, not broken."
	}
	return v
}

// usualSettings are the features of a GPU of which only the processor was named:
// memory with error correction where there is any, and no retries of page faults.
func usualSettings(gpu rocm.TargetID) []rocm.TargetID {
	if gpu.SRAMECC != rocm.Any || gpu.XNACK != rocm.Any {
		return nil
	}
	p := gpu.Processor
	return []rocm.TargetID{{Processor: p, XNACK: rocm.Off}, {Processor: p, SRAMECC: rocm.On}, {Processor: p, SRAMECC: rocm.On, XNACK: rocm.Off}}
}

// sibling finds code of the same family that the GPU runs under an override.
func (i *Item) sibling(gpu rocm.TargetID) (processor, value string, ok bool) {
	for _, code := range i.codes {
		value, known := rocm.OverrideValue(code.Target.Processor)
		if !known || code.Target.Processor == gpu.Processor {
			continue
		}
		if o, err := rocm.JudgeOverride(gpu.Processor, value); err == nil && o.Verdict == rocm.OverrideSameFamily {
			return code.Target.Processor, value, true
		}
	}
	return "", "", false
}

// compareTargets orders gfx906 before gfx90a before gfx1030.
func compareTargets(a, b string) int {
	nameA, _, _ := strings.Cut(a, ":")
	nameB, _, _ := strings.Cut(b, ":")
	return cmp.Or(cmp.Compare(len(nameA), len(nameB)), strings.Compare(a, b))
}
