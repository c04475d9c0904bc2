package driver

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// withParameters is a machine with some kinds of GPUs, and one live value.
func withParameters(kernel string, gfx []string, live map[string]string, set ...machine.ParameterSetting) *machine.Machine {
	m := &machine.Machine{
		OS: "linux", Kernel: machine.Know(kernel, "test"), CommandLine: machine.Know("", "test"),
		Container: machine.Missing[machine.Container]("test"),
	}
	var gpus []machine.GPU
	for _, g := range gfx {
		gpus = append(gpus, machine.GPU{Vendor: machine.AMD, Gfx: machine.Know(g, "test"), Bound: machine.Know(module, "test")})
	}
	m.GPUs = machine.Know(gpus, "test")
	m.Driver.Parameters = machine.Know(live, "/sys/module/amdgpu/parameters")
	m.Driver.AMDTTM = machine.Missing[map[string]string]("test")
	m.Driver.Options = machine.Know(set, "test")
	return m
}

func written(name, value string) machine.ParameterSetting {
	return machine.ParameterSetting{
		Module: module, Name: name, Value: value,
		Setting: machine.Setting{File: "/etc/modprobe.d/a.conf", Line: 1, Text: "options amdgpu " + name + "=" + value, Kind: machine.SetsOption},
	}
}

func TestParametersFollowGPUAndKernel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kernel, gfx, name, value string
		verdict                  check.Verdict
		want                     string
	}{
		{"6.14.0-34-generic", "gfx1010", "noretry", "0", check.Warn, "changes nothing on gfx1010"},
		{"7.2.13", "gfx1010", "noretry", "0", check.OK, "changes the default on gfx1010 from 1 to 0"},
		{"7.0.3", "gfx1010", "noretry", "0", check.OK, "takes the place of the default"}, // not known which it is
		{"6.14.0-34-generic", "gfx1030", "noretry", "0", check.OK, "changes the default on gfx1030 from 1 to 0"},
		{"6.14.0-34-generic", "gfx1030", "noretry", "1", check.Warn, "changes nothing on gfx1030"},
		{"6.14.0", "gfx942", "mtype_local", "1", check.OK, "takes the place of the default"},
		{"6.14.0", "gfx1100", "mtype_local", "1", check.Warn, "has no effect on gfx1100"},
		{"6.12.9", "gfx1100", "cwsr_enable", "0", check.Warn, "does harm on gfx1100"},
		{"6.17.8", "gfx1151", "cwsr_enable", "0", check.OK, "changes the default on gfx1151 from 1 to 0"},
		{"6.12.9", "gfx1100", "mes", "0", check.Warn, "has no effect on gfx1100"},
		{"6.12.9", "gfx1100", "tmz", "1", check.Skipped, "nothing is known of it"},
		{"6.12.9", "gfx1100", "lockup_timeout", "10000,60000", check.OK, "takes the place of the default"},
		{"6.12.9", "gfx1100", "gttsize", "-1", check.Warn, "is deprecated"},
	} {
		live := map[string]string{c.name: c.value}
		f := runParameters(check.Input{Machine: withParameters(c.kernel, []string{c.gfx}, live, written(c.name, c.value))})[0]
		if f.Verdict != c.verdict || !strings.Contains(f.Message, c.want) {
			t.Errorf("%s=%s on %s, kernel %s: %s %s", c.name, c.value, c.gfx, c.kernel, f.Verdict, f.Message)
		}
	}
}

func TestParametersNotLookedAt(t *testing.T) {
	t.Parallel()
	m := withParameters("6.14.0", []string{"gfx1030"}, nil)
	for _, c := range []struct {
		why  string
		want check.Verdict
	}{{"timeout", check.Unknown}, {"EACCES: permission denied", check.Skipped}} {
		m.Driver.Options.Why = c.why // a file that could not be read
		if f := runParameters(check.Input{Machine: m})[0]; f.Verdict != c.want {
			t.Errorf("%s: %s %s", c.why, f.Verdict, f.Message)
		}
	}
	m = withParameters("6.14.0", []string{"gfx1030"}, nil, written("noretry", "0"))
	m.Container = machine.Know(machine.Container{Kind: "docker"}, "test")
	if f := runParameters(check.Input{Machine: m})[0]; f.Verdict != check.Skipped {
		t.Errorf("in a container: %s %s", f.Verdict, f.Message)
	}
}

// A limit is not carried over where it would leave the system too little.
func TestGTTSizeIsNotCarriedOverBlindly(t *testing.T) {
	t.Parallel()
	for mib, want := range map[string]string{"16384": "Set ttm.pages_limit=4194304 instead", "31744": "Remove amdgpu.gttsize=31744"} {
		m := withParameters("6.14.0", []string{"gfx1151"}, map[string]string{"gttsize": mib}, written("gttsize", mib))
		m.Memory.Total = machine.Know(int64(32<<30), "/proc/meminfo")
		if f := runParameters(check.Input{Machine: m})[0]; len(f.Remedies) != 1 || f.Remedies[0].Title != want {
			t.Errorf("%s MiB: %+v", mib, f.Remedies)
		}
	}
}

// Whatever somebody wrote, what is said of it is one line with a headline that
// can be read.
func FuzzParameters(f *testing.F) {
	f.Add("noretry", "0", "-1")
	f.Add("gtt_size", "{text}", "")
	f.Add("runpm", "$(date)", "it's")
	many := []string{"gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx942"}
	f.Fuzz(func(t *testing.T, name, value, live string) {
		if name == "" || strings.ContainsAny(name+value+live, "\n\t") || strings.Contains(name+value+live, "  ") {
			return // the survey hands on words of one line
		}
		names := map[string]string{name: live}
		for _, p := range rocm.Parameters() {
			names[p.Name] = live
		}
		sets := []machine.ParameterSetting{written(name, value)}
		for _, p := range rocm.Parameters() {
			s := written(p.Name, value)
			s.File, s.Module = machine.CommandLineFile, p.Module
			sets = append(sets, s)
		}
		for _, found := range runParameters(check.Input{Machine: withParameters("6.14.0-34-generic", many, names, sets...)}) {
			if len(found.Headline()) > 140 && !strings.Contains(name+value+live, ". ") || found.Message == "" {
				t.Errorf("a headline of %d characters: %s", len(found.Headline()), found.Message)
			}
		}
	})
}
