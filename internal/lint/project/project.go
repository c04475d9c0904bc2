// Package project holds the rules that are about project files of every kind.
package project

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// Rules are the rules of this area.
var Rules = []lint.Rule{
	{
		ID:    lint.ReadableID,
		Title: "Project files can be read, and are well formed",
		Why: "What cannot be read cannot be judged, and nothing may be concluded from silence. " +
			"A key that stands twice is refused by compose; other programs take the first one or the last one.",
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:1\n    image: example:2\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    image: example:2\n",
		}},
		Run: readable,
	},
	{
		ID:    lint.SuppressionID,
		Title: "A suppression names a rule, a day until which it holds, and a reason",
		Why: "A finding can be suppressed by a comment in its line or above it, or in `.rocsmith-ignore` by a line of path, " +
			"rule, day and reason. Without a reason nobody can judge whether it is still right, and without a day nobody ever does. " +
			"After that day the finding is back.",
		Bad: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    # rocsmith-ignore: compose/group-name\n    group_add: [render]\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"compose.yml": "services:\n  app:\n    # rocsmith-ignore: compose/group-name until 2027-01-31: the image is replaced in January\n    group_add: [render]\n",
		}},
		Run: suppression,
	},
}

func readable(p *lint.Pass) {
	for _, problem := range p.Problems {
		f := lint.Finding{
			File: problem.File, Line: problem.Line, Verdict: check.Unknown,
			Message: fmt.Sprintf("Not judged: %s.", problem.What),
		}
		if problem.Template {
			f.Verdict, f.Message = check.Skipped, fmt.Sprintf("Not asked: %s.", problem.What)
		}
		p.Report(f)
	}
}

func suppression(p *lint.Pass) {
	for _, s := range p.Ignored {
		if s.Wrong != "" {
			p.Report(lint.Finding{
				File: s.File, Line: s.Line, Verdict: check.Warn,
				Message: fmt.Sprintf("This suppression does not hold: %s. A finding may stay for a reason that others can judge, and until a day on which somebody looks again.", s.Wrong),
			})
		}
	}
}
