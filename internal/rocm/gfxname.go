package rocm

import (
	"fmt"
	"strconv"
	"strings"
)

// version is the number in a gfx name: 9.0.10 is gfx90a.
type version struct{ major, minor, stepping int }

// In a gfx name the major version is decimal, minor and stepping are one hexadecimal digit each (LLVM AMDGPUUsage).
const maxDigit = 15

// maxMajor is the largest major version libhsakmt takes: it stores six bits.
const maxMajor = 63

func (v version) gfx() (string, bool) {
	if v.major < 1 || v.major > maxMajor || !isDigit(v.minor) || !isDigit(v.stepping) {
		return "", false
	}
	return fmt.Sprintf("gfx%d%x%x", v.major, v.minor, v.stepping), true
}

func isDigit(n int) bool { return n >= 0 && n <= maxDigit }

func versionOf(gfx string) (version, bool) {
	number, ok := strings.CutPrefix(gfx, "gfx")
	if !ok || len(number) < 3 {
		return version{}, false
	}
	split := len(number) - 2
	major, errMajor := strconv.ParseInt(number[:split], 10, 16)
	digits, errDigits := strconv.ParseInt(number[split:], 16, 16)
	v := version{int(major), int(digits >> 4), int(digits & 0xf)}
	// Writing the name back refuses what only looks like one: "gfx0906", "gfx90A".
	if name, ok := v.gfx(); errMajor != nil || errDigits != nil || !ok || name != gfx {
		return version{}, false
	}
	return v, true
}

// GfxOfTargetVersion decodes gfx_target_version of a KFD node: 90010 is gfx90a, 110501 is gfx1151. It is false for 0,
// which a CPU node shows, and for numbers that no GPU can have.
func GfxOfTargetVersion(v int) (gfx string, ok bool) {
	if v <= 0 {
		return "", false
	}
	// libhsakmt topology.c: major*10000 + minor*100 + stepping, all decimal.
	return version{v / 10000, v / 100 % 100, v % 100}.gfx()
}

// TargetVersionOf is the gfx_target_version that a GPU with this gfx name shows.
func TargetVersionOf(gfx string) (v int, ok bool) {
	n, ok := versionOf(gfx)
	if !ok {
		return 0, false
	}
	return n.major*10000 + n.minor*100 + n.stepping, true
}
