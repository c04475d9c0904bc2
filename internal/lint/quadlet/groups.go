package quadlet

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

// nodeGroups are the names that people give for the nodes of GPUs.
var nodeGroups = []string{"render", "video"}

func (s *service) named() []said {
	return slices.DeleteFunc(s.groups(), func(g said) bool { return !slices.Contains(nodeGroups, g.text) })
}

func groupNames(p *lint.Pass) {
	for _, s := range services(p) {
		rootless, known := s.rootless(p)
		for _, g := range s.named() {
			node := "/dev/kfd"
			if g.text == "video" {
				node = "/dev/dri/card0"
			}
			f := lint.Finding{
				File: g.entry.file, Line: g.line(), Verdict: check.Warn, Cause: "container-gid-mismatch",
				Message: fmt.Sprintf("The group %s is given by name, which podman looks up in the image. There it has the number of the image's distribution, or is missing, and then the unit does not start.", g.text),
				Advice: []remedy.Remedy{lint.ByHand("quadlet-group", "Give the number of the node, or keep the groups",
					"podman as root: GroupAdd= with the number that stat -c %g "+node+" prints on the host; rootless podman: GroupAdd=keep-groups")},
			}
			gid, why, ok := grant.GroupNamed(p.Machine, g.text)
			if ok && slices.Contains(p.Needs.GIDs(), gid) || known && rootless && len(p.Needs.Groups) > 0 { // cards are for pictures, and computing does without
				f.Verdict = check.Fail
			}
			switch {
			case known && rootless:
				f.Cause = "rootless-userns"
				f.Mend = s.keepGroups()
			case known && ok && !s.mapped():
				f.Evidence = []machine.Evidence{why}
				f.Mend = s.number(g, gid)
			}
			p.Report(f)
		}
	}
}

// number writes the number in the place of a name, or takes the name away where
// the number is there already, or the name before it.
func (s *service) number(g said, gid uint32) *lint.Mend {
	text := strconv.FormatUint(uint64(gid), 10)
	groups := s.groups()
	earlier := groups[:slices.IndexFunc(groups, func(o said) bool { return o.entry == g.entry && o.start == g.start })]
	named := slices.ContainsFunc(earlier, func(o said) bool { return o.text == g.text && o.writable() })
	if named || slices.ContainsFunc(groups, func(o said) bool { return o.text == text }) {
		return s.ownMend("Remove "+g.text+", whose number is there", g.removal())
	}
	if !g.writable() {
		return nil
	}
	return s.ownMend(fmt.Sprintf("Write gid %d instead of %s", gid, g.text), lint.Edit{File: g.entry.file, Start: g.start, End: g.end, New: text})
}

// ownMend is nil where it would edit a drop-in that other units have, too: what is
// right for this one may be wrong for them.
func (s *service) ownMend(title string, edits ...lint.Edit) *lint.Mend {
	if slices.ContainsFunc(edits, func(e lint.Edit) bool { return s.shared[e.File] }) {
		return nil
	}
	return &lint.Mend{Title: title, Edits: edits}
}

// writable tells a value in whose place another can be written: one that is quoted
// alone goes with its quotes, and of a flag they may begin in front of it.
func (g said) writable() bool { return g.plain || g.entry.key == "GroupAdd" }

// keepGroups writes keep-groups in the place of the first group, and takes all
// others away: podman wants it alone.
func (s *service) keepGroups() *lint.Mend {
	groups := s.groups()
	kept := slices.IndexFunc(groups, func(g said) bool { return g.text == grant.KeepGroups })
	first := -1
	if kept < 0 {
		if first = slices.IndexFunc(groups, said.writable); first < 0 {
			return nil
		}
	}
	var edits []lint.Edit
	for i, g := range groups {
		switch i {
		case kept:
		case first:
			edits = append(edits, lint.Edit{File: g.entry.file, Start: g.start, End: g.end, New: grant.KeepGroups})
		default:
			edits = append(edits, g.removal())
		}
	}
	return s.ownMend("Keep the groups of the user", edits...)
}

