package compose

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// TestDocumentedProjects holds the rules to the compose files that people wrote
// about: what is found, and which lines a mend touches.
func TestDocumentedProjects(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/documented/*.txt")
	if err != nil || len(names) < 3 {
		t.Fatalf("%v %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			documented(t, strings.ReplaceAll(string(data), "\r\n", "\n"))
		})
	}
}

func documented(t *testing.T, text string) {
	t.Helper()
	files := sections(text)
	wantFindings, wantDiff, machine := files["findings"], files["diff"], strings.TrimSpace(files["on"])
	for _, meta := range []string{"findings", "diff", "on", ""} {
		delete(files, meta)
	}
	setting, ok := lint.OnExample(machine)
	if !ok {
		t.Fatalf("no machine %q", machine)
	}
	project := lint.Example{Files: files}.Project(false)
	if got := listed(lint.Run(project, setting, Rules)); got != wantFindings {
		t.Errorf("found\n%swant\n%s", got, wantFindings)
	}
	mended := lint.MendAll(project, setting, Rules)
	var diff strings.Builder
	for _, c := range mended.Changes {
		diff.WriteString(lines(c.File.Path, string(c.File.Data), string(c.After)))
	}
	if diff.String() != wantDiff {
		t.Errorf("changed\n%swant\n%s", diff.String(), wantDiff)
	}
	for _, f := range mended.Left.Found {
		if f.Mend != nil {
			t.Errorf("a second run would mend %s %s", f.Place(), f.Rule.ID)
		}
	}
}

func listed(r lint.Result) string {
	var out strings.Builder
	for _, f := range r.Found {
		fmt.Fprintf(&out, "%s %s %s\n", f.Place(), f.Rule.ID, f.Verdict)
	}
	return out.String()
}

// sections reads "-- name --" parts.
func sections(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if after, found := strings.CutPrefix(line, "-- "); found {
			name = strings.TrimSuffix(strings.TrimSpace(after), " --")
			continue
		}
		out[name] += line
	}
	return out
}

// lines lists what changed: a line that is new, one that is gone, or one that
// reads otherwise.
func lines(name, before, after string) string {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	var out strings.Builder
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j < len(b) && slices.Contains(b[j:], at0(a, i)) && !slices.Contains(a[i:], b[j]):
			fmt.Fprintf(&out, "%s:%d +%s\n", name, j+1, b[j])
			j++
		case i < len(a) && slices.Contains(a[i:], at0(b, j)):
			fmt.Fprintf(&out, "%s:%d -\n", name, i+1)
			i++
		default:
			fmt.Fprintf(&out, "%s:%d %s\n", name, j+1, at0(b, j))
			i, j = i+1, j+1
		}
	}
	return out.String()
}

func at0(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "\x00"
}
