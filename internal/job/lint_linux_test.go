package job_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/project"
	"github.com/rocsmith/rocsmith/internal/report"
)

// homely is this machine with a home of its own.
type homely struct {
	host.Reader
	home string
}

func (h homely) Getenv(name string) (string, bool, error) {
	switch name {
	case "HOME":
		return h.home, true, nil
	case "XDG_STATE_HOME", "SUDO_UID":
		return "", false, nil
	}
	return h.Reader.Getenv(name)
}

// byNumber wants groups of compose files by number, and nothing else.
func byNumber() lint.Rule {
	return lint.Rule{ID: "toy/group", Title: "Groups are numbers", Why: "Names are looked up in the image.", Run: func(p *lint.Pass) {
		for _, f := range p.Of(lint.Compose) {
			if at := bytes.Index(f.Data, []byte("- render")); at >= 0 {
				p.Report(lint.Finding{
					File: f, Line: bytes.Count(f.Data[:at], []byte("\n")) + 1, Verdict: check.Fail,
					Message: "render is looked up in the image. The kernel compares numbers.",
					Mend:    &lint.Mend{Title: "Write 110 instead of render", Edits: []lint.Edit{{File: f, Start: at + 2, End: at + 8, New: `"110"`}}},
				})
			}
		}
	}}
}

const composeText = "services:\n  app:\n    image: x   # keep\n\n    group_add:\n      - render\n"

// A bench is a project on the disk, and a linter for it.
type bench struct {
	dir    string
	linter job.Linter
}

func newBench(t *testing.T, files map[string]string) bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	h := homely{host.Live(), filepath.Join(dir, "home")}
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	return bench{dir, job.Linter{Host: h, Version: "test", Now: now, Rules: append([]lint.Rule{byNumber()}, project.Rules...)}}
}

func (b bench) request(given string) job.LintRequest {
	return job.LintRequest{Given: given, Path: filepath.Join(b.dir, given), Folder: b.dir}
}

func (b bench) surgeon() job.Surgeon {
	return job.Surgeon{Host: b.linter.Host, Version: "test", Now: b.linter.Now}
}

func (b bench) text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLintMendsThroughTheJournal(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"deploy/compose.yml": composeText, ".git/HEAD": "x"})
	plan, err := b.linter.PlanLint(b.request("."))
	if err != nil || len(plan.Plan.Steps) != 1 || plan.Plan.Cures[0].Finding.Subject != "deploy/compose.yml:6" {
		t.Fatalf("plan %+v, %v", plan.Plan, err)
	}
	if b.text(t, "deploy/compose.yml") != composeText {
		t.Error("a plan changed the file")
	}
	entry, after, err := b.surgeon().ApplyLint(b.linter, b.request("."), plan)
	if err != nil {
		t.Fatal(err)
	}
	if after.Verdict() != check.OK || len(entry.Proofs) != 1 || entry.Proofs[0].After != "ok" {
		t.Errorf("afterwards %s, proofs %+v", after.Verdict(), entry.Proofs)
	}
	if got, want := entry.Cures[0].Subject, filepath.Join(b.dir, "deploy/compose.yml")+":6"; got != want {
		t.Errorf("the journal names %s, want %s", got, want)
	}
	if got, want := b.text(t, "deploy/compose.yml"), strings.Replace(composeText, "render", `"110"`, 1); got != want {
		t.Errorf("became %q, want %q", got, want)
	}
	if info, err := os.Stat(filepath.Join(b.dir, "deploy/compose.yml")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file has the rights %v, %v", info.Mode(), err)
	}
	again, err := b.linter.PlanLint(b.request("."))
	if err != nil || len(again.Plan.Steps)+len(again.Mended.Taken) != 0 {
		t.Errorf("a second run would do %+v, %v", again.Plan, err)
	}
	if _, conflicts, err := b.surgeon().Undo(entry.ID); err != nil || len(conflicts) > 0 {
		t.Fatalf("undo: %v, %v", conflicts, err)
	}
	if b.text(t, "deploy/compose.yml") != composeText {
		t.Error("undo did not bring the file back")
	}
}

// wantsFolder wants a folder in the project, and one in the home, for whoever owns
// what they are in.
func wantsFolder(home string) lint.Rule {
	return lint.Rule{ID: "toy/folder", Title: "Folders are there", Why: "Docker makes them as root.", Run: func(p *lint.Pass) {
		for _, folder := range []string{"cache/a/b", home + "/x"} {
			if p.Made(folder) || p.Owner == nil {
				continue
			}
			if _, there, err := p.Owner(folder); !there && err == nil {
				p.Report(lint.Finding{File: p.Files[0], Line: 1, Verdict: check.Fail, Message: folder + " is not there.", Mend: &lint.Mend{Title: "Make the folder " + folder, Folders: []string{folder}}})
			}
		}
	}}
}

