// Package scan finds the GPU code in files, folders and wheels, and says on which GPUs it runs.
package scan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A Request is what somebody wants to know of some targets.
type Request struct {
	GPUs []rocm.TargetID // none: list what is there
	Deep bool            // look at every byte that may hold code
	Host *Host           // the machine on which it shall run; nil where it is meant for another one
}

// A Report is what was found.
type Report struct {
	GPUs     []rocm.TargetID
	NVIDIA   string    // the GPU of this machine, where it has none of AMD's
	Items    []Item    // what holds GPU code, or compiles it; sorted by path
	Files    int       // that were looked at
	Problems []Problem // what does not add up, or could not be read
	Notes    []Note    // what a person should know about several items, or about none
	Advice   []Advice  // what to install instead of what does not run
}

// A Note is a sentence about a file, a package, or all of it where Path is empty.
type Note struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// An Item is a file, or a folder of kernels, that holds GPU code.
type Item struct {
	Path     string
	Kind     string // that of the file, "kernels" for a folder of them, "miopen-db" for one of tuning data, "cuda" for a build without AMD's code
	Package  string // the Python package it belongs to, "torch 2.9.1+rocm6.4"
	Targets  []Target
	Needs    []string // libraries of HIP or CUDA that it asks for
	Verdicts map[string]Verdict

	codes   []rocm.Code
	kernels map[string]codeobj.FolderTarget // by processor, of a folder of kernels
	merged  bool                            // one index for all GPUs
	role    role
	library rocm.CodeLibrary  // which of ROCm's libraries it is
	kpack   *codeobj.KpackRef // where its code lies, when it was split off
	unread  string            // the first thing in it that could not be read
	search  []string          // folders in which it lets the loader look for libraries
}

// A role says what a file is among others.
type role int

const (
	holdsCode role = iota
	forCUDA        // built for NVIDIA's GPUs
	compiles       // without GPU code: it is compiled when it is first used
	tuning         // settings that make the first use quick
	forwards       // without GPU code: others do the work
	isRuntime      // part of the runtime
)

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
	SPIRV      Result = "spirv"      // compiled when it is loaded
	Override   Result = "override"   // only code of the same family is there
	NotNeeded  Result = "not-needed" // it works without GPU code of its own
	NoRuntime  Result = "no-runtime" // the code is there, and this machine has no runtime for it
	None       Result = "none"
	Unreadable Result = "unreadable"
)

// Runs reports whether a file with that answer is no obstacle.
func (r Result) Runs() bool { return r == Exact || r == Generic || r == SPIRV || r == NotNeeded }

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

// Overall weighs all verdicts. What could not be read never passes, and what needs
// no GPU code is no reason to say that anything runs.
func (r Report) Overall() Overall {
	good, bad, idle, without := 0, 0, 0, 0
	for _, i := range r.Items {
		switch {
		case !i.HoldsCode(), i.needsNone():
			without++
		case r.NVIDIA != "" && i.role == forCUDA:
			good++
		case r.NVIDIA != "":
			bad++
		}
		for _, v := range i.Verdicts {
			switch {
			case v.Result == Unreadable: // a problem says so
			case !v.Result.Runs():
				bad++
			case v.Result != NotNeeded:
				good++
			case i.HoldsCode() && !i.library.Compiles:
				idle++
			}
		}
	}
	switch {
	case bad > 0 && good > 0:
		return Partial
	case bad > 0 || idle > 0 && good == 0:
		return No
	case len(r.Problems) > 0:
		return Unknown
	case len(r.Items) == without:
		return NoGPUCode
	}
	return Runs
}

// needsNone reports a library that compiles what it does not hold, where it holds
// nothing for any GPU that was asked for.
func (i Item) needsNone() bool {
	for _, v := range i.Verdicts {
		if v.Result != NotNeeded {
			return false
		}
	}
	return i.library.Compiles && len(i.Verdicts) > 0
}

// HoldsCode reports an item with code for GPUs, of whatever make.
func (i Item) HoldsCode() bool { return i.role == holdsCode || i.role == forCUDA }

