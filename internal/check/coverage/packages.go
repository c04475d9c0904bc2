package coverage

import (
	"cmp"
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

// targetsOf finds the list of a ROCm build.
func targetsOf(e machine.PythonEnvironment, p machine.PythonPackage) (rocm.PackageTarget, bool) {
	if !p.Build.Known() || p.Build.Value.Kind != rocm.BuildROCm {
		return rocm.PackageTarget{}, false
	}
	return rocm.PackageTargets(p.Package, p.Version, releaseOf(e, p))
}

// releaseOf is the ROCm that a package was built for, or that of its torch.
func releaseOf(e machine.PythonEnvironment, p machine.PythonPackage) string {
	torch, _ := e.Has("torch")
	return cmp.Or(p.Build.Value.ROCm, torch.Build.Value.ROCm)
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
	f.Remedies = []remedy.Remedy{cure.For(m, "other-build", cure.Values{"name": p.Name, "gfx": gfx, "want": wantedBuild(e, p, gfx)})}
	return f, true
}

// wantedBuild is a newer version that holds the code, where one is known.
func wantedBuild(e machine.PythonEnvironment, p machine.PythonPackage, gfx string) string {
	if newer, ok := rocm.NewerWithTarget(p.Package, p.Version, releaseOf(e, p), gfx); ok {
		return fmt.Sprintf("install %s %s or newer, whose build for this ROCm holds %s", p.Name, newer.Since, gfx)
	}
	return fmt.Sprintf("build %s for %s from source, with %s in its list of GPUs; no published wheel is known to hold it", p.Name, gfx, gfx)
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
