package rocm

import (
	"slices"
	"strings"
	"sync"
)

// nameTable is who reads which variable.
type nameTable struct {
	readers  map[string][]string // by name
	prefixes map[string][]string // by prefix: every name that begins so is read
	families map[string][]string // known names by their first word
}

// readerRow is a component and the names it reads.
type readerRow struct {
	Reader string
	Names  []string
	Provenance
}

// nameFile is the embedded table.
type nameFile struct {
	Components []readerRow
}

var knownNames = sync.OnceValue(loadNames)

func loadNames() nameTable {
	t := nameTable{readers: map[string][]string{}, prefixes: map[string][]string{}, families: map[string][]string{}}
	for _, row := range load[nameFile]("env_names").Components {
		for _, name := range row.Names {
			if strings.HasSuffix(name, "_") {
				t.prefixes[name] = append(t.prefixes[name], row.Reader)
				continue
			}
			t.readers[name] = append(t.readers[name], row.Reader)
		}
	}
	for _, v := range Variables() {
		if !strings.HasSuffix(v.Name, nodePlaceholder) && t.readers[v.Name] == nil {
			t.readers[v.Name] = []string{v.Layer}
		}
	}
	for name := range t.readers {
		t.families[family(name)] = append(t.families[family(name)], name)
	}
	for _, names := range t.families {
		slices.Sort(names)
	}
	return t
}

// ReadBy tells which components read a variable. A name that is not found is not known to us, which is not the same as
// unread: releases newer than the table may read it.
func ReadBy(name string) (components []string, ok bool) {
	t := knownNames()
	if readers, ok := t.readers[name]; ok {
		return slices.Clone(readers), true
	}
	if v, ok := LookupVariable(name); ok {
		return []string{v.Layer}, true
	}
	for prefix, readers := range t.prefixes {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return slices.Clone(readers), true
		}
	}
	return nil, false
}

// family is the first word of a name, with its underscore: MIOPEN_FIND_MODE is of MIOPEN_.
func family(name string) string {
	first, _, _ := strings.Cut(name, "_")
	return first + "_"
}

// NearestName finds the known name of the same family that an unknown one is probably a slip of: up to two letters off,
// or the same words in another order. Names that differ in digits, or in a word such as FWD and BWD, are siblings, not
// slips: the list may lack one of them.
func NearestName(name string) (string, bool) {
	if _, known := ReadBy(name); known || len(name) > maxName {
		return "", false
	}
	best, nearest := maxSlips+1, ""
	for _, known := range knownNames().families[family(name)] {
		if stem(known) == stem(name) {
			continue
		}
		d := maxSlips + 1
		switch {
		case sameWords(known, name):
			d = 1
		case longEnough(known):
			d = slips(name, known, maxSlips)
		}
		if d < best {
			best, nearest = d, known
		}
	}
	return nearest, nearest != ""
}

const (
	maxName  = 100 // longer names are nobody's slip, and comparing costs length squared
	maxSlips = 2
)

// longEnough keeps short names, of which everything is close to something, out of the guessing.
func longEnough(name string) bool { return len(name)-len(family(name)) >= 4*maxSlips }

// sides are words that take each other's place in the names of siblings.
var sides = []string{"FWD", "BWD", "WRW", "MIN", "MAX", "NCHW", "NHWC"}

// stem is what siblings have in common: a name without digits and sides.
func stem(name string) string {
	var words []string
	for word := range strings.SplitSeq(name, "_") {
		if !slices.Contains(sides, word) {
			words = append(words, word)
		}
	}
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, strings.Join(words, "_"))
}

func sameWords(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(strings.SplitSeq(a, "_")), slices.Sorted(strings.SplitSeq(b, "_")))
}

// slips counts the letters to add, leave out, change or swap with their neighbour to make one word of the other, up to a
// limit; more is limit+1.
func slips(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last = last, row
	}
	return min(last[len(b)], limit+1)
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
