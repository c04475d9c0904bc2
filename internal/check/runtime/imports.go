package runtime

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Imports is the question about what Python modules load on Windows.
var Imports = check.Check{
	ID:    "runtime/imports",
	Title: "The Python modules built for HIP find their DLLs",
	Needs: []string{"gpu/present"},
	Doc: `What each module imports is read from its file, with all that follows, and searched for as Windows does for Python since 3.8: beside the
module, in the folders that its package adds, beside the interpreter, and in System32. PATH is not looked at, so an SDK on PATH does not
help. Python says "DLL load failed while importing", and not which one; here the chain is shown.`,
	Run: runImports,
}

func runImports(in check.Input) []check.Finding {
	m := in.Machine
	if none := notAsked(m); none != nil {
		return none
	}
	if len(m.Linkage.Value.Files) == 0 {
		return []check.Finding{check.NotHere("modules", "no Python module that is built for HIP was found")}
	}
	var out []check.Finding
	for _, f := range m.Linkage.Value.Files {
		out = append(out, judgeImports(m, f))
	}
	return out
}

func judgeImports(m *machine.Machine, f machine.Linked) check.Finding {
	switch {
	case f.Unseen != "":
		return check.CannotTell(f.Path, "what "+f.Software+" would load", machine.Source(f.Path), f.Unseen)
	case len(f.Missing) == 0:
		return check.Finding{Subject: f.Path, Verdict: check.OK, Message: f.Software + " finds every DLL that it imports" + taken(f), Evidence: loads(f)}
	}
	missing := f.Missing[0]
	out := check.Finding{
		Subject: f.Path, Verdict: check.Warn, Cause: "dll-dependency-missing",
		Message:  fmt.Sprintf("%s needs %s, which Windows does not find for it. Importing it ends in \"DLL load failed\".%s%s", f.Software, missing.Name, whereItLies(missing), otherMajor(m, missing.Name)),
		Evidence: append([]machine.Evidence{{From: "imported by", Text: strings.Join(missing.Chain, " → ")}, {From: "searched", Text: some(missing.Searched, 6)}}, loads(f)...),
		Remedies: importCures(m, f, missing),
	}
	if isActive(m, f.Root) {
		out.Verdict = check.Fail
	}
	return out
}

// isActive reports the environment that a plain "python" is.
func isActive(m *machine.Machine, prefix string) bool {
	for _, e := range m.Python.Value {
		if e.Prefix == prefix {
			return e.Active
		}
	}
	return false
}

func taken(f machine.Linked) string {
	for _, l := range f.Gets {
		if l.Path == f.Path {
			continue
		}
		if name := strings.ToLower(l.Name); strings.HasPrefix(name, "amdhip64") || strings.HasPrefix(name, "libamdhip64") {
			return fmt.Sprintf(". Its HIP runtime is %s.", l.Path)
		}
	}
	return ""
}

func loads(f machine.Linked) []machine.Evidence {
	var out []machine.Evidence
	for _, l := range f.Gets {
		out = append(out, machine.Evidence{From: machine.Source(l.Path), Text: "is taken, from " + l.How})
	}
	return out
}

func whereItLies(missing machine.MissingLibrary) string {
	if len(missing.Beside) == 0 {
		return ""
	}
	return fmt.Sprintf(" There is one, %s, where Python does not look, whether it is on PATH or not.", missing.Beside[0])
}

// otherMajor says so where the driver has the runtime of another major only.
func otherMajor(m *machine.Machine, dll string) string {
	wanted := hipMajorOf(dll)
	if wanted == 0 || m.DriverRuns(wanted) {
		return ""
	}
	return fmt.Sprintf(" The module is built for HIP %d, and the display driver brings no runtime for that.", wanted)
}

// hipMajorOf is 7 of "amdhip64_7.dll", and 0 of other DLLs.
func hipMajorOf(dll string) int {
	var major int
	if n, err := fmt.Sscanf(strings.ToLower(dll), "amdhip64_%d.dll", &major); n != 1 || err != nil {
		return 0
	}
	return major
}

func importCures(m *machine.Machine, f machine.Linked, missing machine.MissingLibrary) []remedy.Remedy {
	major := hipMajorOf(missing.Name)
	if len(missing.Beside) > 0 && (major == 0 || m.DriverRuns(major)) {
		at := missing.Beside[0]
		return []remedy.Remedy{cure.For(m, "add-dll-directory", cure.Values{"folder": at[:strings.LastIndex(at, `\`)], "software": f.Software})}
	}
	return []remedy.Remedy{cure.For(m, "other-hip-build", cure.Values{"software": f.Software, "dll": missing.Name})}
}
