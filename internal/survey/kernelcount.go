package survey

import (
	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// countKernel adds a file to what is known of its target.
func countKernel(k codeobj.KernelName, t *machine.KernelTarget) {
	switch k.Kind {
	case codeobj.KernelIndex:
		addKernel(k, &t.Index)
	case codeobj.KernelTuned:
		addKernel(k, &t.Tuned)
	case codeobj.KernelCompiled:
		addKernel(k, &t.Compiled)
	case codeobj.KernelFallback:
		addKernel(k, &t.Fallback)
	case codeobj.KernelHelper:
		addKernel(k, &t.Helpers)
	case codeobj.KernelCatalogue:
		t.Catalogues++
	case codeobj.KernelOneIndex, codeobj.KernelShared: // of no target
	}
}

func addKernel(k codeobj.KernelName, files *machine.KernelFiles) {
	switch k.Target.XNACK {
	case rocm.Off:
		files.XnackOff++
	case rocm.On:
		files.XnackOn++
	case rocm.Any:
		files.Plain++
	}
}
