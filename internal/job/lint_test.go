package job_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/lint/project"
	"github.com/rocsmith/rocsmith/internal/report"
)

// Paths of Windows are found and named as people there write them.
func TestLintOnWindows(t *testing.T) {
	t.Parallel()
	s, err := host.ParseSnapshot([]byte(`rocsmith snapshot 1
os: windows
unlisted: absent
-- file C:\work\shop\.git\HEAD --
x
-- file C:\work\shop\deploy\compose.yml --
services: {}
services: {}
-- end 2 --
`))
	if err != nil {
		t.Fatal(err)
	}
	l := job.Linter{Host: s, Now: func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }, Rules: project.Rules}
	for folder, want := range map[string]string{
		`C:\work\shop`:        "project/readable deploy/compose.yml:2 unknown",
		`C:\work\shop\deploy`: "project/readable compose.yml:2 unknown",
		`C:\work\blog`:        "project/readable ../shop/deploy/compose.yml:2 unknown",
		`D:\`:                 `project/readable C:\work\shop\deploy\compose.yml:2 unknown`,
	} {
		for _, target := range []string{`C:\work\shop\deploy`, `C:\work\shop\deploy\compose.yml`} {
			got, err := l.Lint(job.LintRequest{Given: target, Path: target, Folder: folder})
			if err != nil || subjectsOf(got) != want {
				t.Errorf("%s from %s: %s, %v", target, folder, subjectsOf(got), err)
			}
		}
	}
}

// subjectsOf lists what was found, a line each.
func subjectsOf(l report.Lint) string {
	var out []string
	for _, f := range l.Result.Found {
		out = append(out, f.Rule.ID+" "+f.Place()+" "+string(f.Verdict))
	}
	return strings.Join(out, "\n")
}
