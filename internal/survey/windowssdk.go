package survey

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// machineEnvironment is the registry key of the variables that everybody has.
const machineEnvironment = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`

// sdksOfWindows finds the HIP SDKs below the folder that AMD's installer takes,
// the one that HIP_PATH names wherever it is, and runtimes in wheels.
func sdksOfWindows(r host.Reader, m *machine.Machine) machine.Fact[[]machine.Installation] {
	root := below(windowsFolder(r, "ProgramFiles", `C:\Program Files`), `AMD\ROCm`)
	names := list(r, root)
	if names.Unread() {
		return machine.Unknown[[]machine.Installation](names.From, names.Why)
	}
	found := []machine.Installation{}
	for _, name := range names.Value {
		if startsWithDigit(name) {
			found = append(found, sdkAt(below(root, name), names.From))
		}
	}
	for _, v := range slices.Concat(m.Variables.Value, m.Windows.Variables.Value) {
		dir := strings.TrimRight(v.Value, `\/`)
		known := slices.ContainsFunc(found, func(i machine.Installation) bool { return sameWindowsPath(i.Path, dir) })
		if v.Name == "HIP_PATH" && isAbsolute(m.OS, v.Value) && !known && exists(r, below(dir, "bin")).Known() {
			found = append(found, sdkAt(dir, machine.Source(v.Name)))
		}
	}
	found = append(found, fromWheels(r, m.Python.Value)...)
	return machine.Know(found, names.From)
}

// sdkAt describes the SDK in a folder, which is named for its version.
func sdkAt(dir string, from machine.Source) machine.Installation {
	i := machine.Installation{Path: dir, How: machine.HowHIPSDK, From: from}
	if name := dir[strings.LastIndexAny(dir, `\/`)+1:]; startsWithDigit(name) {
		i.Version = name
	}
	return i
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func sameWindowsPath(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "/", `\`), strings.ReplaceAll(b, "/", `\`))
}

// windowsFolder is a folder that a variable of the system names; almost every
// machine has it where it always was.
func windowsFolder(r host.Reader, variable, usual string) string {
	if v, set, err := r.Getenv(variable); err == nil && set && isAbsolute("windows", v) {
		return strings.TrimRight(v, `\/`)
	}
	return usual
}

// registeredPythons are the interpreters that python.org's installer made known.
func registeredPythons(r host.Reader) []string {
	var prefixes []string
	for _, hive := range []string{`HKCU`, `HKLM`} {
		core := hive + `\SOFTWARE\Python\PythonCore`
		for version := range strings.FieldsSeq(registry(r, core, "").Value) {
			exe := registry(r, core+`\`+version+`\InstallPath`, "ExecutablePath")
			if isAbsolute("windows", exe.Value) {
				prefixes = append(prefixes, folderOf(exe.Value))
			}
		}
	}
	return prefixes
}

// machineVariables reads what is set for everybody: a shell that was opened
// before an installation does not have it yet.
func machineVariables(r host.Reader) machine.Fact[[]machine.Variable] {
	found := []machine.Variable{}
	for _, name := range rocm.WindowsVariables() {
		switch v := registry(r, machineEnvironment, name); {
		case v.Known():
			found = append(found, machine.Variable{Name: name, Value: v.Value})
		case v.Unread():
			return machine.Unknown[[]machine.Variable](machineEnvironment, v.Why)
		}
	}
	return machine.Know(found, machineEnvironment)
}

// displayDriver reads the driver of an adapter.
func displayDriver(r host.Reader, key string, version machine.Fact[string]) machine.Fact[machine.DisplayDriver] {
	return parsed(version, func(s string) (machine.DisplayDriver, bool) {
		return machine.DisplayDriver{Version: s, Date: registry(r, key, "DriverDate")}, s != ""
	})
}
