package survey

import (
	"context"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func process(r host.Reader, accounts machine.Fact[[]account]) machine.Fact[machine.Process] {
	const from = "/proc/self/status"
	p, err := r.Process()
	if err != nil {
		return machine.Unknown[machine.Process](from, reason(err))
	}
	return machine.Know(machine.Process{
		UID: p.EUID, GID: p.EGID, Groups: p.Groups,
		Name:   nameOf(r, p.EUID, accounts),
		UIDMap: idRanges(p.UIDMap),
		GIDMap: idRanges(p.GIDMap),
	}, from)
}

func idRanges(in []host.IDRange) []machine.IDRange {
	out := make([]machine.IDRange, len(in))
	for i, x := range in {
		out[i] = machine.IDRange(x)
	}
	return out
}

// nameOf looks a user up in the file, and asks the name service only for a user
// whom the file does not have: users of a directory service.
func nameOf(r host.Reader, uid uint32, accounts machine.Fact[[]account]) string {
	for _, a := range accounts.Value {
		if a.uid == uid {
			return a.name
		}
	}
	if !accounts.Known() {
		return ""
	}
	out, err := r.Ask(context.Background(), host.Getent, "passwd", strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return ""
	}
	if found := parsePasswd(string(out)); len(found) == 1 {
		return found[0].name
	}
	return ""
}

// caller is the user behind sudo: the one who will run programs later.
func caller(r host.Reader, accounts machine.Fact[[]account], groups machine.Fact[[]machine.Group]) machine.Fact[machine.Account] {
	const from = "SUDO_USER"
	name, set, err := r.Getenv("SUDO_USER")
	if err != nil {
		return machine.Unknown[machine.Account](from, reason(err))
	}
	if !set || name == "" || name == "root" {
		return machine.Missing[machine.Account](from)
	}
	for _, a := range accounts.Value {
		if a.name == name {
			return machine.Know(machine.Account{Name: a.name, UID: a.uid, GID: a.gid, Groups: memberships(name, groups.Value)}, from)
		}
	}
	return machine.Unknown[machine.Account](from, "the user who called sudo is not in /etc/passwd")
}

func memberships(name string, groups []machine.Group) []uint32 {
	var gids []uint32
	for _, g := range groups {
		for _, member := range g.Members {
			if member == name {
				gids = append(gids, g.GID)
				break
			}
		}
	}
	return gids
}

// An account is what we need of a line of passwd(5).
type account struct {
	name     string
	uid, gid uint32
}

func accounts(r host.Reader) machine.Fact[[]account] {
	return parsed(text(r, "/etc/passwd"), func(s string) ([]account, bool) { return parsePasswd(s), true })
}

// parsePasswd reads passwd(5); a bad line is skipped.
func parsePasswd(s string) []account {
	var out []account
	for line := range strings.Lines(s) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || f[0] == "" {
			continue
		}
		uid, err1 := strconv.ParseUint(f[2], 10, 32)
		gid, err2 := strconv.ParseUint(f[3], 10, 32)
		if err1 == nil && err2 == nil {
			out = append(out, account{f[0], uint32(uid), uint32(gid)})
		}
	}
	return out
}

func groups(r host.Reader) machine.Fact[[]machine.Group] {
	return parsed(text(r, "/etc/group"), func(s string) ([]machine.Group, bool) { return parseGroup(s), true })
}

// parseGroup reads group(5); a bad line is skipped.
func parseGroup(s string) []machine.Group {
	var out []machine.Group
	for line := range strings.Lines(s) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 3 || f[0] == "" {
			continue
		}
		gid, err := strconv.ParseUint(f[2], 10, 32)
		if err != nil {
			continue
		}
		g := machine.Group{Name: f[0], GID: uint32(gid)}
		if len(f) > 3 && f[3] != "" {
			g.Members = strings.Split(f[3], ",")
		}
		out = append(out, g)
	}
	return out
}
