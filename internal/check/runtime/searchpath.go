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
	first := folderTitle(m, folders[0])
	f := check.Finding{Subject: "PATH", Verdict: check.OK, Message: "PATH leads to " + first + " first"}
	for _, o := range folders {
		f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(fmt.Sprintf("PATH, folder %d of ROCm", o.OnPath)), Text: o.Path})
	}
	if !twoMajors(m, folders) {
		return []check.Finding{f}
	}
	f.Verdict, f.Cause = check.Warn, "symbol-abi-mismatch"
	f.Message = fmt.Sprintf("PATH leads to two majors of HIP, and %s comes first. Libraries such as rocblas.dll have one name in all releases, so a program built for the other major gets this one, misses functions and does not start.", first)
	keep := wanted(m, folders)
	var others []string
	for _, o := range folders {
		if o.Path != keep.Path && majorOf(m, o) != majorOf(m, keep) {
			others = append(others, o.Path)
		}
	}
	f.Remedies = []remedy.Remedy{cure.For(m, "path-one-sdk", cure.Values{"keep": keep.Path, "others": strings.Join(others, " and ")})}
	return []check.Finding{f}
}

// twoMajors reports folders of different majors; one that nothing is known of
// counts for none.
func twoMajors(m *machine.Machine, folders []machine.DLLFolder) bool {
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

// wanted is the folder to keep: of the major of the wheels of the environment, else
// of the SDK that HIP_PATH names where no other fits better, else of the one that
// fits best.
func wanted(m *machine.Machine, folders []machine.DLLFolder) machine.DLLFolder {
	if major := m.EnvironmentMajor(); major != 0 {
		if i := slices.IndexFunc(folders, func(f machine.DLLFolder) bool { return majorOf(m, f) == major }); i >= 0 {
			return folders[i]
		}
	}
	all := fits(m)
	if set, ok := hipPathOf(m); ok {
		i := slices.IndexFunc(all, func(o fit) bool { return machine.SamePath(o.sdk.Path, set.value) })
		if i > 0 && !slices.ContainsFunc(all, func(o fit) bool { return o.better(all[i]) }) {
			all = slices.Concat(all[i:i+1], all[:i], all[i+1:])
		}
	}
	for _, o := range all {
		if i := slices.IndexFunc(folders, func(f machine.DLLFolder) bool { return f.Owner == o.sdk.Path }); i >= 0 {
			return folders[i]
		}
	}
	return folders[0]
}

// folderTitle names a folder by its installation, else by its path.
func folderTitle(m *machine.Machine, f machine.DLLFolder) string {
	if i, known := m.Installation(f.Owner); known {
		return i.SDKName()
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
