package coverage

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runPackages(in check.Input) []check.Finding {
	m := in.Machine
	var out []check.Finding
	for _, e := range m.Python.Value {
		for _, p := range e.Watched {
			row, known := targetsOf(e, p)
			if !known {
				continue
			}
			for _, g := range m.TargetGPUs() {
				if f, judged := judgePackage(m, m.EffectiveGfx(g), e, p, row); judged {
					out = append(out, f)
				}
			}
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("packages", "no package but torch was found whose list of GPUs is known")}
	}
	return out
}

// targetsOf finds the list of a ROCm build. A package that does not say for
// which ROCm it is, is the one for that of its torch.
func targetsOf(e machine.PythonEnvironment, p machine.PythonPackage) (rocm.PackageTarget, bool) {
	if !p.Build.Known() || p.Build.Value.Kind != rocm.BuildROCm {
		return rocm.PackageTarget{}, false
	}
	release := p.Build.Value.ROCm
	if torch, has := e.Has("torch"); has && release == "" {
		release = torch.Build.Value.ROCm
	}
	return rocm.PackageTargets(p.Package, p.Version, release)
}

func judgePackage(m *machine.Machine, gfx string, e machine.PythonEnvironment, p machine.PythonPackage, row rocm.PackageTarget) (check.Finding, bool) {
	f := check.Finding{
		Subject: e.Prefix + ": " + p.Name, Verdict: check.OK, Message: fmt.Sprintf("%s %s holds code for %s", p.Name, p.Version, gfx),
		Evidence: []machine.Evidence{{From: machine.Source(p.Path), Text: p.Name + " " + p.Version}, {From: "its targets", Text: strings.Join(row.Gfx, " ")}, machine.Cite(row.Provenance)},
	}
	if holds(row.Gfx, gfx) {
		return f, !row.Most // that it could hold the code does not say that it does
	}
	f.Verdict, f.Cause = check.Warn, "no-kernel-image-for-arch"
	f.Message = fmt.Sprintf("%s %s holds no code for %s. It will find the GPU and then stop with \"no kernel image is available\" or \"invalid device function\". The list is known from its build scripts, not from these files.", p.Name, p.Version, gfx)
	f.Remedies = []remedy.Remedy{cure.For(m, "other-build", cure.Values{
		"name": p.Name, "gfx": gfx, "want": fmt.Sprintf("build %s for %s from source, with %s in its list of GPUs; the published wheels do not hold it", p.Name, gfx, gfx),
	})}
	return f, true
}

// holds reports whether one of the targets runs on a GPU.
func holds(targets []string, gfx string) bool {
	codes := make([]rocm.Code, len(targets))
	for n, t := range targets {
		codes[n] = rocm.Code{Target: rocm.TargetID{Processor: t}}
	}
	match, _, _ := rocm.BestMatch(codes, rocm.TargetID{Processor: gfx})
	return match != rocm.MatchNone
}
