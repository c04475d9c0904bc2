package environ

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func override(p *lint.Pass) {
	for _, s := range settings(p) {
		if s.name != rocm.OverrideVariable && !strings.HasPrefix(s.name, rocm.OverrideVariable+"_") {
			continue
		}
		if f, wrong := judgeOverride(p, s); wrong {
			f.File, f.Line = s.file, s.line
			p.Report(f)
		}
	}
}

func judgeOverride(p *lint.Pass, s setting) (lint.Finding, bool) {
	gfx, err := rocm.ParseOverride(s.value)
	switch {
	case errors.Is(err, rocm.ErrEmptyOverride):
		return lint.Finding{
			Verdict: check.Fail, Cause: "hsa-override-wrong", Mend: passOn(s),
			Message: fmt.Sprintf("%s is set to nothing here, which is not the same as unset. The runtime takes the empty text for a version and then offers no usable GPU.", s.name),
			Advice:  takeOut(p, s),
		}, true
	case err != nil:
		return lint.Finding{
			Verdict: check.Fail, Cause: "hsa-override-wrong", Advice: takeOut(p, s),
			Message: fmt.Sprintf("%s is not a version that the runtime understands. It stops with \"is invalid\" and offers no GPU: %v.", s.text(), err),
		}, true
	}
	f := lint.Finding{Verdict: check.Warn, Advice: takeOut(p, s)}
	if gpus := p.Machine.TargetGPUs(); len(gpus) > 0 {
		return judgeHere(f, s, gpus[0])
	}
	f.Message = fmt.Sprintf("%s makes every GPU pass for %s, on every machine that this file meets. Where that is another family, programs crash or compute nonsense.", s.text(), gfx)
	return f, !s.local()
}

// judgeHere judges an override for a GPU of the machine.
func judgeHere(f lint.Finding, s setting, g machine.GPU) (lint.Finding, bool) {
	o, err := rocm.JudgeOverride(g.Gfx.Value, s.value)
	if err != nil {
		return f, false // ParseOverride took it
	}
	f.Cause = "hsa-override-wrong"
	f.Evidence = []machine.Evidence{{From: g.Gfx.From, Text: g.Label() + ": " + g.Gfx.Value}, provenance(o.Provenance)}
	setting, gpu := s.text(), g.Gfx.Value
	if s.branch {
		setting += ", where this branch is taken,"
	}
	switch o.Verdict {
	case rocm.OverrideCrossFamily:
		if !s.branch { // which may well ask for the GPU
			f.Verdict = check.Fail
		}
		f.Message = fmt.Sprintf("%s makes a %s run code of another instruction set, that of %s. %s %s", setting, gpu, o.Impersonates, o.Why, o.Caution)
	case rocm.OverridePointless:
		f.Message = fmt.Sprintf("%s changes nothing on %s, and makes every other GPU pass for it. It is the GPU's own value.", setting, gpu)
	case rocm.OverrideSameFamily:
		f.Cause = "hsa-override-needed"
		f.Message = fmt.Sprintf("%s is right for few machines only, and this file is for all of them. A %s runs as %s. %s %s", setting, gpu, o.Impersonates, o.Why, o.Caution)
	default:
		f.Message = fmt.Sprintf("%s is risky on %s, which runs as %s. %s %s", setting, gpu, o.Impersonates, o.Why, o.Caution)
	}
	f.Message = strings.TrimSpace(f.Message)
	// In the machine's own file, or where a script asked first, it may be all that
	// makes the GPU run.
	return f, !s.local() && !s.branch || o.Verdict != rocm.OverrideSameFamily
}

// passOn makes the name alone of NAME=${NAME:-}, which passes a value on where
// there is one.
func passOn(s setting) *lint.Mend {
	if s.file.Kind != lint.Compose || s.node == nil || s.node.Shared() {
		return nil
	}
	name, value, isItem := strings.Cut(s.node.Value(), "=")
	if !isItem || name != s.name || value != "${"+name+":-}" && value != "${"+name+"-}" && value != "${"+name+"}" && value != "$"+name {
		return nil
	}
	e, err := s.node.Replace(name)
	if err != nil {
		return nil
	}
	return &lint.Mend{
		Title: "Pass " + name + " on only where it is set",
		Edits: []lint.Edit{{File: s.file, Start: e.Start, End: e.End, New: e.New}},
	}
}
