package fix_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// TestWaysToStart: a file of the driver's parameters is read by the driver, and a
// machine starts without it; nothing is said where nothing of the start is changed.
func TestWaysToStart(t *testing.T) {
	t.Parallel()
	file := func(path string) remedy.Step {
		return remedy.Step{Kind: remedy.WriteFile, Path: path, Content: "options ttm pages_limit=1", Root: true}
	}
	restart := remedy.Step{Kind: remedy.Manual, Text: "restart the machine"}
	for name, tc := range map[string]struct {
		steps []remedy.Step
		ways  []string // a word of each
		waits []string
	}{
		"modprobe.d": {[]remedy.Step{file("/etc/modprobe.d/ttm.conf"), restart}, []string{"modprobe.blacklist=amdgpu", "older kernel"}, []string{fix.Restart}},
		"GRUB":       {[]remedy.Step{word("amdgpu.gttsize=8192", ""), restart}, []string{"GRUB: press e", "older kernel"}, []string{fix.Restart}},
		"udev":       {[]remedy.Step{file("/etc/udev/rules.d/70-x.rules"), {Kind: remedy.Manual, Text: "log out and in again"}}, nil, []string{fix.NewLogin}},
		"a variable": {[]remedy.Step{{Kind: remedy.SetEnv, Name: "A", Value: "1"}}, nil, []string{fix.NewShell}},
	} {
		p := plan(desk{files: map[string]string{grubSettings: archGRUB, "/home/ada/.bashrc": ""}, owner: map[string]uint32{"/home/ada": 1000}}, finding(tc.steps...))
		if got := p.Rescue(); !slices.EqualFunc(got, tc.ways, strings.Contains) || len(p.ByHand()) == 0 {
			t.Errorf("%s: ways %q, by hand %q", name, got, p.ByHand())
		}
		if got := p.Waits(); !slices.Equal(got, tc.waits) {
			t.Errorf("%s waits for %q", name, got)
		}
	}
}
