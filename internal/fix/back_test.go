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

// TestWithoutRoot: where root does nothing, nothing is said of what comes after its
// steps; what two cures share is said for the one that is done.
func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	restart := remedy.Step{Kind: remedy.Manual, Text: "restart the machine"}
	d := desk{files: map[string]string{"/home/ada/.bashrc": "export HSA_X=1\n", "/etc/environment": "HSA_Y=1\n", "/etc/modprobe.d/a.conf": "options amdgpu a=1\n"}, owner: map[string]uint32{"/home/ada": 1000}}
	p := plan(d,
		finding(remedy.Step{Kind: remedy.EditFile, Path: "/home/ada/.bashrc", Line: 1, Name: "HSA_X"}),
		finding(remedy.Step{Kind: remedy.EditFile, Path: "/etc/environment", Line: 1, Name: "HSA_Y"}),
		finding(remedy.Step{Kind: remedy.EditFile, Path: "/etc/modprobe.d/a.conf", Line: 1, Old: "a=1", Root: true}, restart))
	if got := p.Waits(); !slices.Equal(got, []string{fix.NewLogin, fix.Restart}) || len(p.Steps) != 3 {
		t.Fatalf("the whole plan waits for %q, with %d steps; left %+v", got, len(p.Steps), p.Left)
	}
	less := p.WithoutRoot()
	if len(less.Steps) != 1 || len(less.Cures) != 1 || !slices.Equal(less.Waits(), []string{fix.NewShell}) || less.Rescue() != nil {
		t.Errorf("%d steps, %d cures, waits for %q, starts by %q", len(less.Steps), len(less.Cures), less.Waits(), less.Rescue())
	}
	if !slices.Equal(less.Then, []string{"start a new shell, or in those that are open: unset HSA_X"}) {
		t.Errorf("afterwards: %q", less.Then)
	}
}
