package survey

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// marks are files that engines leave inside a container, most telling first.
var marks = []struct{ file, kind string }{
	{"/var/run/secrets/kubernetes.io", "kubernetes"},
	{"/run/.containerenv", "podman"},
	{"/.dockerenv", "docker"},
	{"/.singularity.d", "apptainer"},
}

func container(r host.Reader, p machine.Fact[machine.Process], hypervisor machine.Fact[string]) machine.Fact[machine.Container] {
	kind, from, why := containerKind(r)
	if kind == "" && p.Known() && p.Value.InUserNamespace() {
		// Nobody but a container translates ids.
		kind, from = "container", "/proc/self/uid_map"
	}
	switch {
	case kind == "" && hypervisor.Value == "wsl2":
		kind, from = "wsl2", string(hypervisor.From)
	case kind == "" && why != "":
		return machine.Unknown[machine.Container](machine.Source(from), why)
	case kind == "":
		return machine.Missing[machine.Container]("/.dockerenv, /run/.containerenv, /run/systemd/container")
	}
	c := machine.Container{Kind: kind, Rootless: p.Known() && p.Value.InUserNamespace()}
	return machine.Know(c, machine.Source(from))
}

// containerKind returns why where it found nothing but could not look
// everywhere.
func containerKind(r host.Reader) (kind, from, why string) {
	if v, set, err := r.Getenv("KUBERNETES_SERVICE_HOST"); err == nil && set && v != "" {
		return "kubernetes", "KUBERNETES_SERVICE_HOST", ""
	}
	for _, m := range marks {
		switch f := exists(r, m.file); {
		case f.Known():
			return m.kind, m.file, ""
		case f.Unread():
			from, why = m.file, f.Why
		}
	}
	// systemd and the engines agree on this file and this variable, see
	// systemd's "container interface".
	if f := text(r, "/run/systemd/container"); f.Known() {
		return knownKind(f.Value), string(f.From), ""
	}
	if v, set, err := r.Getenv("container"); err == nil && set && v != "" {
		return knownKind(v), "container", ""
	}
	if f := text(r, "/proc/1/cgroup"); f.Known() {
		for _, engine := range []string{"kubepods", "docker", "libpod", "lxc"} {
			if strings.Contains(f.Value, "/"+engine) {
				return knownKind(engine), string(f.From), ""
			}
		}
	}
	return "", from, why
}

func knownKind(s string) string {
	switch s = strings.ToLower(s); s {
	case "docker", "podman", "lxc", "systemd-nspawn", "apptainer", "kubernetes":
		return s
	case "kubepods":
		return "kubernetes"
	case "libpod":
		return "podman"
	case "singularity":
		return "apptainer"
	case "lxc-libvirt", "incus", "lxd":
		return "lxc"
	default:
		return "container"
	}
}
