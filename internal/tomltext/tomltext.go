// Package tomltext reads TOML text (TOML 1.0, and what 1.1 lets through) with the place of every value.
package tomltext

import (
	"fmt"
	"strings"
)

// A Kind is what a value is.
type Kind int

// The kinds of values. Numbers, dates and booleans are Other.
const (
	Other Kind = iota
	String
	List
	Table
)

// A Value is one of a file.
type Value struct {
	Kind Kind
	Text string // of a string what it means, of others what stands there
	// Start and End are the bytes of it, of a string without its quotes.
	Start, End int
	Line       int
	Exact      bool    // a string that stands there as it is, on one line
	Items      []Value // of a list
	Pairs      []Pair  // of a table in braces
}

// A Pair is a key with its value.
type Pair struct {
	Key   []string // its parts: a.b has two
	Value Value
	Line  int
	End   int // the byte behind the line on which it ends
}

// A Section is what stands below a name in brackets. The first one of a file has
// no name.
type Section struct {
	Name  []string
	List  bool // one of several, by [[name]]
	Line  int
	Pairs []Pair
}

// Is tells a section by its name, with dots.
func (s Section) Is(name string) bool { return strings.Join(s.Name, ".") == name }

// Get finds a pair of a section by its name, with dots.
func (s Section) Get(name string) (Pair, bool) { return find(s.Pairs, name) }

// Get finds a value of a table in braces.
func (v Value) Get(name string) (Value, bool) {
	p, there := find(v.Pairs, name)
	return p.Value, there
}

func find(pairs []Pair, name string) (Pair, bool) {
	for _, p := range pairs {
		if strings.Join(p.Key, ".") == name {
			return p, true
		}
	}
	return Pair{}, false
}

// Strings are the strings of a value: itself, or those of a list.
func (v Value) Strings() []Value {
	if v.Kind == String {
		return []Value{v}
	}
	var out []Value
	for _, item := range v.Items {
		if item.Kind == String {
			out = append(out, item)
		}
	}
	return out
}

// An Error is the line at which a text stops being TOML.
type Error struct {
	Line int
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Parse reads a file. The sections that came before an error are returned with it.
func Parse(text string) ([]Section, error) {
	r := &reader{text: text}
	r.skip("\ufeff")
	out := []Section{{Line: 1}}
	seen := names{map[string]holder{}, map[string]int{}}
	for {
		r.blank(true)
		if r.done() {
			return out, nil
		}
		if r.peek() == '[' {
			s, err := r.header()
			if err == nil && seen.table(s) {
				err = &Error{s.Line, "the name of the table " + strings.Join(s.Name, ".") + " is there already"}
			}
			if err != nil {
				return out, err
			}
			out = append(out, s)
			continue
		}
		last := &out[len(out)-1]
		p, err := r.pair()
		if err == nil {
			err = r.endLine()
		}
		if err == nil && seen.key(last.Name, p.Key) {
			err = &Error{p.Line, "the key " + strings.Join(p.Key, ".") + " is there already"}
		}
		if err != nil {
			return out, err
		}
		p.End = r.at
		last.Pairs = append(last.Pairs, p)
	}
}
