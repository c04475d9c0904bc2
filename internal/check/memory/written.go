package memory

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A limit is one that somebody wrote down.
type limit struct {
	module  string
	pages   int64
	setting machine.ParameterSetting
}

// settings are the parameters that reach the driver, in the order in which they
// act. The files of a container never do, because the driver belongs to the host.
func settings(m *machine.Machine) []machine.ParameterSetting {
	return slices.DeleteFunc(slices.Clone(m.Driver.Options.Value), func(s machine.ParameterSetting) bool {
		return m.Container.Known() && !s.OnCommandLine()
	})
}

// written returns the limits in the order in which they act.
func written(m *machine.Machine) []limit {
	var out []limit
	for _, s := range settings(m) {
		if s.Name != "pages_limit" || s.Module != rocm.TTM && s.Module != rocm.AMDTTM {
			continue
		}
		pages, err := strconv.ParseInt(s.Value, 0, 64)
		const most = 1 << 40 // 4 PiB; what is larger is a slip
		if err == nil && pages > 0 && pages < most {
			out = append(out, limit{s.Module, pages, s})
		}
	}
	return out
}

func isGTTSize(s machine.ParameterSetting) bool { return s.Module == "amdgpu" && s.Name == "gttsize" }

func writeLimit(m *machine.Machine, bytes int64) remedy.Remedy {
	if ram := total(m); ram.Known() && bytes > ram.Value-floor(ram.Value) {
		bytes = ram.Value * 3 / 4
	}
	return cure.For(m, "ttm-limit", limitValues(m, bytes))
}

// changeLimit corrects the limit where it stands, or writes the first one.
func changeLimit(m *machine.Machine, bytes int64, set []limit) remedy.Remedy {
	if len(set) == 0 {
		return writeLimit(m, bytes)
	}
	last := set[len(set)-1]
	return inPlaceOf(m, bytes, last.setting, fmt.Sprintf("in %s, change pages_limit=%d to pages_limit=%%s", whereToEdit(last.setting), last.pages))
}

func replaceGTTSize(m *machine.Machine, bytes int64) remedy.Remedy {
	for _, s := range settings(m) {
		if isGTTSize(s) {
			return inPlaceOf(m, bytes, s, fmt.Sprintf("in %s, write pages_limit=%%s of ttm in place of gttsize=%s", whereToEdit(s), s.Value))
		}
	}
	return writeLimit(m, bytes)
}

// inPlaceOf writes the limit where another setting stands.
func inPlaceOf(m *machine.Machine, bytes int64, s machine.ParameterSetting, where string) remedy.Remedy {
	values := limitValues(m, bytes)
	if s.OnCommandLine() {
		values["text"], values["new"] = s.Text, values["module"]+".pages_limit="+values["pages"]
		return cure.For(m, "ttm-limit-change-kernel", values)
	}
	values["where"], values["file"], values["line"] = fmt.Sprintf(where, values["pages"]), s.File, strconv.Itoa(s.Line)
	values["old"] = s.Name + "=" + s.Value
	return cure.For(m, "ttm-limit-change", values)
}

// whereToEdit names the place that a person changes: the command line shows what
// the boot loader was told.
func whereToEdit(s machine.ParameterSetting) string {
	if s.OnCommandLine() {
		return "the kernel options of the boot loader"
	}
	return s.File
}

func earlyBoot(m *machine.Machine) remedy.Remedy { return cure.For(m, "early-boot-image", nil) }
