package pydist

import (
	"strconv"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// A version is a version of PEP 440, taken apart as far as specifiers need it.
// The library parses and orders versions rightly, but its specifiers misread
// "~=1.2a1" and "==v2.*" and take 15 µs a question, so they are our own.
type version struct {
	text    string // as the library writes it: "2.9.1+rocm6.4"
	release []string
	epoch   string
	full    pep440.Version
	plain   []uint64 // the numbers of a version that has nothing but a release
}

// maxVersion is longer than any version that people or tools wrote.
const maxVersion = 256

// parseVersion reads a version, and whether it is one.
func parseVersion(s string) (version, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxVersion {
		return version{}, false
	}
	if numbers, ok := plainRelease(s); ok {
		return version{text: s, plain: numbers}, true
	}
	full, err := pep440.Parse(dotLocal(s))
	if err != nil {
		return version{}, false
	}
	return version{text: full.String(), full: full}.split(), true
}

// dotLocal writes "+rocm6_4" as "+rocm6.4": PEP 440 calls them equal, and the
// library does not.
func dotLocal(s string) string {
	public, local, found := strings.Cut(s, "+")
	if !found {
		return s
	}
	return public + "+" + strings.NewReplacer("-", ".", "_", ".").Replace(local)
}

// split keeps epoch and release apart, for comparing prefixes.
func (v version) split() version {
	base := v.full.BaseVersion()
	v.epoch = "0"
	if epoch, rest, found := strings.Cut(base, "!"); found {
		v.epoch, base = epoch, rest
	}
	v.release = strings.Split(base, ".")
	return v
}

// thorough gives a plain version what only the library knows. Most versions are
// plain and are compared with plain ones, and that is a hundred times faster.
func (v version) thorough() version {
	if v.plain == nil {
		return v
	}
	full, err := pep440.Parse(v.text)
	if err != nil { // plainRelease takes nothing that the library refuses
		return v
	}
	v.full, v.plain = full, nil
	return v.split()
}

// plainRelease reads "2.4.1": numbers and dots, nothing else.
func plainRelease(s string) ([]uint64, bool) {
	var numbers []uint64
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || len(part) > 18 || part[0] < '0' || part[0] > '9' {
			return nil, false
		}
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

// compare orders two versions, local parts included.
func (v version) compare(other version) int {
	if v.plain != nil && other.plain != nil {
		return comparePlain(v.plain, other.plain)
	}
	return v.thorough().full.Compare(other.thorough().full)
}

// comparePlain orders releases; the shorter one is filled up with zeros.
func comparePlain(a, b []uint64) int {
	for i := range max(len(a), len(b)) {
		var left, right uint64
		if i < len(a) {
			left = a[i]
		}
		if i < len(b) {
			right = b[i]
		}
		if left != right {
			if left < right {
				return -1
			}
			return 1
		}
	}
	return 0
}

// public is the version without its local part: most comparisons ignore it, so
// that 2.9.1+rocm6.4 is a 2.9.1.
func (v version) public() version {
	if v.plain != nil || v.full.Local() == "" {
		return v
	}
	public, ok := parseVersion(v.full.Public())
	if !ok {
		return v
	}
	return public
}

// sameBase tells whether two versions have the same epoch and release.
func (v version) sameBase(other version) bool {
	a, b := v.thorough(), other.thorough()
	return a.epoch == b.epoch && hasPrefix(a.release, b.release) && hasPrefix(b.release, a.release)
}

// hasPrefix tells whether a release begins with another; missing parts are 0.
func hasPrefix(release, prefix []string) bool {
	for i, want := range prefix {
		have := "0"
		if i < len(release) {
			have = release[i]
		}
		if have != want {
			return false
		}
	}
	return true
}
