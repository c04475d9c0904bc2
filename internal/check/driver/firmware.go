package driver

import (
	"fmt"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runFirmware(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	var out []check.Finding
	for _, g := range m.AMDGPUs() {
		for _, rule := range rocm.FirmwareRules(g.Gfx.Value) {
			out = append(out, judgeFirmware(m, g, rule))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("firmware", "no bad firmware is known for the GPUs here")}
	}
	return out
}

func judgeFirmware(m *machine.Machine, g machine.GPU, rule rocm.FirmwareRule) check.Finding {
	subject := rule.Firmware + " of " + place(g)
	loaded, known := g.Firmware.Value[strings.ToLower(rule.Firmware)]
	switch {
	case g.Firmware.Unread() && !closed(g.Firmware.Why):
		return check.CannotTell(subject, "which "+rule.Firmware+" firmware is loaded", g.Firmware.From, g.Firmware.Why)
	case !known:
		return check.NotHere(subject, fmt.Sprintf("the %s firmware version is not readable here. Version %#x is bad on %s; as root: grep '^%s' /sys/kernel/debug/dri/*/amdgpu_firmware_info", rule.Firmware, rule.Bad, g.Gfx.Value, rule.Line))
	case loaded != rule.Bad:
		return check.Finding{
			Subject: subject, Verdict: check.OK, Message: fmt.Sprintf("%s firmware %#x is not a known bad one", rule.Firmware, loaded),
			Evidence: []machine.Evidence{{From: g.Firmware.From, Text: fmt.Sprintf("%s %#x", rule.Firmware, loaded)}},
		}
	}
	f := check.Finding{
		Subject: subject, Verdict: check.Fail, Cause: "firmware-regression",
		Message: fmt.Sprintf("The %s firmware %#x is loaded, which hangs or faults on %s. Version %#x is good; the kernel parameter amdgpu.cwsr_enable=0, often advised, does not help against this one.",
			rule.Firmware, rule.Bad, g.Gfx.Value, rule.Good),
		Evidence: []machine.Evidence{{From: g.Firmware.From, Text: fmt.Sprintf("%s %#x", rule.Firmware, loaded)}, machine.Cite(rule.Provenance)},
	}
	for _, file := range m.Driver.Overlay.Value {
		if shadows(file, rule.Files) {
			f.Evidence = append(f.Evidence, machine.Evidence{From: machine.Source(file), Text: "this file is taken before the distribution's"})
			f.Remedies = append(f.Remedies, cure.For(m, "firmware-overlay", cure.Values{"path": file}))
		}
	}
	f.Remedies = append(f.Remedies, updateFirmware(m))
	return f
}

func updateFirmware(m *machine.Machine) remedy.Remedy {
	return cure.For(m, "update-firmware", cure.Values{"want": "install linux-firmware of December 2025 or newer"})
}

// closed reports a source that this user may not read, which is no surprise and
// no fault.
func closed(why string) bool {
	return strings.Contains(why, "EACCES") || strings.Contains(why, "EPERM")
}

// shadows compares names without the compression suffix.
func shadows(file string, names []string) bool {
	base := path.Base(file)
	for _, name := range names {
		if strings.HasPrefix(base, path.Base(name)) {
			return true
		}
	}
	return false
}
