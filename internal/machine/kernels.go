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

	Listed Fact[int] `json:"listed"` // how many names it holds
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
	Helpers    KernelFiles `json:"helpers"`              // code that all others need
	Packed     int         `json:"packed,omitempty"`     // archives of kernels, whose content their names do not tell
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

// Holds reports whether kernels for a gfx can be found: an index, and code.
func (f KernelFolder) Holds(gfx string) bool {
	t := f.Target(gfx)
	return t.Packed > 0 || t.Code() > 0 && (f.OneIndex || t.Index.Count() > 0)
}

// KernelFolders returns the folders of one library that could be listed.
func (m *Machine) KernelFolders(library string) []KernelFolder {
	var out []KernelFolder
	for _, f := range m.Kernels.Value {
		if f.Library == library && f.Listed.Known() {
			out = append(out, f)
		}
	}
	return out
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
