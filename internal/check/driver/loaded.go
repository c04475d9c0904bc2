package driver

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

const module = "amdgpu"

func runBlacklist(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	set := m.Driver.Settings
	if set.Unread() {
		return []check.Finding{check.CannotTell(module, "whether something keeps amdgpu from loading", set.From, set.Why)}
	}
	var out []check.Finding
	for _, s := range set.Value {
		// modprobe.d of an image rules nothing: the kernel is the host's.
		if s.Kind == machine.Blacklists && (s.File == "/proc/cmdline" || !m.Container.Known()) {
			out = append(out, blacklisted(m, s))
		}
	}
	if len(out) == 0 && set.Why != "" && !atWork(m) {
		return []check.Finding{check.CannotTell(module, "whether something keeps amdgpu from loading", set.From, set.Why)}
	}
	if len(out) == 0 {
		return []check.Finding{{Subject: module, Verdict: check.OK, Message: "Nothing keeps amdgpu from loading"}}
	}
	return out
}

func blacklisted(m *machine.Machine, s machine.Setting) check.Finding {
	f := check.Finding{
		Subject: s.File, Verdict: check.Fail, Cause: "kfd-driver-not-loaded", Evidence: []machine.Evidence{s.Evidence()},
		Message: fmt.Sprintf("%q keeps the driver amdgpu from loading. It stands in %s; without the driver no program can use the GPU.", s.Text, s.File),
	}
	if s.File == machine.CommandLineFile {
		f.Remedies = []remedy.Remedy{cure.For(m, "remove-kernel-word", cure.Values{"text": s.Text})}
	} else {
		f.Remedies = []remedy.Remedy{cure.For(m, "remove-blacklist", edited(s, "", "", cure.Values{"edit": commentOut(s)}))}
	}
	if atWork(m) {
		f.Verdict = check.Warn
		f.Message = fmt.Sprintf("%q asks that amdgpu not be loaded, but it is. It stands in %s and may take effect at the next start.", s.Text, s.File)
	}
	return f
}

// edited adds what a program needs to make an edit: the line, the word that goes
// out of it (none is the whole line), and a line to write for it.
func edited(s machine.Setting, old, fresh string, v cure.Values) cure.Values {
	v["path"], v["line"], v["old"], v["new"] = s.File, fmt.Sprint(s.Line), old, fresh
	return v
}

func commentOut(s machine.Setting) string {
	return fmt.Sprintf("put a # before the line \"%s\" in %s", s.Text, s.File)
}

func runSecureBoot(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	d := m.Driver
	switch {
	case !d.FromDKMS.Known():
		return []check.Finding{check.NotHere(module, "no driver for this kernel was built by DKMS")}
	case m.SecureBoot.Unread():
		return []check.Finding{check.NotHere(module, "whether Secure Boot is on could not be read")}
	case !m.SecureBoot.Value:
		return []check.Finding{{Subject: module, Verdict: check.OK, Message: "Secure Boot is off, so any driver may load"}}
	case atWork(m):
		return []check.Finding{{Subject: module, Verdict: check.OK, Message: "Secure Boot is on and the driver is loaded"}}
	case m.KernelLog.Known() && firstLine(m, "rejected") == "":
		return []check.Finding{check.NotHere(module, "the kernel log speaks of no rejected module, so Secure Boot is not the reason")}
	}
	f := check.Finding{
		Subject: module, Verdict: check.Fail, Cause: "secure-boot-dkms",
		Message:  "Secure Boot keeps the driver from loading, by all signs. DKMS built amdgpu on this machine, it is not loaded, and the firmware only takes drivers signed with a key that it knows.",
		Evidence: []machine.Evidence{{From: m.SecureBoot.From, Text: "Secure Boot is on"}, {From: "/sys/module/amdgpu", Text: "amdgpu is not loaded"}},
		Remedies: []remedy.Remedy{cure.For(m, "sign-module", nil)},
	}
	for _, v := range d.DKMS.Value {
		f.Evidence = append(f.Evidence, machine.Evidence{From: d.DKMS.From, Text: "amdgpu " + v})
	}
	if line := firstLine(m, "rejected"); line != "" {
		f.Evidence = append(f.Evidence, machine.Evidence{From: m.KernelLog.From, Text: line})
	}
	return []check.Finding{f}
}