// Folders are made with their parents for the owner of the project, and undo takes
// them back, unless somebody put something into them.
func TestLintMakesFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"compose.yml": composeText, "cache/keep": "", "home/keep": ""})
	home := filepath.Join(b.dir, "home")
	b.linter.Rules = append(b.linter.Rules, wantsFolder(home))
	person := os.Getuid()
	if person == 0 {
		person = 1234
		for _, dir := range []string{"cache", "home"} {
			if err := os.Chown(filepath.Join(b.dir, dir), person, person); err != nil {
				t.Fatal(err)
			}
		}
	}
	plan, err := b.linter.PlanLint(b.request("."))
	if err != nil || len(plan.Plan.Steps) != 4 || len(plan.Plan.Left) != 0 {
		t.Fatalf("plan %+v, %v", plan.Plan, err)
	}
	var said bytes.Buffer
	if err := report.LintPlanText(&said, plan, report.Style{}); err != nil || !strings.Contains(said.String(), "Plan (3 mends in 1 file and 3 new folders;") || !strings.Contains(said.String(), "make the folder cache/a/b") {
		t.Errorf("it shows\n%s%v", said.String(), err)
	}
	entry, after, err := b.surgeon().ApplyLint(b.linter, b.request("."), plan)
	if err != nil || after.Verdict() != check.OK {
		t.Fatalf("afterwards %s, %v", after.Verdict(), err)
	}
	for _, dir := range []string{"cache/a", "cache/a/b", "home/x"} {
		info, err := os.Stat(filepath.Join(b.dir, dir))
		if err != nil || info.Mode() != fs.ModeDir|0o755 {
			t.Errorf("%s: %v, %v", dir, info, err)
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != person {
			t.Errorf("%s belongs to %+v", dir, st)
		}
	}
	if _, conflicts, err := b.surgeon().Undo(entry.ID); err != nil || len(conflicts) > 0 {
		t.Fatalf("undo: %v, %v", conflicts, err)
	}
	for _, dir := range []string{"cache/a", "home/x"} {
		if _, err := os.Stat(filepath.Join(b.dir, dir)); !os.IsNotExist(err) {
			t.Errorf("undo left %s: %v", dir, err)
		}
	}
	if b.text(t, "compose.yml") != composeText || b.text(t, "cache/keep") != "" {
		t.Error("undo did not bring all of it back")
	}
}

// No folder is made in a file, nor on this machine for another one.
func TestLintMakesFoldersWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"compose.yml": composeText, "cache/a": "a file", "home/keep": ""})
	home := filepath.Join(b.dir, "home")
	b.linter.Rules = append(b.linter.Rules, wantsFolder(home))
	plan, err := b.linter.PlanLint(b.request("."))
	if err != nil || len(plan.Mended.Folders) != 1 || plan.Mended.Folders[0] != home+"/x" {
		t.Errorf("makes %q, %v", plan.Mended.Folders, err)
	}
	q := b.request(".")
	if q.For, err = host.ParseSnapshot([]byte("rocsmith snapshot 1\nos: linux\nunlisted: absent\n-- end 0 --\n")); err != nil {
		t.Fatal(err)
	}
	if plan, err := b.linter.PlanLint(q); err != nil || len(plan.Mended.Folders) > 0 {
		t.Errorf("for another machine it makes %q here, %v", plan.Mended.Folders, err)
	}
}

func TestLintWritesWhatItPlannedOrNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"compose.yml": composeText})
	plan, err := b.linter.PlanLint(b.request("compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	changed := composeText + "# mine\n"
	if err := os.WriteFile(filepath.Join(b.dir, "compose.yml"), []byte(changed), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.surgeon().ApplyLint(b.linter, b.request("compose.yml"), plan); err == nil {
		t.Error("a file that was changed since the plan was written over")
	}
	if b.text(t, "compose.yml") != changed {
		t.Error("the change is lost")
	}
}

// What cannot be judged is told with its place, and is not touched.
func TestLintRefusesWhatItCannotJudge(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"a/compose.yml": "services:\n  app:\n   image: x\n  - y\n", "b/compose.yml": "a: 1\nb: 2\na: 3\n", "c/docker-compose.yml": composeText,
	})
	if err := syscall.Mkfifo(filepath.Join(b.dir, "compose.yml"), 0o600); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(b.dir, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(50 << 20); err != nil {
		t.Fatal(err)
	}
	_ = big.Close()
	if err := os.Symlink("/etc/hostname", filepath.Join(b.dir, ".env")); err != nil {
		t.Fatal(err)
	}
	l, err := b.linter.Lint(b.request("."))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"project/readable .env unknown", "project/readable Dockerfile unknown", "project/readable a/compose.yml:4 unknown", "project/readable b/compose.yml:3 unknown",
		"toy/group c/docker-compose.yml:6 fail", "project/readable compose.yml unknown",
	}, "\n")
	if got := subjectsOf(l); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	plan, err := b.linter.PlanLint(b.request("."))
	if err != nil || len(plan.Plan.Steps) != 1 || len(plan.Plan.Left) != 5 {
		t.Errorf("plan %+v, %v", plan.Plan, err)
	}
}

