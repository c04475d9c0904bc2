package fix_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A desk is a machine of a few files; folders are those that hold them.
type desk struct {
	files   map[string]string
	folders []string
	closed  []string // folders that only root may write
	missing []string // programs
	groups  []string
	owner   map[string]uint32 // of folders that are not root's
	links   map[string]string
}

func (d desk) Look(file string, content bool) (string, state.Image, error) {
	if to, ok := d.links[file]; ok {
		file = to
	}
	if text, ok := d.files[file]; ok {
		i := state.Image{UID: 1000, Mode: 0o644, Size: int64(len(text))}
		if strings.HasPrefix(file, "/etc/") {
			i.UID = 0
		}
		if content {
			i.Data = []byte(text)
		}
		return file, i, nil
	}
	for name := range d.files {
		if strings.HasPrefix(name, file+"/") {
			return file, state.Image{Folder: true, UID: d.owner[file]}, nil
		}
	}
	if slices.Contains(d.folders, file) {
		return file, state.Image{Folder: true}, nil
	}
	return file, state.Image{Absent: true}, nil
}

func (d desk) MayWrite(folder string) bool {
	return !slices.ContainsFunc(append(d.closed, "/etc"), func(c string) bool { return folder == c || strings.HasPrefix(folder, c+"/") })
}

func (d desk) Program(name string) (string, bool) {
	return "/usr/sbin/" + name, !slices.Contains(d.missing, name)
}

