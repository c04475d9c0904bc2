package survey

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// comgr looks for the code object manager of the HIP runtime in a tree. Most
// releases load it with dlopen (ROCm/clr comgrctx.cpp); where that works, it is
// part of the tree.
func (l *linker) comgr(t linkage.Tree, out *machine.Linked) linkage.Tree {
	hip := watched(t, hipLibrary)
	if hip < 0 {
		return t
	}
	from := machine.Source(shown(t.Libraries[hip].Path))
	if i := watched(t, comgrLibrary); i >= 0 {
		out.Comgr = machine.Know(shown(t.Libraries[i].Path), from)
		return t
	}
	isComgr := func(m linkage.Missing) bool { return strings.HasPrefix(m.Name, comgrLibrary+".so") }
	if i := slices.IndexFunc(t.Missing, isComgr); i >= 0 {
		out.Comgr, out.NoComgr = machine.Missing[string](from), l.missing(t.Missing[i])
		return t
	}
	for _, major := range l.comgrMajors(t.Libraries[hip].Path) {
		more, err := l.loader.Dlopen(t, hip, fmt.Sprintf("%s.so.%d", comgrLibrary, major))
		if err != nil {
			out.Comgr = machine.Unknown[string](from, reason(err))
			return t
		}
		if i := watched(more, comgrLibrary); i >= 0 {
			out.Comgr = machine.Know(shown(more.Libraries[i].Path), from)
			return more
		}
		if i := slices.IndexFunc(more.Missing, isComgr); i >= 0 && out.NoComgr.Name == "" {
			out.NoComgr = l.missing(more.Missing[i])
		}
	}
	out.Comgr = l.noComgr(t.Libraries[hip].Path, out.NoComgr.Name != "")
	return t
}

// noComgr is said only where nothing else can be meant.
func (l *linker) noComgr(hip string, missing bool) machine.Fact[string] {
	from := machine.Source(shown(hip))
	// Torch wheels carry it without a number, and change the name that is asked for.
	if beside := path.Dir(hip) + "/" + comgrLibrary + ".so"; exists(l.r, beside).Known() {
		return machine.Unknown[string](from, "under which name it asks for "+shown(beside)+" is not known")
	}
	if !missing {
		return machine.Unknown[string](from, "its code object manager cannot be read")
	}
	return machine.Missing[string](from)
}

// comgrMajors are the numbers under which a HIP runtime may ask, the one of its
// own release first: the name of its file begins with the release.
func (l *linker) comgrMajors(hip string) []int {
	majors := majorsOf(comgrLibrary)
	version := strings.TrimPrefix(path.Base(l.loader.Real(hip)), hipLibrary+".so.")
	if own, ok := rocm.SonameMajor(comgrLibrary, version); ok {
		majors = slices.DeleteFunc(majors, func(m int) bool { return m == own })
		majors = append([]int{own}, majors...)
	}
	return majors
}
