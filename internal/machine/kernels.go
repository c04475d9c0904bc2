package machine

import "slices"

// The libraries that keep the code of their kernels in a folder of files, one
// set for each gfx.
const (
	RocBLAS   = "rocBLAS"
	HipBLASLt = "hipBLASLt"
)

// A KernelFolder is such a folder, as far as the names in it tell.
type KernelFolder struct {
	Library  string `json:"library"`            // RocBLAS, HipBLASLt
	Path     string `json:"path"`               // of the folder
	Owner    string `json:"owner,omitempty"`    // path of the installation it belongs to
	Variable string `json:"variable,omitempty"` // the variable that names it

	// Listed is how many names it holds. It is absent where the library is there and
	// its folder is not.
	Listed Fact[int] `json:"listed"`
	// OneIndex is the old layout: a single index for all GPUs.
	OneIndex bool           `json:"one_index,omitempty"`
	Targets  []KernelTarget `json:"targets,omitempty"` // by name
	Shared   int            `json:"shared,omitempty"`  // files for no GPU in particular
}

// A KernelTarget counts the files for one gfx. Programs look a kernel up in the
// index, which names the catalogue of its type, which names the code.
type KernelTarget struct {
	Gfx        string      `json:"gfx"`
	Index      KernelFiles `json:"index"`
	Catalogues int         `json:"catalogues,omitempty"` // lists of tuned kernels of one type
	Tuned      KernelFiles `json:"tuned"`                // code that was tuned for this GPU, in assembly
	Compiled   KernelFiles `json:"compiled"`             // code for this GPU that was compiled
	Fallback   KernelFiles `json:"fallback"`             // code that runs everywhere, and is slower
	Helpers    KernelFiles `json:"helpers"`              // code that all others need: Kernels.so-000-gfx1100.hsaco
	// Whole counts the types of kernels that have both their catalogue and their
	// code, Half those that have only one of the two.
	Whole int `json:"whole,omitempty"`
	Half  int `json:"half,omitempty"`
}

// KernelFiles counts files by the setting of xnack in their names.
type KernelFiles struct {
	Plain    int `json:"plain,omitempty"`
	XnackOff int `json:"xnack_off,omitempty"` // gfx1010-xnack-
	XnackOn  int `json:"xnack_on,omitempty"`  // gfx90a-xnack+
}

// Count is how many files there are, whatever their names.
func (k KernelFiles) Count() int { return k.Plain + k.XnackOff + k.XnackOn }

// Mixed reports that files of one kind come with and without the setting. One
// build names all files of a kind alike; pairs of xnack- and xnack+ are one build.
func (k KernelFiles) Mixed() bool { return k.Plain > 0 && k.XnackOff+k.XnackOn > 0 }

// Own is how many files hold kernels that were made for this GPU.
func (t KernelTarget) Own() int { return t.Tuned.Count() + t.Compiled.Count() }

// Code is how many files hold kernels for the GPU.
func (t KernelTarget) Code() int { return t.Own() + t.Fallback.Count() }

// Mixed reports that the files of one kind come from two builds.
func (t KernelTarget) Mixed() bool {
	return t.Index.Mixed() || t.Tuned.Mixed() || t.Compiled.Mixed() || t.Fallback.Mixed() || t.Helpers.Mixed()
}

// Target returns what a folder holds for a gfx; all counts are 0 where that is
// nothing.
func (f KernelFolder) Target(gfx string) KernelTarget {
	i := slices.IndexFunc(f.Targets, func(t KernelTarget) bool { return t.Gfx == gfx })
	if i < 0 {
		return KernelTarget{Gfx: gfx}
	}
	return f.Targets[i]
}

// Holds reports whether kernels for a gfx can be found: an index, types that are
// whole and more of them than are broken, and the helpers that they all need.
func (f KernelFolder) Holds(gfx string) bool {
	t := f.Target(gfx)
	indexed := f.OneIndex || t.Index.Count() > 0
	return indexed && t.Whole > t.Half && (t.Helpers.Count() > 0 || !f.needsHelpers())
}

// needsHelpers is true of every rocBLAS so far. Of hipBLASLt the folder tells: where
// other targets have them, this one needs them too.
func (f KernelFolder) needsHelpers() bool {
	return f.Library == RocBLAS || slices.ContainsFunc(f.Targets, func(t KernelTarget) bool { return t.Helpers.Count() > 0 })
}

// KernelFolders returns the folders of one library, also those that could not be
// listed and those that are missing.
func (m *Machine) KernelFolders(library string) []KernelFolder {
	return slices.DeleteFunc(slices.Clone(m.Kernels.Value), func(f KernelFolder) bool { return f.Library != library })
}

// HoldsKernels reports whether the rocBLAS of an installation holds a gfx.
func (m *Machine) HoldsKernels(i Installation, gfx string) bool {
	return slices.ContainsFunc(m.KernelFolders(RocBLAS), func(f KernelFolder) bool { return f.Owner == i.Path && f.Holds(gfx) })
}

// Installation finds the user space with a path.
func (m *Machine) Installation(path string) (Installation, bool) {
	for _, i := range m.ROCm.Value {
		if path != "" && i.Path == path {
			return i, true
		}
	}
	return Installation{}, false
}
