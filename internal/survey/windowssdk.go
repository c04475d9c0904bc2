package survey

import (
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// The registry keys of the variables that everybody has, and that this user has.
const (
	machineEnvironment = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`
	userEnvironment    = `HKCU\Environment`
)

// sdksOfWindows finds the HIP SDKs below the folder that AMD's installer takes,
// those that variables name wherever they are, and runtimes in wheels.
func sdksOfWindows(r host.Reader, m *machine.Machine) machine.Fact[[]machine.Installation] {
	root := below(windowsFolder(r, "ProgramFiles", `C:\Program Files`), `AMD\ROCm`)
	names := list(r, root)
	if names.Unread() {
		return machine.Unknown[[]machine.Installation](names.From, names.Why)
	}
	found := []machine.Installation{}
	for _, name := range names.Value {
		// An installer that was undone may leave an empty folder behind.
		if startsWithDigit(name) && !exists(r, below(below(root, name), "bin")).Absent() {
			found = append(found, sdkAt(below(root, name), names.From))
		}
	}
	for _, v := range slices.Concat(m.Variables.Value, m.Windows.UserVariables.Value, m.Windows.Variables.Value) {
		dir := strings.TrimRight(v.Value, `\/`)
		if !namesSDK(m.OS, v) || slices.ContainsFunc(found, func(i machine.Installation) bool { return machine.SamePath(i.Path, dir) }) {
			continue
		}
		if exists(r, below(dir, "bin")).Known() {
			i := sdkAt(dir, machine.Source(v.Name))
			if known, ok := rocm.SDKOfVariable(v.Name); ok && i.Version == "" {
				i.Version = known.SDK
			}
			found = append(found, i)
		}
	}
	found = append(found, fromWheels(r, m.Python.Value)...)
	return machine.Know(found, names.From)
}

// namesSDK reports a variable that leads to an SDK, HIP_PATH or HIP_PATH_62. The
// folders of wheels are none.
func namesSDK(system string, v machine.Variable) bool {
	_, own := rocm.SDKOfVariable(v.Name)
	return (v.Name == "HIP_PATH" || own) && isAbsolute(system, v.Value) && !strings.Contains(v.Value, "_rocm_sdk_")
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

// registeredVariables reads what is set for everybody, or for this user: a shell
// that was opened before an installation does not have it yet.
func registeredVariables(r host.Reader, key string) machine.Fact[[]machine.Variable] {
	found := []machine.Variable{}
	for _, name := range rocm.WindowsVariables() {
		switch v := registry(r, key, name); {
		case v.Known():
			found = append(found, machine.Variable{Name: name, Value: expanded(r, v.Value)})
		case v.Unread():
			return machine.Unknown[[]machine.Variable](machine.Source(key), v.Why)
		}
	}
	return machine.Know(found, machine.Source(key))
}

// expanded fills in the variables that stand in a value of the registry. One that
// is not known stays as it is.
func expanded(r host.Reader, value string) string {
	usual := map[string]string{"ProgramFiles": `C:\Program Files`, "ProgramW6432": `C:\Program Files`, "SystemDrive": "C:", "USERPROFILE": ""}
	for name, fallback := range usual {
		marked := "%" + name + "%"
		at := strings.Index(strings.ToLower(value), strings.ToLower(marked))
		if at < 0 {
			continue
		}
		if v, set, err := r.Getenv(name); err == nil && set {
			fallback = v
		}
		if fallback != "" {
			value = value[:at] + fallback + value[at+len(marked):]
		}
	}
	return value
}

// displayDriver reads the driver of an adapter.
func displayDriver(r host.Reader, key string, version machine.Fact[string]) machine.Fact[machine.DisplayDriver] {
	return parsed(version, func(s string) (machine.DisplayDriver, bool) {
		return machine.DisplayDriver{Version: s, Date: driverDate(registry(r, key, "DriverDate"))}, s != ""
	})
}

// driverDate turns "1-28-2025", as the registry has it, into "2025-01-28".
func driverDate(f machine.Fact[string]) machine.Fact[string] {
	return parsed(f, func(s string) (string, bool) {
		day, err := time.Parse("1-2-2006", s)
		return day.Format(time.DateOnly), err == nil
	})
}
