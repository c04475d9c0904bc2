package pydist

import (
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"
)

// A version is a version of PEP 440, taken apart as far as specifiers need it.
// The library parses and orders versions rightly, but its specifiers misread
// "~=1.2a1" and "==v2.*" and take 15 µs a question, so they are our own.
type version struct {
	text    string          // as the library writes it: "2.9.1+rocm6.4"
	plain   []uint64        // the numbers of a version that has nothing but a release
	full    *pep440.Version // nil for a plain version
	release []string        // with full
	epoch   string          // with full
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
	return version{text: full.String(), full: &full}.split(), true
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
	// The library takes every plain version; if not, the zero value would do.
	full, _ := pep440.Parse(v.text)
	v.full, v.plain = &full, nil
	return v.split()
}

// plainRelease reads "2.4.1": numbers and dots, nothing else.
func plainRelease(s string) ([]uint64, bool) {
	if !isPlain(s) {
		return nil, false
	}
	numbers := make([]uint64, 1, 4)
	for i := range len(s) {
		if s[i] == '.' {
			numbers = append(numbers, 0)
			continue
		}
		last := &numbers[len(numbers)-1]
		*last = *last*10 + uint64(s[i]-'0')
	}
	return numbers, true
}

// isPlain tells whether a text is numbers and dots. A number of 19 digits might
// be too large; the library knows better.
func isPlain(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9' && digits < 18:
			digits++
		case c == '.' && digits > 0:
			digits = 0
		default:
			return false
		}
	}
	return digits > 0
}

// compare orders two versions, local parts included.
func (v version) compare(other version) int {
	if v.plain != nil && other.plain != nil {
		return comparePlain(v.plain, other.plain)
	}
	return v.thorough().full.Compare(*other.thorough().full)
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
