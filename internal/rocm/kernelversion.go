package rocm

import (
	"cmp"
	"strings"
)

// kernelVersion is a kernel version taken apart. Numbers stay digits: a version is no place for an overflow.
type kernelVersion struct {
	upstream []string // 6 17 0
	rc       string   // 6 of -rc6; empty for a release
	build    []string // what the distribution counts: 19, or 19 19 of 19.19~24.04.2
}

// CompareKernel compares two kernel versions as uname -r or a package writes them: -1 when a is older, 1 when it is
// newer. Release candidates come before their release. A build number counts only as far as both sides state one:
// 6.17.0-19-generic is as new as the package 6.17.0-19.19~24.04.2, because uname leaves out the rest.
func CompareKernel(a, b string) int {
	x, y := parseKernel(a), parseKernel(b)
	if c := compareNumbers(x.upstream, y.upstream); c != 0 {
		return c
	}
	if c := compareCandidates(x.rc, y.rc); c != 0 {
		return c
	}
	stated := min(len(x.build), len(y.build))
	return compareNumbers(x.build[:stated], y.build[:stated])
}

func parseKernel(text string) kernelVersion {
	upstream, rest := leadingNumbers(strings.TrimSpace(text))
	v := kernelVersion{upstream: upstream}
	// Upstream and Arch write 6.18.0-rc6, Fedora 6.18.0-0.rc6.
	for _, mark := range []string{"-rc", ".rc", "~rc"} {
		if _, after, ok := strings.Cut(rest, mark); ok {
			if n, _ := leadingNumbers(after); len(n) > 0 {
				v.rc = n[0]
				return v
			}
		}
	}
	if build, ok := strings.CutPrefix(rest, "-"); ok {
		v.build, _ = leadingNumbers(build)
	}
	return v
}

// leadingNumbers reads numbers separated by dots and returns what follows them.
func leadingNumbers(text string) (numbers []string, rest string) {
	for {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		if digits == 0 {
			return numbers, text
		}
		numbers = append(numbers, text[:digits])
		rest = text[digits:]
		if !strings.HasPrefix(rest, ".") || len(rest) < 2 || rest[1] < '0' || rest[1] > '9' {
			return numbers, rest
		}
		text = rest[1:]
	}
}

// compareNumbers takes a missing number for 0: 6.18 is 6.18.0.
func compareNumbers(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if c := compareDigits(at(a, i), at(b, i)); c != 0 {
			return c
		}
	}
	return 0
}

func at(numbers []string, i int) string {
	if i < len(numbers) {
		return numbers[i]
	}
	return "0"
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func compareCandidates(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return compareDigits(a, b)
}
