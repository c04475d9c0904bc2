package scan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Advice is what to use instead of something that does not run on a GPU.
type Advice struct {
	Names   []string `json:"names"` // packages with their versions, libraries, or files
	GPU     string   `json:"gpu"`
	Says    string   `json:"says"`              // one sentence, without its full stop
	Command string   `json:"command,omitempty"` // that does it
	Source  string   `json:"source,omitempty"`  // where that is known from
}

// advise names a remedy for each thing that does not run; what has the same one is
// named together.
func advise(items []Item, gpus []rocm.TargetID) []Advice {
	var out []Advice
	for _, gpu := range gpus {
		failing := failingOn(items, gpu.String())
		for _, f := range failing {
			if f.replaced(items, gpu.String()) {
				continue
			}
			a := f.advice(gpu, failing)
			at := slices.IndexFunc(out, func(o Advice) bool { return o.GPU == a.GPU && o.Says == a.Says && o.Command == a.Command })
			if at < 0 {
				out = append(out, a)
			} else if name := a.Names[0]; !slices.Contains(out[at].Names, name) {
				out[at].Names = append(out[at].Names, name)
			}
		}
	}
	return out
}

// A failing thing is a package, or a file of none, that does not run on a GPU.
type failing struct {
	title         string // "torch 2.9.1+rocm6.4"
	name, version string // of the package; "" where there is none
	first         Item
	result        Result
}

func failingOn(items []Item, gpu string) []failing {
	var out []failing
	for _, i := range items {
		v := i.Verdicts[gpu]
		if v.Result.Runs() {
			continue
		}
		f := failing{title: i.Title(), first: i, result: v.Result}
		f.name, f.version, _ = strings.Cut(i.Package, " ")
		if !slices.ContainsFunc(out, func(o failing) bool { return o.title == f.title && (o.result == NoRuntime) == (f.result == NoRuntime) }) {
			out = append(out, f)
		}
	}
	return out
}

// replaced reports a library whose work another one does, which came with it.
func (f failing) replaced(items []Item, gpu string) bool {
	l, _ := rocm.CodeLibraryNamed(f.first.libraryName())
	has, _ := librariesWith(items, f.first.Package, gpu)
	return f.first.Package == "" && slices.Contains(has, l.Instead)
}

// Title is what a person calls an item: its package, its library, or its path.
func (i *Item) Title() string {
	switch library := i.libraryName(); {
	case i.Package != "":
		return i.Package
	case library != "":
		return library
	}
	return i.Path
}

func (f failing) advice(gpu rocm.TargetID, all []failing) Advice {
	a := Advice{Names: []string{f.title}, GPU: gpu.String()}
	switch {
	case f.result == NoRuntime:
		a.Says = "use a build for the runtime that is here, or install the ROCm that brings the one it was built for"
	case slices.Contains(torchFamily, f.name):
		f.torch(gpu.Processor, all, &a)
	default:
		f.other(gpu.Processor, &a)
	}
	if _, fixed := f.first.otherwise(rocm.TargetID{Processor: gpu.Processor}); fixed && a.Says == "" {
		a.Says = fmt.Sprintf("use a build for %s that does not fix its settings, or build it for %s itself", gpu.Processor, gpu)
	}
	if a.Says == "" {
		a.Says = fmt.Sprintf("use a build that holds %s, or build it with %s in its list of GPUs", gpu.Processor, gpu.Processor)
	}
	return a
}

// other looks for AMD's build of any other package.
func (f failing) other(gfx string, a *Advice) {
	name := f.name
	if p, _, known := rocm.PythonPackageOf(name); known {
		name = p.Name
	}
	if strings.HasPrefix(name, "rocm-sdk") {
		if _, offered := rocm.DeviceWheels(gfx); !offered {
			return
		}
		name = "rocm-sdk-libraries"
	}
	if b, ok := rocm.AMDBuildFor(name, gfx); ok {
		a.Says, a.Command, a.Source = b.Says, b.Command, b.Provenance.String()
	}
}

// torchFamily are the packages that come from one index with torch, and must be of
// one build.
var torchFamily = []string{"torch", "torchvision", "torchaudio", "pytorch-triton-rocm", "triton-rocm", "triton"}

// torch names the torch that holds the code, with those of its companions that were
// seen to lack it.
func (f failing) torch(gfx string, all []failing, a *Advice) {
	with := f
	install := []string{}
	for _, o := range all {
		switch o.name {
		case "torch":
			with = o
		case "torchvision", "torchaudio":
			install = append(install, o.name)
		}
	}
	wheels, offered := rocm.DeviceWheels(gfx)
	choice, known := rocm.TorchFor(gfx, with.first.python(), releaseOf(with))
	switch {
	case offered && (with.first.kpack != nil || !known):
		install = append([]string{fmt.Sprintf(`"torch[device-%s]"`, gfx)}, install...)
		a.Says = fmt.Sprintf("the code for %s is in a wheel of AMD's own, amd-torch-device-%s", gfx, gfx)
		a.Command = fmt.Sprintf("pip install --index-url %s %s", wheels.Index, strings.Join(install, " "))
		a.Source = wheels.Provenance.String()
	case known:
		install = append([]string{fmt.Sprintf(`"torch==%s"`, choice.Version)}, install...)
		a.Says = fmt.Sprintf("torch %s for ROCm %s holds %s", choice.Version, choice.ROCm, gfx)
		a.Command = fmt.Sprintf("pip install %s --index-url %s", strings.Join(install, " "), choice.Index)
		a.Source = choice.Provenance.String()
	}
}

// releaseOf is the version of torch that is asked for again; that of a companion says
// nothing of it.
func releaseOf(f failing) string {
	if f.name == "torch" {
		return f.version
	}
	return ""
}

var pythonInPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/python3\.(\d+)/|-cp3(\d+)-`) })

// python is the version that a package was installed for, "3.12"; "" where its path
// does not tell.
func (i *Item) python() string {
	m := pythonInPath().FindStringSubmatch(i.Path)
	if m == nil {
		return ""
	}
	return "3." + m[1] + m[2]
}
