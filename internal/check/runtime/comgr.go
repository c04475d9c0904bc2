package runtime

import (
	"fmt"
	"path"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

const comgr = "libamd_comgr"

func runComgr(in check.Input) []check.Finding {
	m := in.Machine
	files, none := looked(m, "whether HIP finds its code object manager")
	if none != nil {
		return none
	}
	var out []check.Finding
	seen := map[machine.Source]bool{}
	for _, f := range files {
		if f.Comgr.From == "" || seen[f.Comgr.From] {
			continue // no HIP runtime in it, or one that was judged
		}
		seen[f.Comgr.From] = true
		out = append(out, judgeComgr(m, f))
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("HIP runtime", "no HIP runtime was found here")}
	}
	return out
}

func judgeComgr(m *machine.Machine, f machine.Linked) check.Finding {
	hip := string(f.Comgr.From)
	switch {
	case f.Comgr.Known():
		return check.Finding{Subject: hip, Verdict: check.OK, Message: fmt.Sprintf("%s finds its code object manager, %s", path.Base(hip), f.Comgr.Value)}
	case f.Comgr.Unread():
		return check.NotHere(hip, f.Comgr.Why)
	case len(f.NoComgr.Lies) > 0 && len(wanting(f)) > 0:
		return check.NotHere(hip, "runtime/libraries says why nothing is found")
	}
	return check.Finding{
		Subject: hip, Verdict: check.Fail, Cause: "comgr-missing",
		Message:  fmt.Sprintf("The HIP runtime %s is there, but its code object manager %s is not. Programs then say \"no ROCm-capable device is detected\" or \"Failed to load COMGR library\", although driver and GPU are fine.", path.Base(hip), f.NoComgr.Name),
		Evidence: []machine.Evidence{{From: machine.Source(hip), Text: "asks for " + f.NoComgr.Name}, {From: "searched", Text: some(f.NoComgr.Searched, 8)}},
		Remedies: bring(m, f, f.NoComgr, ""),
	}
}
