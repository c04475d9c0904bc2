package access

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// groupMissing is the common case: the node belongs to a group that the process
// is not in.
func groupMissing(m *machine.Machine, n machine.Node, f check.Finding) check.Finding {
	p, gid := m.Process.Value, n.Stat.Value.GID
	f.Cause = "device-permission-group"
	f.Message += fmt.Sprintf(". The node belongs to gid %d%s; the process has %s.", gid, called(m, gid), andList(append([]uint32{p.GID}, p.Groups...)))
	gids := m.MissingGroups(p.Subject())
	switch {
	case m.Container.Known():
		if wasGivenGroups(p) {
			f.Cause = "container-gid-mismatch"
		}
		explainNames(m, gid, &f)
		f.Remedies = []remedy.Remedy{addGroups(m, gids)}
	case inFileOnly(m, p.Name, gid):
		f.Message = fmt.Sprintf("Your login is older than your membership in group %s, so %s stays closed. /etc/group lists %s, but a process keeps the groups it was started with; this one has %s.",
			m.GroupName(gid), n.Path, p.Name, andList(append([]uint32{p.GID}, p.Groups...)))
		f.Evidence = append(f.Evidence, groupLine(m, m.GroupName(gid)))
		f.Remedies = []remedy.Remedy{cure.For(m, "new-login", cure.Values{"group": m.GroupName(gid)})}
	default:
		if name := m.GroupName(gid); name != "" {
			f.Evidence = append(f.Evidence, groupLine(m, name))
		} else if m.Groups.Known() {
			f.Evidence = append(f.Evidence, machine.Evidence{From: m.Groups.From, Text: fmt.Sprintf("no group has the number %d", gid)})
		}
		f.Remedies = groupRemedies(m, n, gids)
	}
	return f
}

// wasGivenGroups reports whether somebody asked for groups at all. Engines list
// the primary group among the supplementary ones.
func wasGivenGroups(p machine.Process) bool {
	return slices.ContainsFunc(p.Groups, func(gid uint32) bool { return gid != p.GID })
}

// explainNames says why a name like "render" did not help: engines look names
// up in the image.
func explainNames(m *machine.Machine, gid uint32, f *check.Finding) {
	for _, name := range []string{"render", "video"} {
		g, ok := m.GroupNamed(name)
		if !ok || g.GID == gid || !m.Process.Value.HasGroup(g.GID) {
			continue
		}
		f.Message += fmt.Sprintf(" The group %q is %d here because %s looked the name up in the image, not on the host.", name, g.GID, engine(m))
		f.Evidence = append(f.Evidence, groupLine(m, name))
		return
	}
	if name := m.GroupName(gid); name != "" && !m.Process.Value.HasGroup(gid) {
		f.Evidence = append(f.Evidence, groupLine(m, name))
	}
}

func engine(m *machine.Machine) string {
	if k := m.Container.Value.Kind; k == "docker" || k == "podman" {
		return k
	}
	return "the engine"
}

func inFileOnly(m *machine.Machine, user string, gid uint32) bool {
	return user != "" && slices.ContainsFunc(m.Groups.Value, func(g machine.Group) bool {
		return g.GID == gid && slices.Contains(g.Members, user)
	})
}

func groupLine(m *machine.Machine, name string) machine.Evidence {
	g, _ := m.GroupNamed(name)
	const most = 8
	members := strings.Join(g.Members[:min(most, len(g.Members))], ",")
	if more := len(g.Members) - most; more > 0 {
		members += fmt.Sprintf(" and %d more", more)
	}
	return machine.Evidence{From: m.Groups.From, Text: fmt.Sprintf("%s:x:%d:%s", g.Name, g.GID, members)}
}

// groupRemedies follow the machine: a number for a container, a membership for
// a login.
func groupRemedies(m *machine.Machine, n machine.Node, gids []uint32) []remedy.Remedy {
	if m.Container.Known() {
		return []remedy.Remedy{addGroups(m, gids)}
	}
	return joinGroup(m, userName(m), n.Stat.Value.GID)
}