// Files of the project above the named one can be read, and nothing beyond it.
func TestLintReadsUpToTheTopOfTheProject(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"repo/.git/HEAD": "x", "repo/base.yml": "services: {}\n", "repo/deploy/compose.yml": composeText, "secret": "x"})
	if err := os.Symlink("../secret", filepath.Join(b.dir, "repo/out.env.txt")); err != nil {
		t.Fatal(err)
	}
	l, err := b.linter.Lint(b.request("repo/deploy/compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := subjectsOf(l); got != "toy/group repo/deploy/compose.yml:6 fail" {
		t.Errorf("found %s", got)
	}
	if _, err := l.Result.Project.File("base.yml", lint.Compose); err != nil {
		t.Errorf("a file above: %v", err)
	}
	for _, outside := range []string{"out.env.txt", "../secret", "secret"} {
		if f, err := l.Result.Project.File(outside, lint.EnvFile); err == nil {
			t.Errorf("%s led out of the project: %q", outside, f.Data)
		}
	}
	inside := b.request("repo/deploy")
	inside.Folder = filepath.Join(b.dir, "repo/deploy")
	if l, err := b.linter.Lint(inside); err != nil || subjectsOf(l) != "toy/group compose.yml:6 fail" {
		t.Errorf("from within: %s, %v", subjectsOf(l), err)
	}
	beside := b.request("repo/deploy")
	beside.Folder = filepath.Join(b.dir, "repo/other")
	if l, err := b.linter.Lint(beside); err != nil || subjectsOf(l) != "toy/group ../deploy/compose.yml:6 fail" {
		t.Errorf("from beside: %s, %v", subjectsOf(l), err)
	}
}

// Lint reports are valid by the schema of the doctor, and say the same in all
// forms.
func TestLintReports(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"compose.yml": composeText, "b/compose.yml": "group_add:\n  # rocsmith-ignore: toy/group until 2027-01-31: it is old\n  - render\n", "c/compose.yml": "a: [\n",
	})
	l, err := b.linter.Lint(b.request("."))
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]func(*bytes.Buffer) error{
		"text":  func(w *bytes.Buffer) error { return report.LintText(w, l, report.Style{Unicode: true}) },
		"json":  func(w *bytes.Buffer) error { return report.LintJSON(w, l) },
		"sarif": func(w *bytes.Buffer) error { return report.LintSARIF(w, l) },
		"md":    func(w *bytes.Buffer) error { return report.LintMarkdown(w, l) },
	}
	wants := map[string][]string{
		"text":  {"✗ render is looked up in the image", "compose.yml:6\n", "      6 -       - render\n", `        +       - "110"`, "1 failure, 0 warnings, 1 not judged, 1 suppressed"},
		"json":  {`"subject": "compose.yml:6"`, `"verdict": "fail"`, `"Suppressed until 2027-01-31: it is old. render`, `"kind": "compose"`},
		"sarif": {`"startColumn": 9`, `"justification": "it is old"`, `"uri": "b/compose.yml"`, `"level": "error"`, `"insertedContent": {`},
		"md":    {"### rocsmith lint: fail", "compose.yml:6: **fail: render is looked up", "-      - render", "1 suppressed"},
	}
	for name, write := range forms {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants[name] {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not say %q:\n%s", name, want, out.String())
			}
		}
		if name == "json" {
			if err := validate(t, schema(t), out.String()); err != nil {
				t.Error(err)
			}
		}
	}
}

// Nothing is left behind by looking.
func TestLintLooksOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"compose.yml": composeText})
	if _, err := b.linter.PlanLint(b.request(".")); err != nil {
		t.Fatal(err)
	}
	var names []string
	err := filepath.WalkDir(b.dir, func(name string, _ fs.DirEntry, err error) error {
		names = append(names, filepath.Base(name))
		return err
	})
	if err != nil || len(names) != 2 {
		t.Errorf("there is %q, %v", names, err)
	}
}

// Why nothing is mended is not the person's to decide where the number is unknown.
func TestLintSaysThatTheGPUIsUnknown(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"compose.yml": "services:\n  app:\n    image: rocm/pytorch:latest\n    devices: [/dev/kfd, /dev/dri]\n    group_add: [render]\n"})
	b.linter.Rules = nil
	data, err := os.ReadFile(filepath.Join(zooDir, "docker-no-device.snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	q := b.request(".")
	if q.For, err = host.ParseSnapshot(data); err != nil {
		t.Fatal(err)
	}
	plan, err := b.linter.PlanLint(q)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, l := range plan.Plan.Left {
		reasons[l.Finding.Check] = l.Why
	}
	if reasons["compose/group-name"] != "the number is that of the GPU's node, and no GPU of the machine is known" || reasons["image/floating-tag"] != "this is for you to decide" {
		t.Errorf("not mended because of %v", reasons)
	}
}