func (d desk) List(folder string) ([]string, error) {
	var names []string
	for name := range d.files {
		if path.Dir(name) == folder {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d desk) HasGroup(name string) bool { return slices.Contains(d.groups, name) }

var ada = fix.Person{UID: 1000, Name: "ada", Home: "/home/ada", Shell: "/bin/bash"}

// finding wraps steps into a finding that a plan takes.
func finding(steps ...remedy.Step) check.Finding {
	for i := range steps {
		if steps[i].Text == "" {
			steps[i].Text = "do it"
		}
	}
	return check.Finding{
		Check: "a/b", Subject: fmt.Sprint(steps), Verdict: check.Fail, Message: "It is wrong",
		Remedies: []remedy.Remedy{{ID: "cure", Title: "Cure it", Risk: remedy.Safe, Steps: steps, Apply: true}},
	}
}

func plan(d desk, findings ...check.Finding) fix.Plan {
	return fix.Make(findings, fix.Wish{Risk: remedy.Disruptive}, ada, d)
}

// TestEachShellReadsItsFile: a variable in a file that the shell does not read is
// no cure, and the check that proves it takes the shell at its word.
func TestEachShellReadsItsFile(t *testing.T) {
	t.Parallel()
	const zsh, config = "/home/ada/z", "/home/ada/c"
	for name, tc := range map[string]struct {
		shell, zsh, config, want string
	}{
		"sh":               {"/bin/sh", "", "", "/home/ada/.profile"},
		"dash":             {"/usr/bin/dash", zsh, config, "/home/ada/.profile"},
		"bash":             {"/bin/bash", zsh, config, "/home/ada/.bashrc"},
		"zsh":              {"/bin/zsh", "", config, "/home/ada/.zshrc"},
		"zsh, elsewhere":   {"/bin/zsh", zsh, "", zsh + "/.zshrc"},
		"zsh, no path":     {"/bin/zsh", "z", "", "/home/ada/.zshrc"},
		"fish":             {"/usr/bin/fish", zsh, "", "/home/ada/.config/fish/config.fish"},
		"fish, elsewhere":  {"/usr/bin/fish", "", config, config + "/fish/config.fish"},
		"systemd":          {"/usr/bin/nu", "", "", "/home/ada/.config/environment.d/90-rocsmith.conf"},
		"systemd, another": {"/usr/bin/nu", "", config, config + "/environment.d/90-rocsmith.conf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := desk{files: map[string]string{"/home/ada/x": ""}, owner: map[string]uint32{"/home/ada": 1000}, folders: []string{"/run/systemd/system"}}
			who := fix.Person{UID: 1000, Home: "/home/ada", Shell: tc.shell, Zsh: tc.zsh, Config: tc.config}
			p := fix.Make([]check.Finding{finding(remedy.Step{Kind: remedy.SetEnv, Name: "HSA_A", Value: "1"})}, fix.Wish{Risk: remedy.Safe}, who, d)
			written(t, p, tc.want)
			if mode := p.Steps[len(p.Steps)-1].Act.Mode; mode != 0o600 {
				t.Errorf("a new file of a person is made with the rights %04o", mode)
			}
		})
	}
}

// TestVariablesAreNotForRoot: a .bashrc that an editor as root left to root is not
// written by a rocsmith of root, which would take its own.
func TestVariablesAreNotForRoot(t *testing.T) {
	t.Parallel()
	d := desk{files: map[string]string{"/home/ada/.bashrc": ""}, owner: map[string]uint32{"/home/ada": 1000}, closed: []string{"/home/ada"}}
	p := plan(d, finding(remedy.Step{Kind: remedy.SetEnv, Name: "HSA_A", Value: "1"}))
	if len(p.Steps) > 0 || len(p.Left) != 1 || !strings.Contains(p.Left[0].Why, "/home/ada/.bashrc is not yours to write") {
		t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
	}
}

// TestLinesThatGoOn: a parameter in a line of two halves is for a person, who is told
// why; one that stands twice in a line goes with the first cure.
func TestLinesThatGoOn(t *testing.T) {
	t.Parallel()
	const file = "/etc/modprobe.d/x.conf"
	out := func(word string) check.Finding {
		return finding(remedy.Step{Kind: remedy.EditFile, Path: file, Line: 1, Old: word, Root: true})
	}
	p := plan(desk{files: map[string]string{file: "options amdgpu a=1 \\\n b=2 c=3\n"}}, out("c=3"))
	if len(p.Steps) > 0 || len(p.Left) != 1 || !strings.Contains(p.Left[0].Why, "goes on in the next one") {
		t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
	}
	p = plan(desk{files: map[string]string{file: "options amdgpu a=1 a=1\n"}}, out("a=1"), out("a=1"))
	if got := written(t, p, file); got != "# rocsmith: options amdgpu a=1 a=1\n" || len(p.Left) > 0 {
		t.Errorf("it becomes %q; left %+v", got, p.Left)
	}
}

// TestLinkedShellFiles: whatever a .bashrc leads to is read by a shell, and an if
// without a command in it would be an error in it.
func TestLinkedShellFiles(t *testing.T) {
	t.Parallel()
	const kept = "/home/ada/dotfiles/bashrc"
	d := desk{files: map[string]string{kept: "if x; then\nexport HSA_X=1\nfi\n"}, links: map[string]string{"/home/ada/.bashrc": kept}}
	p := plan(d, finding(remedy.Step{Kind: remedy.EditFile, Path: "/home/ada/.bashrc", Line: 2, Name: "HSA_X"}))
	if got := written(t, p, kept); got != "if x; then\n: # rocsmith: export HSA_X=1\nfi\n" {
		t.Errorf("it becomes %q", got)
	}
	if by := p.Steps[0].ByHand; !strings.Contains(by, `remove ": # rocsmith: "`) {
		t.Errorf("by hand: %s", by)
	}
}

// written returns what a plan makes of a file.
func written(t *testing.T, p fix.Plan, file string) string {
	t.Helper()
	for _, s := range p.Steps {
		if s.Act.Kind == state.Write && s.Act.Path == file {
			return string(s.Act.New)
		}
	}
	t.Fatalf("%s is not written; steps %+v, left %+v", file, p.Steps, p.Left)
	return ""
}

func TestEditsOfLines(t *testing.T) {
	t.Parallel()
	const unit = "/home/ada/.config/systemd/user/a.service"
	const rc, modprobe, grub = "/home/ada/.bashrc", "/etc/modprobe.d/x.conf", "/etc/default/grub"
	unset := func(file string, line int) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Path: file, Line: line, Name: "HSA_X"}
	}
	word := func(line int, old, fresh string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Path: modprobe, Line: line, Old: old, New: fresh, Root: true}
	}
	kernel := func(old, fresh string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Path: grub, Old: old, New: fresh, Root: true}
	}
	for name, tc := range map[string]struct {
		file, text string
		steps      []remedy.Step
		want       string // "" where it is left to a person
	}{
		"export":          {rc, "a\nexport HSA_X=1\nb\n", []remedy.Step{unset(rc, 2)}, "a\n: # rocsmith: export HSA_X=1\nb\n"},
		"alone in an if":  {rc, "if x; then\n  export HSA_X=\"1 2\" # why\nfi\n", []remedy.Step{unset(rc, 2)}, "if x; then\n  : # rocsmith: export HSA_X=\"1 2\" # why\nfi\n"},
		"no line end":     {rc, "HSA_X='a'", []remedy.Step{unset(rc, 1)}, ": # rocsmith: HSA_X='a'"},
		"twice":           {rc, "export HSA_X=1\n", []remedy.Step{unset(rc, 1), unset(rc, 1)}, ": # rocsmith: export HSA_X=1\n"},
		"fish":            {"/home/ada/.config/fish/config.fish", "set -gx HSA_X 1\n", []remedy.Step{unset("/home/ada/.config/fish/config.fish", 1)}, ": # rocsmith: set -gx HSA_X 1\n"},
		"no shell":        {"/home/ada/.config/environment.d/a.conf", "HSA_X=1\n", []remedy.Step{unset("/home/ada/.config/environment.d/a.conf", 1)}, "# rocsmith: HSA_X=1\n"},
		"more in it":      {rc, "export HSA_X=1 KEY=secret\n", []remedy.Step{unset(rc, 1)}, ""},
		"unit":            {unit, "Environment=\"HSA_X=1 2\"\n", []remedy.Step{unset(unit, 1)}, "# rocsmith: Environment=\"HSA_X=1 2\"\n"},
		"more in a unit":  {unit, "Environment=\"HSA_X=1\" \"KEY=secret\"\n", []remedy.Step{unset(unit, 1)}, ""},
		"first in quotes": {rc, "export \"HSA_X=1\" 'KEY=secret'\n", []remedy.Step{unset(rc, 1)}, ""},
		"a command too":   {rc, "export HSA_X=1; start\n", []remedy.Step{unset(rc, 1)}, ""},
		"continued":       {rc, "run \\\nHSA_X=1\n", []remedy.Step{unset(rc, 2)}, ""},
		"goes on":         {rc, "export HSA_X=1 \\\n KEY=1\n", []remedy.Step{unset(rc, 1)}, ""},
		"substitution":    {rc, "export HSA_X=$(make \"it\"\n", []remedy.Step{unset(rc, 1)}, ""},
		"passed on":       {rc, "cat <<-'END'\n\texport HSA_X=1\n\tEND\n", []remedy.Step{unset(rc, 2)}, ""},
		"after a text":    {rc, "cat <<END\nx\nEND\nexport HSA_X=1\nEND\n", []remedy.Step{unset(rc, 4)}, "cat <<END\nx\nEND\n: # rocsmith: export HSA_X=1\nEND\n"},
		"after a shift":   {rc, "x=$((1 << n))\n# <<END\nread y <<<END\nexport HSA_X=1\nEND\n", []remedy.Step{unset(rc, 4)}, "x=$((1 << n))\n# <<END\nread y <<<END\n: # rocsmith: export HSA_X=1\nEND\n"},
		"another line":    {rc, "export HSA_Y=1\n", []remedy.Step{unset(rc, 1)}, ""},
		"beyond":          {rc, "export HSA_X=1\n", []remedy.Step{unset(rc, 7)}, ""},

		"only parameter":  {modprobe, "options amdgpu a=1\n", []remedy.Step{word(1, "a=1", "")}, "# rocsmith: options amdgpu a=1\n"},
		"one of two":      {modprobe, "options amdgpu a=1 b=2\n", []remedy.Step{word(1, "a=1", "")}, "# rocsmith: options amdgpu a=1 b=2\noptions amdgpu b=2\n"},
		"both of two":     {modprobe, "options amdgpu a=1 b=2\n", []remedy.Step{word(1, "b=2", ""), word(1, "a=1", "")}, "# rocsmith: options amdgpu a=1 b=2\n"},
		"two, replaced":   {modprobe, "options amdgpu a=1 b=2\n", []remedy.Step{word(1, "a=1", "options ttm c=3"), word(1, "b=2", "")}, "# rocsmith: options amdgpu a=1 b=2\noptions ttm c=3\n"},
		"dashes":          {modprobe, "options amdgpu gtt-size=1\n", []remedy.Step{word(1, "gtt_size=1", "")}, "# rocsmith: options amdgpu gtt-size=1\n"},
		"replaced":        {modprobe, "options amdgpu gttsize=8\n", []remedy.Step{word(1, "gttsize=8", "options ttm pages_limit=2")}, "# rocsmith: options amdgpu gttsize=8\noptions ttm pages_limit=2\n"},
		"two lines":       {modprobe, "options amdgpu a=1\noptions amdgpu b=1\n", []remedy.Step{word(1, "a=1", "options ttm c=1"), word(2, "b=1", "")}, "# rocsmith: options amdgpu a=1\noptions ttm c=1\n# rocsmith: options amdgpu b=1\n"},
		"blacklist":       {modprobe, "blacklist amdgpu\n", []remedy.Step{{Kind: remedy.EditFile, Path: modprobe, Line: 1, Root: true}}, "# rocsmith: blacklist amdgpu\n"},
		"other parameter": {modprobe, "options amdgpu a=2\n", []remedy.Step{word(1, "a=1", "")}, ""},

		"kernel word":        {grub, "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet nomodeset splash\"\n", []remedy.Step{kernel("nomodeset", "")}, "# rocsmith: GRUB_CMDLINE_LINUX_DEFAULT=\"quiet nomodeset splash\"\nGRUB_CMDLINE_LINUX_DEFAULT=\"quiet splash\"\n"},
		"only kernel word":   {grub, "GRUB_CMDLINE_LINUX=\"nomodeset\"\n", []remedy.Step{kernel("nomodeset", "")}, "# rocsmith: GRUB_CMDLINE_LINUX=\"nomodeset\"\nGRUB_CMDLINE_LINUX=\"\"\n"},
		"kernel word anew":   {grub, "GRUB_CMDLINE_LINUX=\"amdgpu.gttsize=8\"\n", []remedy.Step{kernel("amdgpu.gttsize=8", "ttm.pages_limit=2")}, "# rocsmith: GRUB_CMDLINE_LINUX=\"amdgpu.gttsize=8\"\nGRUB_CMDLINE_LINUX=\"ttm.pages_limit=2\"\n"},
		"two kernel words":   {grub, "GRUB_CMDLINE_LINUX=\"a=1 b=2\"\n", []remedy.Step{kernel("a=1", ""), kernel("b=2", "")}, "# rocsmith: GRUB_CMDLINE_LINUX=\"a=1 b=2\"\nGRUB_CMDLINE_LINUX=\"\"\n"},
		"kernel word absent": {grub, "GRUB_CMDLINE_LINUX=\"quiet\"\n", []remedy.Step{kernel("nomodeset", "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var findings []check.Finding
			for _, s := range tc.steps {
				findings = append(findings, finding(s))
			}
			p := plan(desk{files: map[string]string{tc.file: tc.text}}, findings...)
			if tc.want == "" {
				if len(p.Steps) > 0 || len(p.Left) != 1 || p.Left[0].Why == "" {
					t.Errorf("steps %+v, left %+v; want it left to a person", p.Steps, p.Left)
				}
				return
			}
			if got := written(t, p, tc.file); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
			if shell := strings.Contains(p.Steps[0].ByHand, `": # rocsmith: "`); shell != strings.Contains(tc.want, ": # rocsmith: ") {
				t.Errorf("by hand: %s", p.Steps[0].ByHand)
			}
			if more := strings.Contains(p.Steps[0].ByHand, "written below"); more != (strings.Count(tc.want, "\n") > strings.Count(tc.text, "\n")) {
				t.Errorf("by hand: %s", p.Steps[0].ByHand)
			}
			if root := strings.HasPrefix(tc.file, "/etc/"); len(p.Steps) != 1 || p.Steps[0].Root != root || p.Steps[0].Boot != root {
				t.Errorf("steps %+v", p.Steps)
			}
		})
	}
}

