package runtime

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// Linux are the questions about ROCm on Linux, in order.
var Linux = []check.Check{
	{
		ID:    "runtime/libraries",
		Title: "Every ROCm library finds what it needs",
		Doc: `What each library of ROCm and each Python module built for it needs is read from the files, and searched for as the loader does:
RPATH, LD_LIBRARY_PATH, RUNPATH, ld.so.cache, default folders. A library that is missing some steps down stops a program under the name of
the first, so the whole chain is shown. A program that ` + "`--program`" + ` names is asked about too. Nothing is loaded or run. Libraries of NVIDIA's driver are not asked of a machine with an AMD GPU.`,
		Run: runLibraries,
	},
	{
		ID:    "runtime/comgr",
		Title: "The HIP runtime finds its code object manager",
		Needs: []string{"gpu/present"},
		Doc: `HIP compiles and unpacks code for the GPU with libamd_comgr. Most releases load it with dlopen when the first device is opened, so no
tool that lists dependencies shows it. Where it is missing, programs say "no ROCm-capable device is detected" although driver and GPU are
fine. It is looked for as dlopen would from libamdhip64, under each number that it has carried.`,
		Run: runComgr,
	},
	{
		ID:    "runtime/mixed",
		Title: "No process mixes libraries of two ROCm releases",
		Needs: []string{"gpu/present"},
		Doc: `A torch wheel brings its own copies of ROCm's libraries, and LD_LIBRARY_PATH=/opt/rocm/lib puts others before them, because it is searched
before RUNPATH. A failure where the loader itself would refuse (a version or symbol that is not there, in its own words) or where one
library would be there twice with different numbers; a warning where releases with different first numbers meet.`,
		Run: runMixed,
	},
	{
		ID:    "runtime/installations",
		Title: "One ROCm installation is meant",
		Needs: []string{"gpu/present"},
		Doc: `Several installations may stand side by side; which one a program without a search path of its own gets is decided by LD_LIBRARY_PATH and
by ldconfig. A warning where ROCM_PATH, HIP_PATH, PATH and LD_LIBRARY_PATH lead to different installations, or to one that is gone.`,
		Run: runInstallations,
	},
}

// looked returns the files that were looked at, or what to say where there are
// none.
func looked(m *machine.Machine, question string) ([]machine.Linked, []check.Finding) {
	if none := onWindows(m); none != nil {
		return nil, none
	}
	if m.ROCm.Unread() && !m.Linkage.Known() {
		return nil, []check.Finding{check.CannotTell("ROCm", question, m.ROCm.From, m.ROCm.Why)}
	}
	if len(m.Linkage.Value.Files) == 0 {
		return nil, []check.Finding{check.NotHere("ROCm", "no library of ROCm and no package built for it was found here")}
	}
	return m.Linkage.Value.Files, nil
}

// onWindows is the answer where the loader is another one.
func onWindows(m *machine.Machine) []check.Finding {
	if m.OS == "windows" {
		return []check.Finding{check.NotHere("ROCm", "Windows has another loader; runtime/dlls asks what it finds")}
	}
	return nil
}

// label names a file by the software that it belongs to; of ROCm's own there are
// several.
func label(f machine.Linked) string {
	if strings.HasPrefix(f.Software, "ROCm ") {
		return path.Base(f.Path) + " of " + f.Software
	}
	return f.Software
}

// stem is the name of a library without its number: "libamdhip64".
func stem(name string) string {
	before, _, _ := strings.Cut(path.Base(name), ".so")
	return before
}

// below tells whether a path is in a folder.
func below(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

// release says which ROCm a library belongs to, or "": by the installation that
// it lies in, else by the number that AMD writes at the end of its name (60403 is
// 6.4.3).
func release(m *machine.Machine, l machine.LinkedLibrary) string {
	for _, i := range m.ROCm.Value {
		if below(l.Real, i.Path) && i.Version != "" {
			return i.Version
		}
	}
	return numbered(path.Base(l.Real))
}

func numbered(name string) string {
	digits := name[strings.LastIndex(name, ".")+1:]
	if len(digits) < 5 || len(digits) > 6 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	trim := func(s string) string {
		if s = strings.TrimLeft(s, "0"); s == "" {
			return "0"
		}
		return s
	}
	n := len(digits)
	return strings.Join([]string{digits[:n-4], trim(digits[n-4 : n-2]), trim(digits[n-2:])}, ".")
}

// major is the first number of a version.
func major(version string) string {
	first, _, _ := strings.Cut(version, ".")
	return first
}

// variable is what a variable is set to, as evidence.
func variable(m *machine.Machine, name string) []machine.Evidence {
	value, set := m.Variable(name)
	if !set || value == "" {
		return nil
	}
	return []machine.Evidence{{From: machine.Source(name), Text: value}}
}

// some joins the first names of a list.
func some(list []string, most int) string {
	list = slices.Compact(slices.Clone(list))
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + ", …"
}
