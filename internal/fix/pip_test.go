package fix_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// packages wraps commands into a finding whose cure rocsmith only runs on request.
func packages(commands ...string) check.Finding {
	var steps []remedy.Step
	for _, c := range commands {
		kind := remedy.Command
		if strings.HasPrefix(c, "you ") {
			kind = remedy.Manual
		}
		steps = append(steps, remedy.Step{Kind: kind, Command: c, Text: c})
	}
	f := finding(steps...)
	f.Remedies[0].Apply = false
	return f
}

func TestPipRunsOnRequestOnly(t *testing.T) {
	t.Parallel()
	const pip = "/home/ada/venv/bin/python -m pip "
	desk := desk{files: map[string]string{"/home/ada/venv/pyvenv.cfg": "home = /usr/bin"}, owner: map[string]uint32{"/home/ada/venv": 1000}}
	for name, tc := range map[string]struct {
		findings []check.Finding
		want     []string // "" where it is left to a person
	}{
		"replaced":     {[]check.Finding{packages(pip+"uninstall -y torch", pip+"install torch==2.9.1 --index-url https://x/y")}, []string{pip + "uninstall -y torch", pip + "install torch==2.9.1 --index-url https://x/y"}},
		"by uv":        {[]check.Finding{packages("uv pip install --python /home/ada/venv/bin/python torch")}, []string{"/usr/sbin/uv pip install --python /home/ada/venv/bin/python torch"}},
		"pinned":       {[]check.Finding{packages(`printf '%s\n' torch==2 > rocm-constraints.txt`, pip+"install -c rocm-constraints.txt 'numpy<2'")}, []string{"", pip + "install -c /home/ada/venv/rocm-constraints.txt numpy<2"}},
		"twice":        {[]check.Finding{packages(pip + "install a"), packages(pip + "install a")}, []string{pip + "install a"}},
		"two versions": {[]check.Finding{packages(pip + "install a==1"), packages(pip + "install a==2")}, []string{pip + "install a==1"}},
		"half":         {[]check.Finding{packages(pip+"uninstall -y torch", "you install it again")}, nil},
		"system":       {[]check.Finding{packages("env PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install a")}, nil},
		"usr":          {[]check.Finding{packages("/usr/bin/python -m pip install a")}, nil},
		"not yours":    {[]check.Finding{packages("/opt/venv/bin/python -m pip install a")}, nil},
		"a file":       {[]check.Finding{packages(pip + "install ./a.whl")}, nil},
		"other flags":  {[]check.Finding{packages(pip + "install --target=/etc a")}, nil},
		"other verbs":  {[]check.Finding{packages(pip + "download a")}, nil},
		"nothing":      {[]check.Finding{packages(pip + "install --upgrade")}, nil},
		"a shell":      {[]check.Finding{packages(pip + "install a; reboot")}, nil},
	} {
		if p := fix.Make(tc.findings, fix.Wish{Risk: remedy.Disruptive}, ada, desk); len(p.Steps) > 0 {
			t.Errorf("%s: done without being asked for: %+v", name, p.Steps)
		}
		if p := fix.Make(tc.findings, fix.Wish{Risk: remedy.Safe, Pip: true}, ada, desk); len(p.Steps) > 0 {
			t.Errorf("%s: taken for safe: %+v", name, p.Steps)
		}
		p := fix.Make(tc.findings, fix.Wish{Risk: remedy.Disruptive, Pip: true}, ada, desk)
		var got []string
		for _, s := range p.Steps {
			got = append(got, strings.Join(s.Act.Argv, " "))
			if s.Root || s.ByHand == "" {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: runs %q, want %q; left %+v", name, got, tc.want, p.Left)
		}
	}
}

func TestNothingIsRemovedBeforeTheRestCanBeHad(t *testing.T) {
	t.Parallel()
	desk := desk{files: map[string]string{"/home/ada/venv/pyvenv.cfg": ""}, owner: map[string]uint32{"/home/ada/venv": 1000}}
	f := packages("/home/ada/venv/bin/python -m pip uninstall -y torch", "/home/ada/venv/bin/python -m pip install torch==2")
	p := fix.Make([]check.Finding{f}, fix.Wish{Risk: remedy.Disruptive, Pip: true}, ada, desk)
	want := "/home/ada/venv/bin/python -m pip install --dry-run --ignore-installed torch==2"
	if len(p.Steps) != 2 || strings.Join(p.Steps[0].Act.First, " ") != want || p.Steps[1].Act.First != nil {
		t.Errorf("steps %+v", p.Steps)
	}
}
