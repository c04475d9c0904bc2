package host

import (
	"fmt"
	"strconv"
	"strings"
)

// Where accounts of people begin, and the one above that is nobody.
const (
	firstPerson = 1000
	nobody      = 65534
)

// An account is a line of /etc/passwd.
type account struct {
	name, realName, home string
	uid, gid             uint64
}

const (
	passwdFields = 7
	groupFields  = 4
)

func parseAccount(line string) (account, bool) {
	f := strings.Split(line, ":")
	if len(f) != passwdFields || f[0] == "" {
		return account{}, false
	}
	uid, err1 := strconv.ParseUint(f[2], 10, 32)
	gid, err2 := strconv.ParseUint(f[3], 10, 32)
	realName, _, _ := strings.Cut(f[4], ",")
	return account{name: f[0], realName: strings.TrimSpace(realName), home: f[5], uid: uid, gid: gid}, err1 == nil && err2 == nil
}

// belowHome finds the homes of people.
var belowHome = lazily(`^(?:/var/home|/export/home|/home|/Users)/`)

func (c account) isPerson() bool {
	if c.name == "root" {
		return false
	}
	return c.uid >= firstPerson && c.uid != nobody || belowHome().MatchString(c.home)
}

// learnAccounts reads who is a person and who is a service.
func (a *aliases) learnAccounts(body []byte) {
	for line := range strings.Lines(string(body)) {
		c, ok := parseAccount(strings.TrimSuffix(line, "\n"))
		switch {
		case !ok:
		case !c.isPerson():
			a.services[c.name] = true
		default:
			a.person(c.name)
			a.own[ownGroup{c.name, c.gid}] = true
			// A single word, like the real name Ubuntu, is too common to be
			// replaced outside its field.
			if strings.ContainsFunc(c.realName, isSeparatorRune) {
				a.addPhrase(c.realName, a.realName(c.name))
			}
		}
	}
}

func (a *aliases) realName(login string) string {
	return "User " + strings.TrimPrefix(a.person(login), "user")
}

// passwd redacts the lines of people: name, real name, home.
func (a *aliases) passwd(body []byte) []byte {
	return []byte(eachLine(string(body), func(line string) string {
		c, ok := parseAccount(line)
		if !ok {
			return a.text(line)
		}
		f := strings.Split(line, ":")
		if c.isPerson() {
			f[0] = a.person(c.name)
			if f[4] != "" {
				f[4] = a.realName(c.name)
			}
		}
		f[5], f[6] = a.text(f[5]), a.text(f[6])
		return strings.Join(f, ":")
	}))
}

// learnMembers finds people who are in no passwd but in a group: a directory
// service knows them.
func (a *aliases) learnMembers(body []byte) {
	for line := range strings.Lines(string(body)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) != groupFields {
			continue
		}
		for _, member := range splitList(f[3]) {
			if a.isPerson(member) {
				a.person(member)
			}
		}
	}
}

// group redacts the members of groups, and the name of a group that is a
// person's own.
func (a *aliases) group(body []byte) []byte {
	return []byte(eachLine(string(body), func(line string) string {
		f := strings.Split(line, ":")
		if len(f) != groupFields {
			return a.text(line)
		}
		gid, err := strconv.ParseUint(f[2], 10, 32)
		if err == nil && a.own[ownGroup{f[0], gid}] && !protected()[f[0]] {
			f[0] = a.person(f[0])
		}
		members := strings.Split(f[3], ",")
		for i, member := range members {
			if member != "" && a.isPerson(member) {
				members[i] = a.person(member)
			}
		}
		f[3] = strings.Join(members, ",")
		return strings.Join(f, ":")
	}))
}

// binary replaces the names of home directories in bytes that are no text, such
// as the search path in a library, without moving what follows them.
func (a *aliases) binary(body []byte) []byte {
	if isPlain(body) {
		return []byte(a.homes(string(body)))
	}
	if !mentionsHome(string(body)) {
		return body
	}
	return homePath().ReplaceAllFunc(body, func(m []byte) []byte {
		at := lastSlash(m) + 1
		if !isHome(string(m[at:])) {
			return m
		}
		alias := fmt.Sprintf("%-*s", len(m)-at, a.person(string(m[at:])))
		alias = strings.ReplaceAll(alias, " ", "_")
		return append(m[:at:at], alias[:len(m)-at]...)
	})
}

func lastSlash(m []byte) int {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] == '/' || m[i] == '\\' {
			return i
		}
	}
	return -1
}
