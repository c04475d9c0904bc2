package tomltext

import (
	"fmt"
	"slices"
	"strings"
)

// names are those that a file has given already, and to what.
type names struct {
	given    map[string]holder
	elements map[string]int // of lists of tables, by name
}

// A holder is what a name stands for.
type holder int

const (
	nothing holder = iota
	above          // a table that is there because one below it has a heading
	heading        // a table with a heading of its own
	dotted         // a table that keys with dots make
	tables         // a list of tables
	value
)

// path is a name with the elements of the lists that it lies in: below each of them
// a name may be given anew.
func (n names) path(name []string) string {
	var out, plain strings.Builder
	for i, part := range name {
		plain.WriteString(part + "\x00")
		out.WriteString(part + "\x00")
		if i+1 < len(name) {
			fmt.Fprintf(&out, "%d\x00", n.elements[plain.String()])
		}
	}
	return out.String()
}

// table takes note of a section, and tells of a name that is taken.
func (n names) table(s Section) bool {
	for i := 1; i < len(s.Name); i++ {
		switch at := n.path(s.Name[:i]); n.given[at] {
		case value:
			return true
		case nothing:
			n.given[at] = above
		}
	}
	at := n.path(s.Name)
	was := n.given[at]
	if s.List {
		n.elements[strings.Join(s.Name, "\x00")+"\x00"]++
		n.given[at] = tables
		return was != nothing && was != tables
	}
	n.given[at] = heading
	return was != nothing && was != above
}

// key takes note of a key of a section, and tells of a name that is taken.
func (n names) key(section, key []string) bool {
	full := slices.Concat(section, key)
	for i := len(section) + 1; i < len(full); i++ {
		switch at := n.path(full[:i]); n.given[at] {
		case value, heading, tables:
			return true
		case nothing:
			n.given[at] = dotted
		}
	}
	at := n.path(full)
	was := n.given[at]
	n.given[at] = value
	return was != nothing
}
