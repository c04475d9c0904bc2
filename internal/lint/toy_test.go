package lint_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// instead is a rule that wants one word of compose files to be another.
func instead(id, old, fresh string) lint.Rule {
	return lint.Rule{
		ID: id, Title: "Files say " + fresh, Why: "They should.",
		Bad:  lint.Example{Files: map[string]string{"compose.yml": "a: " + old + "\n"}},
		Good: lint.Example{Files: map[string]string{"compose.yml": "a: " + fresh + "\n"}},
		Run: func(p *lint.Pass) {
			for _, f := range p.Of(lint.Compose) {
				for at := 0; ; {
					i := bytes.Index(f.Data[at:], []byte(old))
					if i < 0 {
						break
					}
					start := at + i
					at = start + len(old)
					p.Report(lint.Finding{
						File: f, Line: bytes.Count(f.Data[:start], []byte("\n")) + 1, Verdict: check.Fail,
						Message: fmt.Sprintf("This says %s. It is wrong.", old),
						Mend:    &lint.Mend{Title: "Write " + fresh, Edits: []lint.Edit{{File: f, Start: start, End: at, New: fresh}}},
					})
				}
			}
		},
	}
}

func advice() []remedy.Remedy {
	return []remedy.Remedy{{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Manual, Text: "do"}}}}
}

func project(t *testing.T, files map[string]string) *lint.Project {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	p, err := lint.Discover(fsys, ".")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func setting(t *testing.T) lint.Setting {
	t.Helper()
	s, ok := lint.OnExample("")
	if !ok {
		t.Fatal("the plain example machine is gone")
	}
	return s
}
