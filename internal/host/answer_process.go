package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// formatProcess writes one field a line; an id map has one line for each of its
// ranges.
func formatProcess(p Process) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "uid=%d euid=%d\n", p.UID, p.EUID)
	fmt.Fprintf(&b, "gid=%d egid=%d\n", p.GID, p.EGID)
	groups := make([]string, len(p.Groups))
	for i, g := range p.Groups {
		groups[i] = strconv.FormatUint(uint64(g), 10)
	}
	fmt.Fprintf(&b, "groups=%s\n", strings.Join(groups, ","))
	fmt.Fprintf(&b, "capeff=%016x\n", p.CapEff)
	for _, r := range p.UIDMap {
		fmt.Fprintf(&b, "uidmap=%d,%d,%d\n", r.Inside, r.Outside, r.Count)
	}
	for _, r := range p.GIDMap {
		fmt.Fprintf(&b, "gidmap=%d,%d,%d\n", r.Inside, r.Outside, r.Count)
	}
	return b.Bytes()
}

// parseProcess reads what formatProcess writes. uid and gid must be there;
// the effective ids default to them.
func parseProcess(body []byte) (Process, error) {
	var p Process
	seen := map[string]bool{}
	for _, field := range strings.Fields(string(body)) {
		name, value, _ := strings.Cut(field, "=")
		if err := p.set(name, value); err != nil {
			return Process{}, fmt.Errorf("field %q: %w", field, err)
		}
		seen[name] = true
	}
	if !seen["uid"] || !seen["gid"] {
		return Process{}, errors.New("a process needs uid= and gid=")
	}
	if !seen["euid"] {
		p.EUID = p.UID
	}
	if !seen["egid"] {
		p.EGID = p.GID
	}
	return p, nil
}

func (p *Process) set(name, value string) (err error) {
	switch name {
	case "uid":
		p.UID, err = parseID(value)
	case "euid":
		p.EUID, err = parseID(value)
	case "gid":
		p.GID, err = parseID(value)
	case "egid":
		p.EGID, err = parseID(value)
	case "groups":
		p.Groups, err = parseIDs(splitList(value))
	case "capeff":
		p.CapEff, err = strconv.ParseUint(value, 16, 64)
	case "uidmap":
		p.UIDMap, err = addRange(p.UIDMap, value)
	case "gidmap":
		p.GIDMap, err = addRange(p.GIDMap, value)
	default:
		err = errors.New("unknown field")
	}
	return err
}

func splitList(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
}

func addRange(ranges []IDRange, value string) ([]IDRange, error) {
	ids, err := parseIDs(splitList(value))
	if err != nil {
		return nil, err
	}
	if len(ids) != 3 {
		return nil, fmt.Errorf("%d numbers, want 3", len(ids))
	}
	return append(ranges, IDRange{Inside: ids[0], Outside: ids[1], Count: ids[2]}), nil
}
