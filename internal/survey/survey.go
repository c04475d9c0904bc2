// Package survey looks at a host and writes down what it is, one file per source, without judging anything.
package survey

import (
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// Take surveys a machine, and asks what its loader would do with some programs. It
// never fails: what could not be read is a fact that says so.
func Take(r host.Reader, programs ...string) *machine.Machine {
	m := &machine.Machine{OS: r.OS()}
	if m.OS == "windows" {
		surveyWindows(r, m, programs)
		return m
	}
	environments := meanwhile(func() machine.Fact[[]machine.PythonEnvironment] { return python(r, nil) })
	log := meanwhile(func() machine.Fact[[]string] { return kernelLog(r) })
	m.Kernel = text(r, "/proc/sys/kernel/osrelease")
	m.CommandLine = text(r, "/proc/cmdline")
	m.Distro = distro(r)
	m.Hypervisor = hypervisor(r, m.Kernel)
	m.SELinux = selinux(r)
	m.SecureBoot = secureBoot(r)

	accounts := accounts(r)
	m.Groups = groups(r)
	m.Process = process(r, accounts)
	m.Caller = caller(r, accounts, m.Groups)
	m.Container = container(r, m.Process, m.Hypervisor)
	m.Variables = variables(r)
	m.VariableSources = variableSources(r)
	m.VariablePaths = variablePaths(r, m.Variables)

	m.KFD = node(r, "/dev/kfd", true)
	m.RenderNodes = nodes(r, "renderD", true)
	m.Cards = nodes(r, "card", false)
	m.DXG = exists(r, "/dev/dxg")

	m.Driver = driver(r, m.Kernel.Value, m.CommandLine)
	m.Memory = memory(r)
	m.GPUs, m.Driver.Topology = gpus(r)
	m.Python = <-environments
	m.ROCm = installations(r, m.Python.Value)
	m.Linkage = linked(r, m, append(programFiles(programs), linkFiles(r, m)...))
	m.Kernels = kernels(r, m)
	m.Libraries = codeLibraries(r, m)
	m.Caches = caches(r, m)
	m.KernelLog = <-log
	return m
}

// GPUs looks for the GPUs of a machine and for nothing else, which is fast. Where
// they are not found like that, they stay unread.
func GPUs(r host.Reader) *machine.Machine {
	m := &machine.Machine{OS: r.OS()}
	if m.OS != "windows" {
		m.GPUs, m.Driver.Topology = gpus(r)
		m.DXG = exists(r, "/dev/dxg")
	}
	return m
}

// meanwhile answers what takes long and depends on nothing else, hundreds of
// small files or a whole kernel log, while the other questions are asked.
func meanwhile[T any](ask func() T) <-chan T {
	answer := make(chan T, 1)
	go func() { answer <- ask() }()
	return answer
}
