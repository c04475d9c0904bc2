package compose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
)

const mismatch = "container-gid-mismatch"

func groups(s *composefile.Service) []*composefile.Value { return s.Groups() }

// number is the gid that an entry is; false for names and what has no value.
func number(v *composefile.Value) (uint32, bool) {
	n, err := strconv.ParseUint(v.Text, 10, 32)
	return uint32(n), err == nil
}

func digits(gid uint32) string { return strconv.FormatUint(uint64(gid), 10) }

// translates reports an engine in whose containers the host's numbers mean
// something else.
func translates(e grant.Engine) bool {
	return e.Rootless && e.Kind != grant.Apptainer || e.Remapped
}

// groupNames finds groups by name. The engine looks a name up in the image, which
// numbers its groups as its distribution does; the node keeps the host's number.
func groupNames(p *lint.Pass) {
	v := look(p)
	found := gather(v, groups)
	asking := map[*place][]*composefile.Service{}
	for _, s := range v.gpus {
		for _, g := range s.Groups() {
			if len(g.Vars) == 0 && named(p.Machine, g.Text) {
				place := found.add(s, g)
				asking[place] = append(asking[place], s)
			}
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		r.report(groupName(p, place, asking[place]))
	}
}

// named reports a name that is meant for the nodes of GPUs: by custom, or because
// a group of this machine has it and they belong to it.
func named(m *machine.Machine, name string) bool {
	if name == "render" || name == "video" {
		return true
	}
	_, _, ours := wanted(m, name)
	return ours
}

// wanted is the number that is meant by the name of a group.
func wanted(m *machine.Machine, name string) (uint32, machine.Evidence, bool) {
	if m == nil {
		return 0, machine.Evidence{}, false
	}
	if gid, why, ok := grant.GroupNamed(m, name); ok {
		return gid, why, true
	}
	group, there := m.GroupNamed(name)
	for _, n := range slices.Concat(m.ComputeNodes(), m.Cards.Value) {
		if there && n.Stat.Known() && n.Stat.Value.GID == group.GID {
			return group.GID, evidence(n), true
		}
	}
	return 0, machine.Evidence{}, false
}

func evidence(n machine.Node) machine.Evidence {
	return machine.Evidence{From: machine.Source(n.Path), Text: n.Stat.Value.String()}
}

// passed is the node of a group that one of the services is given; where none is,
// that which told the number.
func passed(m *machine.Machine, services []*composefile.Service, gid uint32, told machine.Evidence) machine.Evidence {
	for _, n := range slices.Concat(m.ComputeNodes(), m.Cards.Value) {
		if !n.Stat.Known() || n.Stat.Value.GID != gid {
			continue
		}
		if slices.ContainsFunc(services, func(s *composefile.Service) bool { return handed(s, n.Path) }) {
			return evidence(n)
		}
	}
	return told
}

// groupName is the finding about a name. What shows films and does not compute
// goes on without the GPU, so that it is warned of at most.
func groupName(p *lint.Pass, where *place, services []*composefile.Service) lint.Finding {
	name := where.value.Text
	f := at(p, where.value)
	f.Cause = mismatch
	f.Verdict = check.Warn
	gid, why, known := wanted(p.Machine, name)
	if !known {
		f.Message = fmt.Sprintf("The group %q of %s is a name, which the engine looks up in the image. Its number there need not be that of the nodes on the host; the number of the nodes is needed.", name, where.who())
		f.Advice = paste("compose-group-number", "Write the number of the node's group", "The number of the group that may open the GPU", "stat -c '%n %g' /dev/kfd /dev/dri/renderD*")
		return f
	}
	why = passed(p.Machine, services, gid, why)
	f.Evidence = []machine.Evidence{why}
	needed := slices.Contains(p.Needs.GIDs(), gid)
	if needed && slices.ContainsFunc(services, func(s *composefile.Service) bool { return look(p).rocm[s] != "" }) {
		f.Verdict = check.Fail
	}
	f.Message = fmt.Sprintf("The group %q of %s is looked up in the image, and %s belongs to gid %d here. %s", name, where.who(), why.From, gid, consequence(p, needed))
	if translates(p.Engine) {
		f.Advice = advice("compose-group-translated", "See compose/user-namespace", "This engine translates ids, so that no number of the host helps: see compose/user-namespace")
		return f
	}
	if where.twin(p, gid) {
		edit, err := where.remove()
		f.Mend = mend(p, where.value, fmt.Sprintf("Remove %s: gid %d is in the list", name, gid), edit, err)
	} else {
		edit, err := where.replace(digits(gid))
		f.Mend = mend(p, where.value, fmt.Sprintf("Write gid %d instead of %s", gid, name), edit, err)
	}
	if f.Mend == nil {
		f.Advice = advice("compose-group-number", fmt.Sprintf("Write gid %d instead of %s", gid, name),
			fmt.Sprintf("Write %d instead of %s where %s alone is concerned: other services share this line", gid, name, where.who()))
	}
	return f
}

func consequence(p *lint.Pass, needed bool) string {
	if needed {
		return "Images number their groups differently, so a process that is not root may be refused, or the container does not start."
	}
	if p.Needs.Open() {
		return "The nodes are open to everybody on this machine, so it works here by luck, and not where they are closed."
	}
	return "Images number their groups differently, and one without the name does not start at all."
}

// twin reports that the number is in the list already, before this entry or as a
// number.
func (p *place) twin(pass *lint.Pass, gid uint32) bool {
	siblings := p.value.Node.Parent().Items()
	for i, item := range siblings {
		if item == p.value.Node {
			continue
		}
		if item.Value() == digits(gid) {
			return true
		}
		if other, _, ok := wanted(pass.Machine, item.Value()); ok && other == gid && i < slices.Index(siblings, p.value.Node) {
			return true
		}
	}
	return false
}

// missing are the numbers that a service needs for the nodes it is given and does
// not have, by name, number or variable, each with those nodes alone.
func missing(p *lint.Pass, s *composefile.Service) []grant.Group {
	if !p.Needs.Complete() {
		return nil
	}
	var out []grant.Group
	for _, g := range p.Needs.Groups {
		g.Nodes = slices.DeleteFunc(slices.Clone(g.Nodes), func(node string) bool { return !handed(s, node) })
		has := slices.ContainsFunc(s.Groups(), func(v *composefile.Value) bool {
			if n, is := number(v); is {
				return n == g.GID
			}
			gid, _, ok := wanted(p.Machine, v.Text)
			return ok && gid == g.GID
		})
		if len(g.Nodes) > 0 && !has {
			out = append(out, g)
		}
	}
	return out
}

// handed reports that a service is given a node: by its own path, with the folder
// that it is in, or by the name that a CDI specification gives to the GPU.
func handed(s *composefile.Service, node string) bool {
	return byName(s) || slices.ContainsFunc(s.Devices(), func(d composefile.Device) bool {
		source := strings.TrimSuffix(d.Source, "/")
		return source != "" && (source == node || strings.HasPrefix(node, source+"/"))
	})
}

// byName reports a service that is given all GPUs, or one of them, by CDI.
func byName(s *composefile.Service) bool {
	return slices.ContainsFunc(s.Devices(), func(d composefile.Device) bool { return d.CDI() && strings.HasPrefix(d.Source, "amd.com/gpu=") })
}

// others are groups that services are given for something else than a GPU: sockets
// of engines, machines, sound, ports, shares with films.
var others = []string{"docker", "podman", "kvm", "libvirt", "audio", "input", "plugdev", "dialout", "uucp", "disk", "cdrom", "lp", "i2c", "gpio", "apex", "users", "media", "storage", "sambashare", "www-data"}

// elseGID reports the number of such a group on this machine.
func elseGID(m *machine.Machine, gid uint32) bool {
	return slices.ContainsFunc(others, func(name string) bool {
		g, there := m.GroupNamed(name)
		return there && g.GID == gid
	})
}

// foreign are the numbers of a service that belong to no node of a GPU here.
// Numbers of people's own groups are left alone, and those of groups for something
// else.
func foreign(p *lint.Pass, s *composefile.Service) []*composefile.Value {
	const firstOfPeople = 1000
	var out []*composefile.Value
	for _, v := range s.Groups() {
		gid, is := number(v)
		if is && gid > 0 && gid < firstOfPeople && len(v.Vars) == 0 && !nodeGID(p.Machine, gid) && !elseGID(p.Machine, gid) {
			out = append(out, v)
		}
	}
	return out
}

func nodeGID(m *machine.Machine, gid uint32) bool {
	return slices.ContainsFunc(slices.Concat(m.ComputeNodes(), m.Cards.Value), func(n machine.Node) bool {
		return n.Stat.Known() && n.Stat.Value.GID == gid
	})
}

// groupNumbers finds numbers of another machine: the service lacks the number that
// it needs here, and has one that opens nothing.
func groupNumbers(p *lint.Pass) {
	v := look(p)
	found := gather(v, groups)
	wants := map[*place]grant.Group{}
	computing := map[*place]bool{} // for films a wrong number matters less
	for _, s := range v.gpus {
		lacks, other := missing(p, s), foreign(p, s)
		if len(lacks) == 0 || translates(p.Engine) {
			continue
		}
		for i, o := range other {
			place := found.add(s, o)
			computing[place] = computing[place] || v.rocm[s] != ""
			if i < len(lacks) {
				wants[place] = lacks[i]
			}
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		want, ok := wants[place]
		if !ok {
			continue
		}
		f := at(p, place.value)
		f.Verdict, f.Cause = check.Warn, mismatch
		if computing[place] {
			f.Verdict = check.Fail
		}
		f.Evidence = nodes(p, want)
		f.Message = fmt.Sprintf("gid %s of %s opens no GPU on this machine. %s to gid %d, which the service does not have.", place.value.Text, place.who(), belong(want.Nodes), want.GID)
		edit, err := place.replace(digits(want.GID))
		f.Mend = mend(p, place.value, fmt.Sprintf("Write gid %d instead of %s", want.GID, place.value.Text), edit, err)
		if f.Mend == nil {
			f.Advice = advice("compose-group-number", fmt.Sprintf("Give the service gid %d", want.GID), fmt.Sprintf("Add %d to group_add of %s: other services share this line", want.GID, place.who()))
		}
		r.report(f)
	}
}

// belong begins a clause about whose nodes are.
func belong(nodes []string) string {
	if len(nodes) == 1 {
		return nodes[0] + " belongs"
	}
	return join(nodes) + " belong"
}

// nodes are the evidence for a group.
func nodes(p *lint.Pass, g grant.Group) []machine.Evidence {
	var out []machine.Evidence
	for _, n := range p.Needs.Nodes {
		if slices.Contains(g.Nodes, n.Path) {
			out = append(out, machine.Evidence{From: machine.Source(n.Path), Text: n.Stat.Value.String()})
		}
	}
	return out
}
