package fix_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// TestFilesOfPackages: what modprobe reads of a package gets a copy that is read in its
// place; two cures share it, and root's rocsmith makes the same of it.
func TestFilesOfPackages(t *testing.T) {
	t.Parallel()
	const theirs, ours = "/usr/lib/modprobe.d/gpu.conf", "/etc/modprobe.d/gpu.conf"
	d := desk{files: map[string]string{theirs: "# theirs\noptions amdgpu a=1\noptions amdgpu b=1\n"}, folders: []string{"/etc/modprobe.d"}, closed: []string{"/usr"}}
	out := func(line int, word string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Text: "out", Path: theirs, Line: line, Old: word, Root: true}
	}
	p := plan(d, finding(out(2, "a=1")), finding(out(3, "b=1")))
	const want = "# theirs\n# rocsmith: options amdgpu a=1\n# rocsmith: options amdgpu b=1\n"
	if got := written(t, p, ours); got != want || len(p.Steps) != 1 {
		t.Errorf("it becomes %q in %d steps", got, len(p.Steps))
	}
	s := p.Steps[0]
	if !s.Act.Before.Absent || !s.Root || !s.Boot || !strings.Contains(s.Why, theirs) || s.ByHand != "sudo mv "+ours+" "+ours+".aside" {
		t.Errorf("the step is %+v", s)
	}
	again, err := fix.Parts(s.Source, fix.Person{}, d)
	if err != nil || len(again.Steps) != 1 || string(again.Steps[0].Act.New) != want || again.Steps[0].Act.Path != ours {
		t.Errorf("root makes of it: %+v, %v", again.Steps, err)
	}
	d.files[ours] = "# mine\n"
	if p := plan(d, finding(out(2, "a=1"))); len(p.Steps) > 0 || !strings.Contains(p.Left[0].Why, "in place of") {
		t.Errorf("a file that hides theirs: %+v, %+v", p.Steps, p.Left)
	}
}

// TestFilesThatAreMade: what Nix or a package made is not edited, however a shell comes
// to it.
func TestFilesThatAreMade(t *testing.T) {
	t.Parallel()
	const rc = "/home/ada/.bashrc"
	edit := remedy.Step{Kind: remedy.EditFile, Path: rc, Line: 1, Name: "HSA_X"}
	set := remedy.Step{Kind: remedy.SetEnv, Name: "HSA_X", Value: "2"}
	for made, why := range map[string]string{
		"/nix/store/abc-home-manager-files/.bashrc": "home-manager",
		"/gnu/store/abc/bashrc":                     "Guix",
		"/usr/share/skel/bashrc":                    "package",
	} {
		d := desk{files: map[string]string{made: "export HSA_X=1\n", "/home/ada/x": ""}, links: map[string]string{rc: made}, owner: map[string]uint32{"/home/ada": 1000}}
		for _, s := range []remedy.Step{edit, set} {
			if p := plan(d, finding(s)); len(p.Steps) > 0 || len(p.Left) != 1 || !strings.Contains(p.Left[0].Why, why) {
				t.Errorf("%s: steps %+v, left %+v", made, p.Steps, p.Left)
			}
		}
	}
	own := "/usr/local/etc/bashrc"
	d := desk{files: map[string]string{own: "export HSA_X=1\n"}, links: map[string]string{rc: own}}
	written(t, plan(d, finding(edit)), own)
}

