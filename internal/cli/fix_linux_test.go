package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/cli"
	"github.com/rocsmith/rocsmith/internal/example"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/programtest"
)

// A patient is an example machine whose home is a real folder.
type patient struct {
	host.Reader
	live host.Reader
	home string
	// probe is the program that works on the GPU; "" is none.
	probe string
}

// Environ adds what a process is started with.
func (p patient) Environ(prefix string) ([]host.Variable, error) {
	vars, err := p.Reader.Environ(prefix)
	if prefix == "" {
		vars, err = append(vars, host.Variable{Name: "HOME", Value: p.home}, host.Variable{Name: "PATH", Value: "/usr/bin:/bin"}), nil
	}
	return vars, err
}

func (p patient) Getenv(name string) (string, bool, error) {
	switch name {
	case "HOME":
		return p.home, true, nil
	case "SHELL":
		return "/bin/bash", true, nil
	case "XDG_STATE_HOME", "SUDO_UID", "PWD":
		return "", false, nil
	}
	return p.Reader.Getenv(name)
}

func (p patient) door(file string) host.Reader {
	if strings.HasPrefix(file, p.home) {
		return p.live
	}
	return p.Reader
}

func (p patient) ReadFile(file string) ([]byte, error)        { return p.door(file).ReadFile(file) }
func (p patient) Lstat(file string) (host.Stat, error)        { return p.door(file).Lstat(file) }
func (p patient) ReadDir(file string) ([]host.Entry, error)   { return p.door(file).ReadDir(file) }
func (p patient) Access(file string, want byte) error         { return p.door(file).Access(file, want) }
func (p patient) Process() (host.Process, error)              { return p.live.Process() }
func (p patient) Statfs(file string) (host.FileSystem, error) { return p.door(file).Statfs(file) }

const rc = "# mine\nif true; then\n\texport HSA_OVERRIDE_GFX_VERSION=10.3.0\nfi\n"

// admit makes a patient with a wrong override in its .bashrc.
func admit(t *testing.T) patient {
	t.Helper()
	r, err := example.Open("rdna1-override")
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := patient{Reader: r, live: host.Live(), home: home}
	if err := os.WriteFile(p.bashrc(), []byte(rc), 0o640); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p patient) bashrc() string { return filepath.Join(p.home, ".bashrc") }

// call runs rocsmith on the patient, without a terminal.
func (p patient) call(t *testing.T, wantExit int, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	app := cli.App{
		Version: "test", Stdin: strings.NewReader("y\n"), Stdout: &out, Stderr: &out,
		Getenv: func(name string) string { return map[string]string{"ROCSMITH_PROBE": p.probe}[name] }, Host: p,
		Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) },
	}
	if got := app.Run(args); got != wantExit {
		t.Errorf("rocsmith %s: exit %d, want %d\n%s", strings.Join(args, " "), got, wantExit, out.String())
	}
	return strings.Join(strings.Fields(out.String()), " ") // lines are broken where they are too long
}

// holds wants the file to begin with a text and to have its mode.
func (p patient) holds(t *testing.T, want string) {
	t.Helper()
	data, err := os.ReadFile(p.bashrc())
	if err != nil || string(data) != want {
		t.Errorf(".bashrc holds %q (%v), want %q", data, err, want)
	}
	if info, err := os.Stat(p.bashrc()); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf(".bashrc has mode %v (%v)", info.Mode(), err)
	}
}

