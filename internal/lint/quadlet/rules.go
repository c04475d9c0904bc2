package quadlet

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A service is a unit of a project that computes on AMD GPUs, or seems to.
type service struct {
	unit
	file    *lint.File
	sign    string // why it seems so
	dropIns []*lint.File
	// unread tells of a drop-in that could not be read: nothing may be concluded from
	// what stands in the others.
	unread string
	// shared are the drop-ins that other units of the project have, too.
	shared map[*lint.File]bool
}

// services returns those of a project that can be judged.
func services(p *lint.Pass) []*service {
	return slices.DeleteFunc(slices.Clone(units(p)), func(s *service) bool { return s.unread != "" })
}

// units returns all of them, read once for all rules.
func units(p *lint.Pass) []*service {
	return lint.Shared(p.Project, "quadlet/services", func() []*service {
		var out []*service
		users := map[*lint.File]int{}
		shared := map[*lint.File]bool{}
		for _, f := range p.Of(lint.Quadlet) {
			s := read(p.Project, f)
			for _, d := range s.dropIns {
				users[d]++
				shared[d] = users[d] > 1
			}
			s.shared = shared
			if s.sign = s.computes(); s.sign != "" {
				out = append(out, s)
			}
		}
		return out
	})
}

func (s *service) computes() string {
	image := s.last("Image")
	repository, tag, _ := rocm.SplitImage(image)
	switch {
	case rocm.ForROCm(repository, tag):
		return "its image is " + image
	case s.has("/dev/kfd") || s.byCDI():
		return "it is given the GPU"
	}
	for _, v := range s.values("Environment", "--env", "-e") {
		name, _, _ := strings.Cut(v.text, "=")
		if slices.ContainsFunc([]string{"HSA_", "HIP_", "ROCR_"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return "it is given " + name
		}
	}
	return ""
}

// devices are what is passed, by the path on the host.
func (s *service) devices() []string {
	var out []string
	for _, d := range s.values("AddDevice", "--device") {
		host, _, _ := strings.Cut(strings.TrimPrefix(d.text, "-"), ":")
		if strings.Contains(d.text, "=") { // a name of CDI, which may hold colons
			host = d.text
		} else {
			host = path.Clean(host)
		}
		out = append(out, host)
	}
	return out
}

// has tells whether a device is passed, by itself or with its folder.
func (s *service) has(device string) bool {
	return slices.ContainsFunc(s.devices(), func(d string) bool { return d == device || d == "/dev" || strings.HasPrefix(d, device+"/") })
}

// mounts tells whether a device is mounted. Podman of a user passes devices in that
// way itself (podman-run(1), --device); for root it gives no right to them.
func (s *service) mounts(device string) bool {
	return slices.ContainsFunc(s.values("Volume", "--volume", "-v"), func(v said) bool {
		host, _, _ := strings.Cut(v.text, ":")
		host = path.Clean(host)
		return host == device || host == "/dev" || strings.HasPrefix(host, device+"/")
	})
}

func (s *service) byCDI() bool {
	return slices.ContainsFunc(s.devices(), func(d string) bool { return strings.HasPrefix(d, "amd.com/gpu=") })
}

func (s *service) privileged() (said, bool) {
	for i := range s.entries {
		e := &s.entries[i]
		for _, w := range e.words {
			if e.key == "PodmanArgs" && (w.text == "--privileged" || w.text == "--privileged=true") {
				return said{w, e, w.start, len(e.words) == 1}, true
			}
		}
	}
	return said{}, false
}

// keeps tells that the process keeps the groups of its user: by keep-groups, or by
// what that sets (podman-run(1), --group-add).
func (s *service) keeps() bool {
	kept := func(v said) bool { return v.text == grant.KeepGroups || v.text == "run.oci.keep_original_groups=1" }
	return slices.ContainsFunc(s.groups(), kept) || slices.ContainsFunc(s.values("Annotation", "--annotation"), kept)
}

func (s *service) groups() []said { return s.values("GroupAdd", "--group-add") }

// mapped tells that the ids of the container are others on the host, so that no
// number of the host means anything in it.
func (s *service) mapped() bool {
	userns := s.last("UserNS", "--userns")
	maps := s.values("GIDMap", "--gidmap", "--subgidname")
	return userns != "" && userns != "host" || len(maps)+len(s.values("SubGIDMap"))+len(s.values("RemapGid"))+len(s.values("RemapUsers")) > 0
}

// rootless tells whether the unit is one of a user: by its folder, by the target
// that only the system has, else by the podman of this machine.
func (s *service) rootless(p *lint.Pass) (rootless, known bool) {
	dir := "/" + path.Dir(s.file.Path) + "/"
	switch {
	case strings.Contains(dir, "/.config/containers/systemd/"), strings.Contains(dir, "containers/systemd/users/"):
		return true, true
	case strings.Contains(dir, "/etc/containers/systemd/"), strings.Contains(dir, "/share/containers/systemd/"):
		return false, true
	case s.wanted == "multi-user.target": // systemd of a user has none of that name
		return false, true
	}
	return p.Podman.Rootless, p.Podman.Kind == grant.Podman
}

// place is where the first entry of one of the keys stands.
func (s *service) place(keys ...string) (*lint.File, int) {
	for _, key := range keys {
		for _, e := range s.entries {
			if e.key == key {
				return e.file, e.line
			}
		}
	}
	return s.file, 1
}

// lastOf is the last entry of a key, be it one that takes back what was said before:
// in front of that, nothing holds. nil where there is none.
func (s *service) lastOf(key string) *entry {
	for i := range slices.Backward(s.all) {
		if s.all[i].key == key {
			return &s.all[i]
		}
	}
	return nil
}

func missingDevices(p *lint.Pass) {
	for _, s := range units(p) {
		if s.unread != "" {
			p.Report(lint.Finding{File: s.file, Line: 1, Verdict: check.Unknown, Message: "Not judged: this unit has a drop-in that could not be read, " + s.unread + "."})
		}
	}
	for _, s := range services(p) {
		if _, all := s.privileged(); all || s.byCDI() {
			continue
		}
		var missing []string
		root, known := s.rootless(p)
		root = !root && known
		for _, d := range []string{"/dev/kfd", "/dev/dri"} {
			if !s.has(d) && (root || !s.mounts(d)) {
				missing = append(missing, d)
			}
		}
		if len(missing) == 0 {
			continue
		}
		list := strings.Join(missing, " and ")
		lines := make([]string, len(missing))
		for i, d := range missing {
			lines[i] = "AddDevice=" + d
		}
		file, line := s.place("AddDevice", "Image", "PodmanArgs", "Environment")
		p.Report(lint.Finding{
			File: file, Line: line, Verdict: check.Fail, Cause: "container-device-not-mapped",
			Message: fmt.Sprintf("This unit is not given %s, and %s. Without both /dev/kfd and a render node of /dev/dri HIP finds no device.", list, s.sign),
			Mend:    s.insert("Pass "+list, lines, "AddDevice", "Image"),
			Advice:  []remedy.Remedy{lint.ByHand("quadlet-devices", "Pass "+list, strings.Join(lines, ", ")+", or AddDevice=amd.com/gpu=all with a specification of rocsmith cdi generate")},
		})
	}
}

func privileged(p *lint.Pass) {
	for _, s := range services(p) {
		if at, found := s.privileged(); found {
			p.Report(lint.Finding{
				File: at.entry.file, Line: at.line(), Verdict: check.Warn,
				Message: "This unit is privileged. For computing it need not be: AddDevice=/dev/kfd, AddDevice=/dev/dri and a group do, and a privileged container reaches every device of the host.",
				Advice:  []remedy.Remedy{lint.ByHand("quadlet-unprivileged", "Pass the devices and give up the privilege", "write AddDevice=/dev/kfd and AddDevice=/dev/dri, and remove --privileged unless something else needs it")},
			})
		}
	}
}
