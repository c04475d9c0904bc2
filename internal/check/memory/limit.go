package memory

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// live returns the module that amdgpu uses, and its limit. AMD's driver
// package brings one of its own; the other may be loaded beside it.
func live(m *machine.Machine) (string, machine.Fact[int64]) {
	packaged := m.Driver.FromDKMS.Known() || m.Driver.Module.Value.Version != ""
	if m.Memory.AMDTTM.Known() && (packaged || !m.Memory.TTM.Known()) {
		return rocm.AMDTTM, m.Memory.AMDTTM
	}
	return rocm.TTM, m.Memory.TTM
}

func runLimit(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := integrated(m); none != nil {
		return none
	}
	module, pages := live(m)
	if f, none := unread(pages, module, "the live limit ("+module+".pages_limit)"); none {
		return []check.Finding{f}
	}
	out := astray(m, module)
	if f := judgeLimit(m, module, pages); len(out) == 0 || f.Verdict != check.OK {
		out = append(out, f)
	}
	return out
}

// judgeLimit answers with the most decisive of what can be wrong.
func judgeLimit(m *machine.Machine, module string, pages machine.Fact[int64]) check.Finding {
	bytes, ram := bytesOf(pages.Value), total(m)
	f := check.Finding{Subject: module, Verdict: check.OK, Evidence: []machine.Evidence{limitEvidence(pages)}}
	if ram.Known() {
		f.Evidence = append(f.Evidence, memTotal(ram))
	}
	set := slices.DeleteFunc(written(m), func(w limit) bool { return w.module != module })
	for _, w := range set {
		f.Evidence = append(f.Evidence, w.setting.Evidence())
	}
	acting := slices.IndexFunc(set, func(w limit) bool { return w.pages == pages.Value })
	gtt, sized := gttSize(m)
	switch {
	case len(set) > 0 && acting < 0:
		return notLive(m, set[len(set)-1], bytes, f)
	case ram.Known() && bytes > ram.Value-floor(ram.Value):
		return tooLarge(m, bytes, set, f)
	case sized && (gtt-bytes > bytes/64 || bytes-gtt > bytes/64):
		return disagree(m, gtt, bytes, f)
	case ram.Known() && bytes < ram.Value/4:
		return tooSmall(m, bytes, set, f)
	}
	f.Message = fmt.Sprintf("%s lets the GPU map up to %s", module, gib(bytes))
	if ram.Known() {
		f.Message += fmt.Sprintf(" of the system's %s, which leaves %s", gib(ram.Value), gib(ram.Value-bytes))
	}
	f.Message += fmt.Sprintf(". The limit is %d pages of 4 KiB", pages.Value)
	if acting < 0 {
		f.Message += "; nobody wrote one, so it is the kernel's own, about half."
		return f
	}
	f.Message += fmt.Sprintf(", written in %s.", set[acting].setting.Evidence().From)
	return f
}

// floor is what we want the system to keep. Nobody documents a number: 4 GiB
// run a desktop, a sixteenth is what KFD once kept back of large machines, and a
// small machine is not to be warned of the kernel's own half.
func floor(ram int64) int64 { return max(min(4*unit, ram/4), ram/16) }

// bytesOf bounds a number that came from outside: any limit beyond is as good as
// none.
func bytesOf(pages int64) int64 { return min(pages, math.MaxInt64/rocm.PageSize) * rocm.PageSize }

func limitEvidence(pages machine.Fact[int64]) machine.Evidence {
	return machine.Evidence{From: pages.From, Text: fmt.Sprintf("%d (pages of 4 KiB: %s)", pages.Value, gib(bytesOf(pages.Value)))}
}

// gttSize is what amdgpu.gttsize sets, in bytes; the parameter counts MiB and
// -1 leaves it to the driver.
func gttSize(m *machine.Machine) (int64, bool) {
	mib, err := strconv.ParseInt(m.Driver.Parameters.Value["gttsize"], 10, 64)
	return mib << 20, err == nil && mib > 0 && mib < 1<<40
}

