package state

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// metadata is the name of a folder that says which package is there: each part
// begins with a letter or digit, so that none is a flag to pip.
var metadata = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._]*)-([A-Za-z0-9][A-Za-z0-9._+!-]*)\.dist-info$`)
})

// distribution reads the name of a folder of metadata: torch-2.9.1+rocm6.4.dist-info.
func distribution(folder string) (name, version string, ok bool) {
	m := metadata().FindStringSubmatch(folder)
	if m == nil {
		return "", "", false
	}
	return strings.ToLower(strings.ReplaceAll(m[1], "_", "-")), m[2], true
}

// installer is the command of pip or uv for the environment of a step: that which
// was run, with another verb.
func (s *Step) installer(verb string) []string {
	at := slices.Index(s.Argv, "pip")
	out := append(slices.Clone(s.Argv[:at+1]), verb)
	if i := slices.Index(s.Argv, "--python"); i >= 0 {
		return append(out, s.Argv[i:i+2]...)
	}
	if verb == "uninstall" {
		out = append(out, "-y")
	}
	return out
}