// removal takes a value away with its flag and the blanks in front of it, and the
// whole line where it says nothing else.
func (g said) removal() lint.Edit {
	file := g.entry.file
	e := lint.Edit{File: file, Start: g.from, End: g.end}
	if g.alone {
		e.Start, e.End = g.entry.start, g.entry.end
		return e
	}
	from, to := bytes.LastIndexByte(file.Data[:g.from], '\n')+1, lineEnd(file.Data, g.end)
	if len(bytes.TrimSpace(file.Data[from:g.from])) == 0 && string(bytes.TrimSpace(file.Data[g.end:to])) == `\` {
		e.Start, e.End = from, to // a line of its own among those that go on
		return e
	}
	for e.Start > g.entry.start && strings.ContainsRune(" \t", rune(file.Data[e.Start-1])) {
		e.Start--
	}
	before := bytes.TrimRight(file.Data[g.entry.start:e.Start], "\r\n")
	if e.Start == from && len(bytes.TrimSpace(file.Data[g.end:to])) == 0 && continued(before) {
		// The last line of several: the one before it need not go on any more.
		e.Start = g.entry.start + len(bytes.TrimRight(before[:len(before)-1], " \t"))
	}
	return e
}

func (g said) line() int { return 1 + bytes.Count(g.entry.file.Data[:g.start], []byte("\n")) }

// insert puts lines behind the last entry of the first key that there is, in the
// file where that stands.
func (s *service) insert(title string, lines []string, behind ...string) *lint.Mend {
	file, at, open := s.file, s.section, false
	for _, key := range behind {
		if last := s.lastOf(key); last != nil {
			file, at, open = last.file, last.end, last.open()
			break
		}
	}
	if at == 0 {
		return nil
	}
	eol := "\n"
	if bytes.Contains(file.Data, []byte("\r\n")) {
		eol = "\r\n"
	}
	text := strings.Join(lines, eol) + eol
	if file.Data[at-1] != '\n' {
		text = eol + strings.TrimSuffix(text, eol)
	}
	if open {
		text = eol + text
	}
	return s.ownMend(title, lint.Edit{File: file, Start: at, End: at, New: text})
}

func missingGroups(p *lint.Pass) {
	if !p.Needs.Complete() || len(p.Needs.Groups) == 0 {
		return
	}
	for _, s := range services(p) {
		rootless, known := s.rootless(p)
		_, privileged := s.privileged()
		if !known || rootless && len(s.named()) > 0 || !s.has("/dev/kfd") && !s.byCDI() {
			continue // not told, told by another rule, or nothing to open
		}
		switch {
		case rootless:
			if !s.keeps() {
				p.Report(s.lost(p))
			}
		case !privileged && s.stranger() && !s.mapped():
			if missing := s.missing(p); len(missing) > 0 {
				p.Report(s.shutOut(missing))
			}
		}
	}
}

// lost is a rootless unit whose process loses the groups of its user.
func (s *service) lost(p *lint.Pass) lint.Finding {
	first := p.Needs.Groups[0]
	file, line := s.place("GroupAdd", "AddDevice", "PodmanArgs")
	f := lint.Finding{
		File: file, Line: line, Verdict: check.Fail, Cause: "rootless-userns",
		Message: fmt.Sprintf("This rootless unit loses the groups of its user, and %s belongs to gid %d. The process gets EACCES; no number in GroupAdd helps, because numbers in the container are others outside.",
			first.Nodes[0], first.GID),
		Evidence: []machine.Evidence{{From: machine.Source(strings.Join(first.Nodes, " ")), Text: fmt.Sprintf("gid %d", first.GID)}},
		Advice:   []remedy.Remedy{lint.ByHand("quadlet-keep-groups", "Keep the groups of the user", "GroupAdd=keep-groups, with crun as runtime and the user in the group of the node")},
	}
	if len(s.groups()) > 0 {
		f.Mend = s.keepGroups()
	} else {
		f.Mend = s.insert("Keep the groups of the user", []string{"GroupAdd=" + grant.KeepGroups}, "GroupAdd", "AddDevice", "Image")
	}
	return f
}

// stranger reports that the unit says to run as somebody who is not root.
func (s *service) stranger() bool {
	user, _, _ := strings.Cut(s.last("User", "--user", "-u"), ":")
	return user != "" && user != "0" && user != "root" && !strings.HasPrefix(user, "%")
}

// missing are the numbers that nothing stands for, names included: quadlet/group-name
// speaks of those.
func (s *service) missing(p *lint.Pass) []string {
	var out []string
	for _, gid := range p.Needs.GIDs() {
		text := strconv.FormatUint(uint64(gid), 10)
		has := func(g said) bool {
			named, _, ok := grant.GroupNamed(p.Machine, g.text)
			return g.text == text || g.text == grant.KeepGroups || ok && named == gid
		}
		if s.last("Group") != text && !slices.ContainsFunc(s.groups(), has) {
			out = append(out, text)
		}
	}
	return out
}

func (s *service) shutOut(missing []string) lint.Finding {
	lines := make([]string, len(missing))
	for i, gid := range missing {
		lines[i] = "GroupAdd=" + gid
	}
	cause := "device-permission-group"
	if len(s.groups()) > 0 {
		cause = "container-gid-mismatch"
	}
	list := strings.Join(missing, " and ")
	file, line := s.place("User", "GroupAdd", "PodmanArgs")
	return lint.Finding{
		File: file, Line: line, Verdict: check.Fail, Cause: cause,
		Message: fmt.Sprintf("The process of this unit is not root and not in gid %s, to which the nodes of the GPU belong on this machine. It gets EACCES.", list),
		Mend:    s.insert("Add gid "+list, lines, "GroupAdd", "AddDevice", "Image"),
		Advice:  []remedy.Remedy{lint.ByHand("quadlet-add-gid", "Add the group of the nodes", strings.Join(lines, ", "))},
	}
}

func keepGroupsAlone(p *lint.Pass) {
	for _, s := range services(p) {
		groups := s.groups()
		i := slices.IndexFunc(groups, func(g said) bool { return g.text == grant.KeepGroups })
		if i < 0 || len(groups) == 1 {
			continue
		}
		p.Report(lint.Finding{
			File: groups[i].entry.file, Line: groups[i].line(), Verdict: check.Fail, Cause: "rootless-userns",
			Message: "keep-groups stands beside another group here. Podman refuses that, and the unit does not start.",
			Mend:    s.keepGroups(),
			Advice:  []remedy.Remedy{lint.ByHand("quadlet-keep-alone", "Give keep-groups alone", "remove the other GroupAdd lines: the groups of the user are kept, and the user has to be in those that are needed")},
		})
	}
}
