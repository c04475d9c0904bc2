package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// lookMemory turns a wish into the line that fulfils it.
func lookMemory(args []string) ([]entry, error) {
	gib, err := parseGiB(args[0])
	if err != nil {
		return nil, err
	}
	pages := rocm.PagesFor(gib)
	out := []entry{{fmt.Sprintf("%d GiB for the GPU of an APU: %d pages", gib, pages), append([]field{
		{"page", rule(rocm.MemoryPage)}, {"pool", rule(rocm.MemoryPool)}, {"carve-out", rule(rocm.MemoryCarveOut)}, {"caution", rule(rocm.MemoryNearRAM)},
		{"undo", "move the file aside, rebuild the early boot image and restart"},
	}, ruleSources(rocm.MemoryPage, rocm.MemoryPool, rocm.MemoryCarveOut, rocm.MemoryNearRAM)...)}}
	for _, driver := range []struct{ module, whose string }{
		{rocm.TTM, "with the kernel's own driver"},
		{rocm.AMDTTM, "with AMD's driver package (amdgpu-dkms)"},
	} {
		p, _ := rocm.LookupParameter(driver.module, "pages_limit")
		out = append(out, entry{driver.whose, append([]field{
			{"file", "/etc/modprobe.d/" + driver.module + ".conf"},
			{"line", fmt.Sprintf("options %s pages_limit=%d", driver.module, pages)},
			{"or at boot", fmt.Sprintf("%s.pages_limit=%d", driver.module, pages)},
			{"live", fmt.Sprintf("/sys/module/%s/parameters/pages_limit", driver.module)},
			{"then", "rebuild the early boot image (initramfs), which holds a copy of the file, and restart"},
			{"tool", p.Tool},
		}, sourceFields(p.Provenance)...)})
	}
	return out, nil
}

func rule(id string) string {
	r, _ := rocm.LookupMemoryRule(id)
	return r.Text
}

// ruleSources names the source of each rule that is shown.
func ruleSources(ids ...string) []field {
	var cited []string
	for _, id := range ids {
		r, _ := rocm.LookupMemoryRule(id)
		cited = append(cited, id+": "+r.Provenance.String())
	}
	return []field{{"source", strings.Join(cited, "; ")}}
}

// parseGiB reads a size as people write it. GB is taken for GiB, as AMD's own
// tool does.
func parseGiB(s string) (int64, error) {
	digits := strings.ToUpper(s)
	for _, suffix := range []string{"GIB", "GB", "G"} {
		if rest, found := strings.CutSuffix(digits, suffix); found {
			digits = strings.TrimSpace(rest)
			break
		}
	}
	const most = 1 << 20 // a PiB
	gib, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || gib < 1 || gib > most {
		return 0, fmt.Errorf("%q is no size; write whole GiB, like 100G", s)
	}
	return gib, nil
}
