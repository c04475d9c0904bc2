package survey

import (
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// displayClass is the registry key of display adapters.
const displayClass = `HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}`

// surveyWindows reads the adapters and the system's version from the registry,
// and looks for SDKs and the DLLs of HIP. Everything else of a Machine describes
// Linux and stays unread.
func surveyWindows(r host.Reader, m *machine.Machine, programs []string) {
	const system = `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	m.Kernel = registry(r, system, "CurrentBuildNumber")
	m.Distro = parsed(registry(r, system, "ProductName"), func(s string) (machine.Distro, bool) {
		return machine.Distro{ID: "windows", Name: productName(s, m.Kernel.Value)}, s != ""
	})
	m.Container = machine.Missing[machine.Container](system)
	m.Variables = variables(r)
	m.VariablePaths = variablePaths(r, m.Variables)
	m.GPUs = adapters(r, m)
	m.Windows.Variables = registeredVariables(r, machineEnvironment)
	m.Windows.UserVariables = registeredVariables(r, userEnvironment)
	m.Python = python(r, registeredPythons(r))
	m.ROCm = sdksOfWindows(r, m)
	m.Windows.Folders = dllFolders(r, m)
	m.Kernels = kernels(r, m)
	m.Linkage = importedOnWindows(r, m, programs)
}

// firstBuild11 is the build of Windows from which on it is called 11.
const firstBuild11 = 22000

// productName corrects the registry, which calls Windows 11 Windows 10.
func productName(name, build string) string {
	if number, err := strconv.Atoi(build); err == nil && number >= firstBuild11 {
		return strings.Replace(name, "Windows 10", "Windows 11", 1)
	}
	return name
}

// adapters returns the GPUs, and notes the driver of the first one of AMD.
func adapters(r host.Reader, m *machine.Machine) machine.Fact[[]machine.GPU] {
	keys := registry(r, displayClass, "")
	if !keys.Known() {
		return machine.Fact[[]machine.GPU]{From: keys.From, Why: keys.Why}
	}
	found := []machine.GPU{}
	for sub := range strings.FieldsSeq(keys.Value) {
		key := displayClass + `\` + sub
		d, ok := parseDeviceID(registry(r, key, "MatchingDeviceId").Value)
		if !ok {
			continue
		}
		g := d.named()
		g.Bound = registry(r, key, "DriverVersion")
		if g.Vendor == machine.AMD && m.Windows.Driver.Unread() {
			m.Windows.Driver = displayDriver(r, key, g.Bound)
		}
		found = append(found, g)
	}
	if m.Windows.Driver.Unread() {
		m.Windows.Unclaimed = unclaimed(r)
	}
	return machine.Know(found, machine.Source(displayClass))
}

// pciBus is the registry key of the devices that Windows has seen on the bus.
const pciBus = `HKLM\SYSTEM\CurrentControlSet\Enum\PCI`

// unclaimed looks for cards of AMD that no driver of AMD's holds, among the
// devices whose ids are known to be GPUs.
func unclaimed(r host.Reader) machine.Fact[[]machine.GPU] {
	return parsed(registry(r, pciBus, ""), func(keys string) ([]machine.GPU, bool) {
		found := []machine.GPU{}
		for sub := range strings.FieldsSeq(keys) {
			if d, ok := parseDeviceID(`PCI\` + sub); ok && d.vendor == vendorAMD && d.named().Gfx.Known() {
				found = append(found, d.named())
			}
		}
		return found, true
	})
}

func registry(r host.Reader, key, value string) machine.Fact[string] {
	from := strings.TrimSuffix(key+`\`+value, `\`)
	s, err := r.Registry(key, value)
	if err != nil {
		return failed[string](from, err)
	}
	return machine.Know(strings.TrimSpace(s), machine.Source(from))
}

// parseDeviceID reads "PCI\VEN_1002&DEV_744C&SUBSYS_…&REV_C8".
func parseDeviceID(s string) (pciDevice, bool) {
	var d pciDevice
	for part := range strings.FieldsFuncSeq(strings.ToUpper(s), func(c rune) bool { return c == '\\' || c == '&' }) {
		key, value, _ := strings.Cut(part, "_")
		v, err := strconv.ParseUint(value, 16, 16)
		if err != nil {
			continue
		}
		switch key {
		case "VEN":
			d.vendor = uint16(v)
		case "DEV":
			d.device = uint16(v)
		case "REV":
			d.revision = uint16(v)
		}
	}
	return d, d.vendor != 0 && d.device != 0
}
