package linkage

import (
	"fmt"
	"strings"
)

// A target is what one build of ld.so takes for granted.
type target struct {
	machine     string
	bits        int
	interpreter string
	cacheFlags  int32  // of its entries in ld.so.cache: sysdeps/*/dl-cache.h of glibc
	triplet     string // Debian's folder
	lib         string // $LIB elsewhere
	platform    string // $PLATFORM
}

var targets = []target{
	{"x86-64", 64, "/lib64/ld-linux-x86-64.so.2", 0x0303, "x86_64-linux-gnu", "lib64", "x86_64"},
	{"i386", 32, "/lib/ld-linux.so.2", 0x0003, "i386-linux-gnu", "lib", "i686"},
	{"aarch64", 64, "/lib/ld-linux-aarch64.so.1", 0x0a03, "aarch64-linux-gnu", "lib64", "aarch64"},
}

// targetOf finds the loader that a binary asks for.
func targetOf(b Binary) (target, error) {
	musl := strings.Contains(b.Interpreter, "/ld-musl-")
	for _, need := range b.Needs {
		musl = musl || strings.HasPrefix(need, "libc.musl-")
	}
	if musl {
		return target{}, fmt.Errorf("%w: it is built for musl, whose loader searches in another way", ErrNotJudged)
	}
	for _, t := range targets {
		if t.machine == b.Machine && t.bits == b.Bits {
			return t, nil
		}
	}
	return target{}, fmt.Errorf("%w: the loader for %s with %d bits is not known", ErrNotJudged, b.Machine, b.Bits)
}

// fits tells whether ld.so takes the binary, or passes it over.
func (t target) fits(b Binary) bool { return b.Machine == t.machine && b.Bits == t.bits }

// defaults are the folders that ld.so was built with. Debian's has its multiarch
// folders first; those of other distributions have lib64, and on Arch that is a
// link to lib.
func (t target) defaults(d *disk) []string {
	if d.folder("/usr/lib/"+t.triplet) == nil || d.folder("/lib/"+t.triplet) == nil {
		return []string{"/lib/" + t.triplet, "/usr/lib/" + t.triplet, "/lib", "/usr/lib"}
	}
	if t.lib == "lib64" && d.folder("/usr/lib64") == nil && d.link("/usr/lib64") == "" {
		return []string{"/lib64", "/usr/lib64"}
	}
	return []string{"/lib", "/usr/lib"}
}

// libToken is the value of $LIB.
func (t target) libToken(d *disk) string {
	if d.folder("/usr/lib/"+t.triplet) == nil {
		return "lib/" + t.triplet
	}
	return t.lib
}

// A Level says what an x86-64 processor can do, as the psABI counts: 1 to 4, and
// 0 where it is not known.
type Level int

// allLevels are the names below glibc-hwcaps, best first.
var allLevels = []string{"x86-64-v4", "x86-64-v3", "x86-64-v2"}

// folders are the names that ld.so looks into.
func (l Level) folders() []string {
	return allLevels[max(0, min(len(allLevels), 4-int(l))):]
}