// TestNixOS: what its configuration makes is not written by hand; a person's own files
// are.
func TestNixOS(t *testing.T) {
	t.Parallel()
	d := desk{files: map[string]string{
		"/etc/NIXOS": "", "/home/ada/.bashrc": "export HSA_X=1\n", "/etc/modprobe.d/own.conf": "options amdgpu a=1\n",
		"/boot/loader/entries/nixos-generation-7.conf": "options quiet amdgpu.a=1\n",
	}, owner: map[string]uint32{"/home/ada": 1000}}
	for name, s := range map[string]remedy.Step{
		"a rule":       {Kind: remedy.WriteFile, Path: "/etc/udev/rules.d/70-x.rules", Content: "x", Root: true},
		"a file":       {Kind: remedy.WriteFile, Path: "/etc/modprobe.d/ttm.conf", Content: "options ttm pages_limit=1", Root: true},
		"the kernel's": {Kind: remedy.KernelWord, Old: "amdgpu.a=1", Root: true},
	} {
		if p := plan(d, finding(s)); len(p.Steps) > 0 || !strings.Contains(p.Left[0].Why, "configuration.nix") {
			t.Errorf("%s: steps %+v, left %+v", name, p.Steps, p.Left)
		}
	}
	written(t, plan(d, finding(remedy.Step{Kind: remedy.EditFile, Path: "/home/ada/.bashrc", Line: 1, Name: "HSA_X"})), "/home/ada/.bashrc")
	written(t, plan(d, finding(remedy.Step{Kind: remedy.EditFile, Path: "/etc/modprobe.d/own.conf", Line: 1, Old: "a=1", Root: true})), "/etc/modprobe.d/own.conf")
}

// TestVariablesThatWouldNotArrive: a block that the shell does not come to, or whose
// value a later line changes, cures nothing.
func TestVariablesThatWouldNotArrive(t *testing.T) {
	t.Parallel()
	const block = "# >>> rocsmith >>>\nexport HSA_B='1'\n# <<< rocsmith <<<\n"
	for text, why := range map[string]string{
		"[[ $- == *i* ]] && exec fish\n":                  "starts fish",
		"if true; then\n  exec /usr/bin/zsh -l\nfi\n":     "starts zsh",
		"exec -l \"$(command -v fish)\"\n":                "starts fish",
		block + "export HSA_A=2\n":                        "line 4",
		block + "HSA_A=2\n":                               "line 4",
		"alias reload='clear; exec zsh'\n":                "",
		"reload() {\n  exec bash\n}\n":                    "",
		"# exec fish\nexec 2>/tmp/log\n[ x ] || exec a\n": "",
		"export HSA_A=2\n" + block + "#export HSA_A=2\n":  "",
		block + "export HSA_AB=2\n":                       "",
	} {
		d := desk{files: map[string]string{"/home/ada/.bashrc": text}, owner: map[string]uint32{"/home/ada": 1000}}
		p := plan(d, finding(remedy.Step{Kind: remedy.SetEnv, Name: "HSA_A", Value: "1"}))
		switch {
		case why == "" && len(p.Steps) != 1:
			t.Errorf("%q is refused: %+v", text, p.Left)
		case why != "" && (len(p.Steps) > 0 || !strings.Contains(p.Left[0].Why, why)):
			t.Errorf("%q: steps %+v, left %+v", text, p.Steps, p.Left)
		}
	}
}

