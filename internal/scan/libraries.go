package scan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// differences says where the libraries of ROCm that came together are not built for
// the same GPUs: a GPU that one of them holds looks supported, and is not.
func differences(items []Item, gpus []rocm.TargetID) []Note {
	var out []Note
	for _, home := range homes(items) {
		for _, gpu := range gpus {
			has, lacks := librariesWith(items, home, gpu.String())
			if len(has) > 0 && len(lacks) > 0 {
				out = append(out, Note{Path: home, What: difference(gpu.Processor, has, lacks)})
			}
		}
	}
	return out
}

// homes are the packages that items belong to, in their order; "" for those of none.
func homes(items []Item) []string {
	var out []string
	for _, i := range items {
		if !slices.Contains(out, i.Package) {
			out = append(out, i.Package)
		}
	}
	return out
}

// librariesWith sorts the libraries of a package by whether all of their files run on
// a GPU.
func librariesWith(items []Item, home, gpu string) (has, lacks []string) {
	works := map[string]bool{}
	var names []string
	for _, i := range items {
		name := i.libraryName()
		v := i.Verdicts[gpu]
		if name == "" || i.Package != home || v.Result == NotNeeded {
			continue
		}
		if _, seen := works[name]; !seen {
			works[name] = true
			names = append(names, name)
		}
		works[name] = works[name] && v.Result.Runs()
	}
	for _, name := range names {
		if works[name] {
			has = append(has, name)
		} else {
			lacks = append(lacks, name)
		}
	}
	return has, lacks
}

// libraryName is what people call the library that a file, or a folder of kernels, is
// of.
func (i *Item) libraryName() string {
	if i.Kind != "kernels" {
		return i.library.Name
	}
	for part := range strings.SplitSeq(path.Dir(i.Path), "/") {
		if l, ok := rocm.CodeLibraryOf("lib" + part); ok {
			return l.Name
		}
	}
	return ""
}

func difference(gfx string, has, lacks []string) string {
	var stops, replaced []string
	for _, name := range lacks {
		l, _ := rocm.CodeLibraryNamed(name)
		if slices.Contains(has, l.Instead) {
			replaced = append(replaced, name)
		} else {
			stops = append(stops, name)
		}
	}
	but := ","
	if len(lacks) > 1 {
		but = ";"
	}
	text := fmt.Sprintf("%s %s %s%s %s %s not:", joined(has, "and"), verb(has), gfx, but, joined(lacks, "and"), verb(lacks))
	switch {
	case len(stops) > 1 && len(replaced) == 0:
		text += " programs that use one of them will stop."
	case len(stops) > 0:
		text += " programs that use " + joined(stops, "or") + " will stop."
	}
	for _, name := range replaced {
		l, _ := rocm.CodeLibraryNamed(name)
		text += fmt.Sprintf(" %s does the work of %s, only slower.", l.Instead, name)
	}
	return text
}

func verb(names []string) string {
	if len(names) > 1 {
		return "have"
	}
	return "has"
}
