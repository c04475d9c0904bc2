package state

import (
	"slices"
	"strings"
)

// distribution reads the name of a folder of metadata: torch-2.9.1+rocm6.4.dist-info.
func distribution(folder string) (name, version string, ok bool) {
	stem, found := strings.CutSuffix(folder, ".dist-info")
	if !found {
		return "", "", false
	}
	name, version, ok = strings.Cut(stem, "-")
	return strings.ToLower(strings.ReplaceAll(name, "_", "-")), version, ok && name != "" && version != ""
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