func notLive(m *machine.Machine, w limit, bytes int64, f check.Finding) check.Finding {
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	f.Message = fmt.Sprintf("A limit of %s is written down, but %s is live. The module reads it once, when it is loaded: the machine was not restarted since, its early boot image holds an older copy of the file, or somebody changed the live value.",
		gib(bytesOf(w.pages)), gib(bytes))
	f.Remedies = []remedy.Remedy{earlyBoot(m)}
	return f
}

func tooLarge(m *machine.Machine, bytes int64, set []limit, f check.Finding) check.Finding {
	ram := total(m).Value
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	leaves := "leaves " + gib(max(0, ram-bytes))
	if bytes > ram {
		leaves = "is more than there is"
	}
	f.Message = fmt.Sprintf("The GPU may map %s of the system's %s, which %s and can freeze the host. What a GPU has mapped cannot be given to anybody else; a program that uses all of it takes the whole machine with it.",
		gib(bytes), gib(ram), leaves)
	f.Evidence = append(f.Evidence, known(rocm.MemoryNearRAM))
	f.Remedies = []remedy.Remedy{changeLimit(m, ram*3/4, set)}
	return f
}

func tooSmall(m *machine.Machine, bytes int64, set []limit, f check.Finding) check.Finding {
	ram := total(m).Value
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	f.Message = fmt.Sprintf("The GPU may map only %s of the system's %s. The kernel's own limit is about half; programs run out of GPU memory while the machine has plenty.", gib(bytes), gib(ram))
	f.Remedies = []remedy.Remedy{changeLimit(m, ram/2, set)}
	return f
}

func disagree(m *machine.Machine, gtt, bytes int64, f check.Finding) check.Finding {
	f.Verdict, f.Cause = check.Warn, "gtt-limit-apu"
	f.Message = fmt.Sprintf("amdgpu.gttsize says %s and the TTM limit %s. The parameter is deprecated: what HIP is offered follows the TTM limit, and what it can allocate is bounded by both.", gib(gtt), gib(bytes))
	f.Evidence = append(f.Evidence, machine.Evidence{From: m.Driver.Parameters.From + "/gttsize", Text: m.Driver.Parameters.Value["gttsize"]})
	for _, s := range settings(m) {
		if isGTTSize(s) {
			f.Evidence = append(f.Evidence, s.Evidence())
		}
	}
	want := gtt
	if ram := total(m); ram.Known() {
		want = min(gtt, ram.Value*3/4)
	}
	f.Remedies = []remedy.Remedy{replaceGTTSize(m, want)}
	return f
}

// astray are limits written for the module that amdgpu does not use.
func astray(m *machine.Machine, module string) []check.Finding {
	why := "The kernel's own driver uses ttm; amdttm belongs to AMD's driver package."
	if module == rocm.AMDTTM {
		why = "AMD's driver package uses amdttm; ttm belongs to the kernel's own driver."
	}
	var out []check.Finding
	for _, w := range written(m) {
		if w.module == module || slices.ContainsFunc(written(m), func(o limit) bool { return o.module == module }) {
			continue
		}
		out = append(out, check.Finding{
			Subject: w.module + " at " + string(w.setting.Evidence().From), Verdict: check.Warn, Cause: "gtt-limit-apu",
			Message:  fmt.Sprintf("The limit of %s is written for %s, and the GPU uses %s. %s", gib(bytesOf(w.pages)), w.module, module, why),
			Evidence: []machine.Evidence{w.setting.Evidence(), usedEvidence(m)},
			Remedies: []remedy.Remedy{writeLimit(m, bytesOf(w.pages))},
		})
	}
	return out
}

func usedEvidence(m *machine.Machine) machine.Evidence {
	_, pages := live(m)
	return limitEvidence(pages)
}
