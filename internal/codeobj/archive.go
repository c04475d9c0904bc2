package codeobj

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	memberHeader = 60
	maxMembers   = 200_000
	maxLongNames = 16 << 20
)

// A member is one file in an archive.
type member struct {
	name string
	body part
	next int64
}

// archive reads a static library. A thin archive holds names of files only; they are told in Outside, for somebody who
// knows where the archive stands.
func (s *scan) archive(p part, depth int) {
	if depth >= s.limits.Depth {
		s.problem(p.where, "archives stand in archives, %d deep, and the innermost were not read", depth)
		return
	}
	magic, err := p.exactly(0, len(magicArchive))
	if err != nil {
		s.failed(p.where, "the archive", err)
		return
	}
	a := archive{part: p, thin: string(magic) == magicThin}
	at, count := int64(len(magicArchive)), 0
	for at < p.size && !s.stopped {
		m, err := a.member(at)
		if err != nil {
			s.failed(p.where, fmt.Sprintf("the archive's member at %d", p.start+at), err)
			return
		}
		if count++; count > maxMembers {
			s.stop(p.where, "it has more than %d members", maxMembers)
			return
		}
		s.member(m, a.thin, depth)
		at = m.next
	}
}

// member reads one member; those without a name are tables of the archive itself.
func (s *scan) member(m member, thin bool, depth int) {
	if m.name == "" {
		return
	}
	if thin {
		if !slices.Contains(s.file.Outside[max(0, len(s.file.Outside)-1):], m.name) {
			s.file.Outside = append(s.file.Outside, m.name)
		}
		return
	}
	head, err := m.body.exactly(0, int(min(headSize, m.body.size)))
	if err != nil {
		s.failed(m.body.where, "the member", err)
		return
	}
	s.look(identify(baseName(m.name), head), m.body, depth+1)
}

// An archive is an ar file (GNU's and BSD's dialects; ar(5) of FreeBSD describes both).
type archive struct {
	part part
	thin bool
	long []byte // GNU's table of long names
}

func (a *archive) member(at int64) (member, error) {
	h, err := a.part.exactly(at, memberHeader)
	if err != nil {
		return member{}, err
	}
	if string(h[58:]) != "`\n" {
		return member{}, fmt.Errorf("it has no header")
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(h[48:58]), " "), 10, 62)
	if err != nil {
		return member{}, fmt.Errorf("its size is %s", quoted(string(h[48:58])))
	}
	raw := strings.TrimRight(string(h[:16]), " ")
	stored := size
	if a.thin && raw != "/" && raw != "//" && raw != "/SYM64/" {
		stored = 0
	}
	body, err := a.part.cut(uint64(at)+memberHeader, stored) //nolint:gosec // an offset is never negative
	if err != nil {
		return member{}, err
	}
	next := at + memberHeader + body.size
	m := member{body: body, next: next + next%2}
	if m.name, m.body, err = a.name(raw, body); err != nil {
		return member{}, err
	}
	m.body.where = a.part.where + "!" + printable(m.name)
	return m, nil
}

// name resolves the name of a member. A table of the archive itself has none.
func (a *archive) name(raw string, body part) (string, part, error) {
	switch {
	case raw == "/" || raw == "/SYM64/" || strings.HasPrefix(raw, "__.SYMDEF"):
		return "", body, nil
	case raw == "//":
		long, err := body.upTo(0, int(min(body.size, maxLongNames)))
		a.long = long
		return "", body, err
	case strings.HasPrefix(raw, "#1/"):
		n, err := strconv.ParseUint(raw[3:], 10, 16)
		if err != nil || n > uint64(body.size) { //nolint:gosec // a size is never negative
			return "", body, fmt.Errorf("its name is %s", quoted(raw))
		}
		name, err := body.exactly(0, int(n))
		text := string(bytes.TrimRight(name, "\x00"))
		if strings.HasPrefix(text, "__.SYMDEF") {
			text = ""
		}
		return text, body.from(int64(n)), err
	case strings.HasPrefix(raw, "/"):
		// In a thin archive, the members of another archive have its name, and an offset in it.
		digits, _, _ := strings.Cut(raw[1:], ":")
		off, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || off >= uint64(len(a.long)) {
			return "", body, fmt.Errorf("its name is %s", quoted(raw))
		}
		name := a.long[off:]
		if end := bytes.IndexAny(name, "\n\x00"); end >= 0 { // Microsoft's end with a zero
			name = name[:end]
		}
		return strings.TrimSuffix(string(name), "/"), body, nil
	}
	return strings.TrimSuffix(raw, "/"), body, nil
}
