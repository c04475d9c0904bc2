package survey

import (
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func memory(r host.Reader) machine.Memory {
	return machine.Memory{
		Total:  parsed(text(r, "/proc/meminfo"), parseMemTotal),
		TTM:    number[int64](r, "/sys/module/"+rocm.TTM+"/parameters/pages_limit"),
		AMDTTM: number[int64](r, "/sys/module/"+rocm.AMDTTM+"/parameters/pages_limit"),
	}
}

// parseMemTotal finds the size of the memory in /proc/meminfo, in bytes. The
// kernel writes kB and means KiB (proc_meminfo(5)).
func parseMemTotal(s string) (int64, bool) {
	for line := range strings.Lines(s) {
		value, found := strings.CutPrefix(line, "MemTotal:")
		if !found {
			continue
		}
		words := strings.Fields(value)
		if len(words) != 2 || words[1] != "kB" {
			return 0, false
		}
		kib, err := strconv.ParseInt(words[0], 10, 64)
		const most = 1 << 50 // kB; what is larger would not fit in bytes
		return kib * 1024, err == nil && kib > 0 && kib < most
	}
	return 0, false
}