func TestBlockOfVariables(t *testing.T) {
	t.Parallel()
	set := func(name, value string) check.Finding {
		return finding(remedy.Step{Kind: remedy.SetEnv, Name: name, Value: value})
	}
	d := desk{files: map[string]string{"/home/ada/.bashrc": "export MINE=1"}, owner: map[string]uint32{"/home/ada": 1000}}
	p := plan(d, set("HSA_A", "1"), set("HSA_B", "$HOME/x y"))
	want := "export MINE=1\n# >>> rocsmith >>>\nexport HSA_A='1'\nexport HSA_B='/home/ada/x y'\n# <<< rocsmith <<<\n"
	if got := written(t, p, "/home/ada/.bashrc"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	d.files["/home/ada/.bashrc"] = want + "export LATER=1\n"
	again := written(t, plan(d, set("HSA_A", "2")), "/home/ada/.bashrc")
	if want := strings.Replace(want, "export HSA_A='1'\nexport HSA_B='/home/ada/x y'\n", "export HSA_B='/home/ada/x y'\nexport HSA_A='2'\n", 1) + "export LATER=1\n"; again != want {
		t.Errorf("got:\n%s\nwant:\n%s", again, want)
	}
	same := plan(d, set("HSA_B", "/home/ada/x y"), set("HSA_A", "1"))
	if len(written(t, same, "/home/ada/.bashrc")) != len(d.files["/home/ada/.bashrc"]) {
		t.Error("the block grows")
	}
	if p := plan(d, set("HSA_A", "it's")); len(p.Steps) > 0 {
		t.Errorf("a quote gets into a shell's file: %+v", p.Steps)
	}
	if p := plan(d, set("HSA_A", "1"), set("HSA_A", "2")); len(p.Cures) != 1 || len(p.Left) != 1 {
		t.Errorf("two values for one variable: %+v", p)
	}
	d.owner["/home/ada"] = 0
	if p := plan(d, set("HSA_A", "1")); len(p.Steps) > 0 {
		t.Errorf("written into a home of somebody else: %+v", p.Steps)
	}
	d.owner["/home/ada"] = 1000
	fish := fix.Make([]check.Finding{set("HSA_A", "1")}, fix.Wish{Risk: remedy.Safe}, fix.Person{UID: 1000, Home: "/home/ada", Shell: "/usr/bin/fish"}, d)
	if got := written(t, fish, "/home/ada/.config/fish/config.fish"); !strings.Contains(got, "set -gx HSA_A '1'\n") {
		t.Errorf("fish gets %q", got)
	}
	if fish.Steps[0].Act.Kind != state.MakeDir || fish.Steps[0].Act.Path != "/home/ada/.config" || fish.Steps[1].Act.Path != "/home/ada/.config/fish" {
		t.Errorf("the folders of fish: %+v", fish.Steps)
	}
	other := fix.Person{UID: 1000, Home: "/home/ada", Shell: "/usr/bin/nu"}
	if p := fix.Make([]check.Finding{set("HSA_A", "1")}, fix.Wish{Risk: remedy.Safe}, other, d); len(p.Steps) > 0 {
		t.Errorf("a shell that nobody knows: %+v", p.Steps)
	}
	d.folders = append(d.folders, "/run/systemd/system")
	if got := written(t, fix.Make([]check.Finding{set("HSA_A", "1")}, fix.Wish{Risk: remedy.Safe}, other, d), "/home/ada/.config/environment.d/90-rocsmith.conf"); got != "# >>> rocsmith >>>\nHSA_A=\"1\"\n# <<< rocsmith <<<\n" {
		t.Errorf("systemd gets %q", got)
	}
}

func TestCommandsKnowTheirWayBack(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, back string }{
		{"sudo update-initramfs -u", "itself"},
		{"sudo dracut --force", "itself"},
		{"sudo mkinitcpio -P", "itself"},
		{"sudo update-grub", "itself"},
		{"sudo grubby --update-kernel=ALL --remove-args=nomodeset", "/usr/sbin/grubby --update-kernel=ALL --args=nomodeset"},
		{"sudo grubby --update-kernel=ALL --remove-args=amdgpu.gttsize=8 --args=ttm.pages_limit=2", "/usr/sbin/grubby --update-kernel=ALL --args=amdgpu.gttsize=8 --remove-args=ttm.pages_limit=2"},
		{"sudo rpm-ostree kargs --delete-if-present=nomodeset", "/usr/sbin/rpm-ostree kargs --append-if-missing=nomodeset"},
		{"sudo kernelstub --delete-options nomodeset", "/usr/sbin/kernelstub --add-options nomodeset"},
		{"sudo groupadd --gid 110 amdgpu-compute", "/usr/sbin/groupdel amdgpu-compute"},
		{"sudo sqlite3 /opt/x.kdb 'PRAGMA journal_mode=delete;'", "/usr/sbin/sqlite3 /opt/x.kdb PRAGMA journal_mode=wal;"},

		{"sudo rm -r /", ""},
		{"sudo modprobe amdgpu && sudo dmesg | tail", ""},
		{"sudo sh -c 'anything'", ""},
		{"sudo apt install x", ""},
		{"pip install torch", ""},
		{"sudo update-initramfs -u; reboot", ""},
		{"sudo update-initramfs -u $(reboot)", ""},
		{"sudo grubby --update-kernel=ALL --set-default=1", ""},
		{"sudo sqlite3 /opt/x.kdb 'DROP TABLE x;'", ""},
		{"sudo systemctl stop ssh.service", ""},
	} {
		p := plan(desk{}, finding(remedy.Step{Kind: remedy.Command, Command: tc.line, Root: true}))
		if tc.back == "" {
			if len(p.Steps) > 0 {
				t.Errorf("%s would be run: %+v", tc.line, p.Steps)
			}
			continue
		}
		if len(p.Steps) != 1 || !p.Steps[0].Root {
			t.Errorf("%s: steps %+v, left %+v", tc.line, p.Steps, p.Left)
			continue
		}
		act := p.Steps[0].Act
		if got := strings.Join(act.Back, " "); act.Refresh != (tc.back == "itself") || !act.Refresh && got != tc.back {
			t.Errorf("%s is taken back by %q, want %q", tc.line, got, tc.back)
		}
	}
}

