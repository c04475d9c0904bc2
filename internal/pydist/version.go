package pydist

import (
	"cmp"
	"slices"
	"strings"
)

// A version is a version of PEP 440, taken apart. Numbers are kept as digits
// without leading zeros, because they may be of any length.
type version struct {
	epoch   string
	release []string
	pre     string // "a", "b", "rc"; "" for none
	preN    string
	post    string // "" for none
	dev     string // "" for none
	local   []string
}

// maxVersion is longer than any version that people or tools wrote.
const maxVersion = 256

// parseVersion reads a version, and whether it is one. Upper case, a leading v
// and other separators are allowed, as PEP 440 has it.
func parseVersion(s string) (version, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || len(s) > maxVersion {
		return version{}, false
	}
	p := versionParser{rest: strings.TrimPrefix(s, "v")}
	v := version{epoch: "0"}
	first, ok := p.number()
	if !ok {
		return v, false
	}
	if p.skip("!") {
		v.epoch = first
		if first, ok = p.number(); !ok {
			return v, false
		}
	}
	v.release = append(make([]string, 0, 4), first)
	for p.beginsRelease() {
		p.rest = p.rest[1:]
		n, _ := p.number()
		v.release = append(v.release, n)
	}
	if p.rest == "" {
		return v, true // most versions are nothing but a release
	}
	v.pre, v.preN = p.phase(prePhases)
	v.post = p.post()
	_, v.dev = p.phase(devPhases)
	v.local, ok = p.local()
	return v, ok && p.rest == ""
}

type versionParser struct{ rest string }

func (p *versionParser) skip(prefix string) bool {
	rest, found := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return found
}

