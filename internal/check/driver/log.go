package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A trouble is one kind of fault in the kernel log.
type trouble struct {
	pattern rocm.LogPattern
	first   string
	count   int
}

func runLog(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	log := m.KernelLog
	switch {
	case log.Unread() && closed(log.Why):
		return []check.Finding{check.NotHere("kernel log", "reading the kernel log needs root here (sudo dmesg)")}
	case log.Unread():
		return []check.Finding{check.NotHere("kernel log", "the kernel log could not be read: "+log.Why)}
	}
	if line := stillDown(log.Value); line != "" {
		return []check.Finding{down(m, line)}
	}
	var out []check.Finding
	for _, t := range troubles(log.Value) {
		out = append(out, logged(m, t))
	}
	if len(out) == 0 {
		return []check.Finding{{Subject: "kernel log", Verdict: check.OK, Message: "The kernel log shows no GPU fault"}}
	}
	return out
}

// reported are the causes that a running machine shows in its log only. Others
// are named by the check that looks at the thing itself.
var reported = map[string]bool{"gpu-reset-ring-timeout": true, "page-fault-gpu-hang": true}

// troubles counts faults by cause: a hung GPU writes many kinds of lines.
func troubles(lines []string) []trouble {
	var out []trouble
	at := map[string]int{}
	for _, line := range lines {
		for _, p := range rocm.LogPatterns() {
			if !reported[p.Cause] || !p.Pattern.MatchString(line) {
				continue
			}
			i, seen := at[p.Cause]
			if !seen {
				i = len(out)
				at[p.Cause] = i
				out = append(out, trouble{pattern: p, first: line})
			}
			out[i].count++
			break
		}
	}
	return out
}

// stillDown returns the line in which the driver gives the GPU up, unless a later
// reset brought it back.
func stillDown(lines []string) string {
	found := ""
	for _, line := range lines {
		switch {
		case matches("reset-failed", line):
			found = line
		case strings.Contains(line, "succeeded!") && matches("gpu-reset", line):
			found = ""
		}
	}
	return found
}

func matches(id, line string) bool {
	return slices.ContainsFunc(rocm.LogPatterns(), func(p rocm.LogPattern) bool { return p.ID == id && p.Pattern.MatchString(line) })
}

func down(m *machine.Machine, line string) check.Finding {
	return check.Finding{
		Subject: "kernel log", Verdict: check.Fail, Cause: "gpu-reset-ring-timeout",
		Message:  "The GPU hung, and resetting it failed. The driver has given it up; programs that use it will hang or fail until the machine is restarted.",
		Evidence: []machine.Evidence{{From: m.KernelLog.From, Text: line}},
		Remedies: []remedy.Remedy{cure.For(m, "restart-machine", nil)},
	}
}

func logged(m *machine.Machine, t trouble) check.Finding {
	what := "Since the machine was started, the GPU hung or was reset"
	if t.pattern.Cause == "page-fault-gpu-hang" {
		what = "Since the machine was started, a program on the GPU used memory it may not use"
	}
	return check.Finding{
		Subject: "kernel log", Verdict: check.Warn, Cause: t.pattern.Cause,
		Message:  fmt.Sprintf("%s. The kernel log says so in %s; programs that ran then must be started again.", what, lines(t.count)),
		Evidence: []machine.Evidence{{From: m.KernelLog.From, Text: t.first}},
		Remedies: []remedy.Remedy{cure.For(m, "read-kernel-log", nil)},
	}
}

func lines(n int) string {
	if n == 1 {
		return "one line"
	}
	return fmt.Sprintf("%d lines", n)
}
