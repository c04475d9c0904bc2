package environ

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// judgeVisible judges the variables that choose GPUs: by what ROCr makes of an
// empty list, and by how many GPUs the machine has.
func judgeVisible(p *lint.Pass, s setting) (lint.Finding, bool) {
	if !slices.Contains([]string{"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}, s.name) {
		return lint.Finding{}, false
	}
	f := lint.Finding{Verdict: check.Fail, Cause: "visible-devices-misset", Advice: takeOut(p, s)}
	if s.file.Kind == lint.Script { // where it may be meant for one command
		f.Verdict = check.Warn
	}
	if s.value == "" {
		f.Message = "ROCR_VISIBLE_DEVICES is set to nothing here, which hides every GPU. Unset and empty are not the same for this variable."
		f.Mend = passOn(s)
		return f, s.name == "ROCR_VISIBLE_DEVICES" // HIP takes an empty one for no filter
	}
	gpus := p.Machine.ComputeGPUs()
	bad, at := beyond(s.value, len(gpus))
	if at < 0 || len(gpus) == 0 || s.file.Kind == lint.Kubernetes { // which runs on a node that is not this machine
		return f, false
	}
	f.Evidence = []machine.Evidence{{From: gpus[0].Node.From, Text: fmt.Sprintf("%s here", gpuCount(len(gpus)))}}
	if at == 0 {
		f.Message = fmt.Sprintf("%s chooses no GPU of this machine. It has %s, numbered from 0, and the program sees none.", s.text(), gpuCount(len(gpus)))
		return f, true
	}
	f.Verdict = check.Warn
	f.Message = fmt.Sprintf("%s is cut short at %d. This machine has %s, numbered from 0, and the runtime ignores that number and everything behind it.", s.text(), bad, gpuCount(len(gpus)))
	return f, true
}

// beyond finds the first number of a list that a machine with so many GPUs does
// not have, and its place; -1 where all is well or the list holds anything but
// numbers. A negative one hides all GPUs, and is set for that.
func beyond(list string, gpus int) (number, at int) {
	number, at = 0, -1
	for i, token := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(token))
		if err != nil || n < 0 {
			return 0, -1
		}
		if n >= gpus && at < 0 {
			number, at = n, i
		}
	}
	return number, at
}

func gpuCount(n int) string {
	if n == 1 {
		return "1 GPU"
	}
	return fmt.Sprintf("%d GPUs", n)
}
