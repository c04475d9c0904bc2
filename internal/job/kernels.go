package job

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/kernelset"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/state"
)

// Kernels are files that somebody built for rocBLAS, and that are to be added.
type Kernels struct {
	Path string // of an archive or a folder; "" where nobody asked
	Sum  string // what its SHA-256 must be; "" where only a known one will do
	// Trust takes a source whose sum nobody stated.
	Trust bool
	Stage *state.Stage // to unpack into
}

// Interrupted is an error where somebody wants it to end while it is unpacked.
func (k Kernels) Interrupted() error {
	if k.Stage == nil {
		return nil
	}
	return k.Stage.Interrupted()
}

// An UnknownSumError is a source of kernels that nobody vouches for.
type UnknownSumError struct{ Name, Sum string }

func (e *UnknownSumError) Error() string {
	return fmt.Sprintf("the SHA-256 of %s is %s, which no table of rocsmith holds. Compare it with what its makers state; then say --sha256 %s, or --trust where they state none", e.Name, e.Sum, e.Sum)
}

const kernelCheck = "coverage/rocblas"

// add puts the cure of adding kernels in front of those that the doctor names
// where rocBLAS has none for a GPU.
func (k Kernels) add(r host.Reader, d report.Diagnosis) ([]check.Finding, error) {
	i, folder, gfx := lacking(d)
	if i < 0 {
		return nil, errors.New("no rocBLAS here lacks kernels for a GPU of this machine, so there is nothing to add them to")
	}
	set, err := kernelset.Read(host.Files(r), host.FileName(d.Machine.OS, k.Path), gfx, k.vouched, k.staged)
	if err != nil {
		return nil, err
	}
	if err := fits(r, d.Machine, set, folder, k.Stage.Files()); err != nil {
		return nil, err
	}
	cure, err := adding(set, folder)
	if err != nil {
		return nil, err
	}
	findings := slices.Clone(d.Findings)
	findings[i].Remedies = append([]remedy.Remedy{cure}, findings[i].Remedies...)
	return findings, nil
}

// lacking finds the folder that has no kernels for a GPU, and what the doctor says
// of it.
func lacking(d report.Diagnosis) (finding int, folder machine.KernelFolder, gfx string) {
	for _, folder := range d.Machine.KernelFolders(machine.RocBLAS) {
		for _, g := range d.Machine.TargetGPUs() {
			gfx := d.Machine.EffectiveGfx(g)
			i := slices.IndexFunc(d.Findings, func(f check.Finding) bool {
				return f.Check == kernelCheck && f.Cause == "missing-tensile-kernels" && f.Subject == gfx+" in "+folder.Path
			})
			if i >= 0 && folder.Listed.Known() && folder.Variable == "" {
				return i, folder, gfx
			}
		}
	}
	return -1, machine.KernelFolder{}, ""
}

func (k Kernels) staged(name string, r io.Reader) (kernelset.File, error) {
	place, size, sum, err := k.Stage.Put(name, r)
	return kernelset.File{Name: name, Path: place, Size: size, Sum: sum}, err
}

// vouched compares the sum with the one that was given, or with those that are
// known.
func (k Kernels) vouched(name, sum string) error {
	switch {
	case k.Sum != "" && !strings.EqualFold(k.Sum, sum):
		return fmt.Errorf("the SHA-256 of %s is %s, not %s: it is another file, or was damaged on its way", name, sum, strings.ToLower(k.Sum))
	case k.Sum != "" || k.Trust:
		return nil
	}
	if _, known := rocm.KernelArchiveBySum(sum); known {
		return nil
	}
	return &UnknownSumError{name, sum}
}

func fits(r host.Reader, m *machine.Machine, set kernelset.Set, folder machine.KernelFolder, unpacked fs.FS) error {
	installed, err := fs.Sub(host.Files(r), host.FileName(m.OS, folder.Path))
	if err != nil {
		return err
	}
	if err := set.Check(unpacked, installed); err != nil {
		return fmt.Errorf("%s does not fit %s: %w", set.Name, folder.Path, err)
	}
	return nil
}

// adding is the cure. Files that are there already, to the byte, stay.
func adding(set kernelset.Set, folder machine.KernelFolder) (remedy.Remedy, error) {
	out := remedy.Remedy{
		ID: "kernels-from-archive", Title: fmt.Sprintf("Add the kernels for %s from %s", set.Gfx, set.Name),
		Risk: remedy.Disruptive, Proof: []string{kernelCheck}, Apply: true,
	}
	for _, f := range set.Own() {
		to := path.Join(folder.Path, f.Name)
		same, err := state.Holds(to, f.Size, f.Sum)
		if err != nil {
			return out, err
		}
		if !same {
			out.Steps = append(out.Steps, remedy.Step{Kind: remedy.CopyFile, Text: "a file of " + set.Name, Path: to, From: f.Path, Size: f.Size, Sum: f.Sum})
		}
	}
	note := "restart programs that use rocBLAS; kernels by others are not AMD's: compare results with the CPU's once (rocsmith probe --op gemm)"
	if len(set.Libraries) > 0 {
		note += fmt.Sprintf("; %s of the archive stays out: if these kernels fail with the rocBLAS that is here, they were made for that one", strings.Join(set.Libraries, ", "))
	}
	out.Steps = append(out.Steps, remedy.Step{Kind: remedy.Manual, Text: note})
	return out, nil
}
