package host

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseStatus reads the ids in /proc/self/status. Lines it does not know are
// skipped; a known line that makes no sense is an error, because half a set of
// groups would look like a missing permission.
func parseStatus(data []byte) (Process, error) {
	var p Process
	var hasUID, hasGID bool
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		var err error
		switch name {
		case "Uid":
			p.UID, p.EUID, err = realAndEffective(fields)
			hasUID = true
		case "Gid":
			p.GID, p.EGID, err = realAndEffective(fields)
			hasGID = true
		case "Groups":
			p.Groups, err = parseIDs(fields)
		case "CapEff":
			p.CapEff, err = strconv.ParseUint(strings.TrimSpace(rest), 16, 64)
		}
		if err != nil {
			return Process{}, fmt.Errorf("line %s: %w", name, err)
		}
	}
	if !hasUID || !hasGID {
		return Process{}, errors.New("the lines Uid and Gid are not both there")
	}
	return p, nil
}

// realAndEffective reads the first two of the four ids of a Uid or Gid line.
func realAndEffective(fields []string) (realID, effective uint32, err error) {
	ids, err := parseIDs(fields)
	if err != nil {
		return 0, 0, err
	}
	if len(ids) < 2 {
		return 0, 0, fmt.Errorf("%d ids, want at least 2", len(ids))
	}
	return ids[0], ids[1], nil
}

func parseIDs(fields []string) ([]uint32, error) {
	var ids []uint32
	for _, f := range fields {
		id, err := strconv.ParseUint(f, 10, 32)
		if err != nil {
			return nil, err
		}
		ids = append(ids, uint32(id))
	}
	return ids, nil
}

// parseIDMap reads /proc/self/uid_map or gid_map: three numbers a line.
func parseIDMap(data []byte) ([]IDRange, error) {
	var ranges []IDRange
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		ids, err := parseIDs(fields)
		if err != nil {
			return nil, err
		}
		if len(ids) != 3 {
			return nil, fmt.Errorf("%d numbers in a line, want 3", len(ids))
		}
		ranges = append(ranges, IDRange{Inside: ids[0], Outside: ids[1], Count: ids[2]})
	}
	return ranges, nil
}
