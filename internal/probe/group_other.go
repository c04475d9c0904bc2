//go:build !linux && !windows

package probe

import (
	"os"
	"os/exec"
)

// A group is the child alone: there is no ROCm on these systems, and rocsmith
// only has to compile.
type group struct{}

func (group) prepare(*exec.Cmd) {}

func (group) adopt(*os.Process) {}

func (group) await(int) {}

func (group) kill(p *os.Process) { _ = p.Kill() }

func (group) release() {}

func endingOf(s *os.ProcessState) ending { return ending{code: s.ExitCode()} }
