package env

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runNames(in check.Input) []check.Finding {
	m := in.Machine
	if m.Variables.Unread() {
		return notRead(m, "which variables of ROCm are set")
	}
	var out []check.Finding
	var unknown, elsewhere []string
	for _, s := range settings(m) {
		if f, wrong := judgeName(m, s); wrong {
			out = append(out, f)
			continue
		}
		if !rocm.Concerns(s.Name) {
			unknown = append(unknown, s.Name)
		}
		elsewhere = append(elsewhere, s.notHere()...)
	}
	if len(out) == 0 {
		out = append(out, content(m, unknown))
	}
	if len(elsewhere) > 0 {
		out = append(out, check.Finding{
			Subject: "login files", Verdict: check.OK,
			Message: fmt.Sprintf("%s in files that shells read, but not in this process. A new login may differ from this one: %s.", counted(len(elsewhere), "setting stands", "settings stand"), strings.Join(elsewhere, ", ")),
		})
	}
	return out
}

// notHere lists the lines whose value this process does not have.
func (s setting) notHere() []string {
	lines := s.other
	if !s.set {
		lines = s.lines
	}
	var out []string
	for _, l := range lines {
		if !computed(l.Value) {
			out = append(out, l.Name+"="+shortened(l.Value)+" in "+place(l))
		}
	}
	return out
}

func judgeName(m *machine.Machine, s setting) (check.Finding, bool) {
	f := check.Finding{Subject: s.Name, Verdict: check.Warn, Evidence: s.evidence(m), Remedies: []remedy.Remedy{s.unset(m)}}
	if i, ok := rocm.Invented(s.Name); ok {
		f.Message = fmt.Sprintf("No component reads %s, so it changes nothing. %s%s", s.Name, i.Why, s.where())
		if i.Build {
			f.Message = fmt.Sprintf("%s is a build option and not a variable, so it changes nothing. %s%s", s.Name, i.Why, s.where())
		}
		f.Evidence = append(f.Evidence, provenance(i.Provenance))
		return f, true
	}
	if rocm.Concerns(s.Name) {
		return f, false
	}
	near, ok := rocm.NearestName(s.Name)
	if !ok {
		return f, false
	}
	readers, _ := rocm.ReadBy(near)
	f.Message = fmt.Sprintf("%s is not a name we know, and %s is probably meant. That one is read by %s; a name that nothing reads is passed over in silence.%s",
		s.Name, near, strings.Join(readers, " and "), s.where())
	if plain(s.Value) {
		f.Remedies = []remedy.Remedy{cure.For(m, "env-rename", cure.Values{"name": s.Name, "right": near, "value": s.Value})}
	}
	return f, true
}

// plain values need no quotes in a shell.
func plain(value string) bool {
	odd := func(c rune) bool {
		return !strings.ContainsRune("_.,:/+-", c) && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}
	return value != "" && !strings.ContainsFunc(value, odd)
}

// content mentions names that are not known to us: releases newer than the list
// may read them, so they are no fault.
func content(m *machine.Machine, unknown []string) check.Finding {
	f := check.Finding{Subject: "environment", Verdict: check.OK, Message: "No variable of ROCm is set"}
	for _, v := range m.Variables.Value {
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.Variables.From, Text: v.Name + "=" + shortened(v.Value)})
	}
	switch {
	case len(unknown) > 0:
		f.Message = fmt.Sprintf("%s not known to us. A newer release may read what our lists do not have yet: %s.", counted(len(unknown), "variable is", "variables are"), strings.Join(unknown, ", "))
	case len(m.Variables.Value) == 1:
		f.Message = "The one variable of ROCm that is set has a known name"
	case len(m.Variables.Value) > 1:
		f.Message = fmt.Sprintf("All %d variables of ROCm that are set have known names", len(m.Variables.Value))
	}
	return f
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