func TestFixChangesNothingUnasked(t *testing.T) {
	t.Parallel()
	p := admit(t)
	shown := p.call(t, 0, "fix", "--dry-run", "gpu/override")
	for _, want := range []string{"Plan (1 step, no new login, no restart)", "- export HSA_OVERRIDE_GFX_VERSION=10.3.0", "+ : # rocsmith: export", "rocsmith undo"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the plan does not say %q:\n%s", want, shown)
		}
	}
	if said := p.call(t, 3, "fix", "gpu/override"); !strings.Contains(said, "nobody can be asked here") {
		t.Errorf("without a terminal it says:\n%s", said)
	}
	if said := p.call(t, 0, "fix", "--dry-run", "--format", "json", "gpu/override"); !strings.Contains(said, `"kind": "write", "path": "`+p.bashrc()) {
		t.Errorf("as JSON it says:\n%s", said)
	}
	p.call(t, 2, "fix", "--format", "json")
	if said := p.call(t, 2, "fix", "no\x1b[31m-such-thing"); strings.Contains(said, "\x1b") { // a terminal would obey it
		t.Errorf("%q", said)
	}
	p.call(t, 2, "fix", "--risk", "wild")
	for _, flag := range []string{"--log", "--probe", "--kernels"} { // of a script whose variable is empty
		if said := p.call(t, 2, "fix", "--yes", flag, ""); !strings.Contains(said, flag+" was given an empty name") {
			t.Errorf("it says:\n%s", said)
		}
	}
	p.call(t, 2, "undo")
	p.call(t, 2, "undo", "--last", "--yes")
	p.holds(t, rc)
	if _, err := os.Stat(filepath.Join(p.home, ".local")); !os.IsNotExist(err) {
		t.Error("a run that changed nothing left a journal")
	}
}

// TestFixEndsAlikeInEveryFormat: a program that reads the plan learns from the exit
// code what a person does.
func TestFixEndsAlikeInEveryFormat(t *testing.T) {
	t.Parallel()
	p := admit(t)
	if err := os.Remove(p.bashrc()); err != nil { // the variable is set, and no line sets it
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json"} {
		said := p.call(t, 1, "fix", "--dry-run", "--format", format, "gpu/override")
		if !strings.Contains(said, "this is for you to do") || !strings.Contains(said, "HSA_OVERRIDE_GFX_VERSION=10.3.0 makes") {
			t.Errorf("as %s it says:\n%s", format, said)
		}
	}
}

// TestNothingToDoIsNoAllClear: that something could not be read, or that no cure is
// known, is not that nothing is wrong.
func TestNothingToDoIsNoAllClear(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.Reader = closed{p.Reader}
	if said := p.call(t, 2, "fix", "--dry-run", "gpu/present"); !strings.Contains(said, "not everything could be") {
		t.Errorf("it says:\n%s", said)
	}
}

// TestNothingOfWhatWasNamed: of another failure it is not said that nothing needs a cure.
func TestNothingOfWhatWasNamed(t *testing.T) {
	t.Parallel()
	said := admit(t).call(t, 1, "fix", "--dry-run", "access")
	if !strings.Contains(said, "Nothing that was seen of access needs a cure. Something else is wrong: HSA_OVERRIDE_GFX_VERSION=10.3.0 makes") || !strings.Contains(said, "(gpu/override)") {
		t.Errorf("it says:\n%s", said)
	}
}

// A closed machine lets nobody look at its devices.
type closed struct{ host.Reader }

func (c closed) ReadDir(dir string) ([]host.Entry, error) {
	if strings.HasPrefix(dir, "/sys/") {
		return nil, host.EACCES
	}
	return c.Reader.ReadDir(dir)
}