// TestDatabasesComeBackWhole: a small one to the last byte; one with something in
// its log would lose that, and a large one cannot be kept.
func TestDatabasesComeBackWhole(t *testing.T) {
	t.Parallel()
	const file = "/opt/x.kdb"
	for name, tc := range map[string]struct {
		files   map[string]string
		touches []string
	}{
		"small":      {map[string]string{file: "db"}, []string{file}},
		"with a log": {map[string]string{file: "db", file + "-wal": "log"}, nil},
		"large":      {map[string]string{file: strings.Repeat("x", state.MaxImage+1)}, nil},
		"gone":       {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan(desk{files: tc.files}, finding(remedy.Step{Kind: remedy.Command, Command: "sudo sqlite3 " + file + " 'PRAGMA journal_mode=delete;'", Root: true}))
			if len(p.Steps) != 1 || !slices.Equal(p.Steps[0].Act.Touches, tc.touches) {
				t.Errorf("steps %+v", p.Steps)
			}
		})
	}
}

func TestPlanMergesAndOrders(t *testing.T) {
	t.Parallel()
	rebuild := remedy.Step{Kind: remedy.Command, Command: "sudo update-initramfs -u", Root: true}
	restart := remedy.Step{Kind: remedy.Manual, Text: "restart the machine"}
	edit := func(line int, word string) remedy.Step {
		return remedy.Step{Kind: remedy.EditFile, Path: "/etc/modprobe.d/x.conf", Line: line, Old: word, Root: true}
	}
	d := desk{files: map[string]string{"/etc/modprobe.d/x.conf": "options amdgpu a=1\noptions amdgpu b=1\n", "/home/ada/.cache/x.ukdb": ""}}
	p := plan(d,
		finding(edit(1, "a=1"), rebuild, restart),
		finding(edit(2, "b=1"), rebuild, restart),
		finding(remedy.Step{Kind: remedy.JoinGroup, User: "$USER", Group: "render", Root: true}),
		finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/.cache/x.ukdb"}),
	)
	var got []string
	for _, s := range p.Steps {
		got = append(got, fmt.Sprintf("%s %s%s root=%t", s.Act.Kind, path.Base(s.Act.Path), strings.Join(s.Act.Argv, " "), s.Root))
	}
	want := []string{
		"move x.ukdb root=false", "write x.conf root=true",
		"run ./usr/sbin/usermod -aG render ada root=true", "run ./usr/sbin/update-initramfs -u root=true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	if len(p.Cures) != 4 || !slices.Equal(p.Then, []string{"restart the machine"}) || len(p.Root()) != 3 || len(p.User()) != 1 {
		t.Errorf("cures %d, then %q, root %d, user %d", len(p.Cures), p.Then, len(p.Root()), len(p.User()))
	}
}

