package compose

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// keepGroups finds the word of podman in files for Docker, which takes it for the
// name of a group.
func keepGroups(p *lint.Pass) {
	if p.Engine.Kind != grant.Docker {
		return
	}
	v := look(p)
	found := gather(v, groups)
	for _, s := range v.services() {
		for _, g := range s.Groups() {
			if g.Text == grant.KeepGroups && !forPodman(s, g) {
				found.add(s, g)
			}
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		f := at(p, place.value)
		f.Verdict, f.Cause = check.Fail, mismatch
		f.Message = fmt.Sprintf("keep-groups is a word of podman; Docker looks for a group of that name in the image, and %s does not start.", place.who())
		if p.Podman.Kind == grant.Podman { // which is probably meant
			f.Verdict = check.Warn
			f.Message = fmt.Sprintf("keep-groups is a word of podman, and this machine has Docker too. Started by podman %s keeps the groups; Docker looks for a group of that name in the image and does not start it.", place.who())
			f.Advice = advice("compose-by-podman", "Start it with podman", "Start it by podman compose, or call the file podman-compose.yml, and this is not asked")
			r.report(f)
			continue
		}
		f.Mend = insteadOfKeeping(p, place)
		if f.Mend == nil {
			f.Advice = paste("compose-keep-groups", "Write the number of the node's group instead", "The number of the group that may open the GPU", "stat -c '%n %g' /dev/kfd /dev/dri/renderD*")
		}
		r.report(f)
	}
}

// forPodman tells a service that says so itself: by the name of its file, or by what
// Docker does not know.
func forPodman(s *composefile.Service, at *composefile.Value) bool {
	file := strings.ToLower(path.Base(at.File.Path))
	return strings.Contains(file, "podman") || s.Get("x-podman") != nil || strings.HasPrefix(s.Get("userns_mode").String(), "keep-id")
}

func insteadOfKeeping(p *lint.Pass, place *place) *lint.Mend {
	if !p.Needs.Complete() || translates(p.Engine) {
		return nil
	}
	if len(p.Needs.Groups) == 0 || place.twin(p, p.Needs.Groups[0].GID) {
		edit, err := place.remove()
		return mend(p, place.value, "Remove keep-groups", edit, err)
	}
	gid := digits(p.Needs.Groups[0].GID)
	edit, err := place.replace(gid)
	return mend(p, place.value, "Write gid "+gid+" instead of keep-groups", edit, err)
}

// userNamespaces finds numbers of groups that the engine translates: they look
// right in the container and open nothing.
func userNamespaces(p *lint.Pass) {
	if !translates(p.Engine) || !p.Needs.Complete() || len(p.Needs.Groups) == 0 {
		return
	}
	access := p.Needs.Through(p.Engine)
	r := reporting(p)
	for _, s := range look(p).gpus {
		if !passes(s, "/dev/kfd") && !passes(s, "/dev/dri") || s.Get("userns_mode").String() == "host" && p.Engine.Kind == grant.Docker {
			continue
		}
		kept := slices.ContainsFunc(s.Groups(), func(v *composefile.Value) bool { return v.Text == grant.KeepGroups }) ||
			s.Get("annotations", "run.oci.keep_original_groups").String() == "1" // what keep-groups sets (podman-run(1))
		if kept && access.Refused == "" {
			continue
		}
		f := at(p, place0(s))
		f.Verdict, f.Cause, f.Evidence = check.Fail, "rootless-userns", nodes(p, p.Needs.Groups[0])
		switch {
		case access.Refused != "":
			f.Message = fmt.Sprintf("Service %s cannot be given the GPU like this: %s.", s.Name, access.Refused)
			f.Advice = refusedAdvice(p, s)
		default:
			f.Message = fmt.Sprintf("Service %s needs gid %d, and rootless podman translates numbers: the group shows up in the container and opens nothing. keep-groups hands over the groups of whoever starts it.", s.Name, p.Needs.Groups[0].GID)
			f.Mend = keep(p, s)
			f.Advice = advice("compose-keep-groups", "Use keep-groups", "In group_add of service "+s.Name+" write keep-groups, and nothing else: podman takes no other group beside it")
		}
		r.report(f)
	}
}

func refusedAdvice(p *lint.Pass, s *composefile.Service) []remedy.Remedy {
	switch {
	case p.Engine.Kind == grant.Podman:
		return advice("compose-crun", "Install crun", "Install crun, and podman takes it: runc does not know keep-groups")
	case p.Engine.Remapped && !p.Engine.Rootless:
		return advice("compose-userns-host", "Leave the user namespace for this service", "Write \"userns_mode: host\" into service "+s.Name+": root in it is then root of the host")
	}
	return advice("compose-udev", "Open the nodes, or use the Docker of root", "A udev rule can give the nodes mode 0666; the Docker of root hands groups over by number")
}

// keep replaces the groups of a service by keep-groups, where they are one list
// of nothing but groups for the GPU.
func keep(p *lint.Pass, s *composefile.Service) *lint.Mend {
	list := s.Get("group_add")
	if list == nil {
		return addGroup(p, s, grant.KeepGroups)
	}
	for _, g := range s.Groups() {
		gid, is := number(g)
		if !is && !named(p.Machine, g.Text) || is && !nodeGID(p.Machine, gid) || g.Node.Parent() != list.Node || g.Node.Shared() {
			return nil
		}
	}
	alike := func(o *composefile.Service) bool {
		return text(o.Get("group_add")) == text(list) && (passes(o, "/dev/kfd") || passes(o, "/dev/dri"))
	}
	if !look(p).suits(s, text(list), under("group_add"), alike) {
		return nil
	}
	if len(s.Groups()) > 1 {
		edit, err := s.Groups()[len(s.Groups())-1].Node.Remove()
		return mend(p, list, "Remove the groups, of which keep-groups takes the place", edit, err)
	}
	edit, err := s.Groups()[0].Node.Replace(grant.KeepGroups)
	return mend(p, list, "Write keep-groups instead of "+strings.TrimSpace(s.Groups()[0].Text), edit, err)
}
