package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// groupMissing finds services without a group that they need. Root needs none, and
// where everybody may open the nodes nobody does.
func groupMissing(p *lint.Pass) {
	r := reporting(p)
	for _, s := range look(p).gpus {
		if translates(p.Engine) || root(s) || !unprivileged(s) {
			continue
		}
		lacks := missing(p, s)
		if len(lacks) == 0 || len(foreign(p, s)) > 0 || unknownGroup(s) {
			continue // compose/group-number and compose/group-variable speak of those
		}
		f := at(p, place0(s))
		f.Verdict, f.Cause = check.Fail, "device-permission-group"
		f.Evidence = nodes(p, lacks[0])
		f.Message = lackMessage(s, lacks[0])
		if s.Get("user").String() == "" || byName(s) {
			f.Verdict = check.Warn
		}
		f.Mend = addGroup(p, s, digits(lacks[0].GID))
		if f.Mend == nil {
			f.Advice = advice("compose-group-add", fmt.Sprintf("Give the service gid %d", lacks[0].GID), fmt.Sprintf("Add \"%d\" to group_add of service %s", lacks[0].GID, s.Name))
		}
		r.report(f)
	}
}

// lackMessage says which nodes a service is refused. Who it runs as without user is
// written in its image, and most images leave it at root.
func lackMessage(s *composefile.Service, g grant.Group) string {
	belongs, it := "it belongs", "it"
	if len(g.Nodes) > 1 {
		belongs, it = "they belong", "them"
	}
	text := fmt.Sprintf("Service %s is given %s and not gid %d, to which %s. Only that group and root may open %s", s.Name, join(g.Nodes), g.GID, belongs, it)
	if s.Get("user").String() == "" {
		text += ", so this matters if the image's user is not root"
	}
	if byName(s) { // additionalGids of CDI 0.7
		text += "; a specification may hand the group on by itself, which few do"
	}
	return text + "."
}

// place0 is where a service is given its nodes, else where it begins.
func place0(s *composefile.Service) *composefile.Value {
	if d := s.Get("devices"); d != nil {
		return d
	}
	return s.Value
}

// root reports a service that runs as root.
func root(s *composefile.Service) bool {
	user, _, _ := strings.Cut(s.Get("user").String(), ":")
	return user == "0" || user == "root" || s.Get("privileged").String() == "true" && user == ""
}

// unprivileged reports a service that somebody took the right of root from, or
// thought of groups for. Of others only the image knows who they run as.
func unprivileged(s *composefile.Service) bool {
	return s.Get("user").String() != "" || len(s.Groups()) > 0
}

// unknownGroup reports a group that a variable names, whatever it stands for.
func unknownGroup(s *composefile.Service) bool {
	for _, g := range s.Groups() {
		if len(g.Vars) > 0 || g.Text == grant.KeepGroups {
			return true
		}
	}
	return false
}

// addGroup adds an entry to group_add, or the key with it behind the devices.
func addGroup(p *lint.Pass, s *composefile.Service, group string) *lint.Mend {
	title := "Add " + group + " to group_add of " + s.Name
	v, list := look(p), s.Get("group_add")
	wants := func(o *composefile.Service) bool { return lacksGroup(p, o, group) }
	if list == nil || !v.suits(s, text(list), under("group_add"), wants) {
		return addition{
			title: title, key: "group_add", content: yamltext.ListOf(quotedNumber(group)),
			beside: "devices", after: []string{"devices"}, wants: wants,
		}.add(p, s)
	}
	edit, err := list.Node.InsertShared(len(list.Node.Items()), item(list, group))
	return mend(p, list, title, edit, err)
}

// lacksGroup reports a service that needs a group for its nodes and does not have
// it.
func lacksGroup(p *lint.Pass, s *composefile.Service, group string) bool {
	if group == grant.KeepGroups {
		return len(s.Groups()) == 0 && (passes(s, "/dev/kfd") || passes(s, "/dev/dri"))
	}
	return !root(s) && slices.ContainsFunc(missing(p, s), func(g grant.Group) bool { return digits(g.GID) == group })
}

// item is written as its siblings are; where there are none, a number in quotes.
func item(list *composefile.Value, text string) yamltext.Content {
	if len(list.Node.Items()) == 0 {
		return quotedNumber(text)
	}
	return yamltext.Text(text)
}

func quotedNumber(text string) yamltext.Content {
	if text == grant.KeepGroups {
		return yamltext.Text(text)
	}
	return yamltext.Quoted(text)
}