// TestWholeCuresOnly: where one step of a cure cannot be taken, none of it is,
// and the next remedy is tried.
func TestWholeCuresOnly(t *testing.T) {
	t.Parallel()
	d := desk{files: map[string]string{"/home/ada/a": "", "/home/ada/b": ""}, missing: []string{"update-initramfs", "dracut"}}
	f := finding(
		remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/a"},
		remedy.Step{Kind: remedy.Command, Command: "sudo update-initramfs -u", Root: true},
	)
	f.Remedies = append(f.Remedies, finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/b"}).Remedies...)
	p := plan(d, f)
	if len(p.Steps) != 1 || p.Steps[0].Act.Path != "/home/ada/b" {
		t.Errorf("steps %+v", p.Steps)
	}
	f.Remedies = f.Remedies[:1]
	if p := plan(d, f); len(p.Steps) != 0 || len(p.Left) != 1 || p.Left[0].Why != "update-initramfs is not installed" {
		t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
	}
	shown := finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/a"})
	shown.Remedies[0].Apply = false
	if p := plan(d, shown); len(p.Steps) != 0 {
		t.Errorf("a cure for people is applied: %+v", p.Steps)
	}
	risky := finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/a"})
	risky.Remedies[0].Risk = remedy.Disruptive
	if p := fix.Make([]check.Finding{risky}, fix.Wish{Risk: remedy.Safe}, ada, d); len(p.Steps) != 0 {
		t.Errorf("--risk safe takes %+v", p.Steps)
	}
	if p := fix.Make([]check.Finding{f}, fix.Wish{Only: []string{"other"}, Risk: remedy.Safe}, ada, d); len(p.Steps)+len(p.Left) != 0 {
		t.Errorf("what was not asked for: %+v", p)
	}
}

// TestWhatIsSoAlready: a cure that would change nothing is none, also beside others
// that do; one that shares its step with another is.
func TestWhatIsSoAlready(t *testing.T) {
	t.Parallel()
	const file = "/home/ada/.config/x.conf"
	d := desk{files: map[string]string{file: "on\n", "/home/ada/a": ""}}
	move := finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/a"})
	write := finding(remedy.Step{Kind: remedy.WriteFile, Path: file, Content: "on"})
	for name, findings := range map[string][]check.Finding{"alone": {write}, "after another": {move, write}} {
		p := plan(d, findings...)
		if len(p.Cures) != len(findings)-1 || len(p.Left) != 1 || !strings.Contains(p.Left[0].Why, "so already") {
			t.Errorf("%s: cures %+v, left %+v", name, p.Cures, p.Left)
		}
	}
	join := func(subject string) check.Finding {
		f := finding(remedy.Step{Kind: remedy.JoinGroup, User: "$USER", Group: "render", Root: true})
		f.Subject = subject
		return f
	}
	if p := plan(d, join("/dev/kfd"), join("/dev/dri/renderD128")); len(p.Cures) != 2 || len(p.Steps) != 1 || len(p.Left) != 0 {
		t.Errorf("cures %+v, steps %+v, left %+v", p.Cures, p.Steps, p.Left)
	}
}

func TestForeignFilesStay(t *testing.T) {
	t.Parallel()
	d := desk{files: map[string]string{"/etc/modprobe.d/ttm.conf": "options ttm pages_limit=1\n", "/home/ada/a": "", "/home/ada/a.aside": "older"}}
	write := remedy.Step{Kind: remedy.WriteFile, Path: "/etc/modprobe.d/ttm.conf", Content: "options ttm pages_limit=2", Root: true}
	if p := plan(d, finding(write)); len(p.Steps) != 0 {
		t.Errorf("somebody's file is replaced: %+v", p.Steps)
	}
	p := plan(d, finding(remedy.Step{Kind: remedy.MoveAside, Path: "/home/ada/a"}))
	if len(p.Steps) != 1 || p.Steps[0].Act.To != "/home/ada/a.aside-2" {
		t.Errorf("steps %+v", p.Steps)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
	after := "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n12\nend\n"
	want := "@@ f:2 @@\n 2\n 3\n-4\n+four\n 5\n 6\n@@ f:9 @@\n 9\n 10\n-11\n 12\n+end\n"
	if got := fix.Diff("f", before, after); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if got := fix.Diff("f", before, before); got != "" {
		t.Errorf("no difference is %q", got)
	}
	if got := fix.Diff("a\n+b", "1\n", "2\n"); got != "@@ a\\u000a+b:1 @@\n-1\n+2\n" {
		t.Errorf("a name looks like a change: %q", got)
	}
	if got := fix.Diff("f", "1\n2", "1\n2\n3"); got != "@@ f:1 @@\n 1\n-2\n\\ No newline at end of file\n+2\n+3\n\\ No newline at end of file\n" {
		t.Errorf("a line without an end: %q", got)
	}
}

// TestDiffOfLongLines: a program wrote the file in one line, and a person reads what changes.
func TestDiffOfLongLines(t *testing.T) {
	t.Parallel()
	line := func(value string) string {
		return strings.Repeat(`"a":"b",`, 50_000) + value + strings.Repeat(`,"c":"d"`, 50_000) + "\n"
	}
	for name, tc := range map[string]struct{ before, after, want string }{
		"one value": {
			"{\n" + line("1") + "}\n", "{\n" + line("2") + "}\n",
			"@@ f:1 @@\n {\n" +
				"-…" + strings.Repeat(`"a":"b",`, 5) + "1" + strings.Repeat(`,"c":"d"`, 5) + "…\n" +
				"+…" + strings.Repeat(`"a":"b",`, 5) + "2" + strings.Repeat(`,"c":"d"`, 5) + "…\n }\n",
		},
		"a line beside it": {
			line("1"), line("1") + "x\n",
			"@@ f:1 @@\n " + strings.Repeat(`"a":"b",`, 125) + "…\n+x\n",
		},
		"its end": {
			strings.TrimSuffix(line("1"), "\n"), line("1"),
			"@@ f:1 @@\n-…" + strings.Repeat(`,"c":"d"`, 5) + "\n\\ No newline at end of file\n+…" + strings.Repeat(`,"c":"d"`, 5) + "\n",
		},
	} {
		if got := fix.Diff("f", tc.before, tc.after); got != tc.want {
			t.Errorf("%s:\n%.3000s\nwant:\n%s", name, got, tc.want)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "b\nc")
	f.Add("a\nb\n", strings.Repeat("é", 2000)+"\n"+strings.Repeat("é", 2000))
	f.Fuzz(func(t *testing.T, before, after string) {
		// Every line that came or went is shown, and none is cut within a letter.
		out := fix.Diff("f", before, after)
		if utf8.ValidString(before) && utf8.ValidString(after) && !utf8.ValidString(out) {
			t.Errorf("%q to %q: %q", before, after, out)
		}
		if (out == "") != (before == after) {
			t.Errorf("%q to %q: %q", before, after, out)
		}
	})
}

// FuzzEdit holds an edit to its word: whatever a file holds, the other lines stay,
// and with the marks taken away by hand the old file is there again.
func FuzzEdit(f *testing.F) {
	f.Add("a\nexport HSA_X=1\nb\n", 2)
	f.Add("if x; then\n\tHSA_X='1' # y\nfi", 2)
	f.Fuzz(func(t *testing.T, text string, line int) {
		const rc = "/home/ada/.bashrc"
		p := plan(desk{files: map[string]string{rc: text}}, finding(remedy.Step{Kind: remedy.EditFile, Path: rc, Line: line, Name: "HSA_X"}))
		if len(p.Steps) == 0 {
			return
		}
		got := string(p.Steps[0].Act.New)
		if back := strings.Replace(got, ": # rocsmith: ", "", 1); back != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if n := strings.Count(got, "\n"); n != strings.Count(text, "\n") {
			t.Errorf("%q has %d lines", got, n)
		}
	})
}

// FuzzCommand never lets a line through that a shell would read otherwise.
func FuzzCommand(f *testing.F) {
	f.Add("sudo update-initramfs -u && sudo update-grub")
	f.Add("sudo grubby --update-kernel=ALL --remove-args='a b'")
	f.Fuzz(func(t *testing.T, line string) {
		p := plan(desk{}, finding(remedy.Step{Kind: remedy.Command, Command: line, Root: true}))
		for _, s := range p.Steps {
			if s.Act.Kind == state.Run && (!strings.HasPrefix(s.Act.Argv[0], "/usr/sbin/") || len(s.Act.Back) == 0 && !s.Act.Refresh) {
				t.Errorf("%q runs %q, back by %q", line, s.Act.Argv, s.Act.Back)
			}
		}
	})
}

func TestWriteReplacesWhatWasShown(t *testing.T) {
	t.Parallel()
	const spec = "/etc/cdi/amd.json"
	d := desk{files: map[string]string{"/etc/passwd": "x"}}
	p, err := fix.Write("Describe the GPUs", spec, "new", ada, d)
	if err != nil || len(p.Steps) != 2 || !p.Steps[0].Root || p.Steps[0].Act.Mode != 0o755 || p.Steps[1].Act.Mode != 0o644 || p.Titles[0] != "Describe the GPUs" {
		t.Fatalf("%v %+v", err, p)
	}
	d.files[spec] = "old\n"
	p, err = fix.Write("Describe the GPUs", spec, "new\n", ada, d)
	if err != nil || written(t, p, spec) != "new\n" || !strings.Contains(p.Steps[0].Detail, "-old") || p.Steps[0].ByHand != "" {
		t.Fatalf("%v %+v", err, p)
	}
	// Root makes a plan of its own from what was asked, and finds the file as it was.
	if _, err := fix.Parts(p.Steps[0].Source, fix.Person{}, d); err != nil {
		t.Error(err)
	}
	d.files[spec] = "changed since\n"
	if _, err := fix.Parts(p.Steps[0].Source, fix.Person{}, d); err == nil {
		t.Error("what was not shown must not be replaced")
	}
	d.files[spec] = "new\n"
	if p, err = fix.Write("Describe the GPUs", spec, "new", ada, d); err != nil || len(p.Steps) != 0 {
		t.Errorf("%v %+v", err, p)
	}
}
