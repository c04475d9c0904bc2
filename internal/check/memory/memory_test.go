package memory

import (
	"math"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// apu is a machine with a carve-out of 512 MiB, 128 GiB beside it, and a live
// limit of 64 GiB.
func apu(change func(*machine.Machine)) *machine.Machine {
	m := &machine.Machine{OS: "linux"}
	m.Container = machine.Missing[machine.Container]("/")
	m.Memory.Total = machine.Know[int64](128*unit, "/proc/meminfo")
	m.Memory.TTM = machine.Know(rocm.PagesFor(64), "/sys/module/ttm/parameters/pages_limit")
	m.GPUs = machine.Know([]machine.GPU{{
		Vendor: machine.AMD, Kind: machine.Integrated, Address: "0000:c5:00.0", Node: machine.Know(1, "kfd"),
		VRAM: machine.Know[int64](unit/2, "vram"), GTT: machine.Know[int64](64*unit, "gtt"), Offered: machine.Know[int64](64*unit, "bank"),
	}}, "bus")
	change(m)
	return m
}

func wrote(m *machine.Machine, settings ...machine.ParameterSetting) {
	m.Driver.Options = machine.Know(settings, "settings")
}

// pagesLimit is a limit that somebody wrote down.
func pagesLimit(file, module, value string) machine.ParameterSetting {
	return machine.ParameterSetting{
		Module: module, Name: "pages_limit", Value: value,
		Setting: machine.Setting{File: file, Line: 1, Text: "options " + module + " pages_limit=" + value, Kind: machine.SetsOption},
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	const conf = "/etc/modprobe.d/a.conf"
	for name, c := range map[string]struct {
		change  func(*machine.Machine)
		verdict check.Verdict
		says    string
	}{
		"the kernel's own": {func(*machine.Machine) {}, check.OK, "up to 64 GiB"},
		"the command line has the last word": {func(m *machine.Machine) {
			wrote(m, pagesLimit(conf, "ttm", "262144"), pagesLimit(machine.CommandLineFile, "ttm", "16777216"))
		}, check.OK, "written in /proc/cmdline"},
		"hexadecimal": {func(m *machine.Machine) { wrote(m, pagesLimit(conf, "ttm", "0x1000000")) }, check.OK, conf},
		"no number":   {func(m *machine.Machine) { wrote(m, pagesLimit(conf, "ttm", "much")) }, check.OK, "nobody wrote one"},
		"not live":    {func(m *machine.Machine) { wrote(m, pagesLimit(conf, "ttm", "26214400")) }, check.Warn, "100 GiB is written down, but 64 GiB is live"},
		"a file of a container": {func(m *machine.Machine) {
			m.Container = machine.Know(machine.Container{Kind: "docker"}, "/")
			wrote(m, pagesLimit(conf, "ttm", "26214400"))
		}, check.OK, "nobody wrote one"},
		"LXC shows its own memory": {func(m *machine.Machine) {
			m.Container = machine.Know(machine.Container{Kind: "lxc"}, "/")
			m.Memory.Total.Value = unit
		}, check.OK, "up to 64 GiB"},
		"for the package's module": {func(m *machine.Machine) { wrote(m, pagesLimit(conf, "amdttm", "26214400")) }, check.Warn, "written for amdttm, and the GPU uses ttm"},
		"no bound at all":          {func(m *machine.Machine) { m.Memory.TTM.Value = math.MaxInt64 }, check.Warn, "more than there is"},
		"both modules loaded": {func(m *machine.Machine) {
			m.Driver.Module.Value.Version = "6.16.6"
			m.Memory.AMDTTM = machine.Know(rocm.PagesFor(96), "amdttm")
		}, check.OK, "amdttm lets the GPU map up to 96 GiB"},
		"gttsize agrees": {func(m *machine.Machine) {
			m.Driver.Parameters = machine.Know(map[string]string{"gttsize": "65536"}, "p")
		}, check.OK, "up to 64 GiB"},
		"not read": {func(m *machine.Machine) {
			m.Memory.TTM = machine.Unknown[int64]("f", `it says "N/A"`)
		}, check.Unknown, "Not judged"},
		"closed": {func(m *machine.Machine) { m.Memory.TTM = machine.Unknown[int64]("f", "EACCES") }, check.Skipped, "not to be seen here"},
		"a card": {func(m *machine.Machine) { m.GPUs.Value[0].Kind = machine.Discrete }, check.Skipped, "no integrated GPU"},
	} {
		got := runLimit(check.Input{Machine: apu(c.change)})
		if len(got) != 1 || got[0].Verdict != c.verdict || !strings.Contains(got[0].Message, c.says) {
			t.Errorf("%s: %+v, want %s that says %q", name, got, c.verdict, c.says)
		}
	}
}

func TestPool(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*machine.GPU)
		verdict check.Verdict
		says    string
	}{
		"system memory":        {func(*machine.GPU) {}, check.OK, "up to 64 GiB of the system's 128 GiB"},
		"KFD does not say":     {func(g *machine.GPU) { g.Offered = machine.Missing[int64]("bank") }, check.OK, "up to 64 GiB"},
		"an old driver":        {func(g *machine.GPU) { g.Offered.Value = unit / 2 }, check.OK, "drivers before Linux 6.10"},
		"the carve-out":        {func(g *machine.GPU) { g.VRAM.Value, g.Offered.Value = 96*unit, 96*unit }, check.OK, "the BIOS carve-out of 96 GiB"},
		"less":                 {func(g *machine.GPU) { g.VRAM.Value, g.Offered.Value = 96*unit, 31*unit/2 }, check.Warn, "offered 15.5 GiB although the BIOS set 96 GiB"},
		"the bus is not there": {func(g *machine.GPU) { g.GTT = machine.Fact[int64]{} }, check.Skipped, "not to be seen here"},
		"junk":                 {func(g *machine.GPU) { g.VRAM = machine.Unknown[int64]("vram", `it says "N/A"`) }, check.Unknown, "Not judged"},
	} {
		m := apu(func(m *machine.Machine) { c.change(&m.GPUs.Value[0]) })
		if got := judgePool(m, m.GPUs.Value[0]); got.Verdict != c.verdict || !strings.Contains(got.Message, c.says) {
			t.Errorf("%s: %+v, want %s that says %q", name, got, c.verdict, c.says)
		}
	}
}