// number takes digits; "007" is 7.
func (p *versionParser) number() (string, bool) {
	end := 0
	for end < len(p.rest) && isDigit(p.rest[end]) {
		end++
	}
	digits := p.rest[:end]
	p.rest = p.rest[end:]
	return trimZeros(digits), digits != ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func trimZeros(digits string) string {
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

func (p *versionParser) beginsRelease() bool {
	return len(p.rest) > 1 && p.rest[0] == '.' && isDigit(p.rest[1])
}

// A phase is one way to write what comes before or after a release.
type phase struct{ word, means string }

// Longer words stand before those that they begin with.
var (
	prePhases  = []phase{{"alpha", "a"}, {"beta", "b"}, {"preview", "rc"}, {"pre", "rc"}, {"rc", "rc"}, {"a", "a"}, {"b", "b"}, {"c", "rc"}}
	postPhases = []phase{{"post", "post"}, {"rev", "post"}, {"r", "post"}}
	devPhases  = []phase{{"dev", "dev"}}
)

// phase takes a word with its number, which is 0 where there is none, both with
// an optional separator before.
func (p *versionParser) phase(words []phase) (means, n string) {
	rest := p.rest
	if rest != "" && isSeparator(rest[0]) {
		rest = rest[1:]
	}
	i := slices.IndexFunc(words, func(w phase) bool { return strings.HasPrefix(rest, w.word) })
	if i < 0 {
		return "", ""
	}
	p.rest = rest[len(words[i].word):]
	if p.separates() {
		p.rest = p.rest[1:]
	}
	n, _ = p.number()
	return words[i].means, cmp.Or(n, "0")
}

// separates tells whether a separator belongs to the word before it; that of
// "1.0a.dev1" belongs to the next.
func (p *versionParser) separates() bool {
	if p.rest == "" || !isSeparator(p.rest[0]) {
		return false
	}
	return len(p.rest) == 1 || isDigit(p.rest[1]) || isSeparator(p.rest[1]) || p.rest[1] == '+'
}

func isSeparator(c byte) bool { return c == '.' || c == '-' || c == '_' }

// post also reads "1.0-1".
func (p *versionParser) post() string {
	if len(p.rest) > 1 && p.rest[0] == '-' && isDigit(p.rest[1]) {
		p.rest = p.rest[1:]
		n, _ := p.number()
		return n
	}
	_, n := p.phase(postPhases)
	return n
}

// local takes the part after a plus: letters and digits between separators.
func (p *versionParser) local() ([]string, bool) {
	if !p.skip("+") {
		return nil, true
	}
	parts := strings.FieldsFunc(p.rest, func(c rune) bool { return c < 0x80 && isSeparator(byte(c)) })
	separators := 0
	for i := range len(p.rest) {
		switch c := p.rest[i]; {
		case isSeparator(c):
			separators++
		case !isDigit(c) && (c < 'a' || c > 'z'):
			return nil, false
		}
	}
	p.rest = ""
	for i, part := range parts {
		if isNumber(part) {
			parts[i] = trimZeros(part)
		}
	}
	return parts, len(parts) > 0 && separators == len(parts)-1
}

func isNumber(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
}

// String is the form that PEP 440 calls normal.
func (v version) String() string {
	s := v.base()
	if v.pre != "" {
		s += v.pre + v.preN
	}
	if v.post != "" {
		s += ".post" + v.post
	}
	if v.dev != "" {
		s += ".dev" + v.dev
	}
	if len(v.local) > 0 {
		s += "+" + strings.Join(v.local, ".")
	}
	return s
}

// base is epoch and release.
func (v version) base() string {
	s := strings.Join(v.release, ".")
	if v.epoch != "0" {
		s = v.epoch + "!" + s
	}
	return s
}

func (v version) isPre() bool  { return v.pre != "" || v.dev != "" }
func (v version) isPost() bool { return v.post != "" }

// compare orders two versions, local parts included. A release comes after its
// pre-releases and before its post-releases, and a development release before
// all that it leads to.
func (v version) compare(w version) int {
	return cmp.Or(
		compareNumbers(v.epoch, w.epoch),
		compareRelease(v.release, w.release),
		cmp.Compare(v.phaseRank(), w.phaseRank()),
		compareNumbers(v.preN, w.preN),
		compareNumbers(v.post, w.post), // none is shorter than any
		compareDev(v.dev, w.dev),
		compareLocal(v.local, w.local),
	)
}

// phaseRank orders development releases, alpha, beta, candidates and the rest.
func (v version) phaseRank() int {
	switch {
	case v.pre == "" && v.post == "" && v.dev != "":
		return 0
	case v.pre == "":
		return 4
	}
	return 1 + slices.Index([]string{"a", "b", "rc"}, v.pre)
}

// compareNumbers compares digits without leading zeros; none is the least.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// compareRelease fills up the shorter one with zeros.
func compareRelease(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if c := compareNumbers(part(a, i), part(b, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(release []string, i int) string {
	if i < len(release) {
		return release[i]
	}
	return "0"
}

// compareDev: without a development release is later than with one.
func compareDev(a, b string) int {
	if (a == "") != (b == "") {
		if a == "" {
			return 1
		}
		return -1
	}
	return compareNumbers(a, b)
}

// compareLocal: words come before numbers, and a beginning before the whole.
func compareLocal(a, b []string) int {
	for i := range min(len(a), len(b)) {
		numberA, numberB := isNumber(a[i]), isNumber(b[i])
		c := strings.Compare(a[i], b[i])
		switch {
		case numberA && numberB:
			c = compareNumbers(a[i], b[i])
		case numberA:
			c = 1
		case numberB:
			c = -1
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// public is the version without its local part: most comparisons ignore it, so
// that 2.9.1+rocm6.4 is a 2.9.1.
func (v version) public() version {
	v.local = nil
	return v
}

// sameBase tells whether two versions have the same epoch and release.
func (v version) sameBase(w version) bool {
	return v.epoch == w.epoch && compareRelease(v.release, w.release) == 0
}

// hasPrefix tells whether a release begins with another; missing parts are 0.
func hasPrefix(release, prefix []string) bool {
	for i, want := range prefix {
		if part(release, i) != want {
			return false
		}
	}
	return true
}
