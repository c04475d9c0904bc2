package rocm

import (
	"slices"
	"strconv"
	"strings"
)

// parameterNames are names of parameters, and the kernels in which they were seen; none where they are in all. Module *
// is every module.
type parameterNames struct {
	Module  string
	Kernels []string
	Names   []string
	Provenance
}

// KnownParameterName reports whether a module was ever seen to have a parameter, and in which kernels we looked and
// found it.
func KnownParameterName(module, name string) (kernels []string, ok bool) {
	n, ok := find(knownLinux().names, func(n parameterNames) bool {
		return (n.Module == module || n.Module == "*") && slices.Contains(n.Names, name)
	})
	if !ok {
		_, ok = LookupParameter(module, name)
	}
	return slices.Clone(n.Kernels), ok
}

// IsModuleWide reports a parameter that the kernel itself gives to every module, such as dyndbg.
func IsModuleWide(name string) bool {
	return slices.ContainsFunc(knownLinux().names, func(n parameterNames) bool {
		return n.Module == "*" && slices.Contains(n.Names, name)
	})
}

// NearestParameter is what a name that no parameter has was probably meant to be: "gttsize" of amdgpu for gtt_size, and
// "pages_limit" of ttm where it was written for amdgpu.
func NearestParameter(module, name string) (nearModule, near string, ok bool) {
	const tooFar = 3 // letters; more is another word
	if module == "amdgpu" {
		if _, known := KnownParameterName("ttm", name); known {
			return "ttm", name, true
		}
	}
	best := min(tooFar, len(name)/3+1)
	for _, n := range knownLinux().names {
		if n.Module != module {
			continue
		}
		for _, candidate := range n.Names {
			if d := distance(bare(name), bare(candidate)); d < best {
				best, near = d, candidate
			}
		}
	}
	return module, near, near != ""
}

// bare is a name without what people leave out or put in.
func bare(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

// distance counts the letters to insert, remove or replace on the way from a to b. What is too long is far from
// everything.
func distance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j+1]+1, row[j]+1, corner+cost)
			corner, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// SameParameterValue compares two values as the kernel reads them: 0x10 and 16 are one number, and Y and 1 one truth.
func SameParameterValue(a, b string) bool {
	x, okX := parameterNumber(a)
	y, okY := parameterNumber(b)
	if okX && okY {
		return x == y
	}
	return a == b
}

// IsParameterNumber reports whether the kernel takes a value for a number or a truth value.
func IsParameterNumber(value string) bool {
	_, ok := parameterNumber(value)
	return ok
}

func parameterNumber(s string) (uint64, bool) {
	switch strings.ToLower(s) {
	case "y", "yes", "on", "true":
		return 1, true
	case "n", "no", "off", "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n), true //nolint:gosec // -1 is all bits, in every width that the kernel has
	}
	n, err := strconv.ParseUint(s, 0, 64)
	return n, err == nil
}
