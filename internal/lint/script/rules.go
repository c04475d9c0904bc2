package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func devices(p *lint.Pass) {
	for _, r := range runs(p) {
		kfd, hasKFD := r.passes("/dev/kfd")
		dri, hasDRI := r.passes("/dev/dri")
		if hasKFD == hasDRI || r.open() {
			continue
		}
		there, missing := kfd, "/dev/dri"
		if hasDRI {
			there, missing = dri, "/dev/kfd"
		}
		flag := "--device=" + missing
		if there.first != there.last {
			flag = "--device " + missing
		}
		p.Report(lint.Finding{
			File: r.file, Line: there.last.Line, Verdict: check.Fail, Cause: "container-device-not-mapped",
			Message: fmt.Sprintf("The container that %s starts here is not given %s. Without both /dev/kfd and a render node of /dev/dri HIP finds no device.", r.engine, missing),
			Mend:    &lint.Mend{Title: "Pass " + missing, Edits: []lint.Edit{{File: r.file, Start: there.last.End, End: there.last.End, New: " " + flag}}},
			Advice:  []remedy.Remedy{lint.ByHand("script-devices", "Pass "+missing, "Write "+flag+" beside it")},
		})
	}
}

// kfdGroup asks the node for the number of its group, where the script runs.
const kfdGroup = `"$(stat -c %g /dev/kfd)"`

func groupNames(p *lint.Pass) {
	for _, r := range runs(p) {
		named := slices.DeleteFunc(r.of("--group-add"), func(a argument) bool { return a.value != "render" && a.value != "video" })
		mend := r.regroup(p, named)
		for _, a := range named {
			f := lint.Finding{
				File: r.file, Line: a.last.Line, Verdict: check.Warn, Cause: "container-gid-mismatch", Mend: mend,
				Message: fmt.Sprintf("The group %s is given by name, which %s looks up in the image. There it has the number of the image's distribution, or is missing, and then the container does not start.", a.value, r.engine),
				Advice: []remedy.Remedy{lint.ByHand("script-group", "Give the number of the node, or keep the groups",
					"Write --group-add "+kfdGroup+", once for all of them; podman of a user: --group-add keep-groups")},
			}
			if r.stranger() && len(p.Needs.Groups) > 0 {
				f.Verdict = check.Fail
			}
			p.Report(f)
		}
	}
}

// group is what is to be written in the place of names; not ok where it depends on
// what is not known.
func (r run) group(p *lint.Pass) (string, bool) {
	if r.engine == "podman" && !r.root {
		if p.Podman.Kind != grant.Podman {
			return "", false
		}
		if p.Podman.Rootless {
			return grant.KeepGroups, true
		}
	}
	if r.engine == "docker" && (p.Engine.Rootless || p.Engine.Remapped) {
		return "", false
	}
	// One number is enough where all nodes have the same, as far as is known.
	return kfdGroup, len(p.Needs.GIDs()) <= 1
}

// regroup writes one group in the place of all names: the first of them becomes it,
// unless it is there already, and the others go.
func (r run) regroup(p *lint.Pass, named []argument) *lint.Mend {
	group, ok := r.group(p)
	if !ok {
		return nil
	}
	m := &lint.Mend{Title: "Write " + group + " instead of names"}
	there := slices.ContainsFunc(r.of("--group-add"), func(a argument) bool { return strings.Contains(a.value, "/dev/kfd") || a.value == grant.KeepGroups })
	for i, a := range named {
		edit, ok := r.removal(a)
		if i == 0 && !there {
			edit, ok = r.replacement(a, group)
		}
		if !ok {
			return nil
		}
		m.Edits = append(m.Edits, edit)
	}
	return m
}

// replacement writes another value, where the old one stands there as it is.
func (r run) replacement(a argument, value string) (lint.Edit, bool) {
	start := a.last.Start
	if a.first == a.last {
		start += len(a.flag) + 1
	}
	e := lint.Edit{File: r.file, Start: start, End: a.last.End, New: value}
	return e, strings.Trim(string(r.file.Data[e.Start:e.End]), `"'`) == a.value
}

// removal takes an argument away with the blanks before it, or with its line.
func (r run) removal(a argument) (lint.Edit, bool) {
	text := string(r.file.Data)
	if from, to, alone := ownLine(text, a.first.Start, a.last.End); alone {
		return lint.Edit{File: r.file, Start: from, End: to}, true
	}
	start := len(strings.TrimRight(text[:a.first.Start], " \t"))
	// In the last line of a command the one before it goes on, and would go on to
	// something else.
	return lint.Edit{File: r.file, Start: start, End: a.last.End}, start > 0 && text[start-1] != '\n'
}

// ownLine finds the line that an argument has for itself, in a command that goes on.
func ownLine(text string, start, end int) (from, to int, alone bool) {
	from = strings.LastIndexByte(text[:start], '\n') + 1
	n := strings.IndexByte(text[end:], '\n')
	if n < 0 || strings.TrimSpace(text[from:start]) != "" || strings.TrimSpace(text[end:end+n]) != `\` {
		return 0, 0, false
	}
	return from, end + n + 1, true
}
