package survey

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// firstObjects is how much of a library's GPU code is looked at: to read all of
// torch would take longer than everything else. Most parts of a library are
// compiled for one list of GPUs, and some for fewer.
const firstObjects = 256

// code reads for which GPUs the libraries of a package hold code. It is unread
// where they hold none, or keep it elsewhere.
func (b *buildReader) code() machine.Fact[machine.PythonCode] {
	for _, pattern := range slices.Concat(b.row.Files[rocm.BuildROCm], b.row.Binaries) {
		for _, file := range b.matches(pattern) {
			if code, err := codeIn(b.r, file, firstObjects); err == nil && len(code.Targets) > 0 {
				return machine.Know(code, machine.Source(file))
			}
		}
	}
	return machine.Fact[machine.PythonCode]{}
}

// codeIn are the processors of the first code objects of a file.
func codeIn(r host.Reader, file string, objects int) (out machine.PythonCode, err error) {
	f, src, err := inParts(r, file)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	found, err := codeobj.Read(file, src, codeobj.Options{Limits: codeobj.Limits{Objects: objects}})
	if err != nil {
		return out, err
	}
	for _, o := range found.Objects {
		if p := o.Target.Processor; p != "" && !slices.Contains(out.Targets, p) {
			out.Targets = append(out.Targets, p)
		}
	}
	out.All = len(found.Problems) == 0
	return out, nil
}
