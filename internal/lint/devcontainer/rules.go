package devcontainer

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func missingDevices(p *lint.Pass) {
	for _, s := range all(p) {
		byFlag := len(s.of("--gpus")) > 0 && !s.has("/dev/kfd") && !s.has("/dev/dri")
		if s.privileged() != nil || s.byCDI() || byFlag {
			continue // they have them, or another rule tells
		}
		var missing, args []string
		for _, d := range []string{"/dev/kfd", "/dev/dri"} {
			if !s.has(d) {
				missing, args = append(missing, d), append(args, "--device="+d)
			}
		}
		if len(missing) == 0 {
			continue
		}
		list := strings.Join(missing, " and ")
		p.Report(lint.Finding{
			File: s.file, Line: s.line(s.get("runArgs")), Verdict: check.Fail, Cause: "container-device-not-mapped",
			Message: fmt.Sprintf("This container is not given %s, and %s. Without both /dev/kfd and a render node of /dev/dri HIP finds no device.", list, s.sign),
			Mend:    s.add("Pass "+list, args...),
			Advice:  []remedy.Remedy{lint.ByHand("devcontainer-devices", "Pass "+list, `in runArgs: "`+strings.Join(args, `", "`)+`"`)},
		})
	}
}

func gpusFlag(p *lint.Pass) {
	for _, s := range all(p) {
		for i, a := range s.of("--gpus") {
			f := lint.Finding{
				File: s.file, Line: s.line(a.first), Verdict: check.Warn, Cause: "container-device-not-mapped",
				Message: fmt.Sprintf("This container asks for GPUs by --gpus, and %s. Docker takes that for AMD only with AMD's container runtime, or in newer versions with a CDI specification; elsewhere the container does not start.", s.sign),
				Advice:  []remedy.Remedy{lint.ByHand("devcontainer-no-gpus-flag", "Pass the devices instead", `in runArgs: "--device=/dev/kfd", "--device=/dev/dri"`)},
			}
			if i == 0 && !s.has("/dev/kfd") && !s.has("/dev/dri") && !s.byCDI() {
				f.Mend = s.devicesFor(a)
			}
			p.Report(f)
		}
	}
}

// devicesFor writes the two devices in the place of an argument: of its two strings,
// so that comments between them stay, or of its one.
func (s *settings) devicesFor(a argument) *lint.Mend {
	const kfd, dri = `"--device=/dev/kfd"`, `"--device=/dev/dri"`
	if a.first == a.last {
		return s.mend("Pass the devices instead", a.first.start, a.first.end, kfd+","+s.newLine(a.first.start)+dri)
	}
	m := s.mend("Pass the devices instead", a.first.start, a.first.end, kfd)
	m.Edits = append(m.Edits, lint.Edit{File: s.file, Start: a.last.start, End: a.last.end, New: dri})
	return m
}

func privileged(p *lint.Pass) {
	for _, s := range all(p) {
		if at := s.privileged(); at != nil {
			p.Report(lint.Finding{
				File: s.file, Line: s.line(at), Verdict: check.Warn,
				Message: "This container is privileged. For computing it need not be: --device=/dev/kfd, --device=/dev/dri and a group do, and a privileged container reaches every device of the host.",
				Advice:  []remedy.Remedy{lint.ByHand("devcontainer-unprivileged", "Pass the devices and give up the privilege", `write "runArgs": ["--device=/dev/kfd", "--device=/dev/dri"], and remove the privilege unless something else needs it`)},
			})
		}
	}
}

func groupNames(p *lint.Pass) {
	for _, s := range all(p) {
		for _, a := range s.of("--group-add") {
			if a.value != "render" && a.value != "video" {
				continue
			}
			f := lint.Finding{
				File: s.file, Line: s.line(a.last), Verdict: check.Warn, Cause: "container-gid-mismatch",
				Message: fmt.Sprintf("The group %s is given by name, which the engine looks up in the image. There it has the number of the image's distribution, or is missing, and then the container does not start.", a.value),
				Advice:  []remedy.Remedy{lint.ByHand("devcontainer-group", "Give the number of the node", "--group-add with the number that stat -c %g /dev/kfd prints on the host")},
			}
			gid, why, ok := grant.GroupNamed(p.Machine, a.value)
			if ok && slices.Contains(p.Needs.GIDs(), gid) { // cards are for pictures, and computing does without
				f.Verdict = check.Fail
			}
			if ok && numbersReach(p) {
				f.Evidence = []machine.Evidence{why}
				f.Mend = s.number(a, gid)
			}
			p.Report(f)
		}
	}
}

