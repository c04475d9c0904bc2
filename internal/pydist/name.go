package pydist

import "strings"

// Normalize writes a package's name as PEP 503 compares it: lower case, with
// runs of ".", "_" and "-" as one "-".
func Normalize(name string) string {
	if isNormal(name) {
		return name
	}
	return squeeze(name, "-_.")
}

// isNormal spares most names the copy.
func isNormal(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !isAlnum(c) && (c != '-' || i == 0 || name[i-1] == '-') || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// squeeze lowers a text and turns runs of some characters into one "-".
func squeeze(s, runs string) string {
	var b strings.Builder
	b.Grow(len(s))
	run := false
	for i := range len(s) {
		c := s[i]
		if strings.IndexByte(runs, c) >= 0 {
			run = true
			continue
		}
		if run {
			b.WriteByte('-')
			run = false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	if run {
		b.WriteByte('-')
	}
	return b.String()
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isName tells whether a text is a name as PEP 508 allows it.
func isName(s string) bool {
	if s == "" || !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return true
}

// splitDistInfo takes "numpy-2.4.1" apart. Tools write "-" in names as "_", but
// old ones did not, so the last "-" counts.
func splitDistInfo(stem string) (name, version string) {
	i := strings.LastIndexByte(stem, '-')
	if i < 0 {
		return stem, ""
	}
	return stem[:i], stem[i+1:]
}

// splitEggInfo takes "PyYAML-6.0-py3.11-linux-x86_64" apart. setuptools always
// wrote "-" in names as "_"; the version and what follows may be missing.
func splitEggInfo(stem string) (name, version string) {
	name, rest, _ := strings.Cut(stem, "-")
	version, _, _ = strings.Cut(rest, "-")
	if strings.HasPrefix(version, "py") {
		version = ""
	}
	return name, version
}
