package survey

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func distro(r host.Reader) machine.Fact[machine.Distro] {
	f := text(r, "/etc/os-release")
	if f.Absent() {
		f = text(r, "/usr/lib/os-release")
	}
	return parsed(f, func(s string) (machine.Distro, bool) {
		d := parseOSRelease(s)
		return d, d.ID != "" || d.Name != ""
	})
}

// immutable are systems that do not say so in os-release.
var immutable = []string{"steamos", "nixos", "guix", "bazzite", "bluefin", "aurora", "chimeraos", "vanilla"}

// parseOSRelease reads os-release(5): shell-like assignments.
func parseOSRelease(s string) machine.Distro {
	var d machine.Distro
	var name, pretty string
	for line := range strings.Lines(s) {
		key, value, found := strings.Cut(strings.TrimSpace(line), "=")
		if !found {
			continue
		}
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			d.ID = value
		case "ID_LIKE":
			d.Like = strings.Fields(value)
		case "VERSION_ID":
			d.Version = value
		case "NAME":
			name = value
		case "PRETTY_NAME":
			pretty = value
		case "OSTREE_VERSION":
			d.Immutable = true
		}
	}
	d.Immutable = d.Immutable || slices.Contains(immutable, d.ID)
	if d.Name = pretty; d.Name == "" {
		d.Name = strings.TrimSpace(name + " " + d.Version)
	}
	return d
}

// hypervisors are the vendors that DMI names in a virtual machine.
var hypervisors = []string{"QEMU", "KVM", "VMware", "innotek", "VirtualBox", "Xen", "Microsoft Corporation", "Parallels", "Amazon EC2", "Google", "OpenStack", "Bochs"}

func hypervisor(r host.Reader, kernel machine.Fact[string]) machine.Fact[string] {
	if strings.Contains(strings.ToLower(kernel.Value), "microsoft") {
		return machine.Know("wsl2", kernel.From)
	}
	vendor := text(r, "/sys/class/dmi/id/sys_vendor")
	product := text(r, "/sys/class/dmi/id/product_name")
	if !vendor.Known() {
		return vendor
	}
	for _, h := range hypervisors {
		if !strings.Contains(vendor.Value, h) {
			continue
		}
		// Microsoft and Google build real machines as well.
		if h == "Microsoft Corporation" && product.Value != "Virtual Machine" || h == "Google" && !strings.Contains(product.Value, "Compute Engine") {
			continue
		}
		return machine.Know(strings.TrimSpace(vendor.Value+" "+product.Value), vendor.From)
	}
	return machine.Missing[string](vendor.From)
}

func selinux(r host.Reader) machine.Fact[string] {
	return parsed(text(r, "/sys/fs/selinux/enforce"), func(s string) (string, bool) {
		switch s {
		case "0":
			return "permissive", true
		case "1":
			return "enforcing", true
		}
		return "", false
	})
}

// secureBoot reads the UEFI variable: four bytes of attributes, then the value.
func secureBoot(r host.Reader) machine.Fact[bool] {
	const file = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
	data, err := r.ReadFile(file)
	if err != nil {
		return failed[bool](file, err)
	}
	if len(data) != 5 {
		return machine.Unknown[bool](file, "the variable has an unexpected length")
	}
	return machine.Know(data[4] == 1, file)
}

func kernelLog(r host.Reader) machine.Fact[[]string] {
	const from = "kernel log"
	lines, err := r.KernelLog()
	if err != nil {
		return machine.Unknown[[]string](from, reason(err))
	}
	return machine.Know(lines, from)
}
