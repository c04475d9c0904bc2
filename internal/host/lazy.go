package host

import (
	"regexp"
	"sync"
)

// lazily compiles a pattern when it is first asked for. Most runs need few of
// them, and compiling all took longer than the questions to a small machine.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