// numbersReach reports that numbers of the host are the same in containers.
func numbersReach(p *lint.Pass) bool { return !p.Engine.Rootless && !p.Engine.Remapped }

// number writes the number in the place of a name, however that is escaped, or takes
// the name away where another argument stands for it.
func (s *settings) number(a argument, gid uint32) *lint.Mend {
	text := strconv.FormatUint(uint64(gid), 10)
	twin := slices.ContainsFunc(s.of(a.flag), func(o argument) bool {
		return o.value == text || o.value == a.value && o.first.start < a.first.start
	})
	if twin {
		if m := s.removal("Remove "+a.value+", whose number is there", a); m != nil {
			return m
		}
	}
	whole := `"` + text + `"`
	if a.first == a.last {
		whole = `"` + a.flag + "=" + text + `"`
	}
	return s.mend(fmt.Sprintf("Write gid %d instead of %s", gid, a.value), a.last.start, a.last.end, whole)
}

// removal takes an argument out of runArgs, with the comma between it and the next
// one, or the one before it; nil where a comment stands there too.
func (s *settings) removal(title string, a argument) *lint.Mend {
	items := s.get("runArgs").items
	from, to := slices.Index(items, a.first), slices.Index(items, a.last)
	start, end := a.first.start, a.last.end
	switch {
	case to+1 < len(items):
		end = items[to+1].start
	case from > 0:
		start = items[from-1].end
	}
	between := s.file.Data[start:end]
	for _, v := range items[from : to+1] {
		between = bytes.Replace(between, s.file.Data[v.start:v.end], nil, 1)
	}
	if len(bytes.Trim(between, ", \t\r\n")) > 0 {
		return nil
	}
	return s.mend(title, start, end, "")
}

func missingGroups(p *lint.Pass) {
	if !p.Needs.Complete() || !numbersReach(p) {
		return
	}
	for _, s := range all(p) {
		at := s.stranger()
		if at == nil || s.privileged() != nil || !s.has("/dev/kfd") && !s.byCDI() {
			continue
		}
		var missing, args []string
		for _, gid := range p.Needs.GIDs() {
			if !slices.ContainsFunc(s.of("--group-add"), func(a argument) bool { return a.stands(p, gid) }) {
				text := strconv.FormatUint(uint64(gid), 10)
				missing, args = append(missing, text), append(args, "--group-add="+text)
			}
		}
		if len(missing) == 0 {
			continue
		}
		list := strings.Join(missing, " and ")
		p.Report(lint.Finding{
			File: s.file, Line: s.line(at), Verdict: check.Fail, Cause: "device-permission-group",
			Message: fmt.Sprintf("%s is not root and not in gid %s, to which the nodes of the GPU belong on this machine. It gets EACCES.", at.text, list),
			Mend:    s.add("Add gid "+list, args...),
			Advice:  []remedy.Remedy{lint.ByHand("devcontainer-add-gid", "Add the group of the nodes", `in runArgs: "`+strings.Join(args, `", "`)+`"`)},
		})
	}
}

// stranger is where a user is named who is not root; nil where the image decides.
func (s *settings) stranger() *value {
	for _, key := range []string{"remoteUser", "containerUser"} {
		if v := s.get(key); v.string() != "" {
			if user, _, _ := strings.Cut(v.text, ":"); user == "root" || user == "0" {
				return nil
			}
			return v
		}
	}
	return nil
}

// stands reports a group that is meant to be that of a number: devcontainer/group-name
// speaks of the names.
func (a argument) stands(p *lint.Pass, gid uint32) bool {
	named, _, ok := grant.GroupNamed(p.Machine, a.value)
	return a.value == strconv.FormatUint(uint64(gid), 10) || a.value == grant.KeepGroups || ok && named == gid
}
