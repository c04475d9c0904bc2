package survey

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// installations finds every ROCm user space in the usual places, and how each
// came there, from files alone.
func installations(r host.Reader, environments []machine.PythonEnvironment) machine.Fact[[]machine.Installation] {
	opt := list(r, "/opt")
	if opt.Unread() {
		return machine.Unknown[[]machine.Installation](opt.From, opt.Why)
	}
	found := []machine.Installation{}
	found = append(found, underOpt(r, opt.Value)...)
	found = append(found, fromDistribution(r)...)
	found = append(found, fromWheels(r, environments)...)
	return machine.Know(found, "/opt, /usr/lib and Python environments")
}

// underOpt reads AMD's layouts: /opt/rocm-7.2.0 with a link /opt/rocm, and from
// ROCm 10 on /opt/rocm/core-10.1.
func underOpt(r host.Reader, names []string) []machine.Installation {
	var roots []string
	for _, name := range names {
		if name != "rocm" && !strings.HasPrefix(name, "rocm-") {
			continue
		}
		root := path.Join("/opt", name)
		if _, err := r.ReadLink(root); err == nil {
			continue // counted where it points
		}
		roots = append(roots, root)
		roots = append(roots, matching(r, root, "core-*")...)
	}
	var out []machine.Installation
	for _, root := range roots {
		version := text(r, root+"/.info/version")
		if !version.Known() {
			continue
		}
		number, _, _ := strings.Cut(version.Value, "-")
		out = append(out, machine.Installation{Version: number, Path: root, How: howUnderOpt(r), From: version.From})
	}
	return out
}

// packageFiles are written by package managers when AMD's core package is
// installed.
var packageFiles = []string{"/var/lib/dpkg/info/rocm-core.list", "/var/lib/dpkg/info/rocm-core:amd64.list"}

func howUnderOpt(r host.Reader) string {
	for _, f := range packageFiles {
		if exists(r, f).Known() {
			return machine.HowAMDPackages
		}
	}
	if exists(r, "/var/lib/dpkg/info").Known() {
		// dpkg would know of it; Arch and rpm systems keep other books.
		return machine.HowUnpackaged
	}
	if len(matching(r, "/var/lib/pacman/local", "rocm-core-*")) > 0 {
		return machine.HowDistribution
	}
	if exists(r, "/usr/lib/sysimage/rpm").Known() || exists(r, "/var/lib/rpm").Known() {
		return machine.HowAMDPackages
	}
	return machine.HowUnpackaged
}

// fromDistribution looks for the HIP runtime among the system's libraries: its
// link by major number points at a file that has the full version in its name.
func fromDistribution(r host.Reader) []machine.Installation {
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu"} {
		for _, major := range majorsOf(hipLibrary) {
			link := fmt.Sprintf("%s/libamdhip64.so.%d", dir, major)
			target, err := r.ReadLink(link)
			if err != nil {
				continue
			}
			version := strings.TrimPrefix(path.Base(target), "libamdhip64.so.")
			return []machine.Installation{{Version: shortVersion(version), Path: dir, How: machine.HowDistribution, From: machine.Source(link)}}
		}
	}
	return nil
}

// shortVersion cuts HIP's build number: 6.4.43484 is of ROCm 6.4.
func shortVersion(s string) string {
	parts := strings.Split(s, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// fromWheels takes AMD's own packages, and torch wheels that bring ROCm along,
// from the Python environments. Several environments may see one folder.
func fromWheels(r host.Reader, environments []machine.PythonEnvironment) []machine.Installation {
	var out []machine.Installation
	add := func(i machine.Installation) {
		if !slices.ContainsFunc(out, func(o machine.Installation) bool { return o.Path == i.Path && o.How == i.How }) {
			out = append(out, i)
		}
	}
	join := files{r}.join
	for _, e := range environments {
		for _, d := range e.Vendor {
			if d.Name == "rocm-sdk-core" {
				add(machine.Installation{Version: d.Version, Path: join(folderOf(d.Path), "_rocm_sdk_core"), How: machine.HowWheels, From: machine.Source(d.Path)})
			}
		}
		if torch, has := e.Has("torch"); has && torch.Build.Known() && torch.Build.Value.Kind == rocm.BuildROCm {
			version := cmp.Or(torch.Build.Value.ROCm, shortVersion(torch.Build.Value.HIP))
			add(machine.Installation{Version: version, Path: join(folderOf(torch.Path), "torch"), How: machine.HowTorchWheel, From: machine.Source(torch.Path), Torch: torch.Version})
		}
	}
	return out
}

// folderOf is the folder that holds a path of either system.
func folderOf(p string) string { return p[:max(0, strings.LastIndexAny(p, `/\`))] }
