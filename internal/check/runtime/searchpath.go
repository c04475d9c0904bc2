package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// judgePATH says which folder of HIP comes first on PATH. The runtime's name
// carries its major and is found in System32, but rocblas.dll has one name in all
// releases: with two majors on PATH a program gets the library of the other.
func judgePATH(m *machine.Machine) []check.Finding {
	folders := m.FoldersOnPath()
	if len(folders) == 0 {
		return nil
	}
	first := called(m, folders[0])
	f := check.Finding{Subject: "PATH", Verdict: check.OK, Message: "PATH leads to " + first + " first"}
	for _, o := range folders {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(fmt.Sprintf("PATH, folder %d of ROCm", o.OnPath)), Text: o.Path})
	}
	if !mixed(m, folders) {
		return []check.Finding{f}
	}
	keep := folders[max(0, slices.IndexFunc(folders, func(o machine.DLLFolder) bool { return wanted(m, o) }))].Path
	var others []string
	for _, o := range folders {
		if o.Path != keep {
			others = append(others, o.Path)
		}
	}
	f.Verdict, f.Cause = check.Warn, "symbol-abi-mismatch"
	f.Message = fmt.Sprintf("PATH leads to two majors of HIP, and %s comes first. Libraries such as rocblas.dll have one name in all releases, so a program built for the other major gets this one, misses functions and does not start.", first)
	f.Remedies = []remedy.Remedy{cure.For(m, "path-one-sdk", cure.Values{"keep": keep, "others": strings.Join(others, " and ")})}
	return []check.Finding{f}
}

// mixed reports folders of different majors; one that nothing is known of counts
// for none.
func mixed(m *machine.Machine, folders []machine.DLLFolder) bool {
	seen := 0
	for _, f := range folders {
		major := majorOf(m, f)
		if seen != 0 && major != 0 && major != seen {
			return true
		}
		seen = max(seen, major)
	}
	return false
}

// wanted is the folder that fits the wheels of the environment, else the one that
// HIP_PATH names.
func wanted(m *machine.Machine, f machine.DLLFolder) bool {
	if major := m.EnvironmentMajor(); major != 0 {
		return majorOf(m, f) == major
	}
	root, _, set := hipPathOf(m)
	return set && f.Owner != "" && sameFolder(f.Owner, root)
}

// called names a folder by its installation, else by its path.
func called(m *machine.Machine, f machine.DLLFolder) string {
	if i, known := m.Installation(f.Owner); known {
		return name(i)
	}
	return f.Path
}

// majorOf is 0 where nothing tells.
func majorOf(m *machine.Machine, f machine.DLLFolder) int {
	if i, known := m.Installation(f.Owner); known {
		return m.HIPMajor(i)
	}
	major := 0
	for _, d := range f.Runtimes() {
		major, _ = rocm.RuntimeMajor(d.Name)
	}
	return major
}
