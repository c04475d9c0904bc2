package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

const commandLine = "/proc/cmdline"

// A limit is one that somebody wrote down.
type limit struct {
	module  string
	pages   int64
	setting machine.Setting
}

// settings are the lines that reach the driver, in the order in which they act:
// the command line has the last word. The files of a container never do, because
// the driver belongs to the host.
func settings(m *machine.Machine) []machine.Setting {
	var files, words []machine.Setting
	for _, s := range m.Driver.Settings.Value {
		switch {
		case s.Kind != machine.SetsOption:
		case s.File == commandLine:
			words = append(words, s)
		case !m.Container.Known():
			files = append(files, s)
		}
	}
	return slices.Concat(files, words)
}

// written returns the limits in the order in which they act.
func written(m *machine.Machine) []limit {
	var out []limit
	for _, s := range settings(m) {
		for _, module := range []string{rocm.TTM, rocm.AMDTTM} {
			value, ok := valueOf(s, module, "pages_limit")
			pages, err := strconv.ParseInt(value, 0, 64)
			const most = 1 << 40 // 4 PiB; what is larger is a slip
			if ok && err == nil && pages > 0 && pages < most {
				out = append(out, limit{module, pages, s})
			}
		}
	}
	return out
}

// valueOf finds a parameter in a line of modprobe.d ("options ttm
// pages_limit=1") or in a word of the command line ("ttm.pages_limit=1").
func valueOf(s machine.Setting, module, name string) (string, bool) {
	if s.File == commandLine {
		return strings.CutPrefix(s.Text, module+"."+name+"=")
	}
	words := strings.Fields(s.Text)
	if len(words) < 3 || words[1] != module {
		return "", false
	}
	for _, w := range words[2:] {
		if value, ok := strings.CutPrefix(w, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

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
	values := limitValues(m, bytes)
	values["where"] = fmt.Sprintf("in %s, change pages_limit=%d to pages_limit=%s", whereToEdit(set[len(set)-1].setting), set[len(set)-1].pages, values["pages"])
	return cure.For(m, "ttm-limit-change", values)
}

func replaceGTTSize(m *machine.Machine, bytes int64) remedy.Remedy {
	values := limitValues(m, bytes)
	place := "the place where it is set"
	for _, s := range settings(m) {
		if _, ok := valueOf(s, "amdgpu", "gttsize"); ok {
			place = whereToEdit(s)
		}
	}
	values["where"] = fmt.Sprintf("remove gttsize from %s, and write \"options %s pages_limit=%s\" into %s", place, values["module"], values["pages"], values["path"])
	return cure.For(m, "ttm-limit-change", values)
}

// whereToEdit names the place that a person changes: the command line shows what
// the boot loader was told.
func whereToEdit(s machine.Setting) string {
	if s.File == commandLine {
		return "the kernel options of the boot loader"
	}
	return s.File
}

func earlyBoot(m *machine.Machine) remedy.Remedy { return cure.For(m, "early-boot-image", nil) }
