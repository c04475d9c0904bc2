package probe

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: Windows ends all processes in it when its last
// handle is closed, also where rocsmith itself is killed.
type group struct{ job windows.Handle }

func (*group) prepare(*exec.Cmd) {}

// adopt puts a child into a job. Where Windows refuses, the child is ended
// alone.
func (g *group) adopt(p *os.Process) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil || !assign(job, p.Pid) {
		_ = windows.CloseHandle(job)
		return
	}
	g.job = job
}

func assign(job windows.Handle, pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid)) //nolint:gosec // process ids of Windows are 32 bits
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(job, process) == nil
}

// await leaves the waiting to Wait: a job does not lose its identity.
func (*group) await(int) {}

func (g *group) kill(p *os.Process) {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = p.Kill()
}

func (g *group) release() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

func endingOf(s *os.ProcessState) ending { return ending{code: s.ExitCode()} }