func firstLine(m *machine.Machine, part string) string {
	for _, line := range m.KernelLog.Value {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

func runBound(in check.Input) []check.Finding {
	m := in.Machine
	gpus, none := concerned(m)
	if none != nil {
		return none
	}
	var out []check.Finding
	for _, g := range gpus {
		out = append(out, judgeBound(m, g))
	}
	return out
}

func judgeBound(m *machine.Machine, g machine.GPU) check.Finding {
	subject := place(g)
	switch {
	case g.Bound.Value == module || g.Node.Known():
		return check.Finding{Subject: subject, Verdict: check.OK, Message: "amdgpu holds " + g.Label(), Evidence: []machine.Evidence{{From: g.Bound.From, Text: g.Bound.Value}}}
	case g.Bound.Unread():
		return check.CannotTell(subject, "which driver holds "+g.Label(), g.Bound.From, g.Bound.Why)
	case g.Bound.Absent() && !m.Driver.Module.Known():
		return check.NotHere(subject, "no driver can hold it before amdgpu is loaded")
	case g.Bound.Absent():
		return notStarted(m, g)
	default:
		return heldByOther(m, g)
	}
}

func place(g machine.GPU) string {
	if g.Address != "" {
		return g.Address
	}
	if g.Node.Known() {
		return fmt.Sprintf("node %d", g.Node.Value)
	}
	return g.PCIID
}

// heldByOther is a GPU that another driver has. Giving a card to a virtual machine
// and keeping another for oneself is an ordinary set-up, and only a warning.
func heldByOther(m *machine.Machine, g machine.GPU) check.Finding {
	holder := g.Bound.Value
	f := check.Finding{
		Subject: place(g), Verdict: check.Fail, Cause: "kfd-driver-not-loaded",
		Message:  fmt.Sprintf("%s is held by the driver %s, not by amdgpu. While it is, no program can compute on it.", g.Label(), holder),
		Evidence: []machine.Evidence{{From: g.Bound.From, Text: "the link ends in " + holder}},
		Remedies: []remedy.Remedy{cure.For(m, "use-amdgpu", cure.Values{"holder": holder})},
	}
	if excused(m, g) {
		f.Verdict = check.Warn
	}
	if !strings.HasPrefix(holder, "vfio") && !strings.HasPrefix(holder, "pci-stub") {
		return f
	}
	f.Cause = "vm-passthrough"
	f.Message = fmt.Sprintf("%s is held by %s, for a virtual machine. While it is, no program on this machine can use it.", g.Label(), holder)
	f.Remedies = []remedy.Remedy{cure.For(m, "release-from-vfio", cure.Values{"address": g.Address, "holder": holder})}
	for _, s := range m.Driver.Settings.Value {
		if s.Kind == machine.BindsVFIO {
			f.Evidence = append(f.Evidence, s.Evidence())
		}
	}
	if len(m.ComputeGPUs()) > 0 {
		f.Verdict = check.Warn
	}
	return f
}

// notStarted is a GPU that amdgpu tried and let go, or never took. Another one
// that works is not to be hidden by it.
func notStarted(m *machine.Machine, g machine.GPU) check.Finding {
	f := check.Finding{
		Subject: place(g), Verdict: check.Fail, Cause: "kfd-bad-state",
		Message:  fmt.Sprintf("amdgpu is loaded but does not hold %s. It could not start the GPU; the kernel log says why.", g.Label()),
		Evidence: []machine.Evidence{{From: g.Bound.From, Text: "no driver is bound"}},
		Remedies: []remedy.Remedy{cure.For(m, "bind-driver", cure.Values{"address": g.Address})},
	}
	fatal := firstLine(m, "Fatal error during GPU init")
	missing := firstLine(m, "Direct firmware load for amdgpu/")
	for _, line := range []string{missing, fatal} {
		if line != "" {
			f.Evidence = append(f.Evidence, machine.Evidence{From: m.KernelLog.From, Text: line})
		}
	}
	// Some optional files are missing without harm; only together with a failed
	// start does a missing file explain anything.
	if fatal != "" && missing != "" {
		f.Cause = "firmware-missing"
		f.Message = fmt.Sprintf("A firmware file for %s is missing, so amdgpu could not start it. The driver asked for a file that is not installed, or not in the early boot image.", g.Label())
		f.Remedies = []remedy.Remedy{cure.For(m, "update-firmware", cure.Values{"want": "install firmware that knows this GPU"})}
	}
	if excused(m, g) {
		f.Verdict = check.Warn
	}
	return f
}

func runLoaded(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	mod := m.Driver.Module
	switch {
	case mod.Unread():
		return []check.Finding{check.CannotTell(module, "whether amdgpu is loaded", mod.From, mod.Why)}
	case mod.Absent() && atWork(m):
		return []check.Finding{{Subject: module, Verdict: check.OK, Message: "amdgpu is at work", Evidence: []machine.Evidence{{From: m.Driver.Topology.From, Text: "KFD offers a GPU"}}}}
	case mod.Absent() && moduleMissing(m):
		return []check.Finding{notInstalled(m)}
	case mod.Absent():
		return []check.Finding{{
			Subject: module, Verdict: check.Fail, Cause: "kfd-driver-not-loaded",
			Message:  "The driver amdgpu is not loaded. The GPU is on the bus, but without its kernel driver no program can use it.",
			Evidence: []machine.Evidence{{From: mod.From, Text: "no such directory"}},
			Remedies: []remedy.Remedy{cure.For(m, "load-driver", nil)},
		}}
	case mod.Value.State != "" && mod.Value.State != "live":
		return []check.Finding{check.CannotTell(module, "whether amdgpu works", mod.From, "the driver is in the state "+mod.Value.State)}
	}
	what := "amdgpu is loaded"
	switch {
	case mod.Value.BuiltIn:
		what = "amdgpu is built into the kernel"
	case mod.Value.Version != "":
		what += " (" + mod.Value.Version + ", AMD's package)"
	}
	return []check.Finding{{Subject: module, Verdict: check.OK, Message: what, Evidence: []machine.Evidence{{From: mod.From, Text: "present"}}}}
}

// atWork reports whether the driver runs. A GPU that KFD offers proves it, also
// where /sys/module cannot be seen.
func atWork(m *machine.Machine) bool {
	return m.Driver.Module.Known() || len(m.ComputeGPUs()) > 0
}

// moduleMissing reports a kernel for which no amdgpu module is installed. In a
// container the modules of the host cannot be seen.
func moduleMissing(m *machine.Machine) bool {
	return m.Driver.InTree.Absent() && m.Driver.FromDKMS.Absent() && !m.Container.Known() && m.Kernel.Known()
}

func notInstalled(m *machine.Machine) check.Finding {
	return check.Finding{
		Subject: module, Verdict: check.Fail, Cause: "kfd-driver-not-loaded",
		Message:  fmt.Sprintf("Kernel %s has no amdgpu module. The GPU is on the bus, but the driver is neither loaded nor installed for this kernel.", m.Kernel.Value),
		Evidence: []machine.Evidence{{From: m.Driver.InTree.From, Text: "holds no amdgpu.ko"}},
		Remedies: []remedy.Remedy{cure.For(m, "install-module", nil)},
	}
}
