package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// shmSizes finds sizes of a /dev/shm that is not the container's own.
func shmSizes(p *lint.Pass) {
	if !p.ForAMD() {
		return
	}
	v := look(p)
	found := gather(v, under("shm_size"))
	for _, s := range v.services() {
		if s.Get("shm_size") != nil && s.Get("ipc").String() == "host" {
			found.add(s, s.Get("shm_size"))
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		f := at(p, place.value)
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("shm_size of %s does nothing beside ipc: host: the container then has the host's /dev/shm, with its size.", place.who())
		edit, err := place.remove()
		f.Mend = mend(p, place.value, "Remove shm_size", edit, err)
		r.report(f)
	}
}

// overPrivileged finds GPU services with all rights of the host. The nodes are all
// that they need.
func overPrivileged(p *lint.Pass) {
	r, v := reporting(p), look(p)
	for _, s := range v.gpus {
		if !privileged(s) || v.rocm[s] == "" {
			continue
		}
		f := at(p, s.Get("privileged"))
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("Service %s is privileged, and has every device and right of the host. ROCm needs /dev/kfd and /dev/dri, and nothing else.", s.Name)
		f.Advice = advice("compose-privileged", "Give it the nodes instead", "Take privileged out of service "+s.Name+" and pass /dev/kfd and /dev/dri as devices, unless something else in it needs more")
		if passes(s, "/dev/kfd") && passes(s, "/dev/dri") {
			f.Advice = advice("compose-privileged", "Leave it at the nodes", "Take privileged out of service "+s.Name+": it is given /dev/kfd and /dev/dri already. Leave it where something else in it needs more")
		}
		r.report(f)
	}
}

// tracers are programs that look into others, for which the rights are.
var tracers = []string{"gdb", "strace", "perf", "rocprof", "omniperf", "py-spy", "ptrace", "valgrind", "lldb"}

func traces(s *composefile.Service) bool {
	text := s.Get("command").String() + s.Get("entrypoint").String() + s.Get("image").String()
	for _, key := range []string{"command", "entrypoint"} {
		for _, word := range s.List(key) {
			text += " " + word.Text
		}
	}
	return slices.ContainsFunc(tracers, func(t string) bool { return strings.Contains(text, t) })
}

// unconfined finds rights that ROCm's own examples hand out and that computing
// does not need.
func unconfined(p *lint.Pass) {
	v := look(p)
	rights := func(s *composefile.Service) []*composefile.Value {
		return slices.Concat(s.List("security_opt"), s.List("cap_add"))
	}
	found := gather(v, rights)
	for _, s := range v.gpus {
		if traces(s) || v.rocm[s] == "" {
			continue
		}
		for _, option := range rights(s) {
			switch strings.ReplaceAll(strings.TrimPrefix(strings.ToUpper(option.Text), "CAP_"), ":", "=") {
			case "SECCOMP=UNCONFINED", "SYS_PTRACE":
				found.add(s, option)
			}
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		f := at(p, place.value)
		f.Verdict = check.Warn
		what := "lets every system call through, which only debuggers and some NUMA tools need"
		if strings.Contains(place.value.Text, "PTRACE") {
			what = "lets processes look into each other, which only debuggers need"
		}
		f.Message = fmt.Sprintf("%s of %s %s. ROCm computes without it.", place.value.Text, place.who(), what)
		f.Advice = advice("compose-unconfined", "Take "+place.value.Text+" out", "Remove the line, and try the program: put it back with a comment that says what needs it")
		r.report(f)
	}
}

// cdiAvailable proposes to name GPUs instead of nodes and groups.
func cdiAvailable(p *lint.Pass) {
	if !p.Engine.CDI || !p.Needs.Complete() {
		return
	}
	r := reporting(p)
	for _, s := range look(p).gpus {
		if !passes(s, "/dev/kfd") {
			continue
		}
		f := at(p, s.Get("devices"))
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("Service %s is given nodes by path. %s %s knows CDI, with which one name stands for the nodes of a GPU, on every machine.", s.Name, p.Engine.Kind, p.Engine.Version)
		f.Advice = paste("compose-cdi", "Describe the GPUs in a CDI specification", "Then write amd.com/gpu=all as the only entry of devices", "rocsmith cdi generate -o /etc/cdi/amd.json")
		r.report(f)
	}
}

// readable tells of projects that cannot be judged, and where.
func readable(p *lint.Pass) {
	v := look(p)
	r := reporting(p)
	for _, w := range v.wrong {
		if w.Path == "" {
			continue
		}
		f := lint.Finding{File: file(p, w.Path), Line: w.Line, Verdict: check.Unknown}
		f.Message = "Not judged: " + w.Reason + "."
		r.report(f)
	}
	for _, project := range v.projects {
		for _, w := range project.Skipped {
			f := lint.Finding{File: file(p, w.Path), Line: w.Line, Verdict: check.Warn}
			f.Message = "Not judged in full: " + w.Reason + "."
			r.report(f)
		}
		for _, s := range project.Services {
			unset(p, r, s)
		}
	}
}

// unset tells of variables without which devices and groups cannot be judged. Where
// nothing speaks of AMD GPUs, they are of serial ports and cameras.
func unset(p *lint.Pass, r *reports, s *composefile.Service) {
	values := slices.Concat(s.Groups(), s.List("devices"))
	if image := s.Get("image"); image != nil && image.Text == "" { // a registry or a tag does not tell what it is
		values = append(values, image)
	}
	for _, v := range values {
		if source := v.Get("source"); source != nil {
			v = source
		}
		if v.Kind != yamltext.Scalar || v.Known() {
			continue
		}
		if _, _, meant := meantBy(p, v); meant {
			continue // compose/group-variable knows what it should be
		}
		f := at(p, v)
		f.Verdict = check.Unknown
		f.Message = fmt.Sprintf("Not judged: %s of service %s is a variable that has no value here and no default.", v.Node.Value(), s.Name)
		switch place, told := sampledAll(p, v); {
		case told:
			f.Verdict = check.Skipped
			f.Message = fmt.Sprintf("Not asked: %s of service %s has no value here. %s is where this project sets it.", v.Node.Value(), s.Name, place)
		case !p.ForAMD():
			f.Verdict = check.Skipped
			f.Message = fmt.Sprintf("Not asked: %s of service %s has no value here, and nothing in this project speaks of AMD GPUs.", v.Node.Value(), s.Name)
		}
		r.report(f)
	}
}
