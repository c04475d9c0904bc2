package launch

import (
	"strconv"
	"strings"
)

// slack is how far the clock of a log line may lie before the start: the kernel
// reads another clock than programs do, and they drift.
const slack = 0.5 // seconds

// Since are the lines of a kernel log that were written after the command was
// started. A line without a time tells nothing and is left out.
func (e End) Since(log []string) []string {
	var out []string
	for _, line := range log {
		if at, ok := lineTime(line); ok && at >= e.Clock-slack {
			out = append(out, line)
		}
	}
	return out
}

// lineTime reads the seconds in "[ 1234.567890] text".
func lineTime(line string) (seconds float64, ok bool) {
	rest, found := strings.CutPrefix(line, "[")
	stamp, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(stamp), 64)
	return seconds, err == nil && seconds >= 0
}
