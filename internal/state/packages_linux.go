package state

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/rocm"
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

// installAgain are the commands that bring versions back ("torch==2.9.1+rocm6.4"),
// one for each index: PyPI takes no version with a build after a plus sign.
func (s *Step) installAgain(back []string) [][]string {
	from := map[string][]string{}
	for _, p := range back {
		index := s.indexOf(p)
		from[index] = append(from[index], p)
	}
	var out [][]string
	for _, index := range slices.Sorted(maps.Keys(from)) {
		argv := append(s.installer("install"), "--no-deps")
		if index != "" {
			argv = append(argv, "--index-url", index)
		}
		out = append(out, append(argv, from[index]...))
	}
	return out
}

// indexOf is the index of pytorch.org that a version is of, by its build; none
// where that names no release of ROCm, as in AMD's own wheels. The triton of a
// torch has no build in its version, and lies beside it.
func (s *Step) indexOf(p string) string {
	if name, _, _ := strings.Cut(p, "=="); name == "pytorch-triton-rocm" || name == "triton-rocm" {
		p = s.Had["torch"]
	}
	_, build, found := strings.Cut(p, "+rocm")
	if !found || build == "" || strings.Trim(build, "0123456789.") != "" {
		return ""
	}
	return rocm.TorchIndex(build)
}
