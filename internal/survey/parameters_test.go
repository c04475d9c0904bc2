package survey

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestParseOptions(t *testing.T) {
	t.Parallel()
	const file = "/etc/modprobe.d/amdgpu.conf"
	for _, c := range []struct {
		file, text string
		want       string // module name=value, …
	}{
		{file, "options amdgpu noretry=0", "amdgpu noretry=0"},
		{file, "options amdgpu noretry=0 vm-fragment-size=9", "amdgpu noretry=0, amdgpu vm_fragment_size=9"},
		{file, "options amdgpu runpm=$(date)", "amdgpu runpm=$(date)"},
		{file, "options amdgpu runpm=$(date +%s)", "amdgpu runpm=$(date, amdgpu +%s)="},
		{file, `options amdgpu virtual_display="a b" dc=1`, "amdgpu virtual_display=a b, amdgpu dc=1"},
		{file, "options amdgpu dc=1 # why", "amdgpu dc=1, amdgpu #=, amdgpu why="},
		{file, "options amdgpu modeset", "amdgpu modeset="},
		{file, "options ttm", ""},
		{file, "options", ""},
		{machine.CommandLineFile, "ttm.pages_limit=26214400", "ttm pages_limit=26214400"},
		{machine.CommandLineFile, "amdgpu.lockup_timeout=1=2", "amdgpu lockup_timeout=1=2"},
		{machine.CommandLineFile, "amdgpu.", ""},
		{machine.CommandLineFile, "quiet", ""},
	} {
		var got []string
		for _, p := range parseOptions(machine.Setting{File: c.file, Text: c.text}) {
			got = append(got, p.Module+" "+p.Name+"="+p.Value)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestParseModprobeJoinsLines(t *testing.T) {
	t.Parallel()
	got := parseModprobe("f", "# a\noptions amdgpu \\\n  noretry=0 \\\r\n dc=1\noptions ttm pages_limit=1\noptions amdgpu \\")
	if len(got) != 2 || got[0].Text != "options amdgpu noretry=0 dc=1" || got[0].Line != 2 || got[1].Line != 5 {
		t.Errorf("got %+v", got)
	}
}

func TestOptionsAreBounded(t *testing.T) {
	t.Parallel()
	line := machine.Setting{File: "f", Kind: machine.SetsOption, Text: "options amdgpu" + strings.Repeat(" dc=1", 700)}
	got := options(machine.Know([]machine.Setting{line, line, line}, "f"))
	if len(got.Value) != maxOptions {
		t.Errorf("%d options were kept", len(got.Value))
	}
}

func FuzzParseOptions(f *testing.F) {
	f.Add("/etc/modprobe.d/a.conf", `options amdgpu noretry=0 virtual_display="a b" runpm=$(date)`)
	f.Add(machine.CommandLineFile, "amdgpu.noretry=0")
	f.Fuzz(func(t *testing.T, file, text string) {
		for _, p := range parseOptions(machine.Setting{File: file, Text: text}) {
			if len(p.Module)+len(p.Name)+len(p.Value) > len(text) || strings.Contains(p.Name, "=") {
				t.Errorf("%q became %+v", text, p)
			}
		}
	})
}