// TestWhenVariablesChange: what a login reads is not changed by a new shell, and each
// shell has its own word for taking a variable away.
func TestWhenVariablesChange(t *testing.T) {
	t.Parallel()
	edit := func(file string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Path: file, Line: 1, Name: "HSA_X"}
	}
	set := remedy.Step{Kind: remedy.SetEnv, Name: "HSA_X", Value: "1"}
	for name, tc := range map[string]struct {
		shell, file string
		step        remedy.Step
		then        string
		waits       string
	}{
		"bash":        {"/bin/bash", "/home/ada/.bashrc", edit("/home/ada/.bashrc"), "start a new shell, or in those that are open: unset HSA_X", fix.NewShell},
		"fish":        {"/bin/fish", "/home/ada/.bashrc", edit("/home/ada/.bashrc"), "start a new shell, or in those that are open: set -e HSA_X", fix.NewShell},
		"tcsh":        {"/bin/tcsh", "/home/ada/.bashrc", edit("/home/ada/.bashrc"), "start a new shell, or in those that are open: unsetenv HSA_X", fix.NewShell},
		"profile":     {"/bin/bash", "/home/ada/.profile", edit("/home/ada/.profile"), "log out and in again, or in shells that are open: unset HSA_X", fix.NewLogin},
		"all users":   {"/bin/bash", "/etc/environment", edit("/etc/environment"), "log out and in again, or in shells that are open: unset HSA_X", fix.NewLogin},
		"profile.d":   {"/bin/bash", "/etc/profile.d/a.sh", edit("/etc/profile.d/a.sh"), "log out and in again, or in shells that are open: unset HSA_X", fix.NewLogin},
		"a service":   {"/bin/bash", "/etc/systemd/system/a.service", edit("/etc/systemd/system/a.service"), "in shells that are open and have it too: unset HSA_X", fix.NewShell},
		"set":         {"/bin/bash", "/home/ada/.bashrc", set, "start a new shell: those that are open do not have the new variables", fix.NewShell},
		"set, by sh":  {"/bin/sh", "/home/ada/.profile", set, "log out and in again: what runs now does not have the new variables", fix.NewLogin},
		"environment": {"/bin/nu", "/home/ada/.config/environment.d/90-rocsmith.conf", set, "log out and in again: what runs now does not have the new variables", fix.NewLogin},
	} {
		d := desk{files: map[string]string{tc.file: "HSA_X=1\n"}, owner: map[string]uint32{"/home/ada": 1000}, folders: []string{"/run/systemd/system", "/home/ada"}}
		if tc.step.Kind == remedy.SetEnv {
			d.files[tc.file] = "\n"
		}
		p := fix.Make([]check.Finding{finding(tc.step)}, fix.Wish{Risk: remedy.Safe}, fix.Person{UID: 1000, Home: "/home/ada", Shell: tc.shell}, d)
		if !slices.Equal(p.Then, []string{tc.then}) || !slices.Equal(p.Waits(), []string{tc.waits}) {
			t.Errorf("%s: afterwards %q, waits for %q; left %+v", name, p.Then, p.Waits(), p.Left)
		}
		if tc.step.Kind == remedy.SetEnv && p.Steps[0].Act.Kind != state.Write {
			t.Errorf("%s: %+v", name, p.Steps)
		}
	}
}

// TestForPeopleOnly: most files of bash end at their beginning for programs that no person
// started, and those will not have the variable.
func TestForPeopleOnly(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]string{
		"# x\ncase $- in\n    *i*) ;;\n      *) return;;\nesac\n": "line 4 of /home/ada/.bashrc",
		"[ -z \"$PS1\" ] && return\n":                             "line 1 of",
		"[[ $- != *i* ]] && return\n":                             "line 1 of",
		"x() {\n  return 1\n}\n":                                  "",
		"# If not running interactively, return\n":                "",
	} {
		d := desk{files: map[string]string{"/home/ada/.bashrc": text}, owner: map[string]uint32{"/home/ada": 1000}}
		p := plan(d, finding(remedy.Step{Kind: remedy.SetEnv, Name: "HSA_A", Value: "1"}))
		if said := strings.Join(p.Then, "\n"); strings.Contains(said, "cron") != (line != "") || !strings.Contains(said, line) {
			t.Errorf("%q: %q", text, p.Then)
		}
	}
}

// TestStepsSayWhatTheyAreFor: a command or a variable tells nothing to somebody who has
// not heard of it.
func TestStepsSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	d := desk{files: map[string]string{"/home/ada/.bashrc": ""}, owner: map[string]uint32{"/home/ada": 1000}}
	p := plan(d, finding(
		remedy.Step{Kind: remedy.SetEnv, Text: "compiled kernels", Name: "HSA_A", Value: "1"},
		remedy.Step{Kind: remedy.SetEnv, Text: "and the tuning", Name: "HSA_B", Value: "1"},
		remedy.Step{Kind: remedy.Command, Text: "let udev apply them", Command: "sudo udevadm control --reload && sudo ldconfig", Root: true}))
	var why []string
	for _, s := range p.Steps {
		why = append(why, s.Why)
	}
	if want := []string{"HSA_A: compiled kernels; HSA_B: and the tuning", "let udev apply them", ""}; !slices.Equal(why, want) {
		t.Errorf("the steps say %q, want %q", why, want)
	}
}
