package pydist

import "strings"

// A pyvenv is what is needed of pyvenv.cfg, the file that makes a folder a
// virtual environment (PEP 405).
type pyvenv struct {
	home        string // the folder of the interpreter it was made with
	version     string
	systemSites bool
	uv          bool // uv made it, and put no pip in
}

// parsePyvenv reads pyvenv.cfg as Python's site module does: lines with "=",
// keys in any case, everything else is passed over.
func parsePyvenv(data []byte) pyvenv {
	var p pyvenv
	info := ""
	for len(data) > 0 {
		var line []byte
		line, data, _ = cutLine(data)
		key, value, found := strings.Cut(strings.ToValidUTF8(string(line), "�"), "=")
		if !found || len(line) > maxHeader {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "home":
			p.home = value
		case "include-system-site-packages":
			p.systemSites = strings.EqualFold(value, "true")
		case "uv":
			p.uv = true
		case "version": // by venv
			p.version = numbers(value)
		case "version_info": // by virtualenv "3.12.3.final.0", by uv "3.12.3"
			info = numbers(value)
		}
	}
	if p.version == "" {
		p.version = info
	}
	return p
}

// numbers is "3.12.3" of "3.12.3.final.0" or "3.12.3+": at most three numbers
// at the beginning, and "" where there is no second one.
func numbers(s string) string {
	end, parts := 0, 0
	for rest := s; parts < 3; parts++ {
		n := span(rest, func(c byte) bool { return '0' <= c && c <= '9' })
		if n == 0 || n > 4 {
			break
		}
		end = len(s) - len(rest) + n
		rest = rest[n:]
		if !strings.HasPrefix(rest, ".") {
			parts++
			break
		}
		rest = rest[1:]
	}
	if parts < 2 {
		return ""
	}
	return s[:end]
}

// minor is "3.12" of "3.12.3".
func minor(version string) string {
	major, rest, found := strings.Cut(version, ".")
	if !found {
		return ""
	}
	second, _, _ := strings.Cut(rest, ".")
	return major + "." + second
}