// item describes what a file holds; it is not ok where that is nothing.
func item(f codeobj.File) (Item, bool) {
	if len(f.Objects) == 0 || f.Infrastructure {
		return Item{}, false
	}
	out := newItem(f)
	out.add(f.Objects)
	return out, true
}

func newItem(f codeobj.File) Item {
	library, _ := rocm.CodeLibraryOf(path.Base(f.Path))
	i := Item{Path: f.Path, Kind: string(f.Kind), library: library}
	if len(f.Problems) > 0 {
		i.unread = f.Problems[0].What
	}
	return i
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
	slices.SortFunc(i.Targets, func(a, b Target) int { return CompareTargets(a.Target, b.Target) })
}

// judge says for each GPU whether the item runs on it.
func (i *Item) judge(gpus []rocm.TargetID) {
	i.Verdicts = map[string]Verdict{}
	for _, gpu := range gpus {
		i.Verdicts[gpu.String()] = i.verdict(gpu)
	}
}

// verdict never says that code is missing where it may stand in what could not be read.
func (i *Item) verdict(gpu rocm.TargetID) Verdict {
	v := i.found(gpu)
	if i.unread != "" && (v.Result == None || v.Result == Override) {
		return Verdict{Unreadable, "No code for " + gpu.Processor + " was found, but not all of it could be read: " + i.unread + "."}
	}
	return v
}

// found is the verdict by what was read.
func (i *Item) found(gpu rocm.TargetID) Verdict {
	switch i.role {
	case forCUDA:
		return i.onCUDA(gpu)
	case compiles:
		return Verdict{NotNeeded, i.compiled()}
	case tuning:
		return i.tuned(gpu)
	}
	if i.kpack != nil && len(i.codes) == 0 {
		return i.splitOff(gpu)
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
	if other, ok := i.otherwise(gpu); ok {
		return Verdict{None, other}
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
	case len(t.Missing) > 0:
		return Verdict{None, fmt.Sprintf("Its index for %s names files that are not there (%d, such as %s): what needs them stops. Install it again.", processor, len(t.Missing), t.Missing[0])}
	case t.Tuned == 0 && t.Fallback > 0:
		v.Why += " All of it is fallback code, which is slower, not broken."
	}
	return v
}

// usualSettings are the features of a GPU of which only the processor was named: no
// retries of page faults, and memory with error correction where all cards have it. Of
// gfx906 the Radeon VII has none, and the Instinct MI50 has.
func usualSettings(gpu rocm.TargetID) []rocm.TargetID {
	if gpu.SRAMECC != rocm.Any || gpu.XNACK != rocm.Any {
		return nil
	}
	p := gpu.Processor
	if p == "gfx906" {
		return []rocm.TargetID{{Processor: p, XNACK: rocm.Off}}
	}
	return []rocm.TargetID{{Processor: p, XNACK: rocm.Off}, {Processor: p, SRAMECC: rocm.On}, {Processor: p, SRAMECC: rocm.On, XNACK: rocm.Off}}
}

// otherwise says that there is code for a GPU of which only the processor was named, and
// that it wants settings which not every such GPU has.
func (i *Item) otherwise(gpu rocm.TargetID) (string, bool) {
	var names []string
	for _, c := range i.codes {
		if c.Target.Processor == gpu.Processor && gpu.String() == gpu.Processor {
			names = append(names, c.Target.String())
		}
	}
	if len(names) == 0 {
		return "", false
	}
	slices.Sort(names)
	return fmt.Sprintf("It holds code for %s with other settings only (%s). Where rocminfo shows your GPU with these, ask again with --gpu %s.",
		gpu.Processor, strings.Join(names, ", "), names[0]), true
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

// CompareTargets orders gfx906 before gfx90a before gfx1030.
func CompareTargets(a, b string) int {
	nameA, _, _ := strings.Cut(a, ":")
	nameB, _, _ := strings.Cut(b, ":")
	return cmp.Or(cmp.Compare(len(nameA), len(nameB)), strings.Compare(a, b))
}