// TestEditsArePeoplesOwn: that somebody goes on with their .bashrc is no news.
func TestEditsArePeoplesOwn(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.call(t, 0, "fix", "--yes", "gpu/override")
	if err := os.WriteFile(p.bashrc(), []byte(strings.Replace(rc, "export", ": # rocsmith: export", 1)+"alias l=ls\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if said := p.call(t, 0, "case") + p.call(t, 1, "fix", "--dry-run"); strings.Contains(said, "what rocsmith wrote") {
		t.Errorf("it says:\n%s", said)
	}
}

func TestFixAndUndo(t *testing.T) {
	t.Parallel()
	p := admit(t)
	said := p.call(t, 0, "fix", "--yes", "gpu/override")
	if !strings.Contains(said, "gpu/override: was fail, now ok") || !strings.Contains(said, "rocsmith undo 2026-11-15-1") {
		t.Errorf("fix says:\n%s", said)
	}
	p.holds(t, strings.Replace(rc, "export", ": # rocsmith: export", 1))
	if list := p.call(t, 0, "undo", "--list"); !strings.Contains(list, "2026-11-15-1 done Unset HSA_OVERRIDE_GFX_VERSION") {
		t.Errorf("undo --list says:\n%s", list)
	}
	// The variables of this process are those of before: the machine contradicts, and may.
	if tried := p.call(t, 0, "case"); !strings.Contains(tried, "ok afterwards, fail today. It takes effect with a new shell; where that was, something else changed") {
		t.Errorf("case says:\n%s", tried)
	}
	if tried := p.call(t, 0, "case", "--format", "json"); !strings.Contains(tried, `"before": "fail", "after": "ok", "waits": null, "after_restart": null, "today": "fail"`) {
		t.Errorf("case as JSON says:\n%s", tried)
	}
	// How to take it back by hand stands there when the plan is off the screen.
	if tried := p.call(t, 0, "case"); !strings.Contains(tried, `by hand: in `+p.bashrc()+`, remove ": # rocsmith: "`) {
		t.Errorf("case says:\n%s", tried)
	}
	if said := p.call(t, 0, "undo", "2026-11-15-1", "--yes"); !strings.Contains(said, "It takes effect with a new shell.") {
		t.Errorf("undo says:\n%s", said)
	}
	p.holds(t, rc)
	// Nobody is asked about what is done already.
	if said := p.call(t, 2, "undo", "2026-11-15-1"); !strings.Contains(said, "2026-11-15-1 is undone already") {
		t.Errorf("a second undo says:\n%s", said)
	}
}

func TestUndoShowsWhatOthersChanged(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.call(t, 0, "fix", "--yes", "gpu/override")
	changed := "# theirs\n" + strings.Replace(rc, "export", ": # rocsmith: export", 1)
	if err := os.WriteFile(p.bashrc(), []byte(changed), fs.FileMode(0o640)); err != nil {
		t.Fatal(err)
	}
	said := p.call(t, 1, "undo", "--last", "--yes")
	for _, want := range []string{"somebody changed it since", "what rocsmith changed", "what was changed since", "+# theirs"} {
		if !strings.Contains(said, want) {
			t.Errorf("undo does not say %q:\n%s", want, said)
		}
	}
	p.holds(t, changed)
	if list := p.call(t, 0, "undo", "--list"); !strings.Contains(list, "2026-11-15-1 undone in part Unset") {
		t.Errorf("undo --list says:\n%s", list)
	}
	if err := os.Remove(p.bashrc()); err != nil {
		t.Fatal(err)
	}
	if said := p.call(t, 1, "undo", "2026-11-15-1", "--yes"); !strings.Contains(said, "somebody removed it since") {
		t.Errorf("undo says:\n%s", said)
	}
}

// TestUndoNamesWhatCameLater: of two cures in one file the later one is undone first.
func TestUndoNamesWhatCameLater(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.call(t, 0, "fix", "--yes", "gpu/override")
	second := strings.Replace(rc, "export", ": # rocsmith: export", 1) + "\texport HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
	if err := os.WriteFile(p.bashrc(), []byte(second), 0o640); err != nil {
		t.Fatal(err)
	}
	p.call(t, 0, "fix", "--yes", "gpu/override")
	said := p.call(t, 1, "undo", "2026-11-15-1", "--yes")
	if !strings.Contains(said, "2026-11-15-2 changed it after 2026-11-15-1 did: undo that one first.") || !strings.Contains(said, "then rocsmith undo 2026-11-15-1 tries again") {
		t.Errorf("undo says:\n%s", said)
	}
	p.call(t, 0, "undo", "2026-11-15-2", "--yes")
	p.holds(t, second)
}

// TestUndoSaysThatRightsChanged: where the text is the same there is no difference
// to show.
func TestUndoSaysThatRightsChanged(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.call(t, 0, "fix", "--yes", "gpu/override")
	if err := os.Chmod(p.bashrc(), 0o600); err != nil {
		t.Fatal(err)
	}
	said := p.call(t, 1, "undo", "--last", "--yes")
	if !strings.Contains(said, "somebody changed its rights since: it is 0600 of") || strings.Contains(said, "what was changed since") {
		t.Errorf("undo says:\n%s", said)
	}
}

func TestDamagedJournalStopsFix(t *testing.T) {
	t.Parallel()
	p := admit(t)
	p.call(t, 0, "fix", "--yes", "gpu/override")
	p.call(t, 0, "undo", "--last", "--yes")
	file := filepath.Join(p.home, ".local/state/rocsmith/journal/2026-11-15-1.entry")
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	if said := p.call(t, 2, "fix", "--yes", "gpu/override"); !strings.Contains(said, file) {
		t.Errorf("fix does not name the damaged file:\n%s", said)
	}
	p.holds(t, rc)
}

// TestFixCuresWhatALogNames: the machine has no such finding, so the cure is the
// one that explain shows, and only the program can prove it.
func TestFixCuresWhatALogNames(t *testing.T) {
	t.Parallel()
	p := admit(t)
	log := filepath.Join(p.home, "train.log")
	if err := os.WriteFile(log, []byte("RuntimeError: CUDA error: HIPBLAS_STATUS_INVALID_VALUE when calling `hipblasLtMatmulAlgoGetHeuristic`\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	explained := p.call(t, 1, "explain", log)
	if !strings.Contains(explained, "rocsmith fix missing-hipblaslt-kernels") {
		t.Fatalf("explain says:\n%s", explained)
	}
	for _, args := range [][]string{{"--log", log}, {"missing-hipblaslt-kernels"}} {
		said := p.call(t, 0, append([]string{"fix", "--yes"}, args...)...)
		if !strings.Contains(said, "export ROCBLAS_USE_HIPBLASLT='0'") || !strings.Contains(said, "it waits for the next run of the program") {
			t.Errorf("fix %v says:\n%s", args, said)
		}
		p.call(t, 0, "case")
		p.call(t, 0, "undo", "--last", "--yes")
		p.holds(t, rc)
	}
	p.call(t, 2, "fix", "--log", log, "--probe", log)
	p.call(t, 2, "fix", "--probe", log)
	p.call(t, 2, "fix", "--log", filepath.Join(p.home, "none.log"))
}

// fakeProbe answers every task with a verdict, and lets MIOpen's cache grow.
func (p patient) fakeProbe(t *testing.T, verdict string) string {
	t.Helper()
	file := filepath.Join(p.home, "rocsmith-probe")
	script := `#!/bin/sh
while read -r line; do
	task=${line#*\"task\":\"}
	task=${task%%\"*}
	case $task in conv2d*) mkdir -p "$HOME/.cache/miopen/3.5.1." && echo kernel >"$HOME/.cache/miopen/3.5.1./gfx1010_18.ukdb" && v=` + verdict + ` ;; *) v=pass ;; esac
	echo "{\"task\":\"$task\",\"verdict\":\"$v\",\"why\":\"so it is\"}"
done
`
	programtest.Write(t, file, script)
	return file
}

// TestFixProvesByWork: after a cure of MIOpen's cache a convolution is done in a
// fresh process, and the report says what it showed.
func TestFixProvesByWork(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		verdict string
		exit    int
		says    string
	}{
		{"pass", 0, "conv2d in a fresh process: pass; %s/.cache/miopen/"},
		{"wrong-result", 1, "conv2d in a fresh process: wrong-result: so it is"},
		{"", 0, "conv2d was not tried on the GPU: rocsmith-probe, which loads the GPU's libraries, is not here"},
	} {
		t.Run(tc.verdict, func(t *testing.T) {
			t.Parallel()
			p := admit(t)
			if err := os.MkdirAll(filepath.Join(p.home, ".cache/miopen"), 0o700); err != nil {
				t.Fatal(err)
			}
			if tc.verdict != "" {
				p.probe = p.fakeProbe(t, tc.verdict)
			}
			said := p.call(t, tc.exit, "fix", "--yes", "miopen-cache-corrupt")
			if want := strings.ReplaceAll(tc.says, "%s", p.home); !strings.Contains(said, want) {
				t.Errorf("fix says:\n%s\nwant %q", said, want)
			}
			if tried := p.call(t, 0, "case"); !strings.Contains(tried, "conv2d") {
				t.Errorf("case says:\n%s", tried)
			}
		})
	}
}
