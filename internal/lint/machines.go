package lint

import (
	"io/fs"
	"time"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// OnExample is the machine that an example of a rule is for.
//
//	""               kfd and render nodes of gid 110 (render), cards of gid 44 (video); Docker;
//	                 the project is uid 1000's
//	open             the same nodes, which everybody may open
//	remapped         the first one, with Docker's userns-remap
//	podman           the first one, with podman as root
//	rootless-podman  the first one, with podman as a user and crun
//	gfx1031          the first one, with a Radeon RX 6700 XT
//	override-exported  the same, with HSA_OVERRIDE_GFX_VERSION=10.3.0 in the shell
//	selinux          the first one, with podman as root and SELinux enforcing
//	unread           nothing is known of it
func OnExample(name string) (Setting, bool) {
	s := Setting{Now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), Machine: exampleMachine(0o660)}
	s.Engine = grant.Engine{Kind: grant.Docker, Version: "28.3.0", Runtime: "runc", CDI: true}
	s.Owner = func(string) (uint32, bool, error) { return examplePerson, false, nil }
	switch name {
	case "":
	case "open":
		s.Machine = exampleMachine(0o666)
	case "remapped":
		s.Engine.Remapped = true
	case "podman":
		s.Engine = grant.Engine{Kind: grant.Podman, Version: "5.4.2", Runtime: "crun", CDI: true}
	case "rootless-podman":
		s.Engine = grant.Engine{Kind: grant.Podman, Version: "5.4.2", Runtime: "crun", CDI: true, Rootless: true}
	case "gfx1031", "override-exported":
		if name == "override-exported" {
			s.Machine.Variables = machine.Know([]machine.Variable{{Name: machine.OverrideVariable, Value: "10.3.0"}}, "environment")
		}
		gpu := &s.Machine.GPUs.Value[0]
		gpu.Name, gpu.PCIID, gpu.Gfx.Value = "Radeon RX 6700 XT", "1002:73df", "gfx1031"
	case "selinux":
		s.Engine = grant.Engine{Kind: grant.Podman, Version: "5.4.2", Runtime: "crun", CDI: true, SELinux: true}
	case "unread":
		s.Machine, s.Engine, s.Owner = &machine.Machine{}, grant.Engine{}, nil
	default:
		return Setting{}, false
	}
	if s.Engine.Kind == grant.Podman {
		s.Podman = s.Engine
	}
	s.Needs = grant.For(s.Machine)
	return s, true
}

// exampleMachine has one Radeon RX 7900 XTX.
func exampleMachine(perm fs.FileMode) *machine.Machine {
	const from = machine.Source("example")
	node := func(name string, gid, major, minor uint32) machine.Node {
		return machine.Node{Path: name, Stat: machine.Know(machine.NodeStat{
			Mode: fs.ModeDevice | fs.ModeCharDevice | perm, GID: gid, Major: major, Minor: minor,
		}, machine.Source(name))}
	}
	render := node("/dev/dri/renderD128", exampleRender, 226, 128)
	m := &machine.Machine{
		OS:     "linux",
		Kernel: machine.Know("6.8.0-45-generic", from),
		Groups: machine.Know([]machine.Group{{Name: "video", GID: exampleVideo}, {Name: "render", GID: exampleRender}, {Name: "docker", GID: exampleDocker}}, "/etc/group"),

		KFD:         node("/dev/kfd", exampleRender, 511, 0),
		RenderNodes: machine.Know([]machine.Node{render}, "/dev/dri"),
		Cards:       machine.Know([]machine.Node{node("/dev/dri/card0", exampleVideo, 226, 0)}, "/dev/dri"),
		GPUs: machine.Know([]machine.GPU{{
			Vendor: machine.AMD, Name: "Radeon RX 7900 XTX", PCIID: "1002:744c", Address: "0000:03:00.0", Kind: "dgpu",
			Gfx: machine.Know("gfx1100", from), Node: machine.Know(1, from), RenderNode: machine.Know(render.Path, from),
		}}, from),
	}
	m.Distro = machine.Know(machine.Distro{ID: "ubuntu", Version: "24.04", Name: "Ubuntu 24.04 LTS"}, from)
	return m
}

const (
	exampleRender = 110
	exampleVideo  = 44
	exampleDocker = 988
	examplePerson = 1000
)
