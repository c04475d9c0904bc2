// Package driver asks whether the kernel's side is right: the amdgpu driver, the kernel, the firmware and the bus.
package driver

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// Checks are the questions of this area, in order.
var Checks = []check.Check{
	{
		ID:    "driver/blacklist",
		Title: "Nothing keeps amdgpu from loading",
		Doc: `Lines in modprobe.d (` + "`blacklist amdgpu`, `install amdgpu /bin/false`" + `) and words on the kernel command line
(` + "`modprobe.blacklist=amdgpu`, `nomodeset`" + `) keep the driver from loading. Where it is loaded all the same, they are a warning.`,
		Run: runBlacklist,
	},
	{
		ID:    "driver/secure-boot",
		Title: "Secure Boot accepts the driver",
		Needs: []string{"driver/blacklist"},
		Doc: `A driver that DKMS built on this machine must be signed with a key that the firmware knows, if Secure Boot is on.
Drivers of the distribution's own kernel are signed already.`,
		Run: runSecureBoot,
	},
	{
		ID:    "driver/bound",
		Title: "amdgpu holds each GPU",
		Needs: []string{"driver/secure-boot"},
		Doc: `Each GPU is held by one kernel driver. One that vfio-pci holds is meant for a virtual machine; one that
nobody holds although amdgpu is loaded did not start, and the kernel log says why.`,
		Run: runBound,
	},
	{
		ID:    "driver/loaded",
		Title: "The amdgpu driver is loaded",
		Needs: []string{"driver/bound"},
		Doc:   `Read from /sys/module/amdgpu, which exists for loaded and built-in drivers alike.`,
		Run:   runLoaded,
	},
	{
		ID:    "driver/offered",
		Title: "The driver offers each GPU for compute",
		Needs: []string{"driver/loaded"},
		Doc: `KFD, the compute part of amdgpu, shows every GPU it accepts as a topology node. A GPU without one can draw but not compute:
the kernel is too old for it, PCIe atomics are missing, or it did not start. A kernel may answer EINVAL to whoever
opens /dev/kfd in that case. Each GPU is judged by itself: an integrated GPU that is left out never hides the card beside it.`,
		Run: runOffered,
	},
	{
		ID:    "driver/firmware",
		Title: "No firmware known to be bad is loaded",
		Needs: []string{"driver/loaded"},
		Doc: `GPUs run firmware that the driver loads at start. The version of the scheduler firmware (MES) is compared with the versions
known to hang or fault: exactly 0x83 on gfx1150 and gfx1151. ` + "`amdgpu.cwsr_enable=0`" + `, often advised, does not cure it.`,
		Run: runFirmware,
	},
	{
		ID:    "driver/kernel",
		Title: "The kernel is new enough for each GPU",
		Needs: []string{"driver/offered"},
		Doc: `Compared with what AMD documents for the GPU, and for Ubuntu's own kernels with their own numbers. Floors that nobody
verified are only mentioned.`,
		Run: runKernel,
	},
	{
		ID:    "driver/combination",
		Title: "Kernel and ROCm work together on this GPU",
		Needs: []string{"driver/offered"},
		Doc: `For some GPUs AMD publishes which ROCm release works on which kernel (gfx1151). A release newer than the
table is not judged.`,
		Run: runCombination,
	},
	{
		ID:    "driver/pairing",
		Title: "AMD's driver package and ROCm are close enough",
		Needs: []string{"driver/loaded"},
		Doc: `AMD's own driver package (amdgpu-dkms) and ROCm may be up to a year apart from ROCm 6.4 on, and two releases before that.
A difference within that is information, not an error. Drivers that came with the kernel have no such number.`,
		Run: runPairing,
	},
	{
		ID:    "driver/atomics",
		Title: "PCIe atomics reach each GPU",
		Needs: []string{"driver/offered"},
		Doc: `Some GPUs need atomic operations across PCIe, all use them for fine-grained memory. Read from the link that KFD shows between
GPU and processor; whether this GPU's firmware can do without is known by GPU generation.`,
		Run: runAtomics,
	},
	{
		ID:    "driver/log",
		Title: "The kernel log shows no GPU fault",
		Needs: []string{"driver/loaded"},
		Doc: `Resets, ring timeouts, page faults and firmware that stopped answering, since the machine was started. Reading the kernel log
needs root on many distributions.`,
		Run: runLog,
	},
	{
		ID:    "driver/parameters",
		Title: "Kernel parameters that somebody set do what they should",
		Needs: []string{"driver/loaded"},
		Doc: `Each parameter of amdgpu, ttm and amdttm that stands in modprobe.d or on the kernel command line is held against the running
driver and against the default for this GPU and kernel: whether it exists, is deprecated, reaches this GPU, changes anything, does
harm, and was taken over. ` + "`noretry=0`" + ` enables retry, and ` + "`vm_fragment_size=9`" + ` is the default since gfx9. Nobody needs a parameter
for ROCm to work.`,
		Run: runParameters,
	},
}

// excused reports whether a GPU that does not work may be left at a warning:
// another one computes, and it is not the lesser of the two. An integrated GPU
// that works does not make a dead card fine.
func excused(m *machine.Machine, g machine.GPU) bool {
	return slices.ContainsFunc(m.ComputeGPUs(), func(o machine.GPU) bool {
		return g.Kind == machine.Integrated || o.Kind != machine.Integrated
	})
}

// concerned returns the AMD GPUs, or a finding that says why there are none to
// speak of.
func concerned(m *machine.Machine) ([]machine.GPU, []check.Finding) {
	switch gpus := m.AMDGPUs(); {
	case m.OS == "windows":
		return nil, []check.Finding{check.NotHere("", "this is about the Linux driver")}
	case len(gpus) > 0:
		return gpus, nil
	case m.GPUs.Known():
		return nil, []check.Finding{check.NotHere("", "there is no AMD GPU here")}
	}
	return nil, []check.Finding{check.NotHere("", "which GPUs there are is not known (gpu/present)")}
}
