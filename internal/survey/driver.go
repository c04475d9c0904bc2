package survey

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

const moduleDir = "/sys/module/amdgpu"

func driver(r host.Reader, release string, cmdline machine.Fact[string]) machine.Driver {
	d := machine.Driver{
		Module:   module(r),
		Settings: settings(r, cmdline),
		DKMS:     dkms(r),
		FromDKMS: moduleFile(r, release, "updates/dkms", "updates", "extra"),
		InTree:   moduleFile(r, release, "kernel/drivers/gpu/drm/amd/amdgpu"),
		Overlay:  overlay(r),
	}
	var closed [3][]string
	d.Parameters, closed[0] = parameters(r, "amdgpu")
	d.TTM, closed[1] = parameters(r, "ttm")
	d.AMDTTM, closed[2] = parameters(r, "amdttm")
	d.Closed = slices.Concat(closed[:]...)
	d.Options = options(d.Settings)
	return d
}

// module reads /sys/module, which exists for loaded and built-in drivers alike;
// /proc/modules knows nothing of built-in ones and is missing in some
// containers.
func module(r host.Reader) machine.Fact[machine.Module] {
	there := exists(r, moduleDir)
	if !there.Known() {
		return machine.Fact[machine.Module]{State: there.State, From: there.From, Why: there.Why}
	}
	state := text(r, moduleDir+"/initstate")
	return machine.Know(machine.Module{
		BuiltIn: state.Absent(),
		State:   state.Value,
		Version: text(r, moduleDir+"/version").Value,
	}, moduleDir)
}

func dkms(r host.Reader) machine.Fact[[]string] {
	const dir = "/var/lib/dkms/amdgpu"
	return parsed(joined(list(r, dir)), func(s string) ([]string, bool) {
		var versions []string
		for name := range strings.SplitSeq(s, "\n") {
			// Beside the versions stand links named kernel-RELEASE-ARCH.
			if name != "" && !strings.HasPrefix(name, "kernel-") {
				versions = append(versions, name)
			}
		}
		return versions, true
	})
}

func joined(f machine.Fact[[]string]) machine.Fact[string] {
	return machine.Fact[string]{Value: strings.Join(f.Value, "\n"), State: f.State, From: f.From, Why: f.Why}
}

// moduleFile finds amdgpu.ko below the modules of the running kernel, however
// it is compressed.
func moduleFile(r host.Reader, release string, dirs ...string) machine.Fact[string] {
	root := "/lib/modules/" + release
	if release == "" || strings.Contains(release, "/") {
		return machine.Unknown[string]("/lib/modules", "the kernel release is not known")
	}
	// NixOS and others keep modules elsewhere: no folder tells nothing.
	if top := exists(r, root); !top.Known() {
		return machine.Unknown[string](machine.Source(root), cmp.Or(top.Why, "the modules of this kernel are not there"))
	}
	for _, d := range dirs {
		dir := path.Join(root, d)
		if names := list(r, dir); names.Unread() {
			return machine.Unknown[string](names.From, names.Why)
		}
		if files := matching(r, dir, "amdgpu.ko*"); len(files) > 0 {
			return machine.Know(files[0], machine.Source(files[0]))
		}
	}
	return machine.Missing[string](machine.Source(root))
}

// overlay lists firmware that is taken before the distribution's own.
func overlay(r host.Reader) machine.Fact[[]string] {
	const dir = "/lib/firmware/updates/amdgpu"
	names := list(r, dir)
	for i, n := range names.Value {
		names.Value[i] = path.Join(dir, n)
	}
	return names
}