func userName(m *machine.Machine) string {
	if m.Caller.Known() {
		return m.Caller.Value.Name
	}
	return cmp.Or(m.Process.Value.Name, cure.CurrentUser)
}

func joinGroup(m *machine.Machine, user string, gid uint32) []remedy.Remedy {
	if name := m.GroupName(gid); name != "" {
		return []remedy.Remedy{cure.For(m, "join-group", cure.Values{"user": user, "group": name})}
	}
	return []remedy.Remedy{cure.For(m, "name-and-join-group", cure.Values{"user": user, "gid": fmt.Sprint(gid)})}
}

// addGroups names the missing groups in its title, and all that the nodes need in
// its command, which replaces the one the container was started with.
func addGroups(m *machine.Machine, missing []uint32) remedy.Remedy {
	var flags, quoted []string
	for _, g := range m.MissingGroups(machine.Stranger) {
		number := strconv.FormatUint(uint64(g), 10)
		flags = append(flags, "--group-add "+number)
		quoted = append(quoted, `"`+number+`"`)
	}
	return cure.For(m, "container-add-gids", cure.Values{
		"gids": commaList(missing), "all": commaList(m.MissingGroups(machine.Stranger)), "flags": strings.Join(flags, " "), "quoted": strings.Join(quoted, ", "),
	})
}

func commaList(ids []uint32) string {
	return strings.Join(strings.Fields(spaced(ids)), ", ")
}

// andList writes "1000, 44 and 991".
func andList(ids []uint32) string {
	ids = unique(ids)
	words := strings.Fields(spaced(ids[:min(len(ids), 24)]))
	if rest := len(ids) - len(words); rest > 0 {
		return strings.Join(words, ", ") + fmt.Sprintf(" and %d more", rest)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func unique(ids []uint32) []uint32 {
	var out []uint32
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

func runCaller(in check.Input) []check.Finding {
	m := in.Machine
	if m.Caller.Unread() && m.Caller.Why != "" && m.Process.Known() && m.Process.Value.UID == 0 {
		return []check.Finding{check.CannotTell("sudo", "what the user behind sudo may do", m.Caller.From, m.Caller.Why)}
	}
	if !m.Caller.Known() || !m.KFD.Stat.Known() {
		return []check.Finding{check.NotHere("sudo", "nobody called sudo")}
	}
	user := m.Caller.Value
	var out []check.Finding
	for _, n := range m.ComputeNodes() {
		if n.Stat.Known() && !n.Allows(user.Subject()) {
			out = append(out, callerDenied(m, n, user))
		}
	}
	if len(out) == 0 {
		return []check.Finding{{Subject: "user " + user.Name, Verdict: check.OK, Message: user.Name + ", who called sudo, may open the GPU too", Evidence: evidence(m.KFD)}}
	}
	return out[:1]
}

func callerDenied(m *machine.Machine, n machine.Node, user machine.Account) check.Finding {
	gid := n.Stat.Value.GID
	f := check.Finding{
		Subject: "user " + user.Name, Verdict: check.Fail, Cause: "device-permission-group",
		Message: fmt.Sprintf("Root may open %s, but %s, who called sudo, may not. Root passes over permission bits; programs run by %s need gid %d%s. Do not run them as root instead.",
			n.Path, user.Name, user.Name, gid, called(m, gid)),
		Evidence: append(evidence(n), machine.Evidence{From: "/etc/passwd and /etc/group", Text: fmt.Sprintf("%s has uid %d gid %d groups %s", user.Name, user.UID, user.GID, spaced(user.Groups))}),
	}
	if closedToOthers(n.Stat.Value) {
		return closedToGroups(m, n, f)
	}
	f.Remedies = joinGroup(m, user.Name, gid)
	return f
}
