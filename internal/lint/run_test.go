package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
)

func say(f lint.Found) string {
	c := f.Check()
	return c.Check + " " + c.Subject + " " + string(c.Verdict) + ": " + c.Message
}

func TestFindingsComeByFileAndLine(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{"compose.yml": "a: ONE\nb: TWO\nc: ONE\n", "a/compose.yml": "a: TWO\n"})
	p.Shown = func(name string) string { return "../" + name }
	got := lint.Run(p, setting(t), []lint.Rule{instead("toy/one", "ONE", "1"), instead("toy/two", "TWO", "2")})
	var lines []string
	for _, f := range got.Found {
		lines = append(lines, say(f))
	}
	want := []string{
		"toy/two ../a/compose.yml:1 fail: This says TWO. It is wrong.",
		"toy/one ../compose.yml:1 fail: This says ONE. It is wrong.",
		"toy/two ../compose.yml:2 fail: This says TWO. It is wrong.",
		"toy/one ../compose.yml:3 fail: This says ONE. It is wrong.",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("found\n%s", strings.Join(lines, "\n"))
	}
	c := got.Found[1].Check()
	if c.Evidence[0].From != "../compose.yml:1" || c.Evidence[0].Text != "a: ONE" {
		t.Errorf("the evidence does not begin with the line: %+v", c.Evidence)
	}
	if r := c.Remedies[0]; !r.Apply || r.Steps[0].Line != 1 || r.Steps[0].Old != "ONE" || r.Steps[0].New != "1" || r.Steps[0].Path != "../compose.yml" {
		t.Errorf("the mend as a cure: %+v", r)
	}
	readable := 0
	for _, c := range got.Checks() {
		if c.Check == lint.ReadableID && c.Verdict == check.OK {
			readable++
		}
	}
	if readable != 2 {
		t.Errorf("%d files are said to be readable, want 2", readable)
	}
}

func TestStrictRulesAreAskedWithStrict(t *testing.T) {
	t.Parallel()
	r := instead("toy/one", "ONE", "1")
	r.Strict = true
	s := setting(t)
	for _, strict := range []bool{false, true} {
		s.Strict = strict
		got := lint.Run(project(t, map[string]string{"compose.yml": "a: ONE\n"}), s, []lint.Rule{r})
		if (len(got.Found) > 0) != strict || (got.Asked > 0) != strict {
			t.Errorf("strict %v: %d rules asked, found %+v", strict, got.Asked, got.Found)
		}
	}
}

func TestABrokenRuleSilencesNobody(t *testing.T) {
	t.Parallel()
	broken := instead("toy/broken", "x", "y")
	broken.Run = func(*lint.Pass) { panic("oh") }
	got := lint.Run(project(t, map[string]string{"compose.yml": "a: ONE\n"}), setting(t), []lint.Rule{broken, instead("toy/one", "ONE", "1")}).Found
	if len(got) != 2 || got[0].Verdict != check.Unknown || got[1].Rule.ID != "toy/one" {
		t.Errorf("found %+v", got)
	}
}

// The day in every case is 2026-11-15.
func TestSuppression(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, ignore string
		want         []string // beginnings of what is said
	}{
		"in the line":        {text: "a: ONE # rocsmith-ignore: toy/one until 2027-01-31: it is old\n", want: []string{"toy/one compose.yml:1 skipped: Suppressed until 2027-01-31: it is old. This says ONE."}},
		"above":              {text: "# rocsmith-ignore: toy/one until 2026-11-15: until today\na: ONE\n", want: []string{"toy/one compose.yml:2 skipped: Suppressed until 2026-11-15"}},
		"both above":         {text: "# rocsmith-ignore: toy/two until 2027-01-31: a\n# rocsmith-ignore: toy/one until 2027-01-31: b\na: [ONE, TWO]\n", want: []string{"toy/one compose.yml:3 skipped", "toy/two compose.yml:3 skipped"}},
		"CRLF":               {text: "# rocsmith-ignore: toy/one until 2027-01-31: b\r\na: ONE\r\n", want: []string{"toy/one compose.yml:2 skipped: Suppressed until 2027-01-31: b. This"}},
		"a pattern":          {text: "a: ONE # rocsmith-ignore: toy/* until 2027-01-31: it is old\n", want: []string{"toy/one compose.yml:1 skipped"}},
		"another line":       {text: "# rocsmith-ignore: toy/one until 2027-01-31: x\nb: 1\na: ONE\n", want: []string{"project/suppression compose.yml:1 skipped: This suppression of toy/one hides nothing here", "toy/one compose.yml:3 fail"}},
		"another rule":       {text: "a: ONE # rocsmith-ignore: toy/two until 2027-01-31: x\n", want: []string{"toy/one compose.yml:1 fail", "project/suppression compose.yml:1 skipped"}},
		"no such rule":       {text: "a: ONE # rocsmith-ignore: toy/tree until 2027-01-31: x\n", want: []string{"toy/one compose.yml:1 fail", "project/suppression compose.yml:1 warn: There is no rule toy/tree"}},
		"expired":            {text: "a: ONE # rocsmith-ignore: toy/one until 2026-11-14: it is old\n", want: []string{"toy/one compose.yml:1 fail: This says ONE. It is wrong. It was suppressed until 2026-11-14: it is old."}},
		"not a comment":      {text: "a: \"ONE#rocsmith-ignore: toy/one until 2027-01-31: x\"\n", want: []string{"toy/one compose.yml:1 fail"}},
		"the file":           {text: "a: ONE\n", ignore: "# ours\ncompose.yml toy/one until 2027-01-31: it is old\n", want: []string{"toy/one compose.yml:1 skipped: Suppressed until 2027-01-31: it is old"}},
		"the file, expired":  {text: "a: ONE\n", ignore: "*.yml toy/* until 2026-01-31: it is old\n", want: []string{"toy/one compose.yml:1 fail: This says ONE. It is wrong. It was suppressed until 2026-01-31"}},
		"another file":       {text: "a: ONE\n", ignore: "deploy/ toy/one until 2027-01-31: it is old\n", want: []string{"project/suppression .rocsmith-ignore:1 skipped", "toy/one compose.yml:1 fail"}},
		"a word of no use":   {text: "b: 1\n", ignore: "compose.yml toy/one until 2027-01-31: it is old\n", want: []string{"project/suppression .rocsmith-ignore:1 skipped"}},
		"no day":             {text: "a: ONE # rocsmith-ignore: toy/one: why not\n", want: []string{"toy/one compose.yml:1 fail"}},
		"no reason":          {text: "a: ONE # rocsmith-ignore: toy/one until 2027-01-31\n", want: []string{"toy/one compose.yml:1 fail"}},
		"a day that is none": {text: "a: ONE # rocsmith-ignore: toy/one until 2027-02-31: x\n", want: []string{"toy/one compose.yml:1 fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"compose.yml": tc.text}
			if tc.ignore != "" {
				files[".rocsmith-ignore"] = tc.ignore
			}
			found := lint.Run(project(t, files), setting(t), []lint.Rule{instead("toy/one", "ONE", "1"), instead("toy/two", "TWO", "2")}).Found
			var got []string
			for _, f := range found {
				got = append(got, say(f))
			}
			if !slices.EqualFunc(got, tc.want, strings.HasPrefix) {
				t.Errorf("says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestASuppressionSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# rocsmith-ignore":   "names no rule",
		"# rocsmith-ignore: ": "names no rule",
		"# rocsmith-ignore: everything until 2027-01-31: x":     "not the id of a rule",
		"# rocsmith-ignore: toy/one":                            "until when",
		"# rocsmith-ignore: toy/one: it is old":                 "until when",
		"# rocsmith-ignore: toy/one until tomorrow: it is old":  `"tomorrow" is not a date`,
		"# rocsmith-ignore: toy/one until 2027-13-01: x":        "not a date",
		"# rocsmith-ignore: toy/one until 2027-01-31":           "no reason",
		"# rocsmith-ignore: toy/one until 2027-01-31:   ":       "no reason",
		"# rocsmith-ignore: toy/one please until 2027-01-31: x": "it has to be a rule, until when, and why",
		"# rocsmith-ignore: toy/one until 2027-01-31: x: y":     "",
	} {
		p := project(t, map[string]string{"compose.yml": text + "\na: 1\n"})
		if len(p.Ignored) != 1 || (p.Ignored[0].Wrong == "") != (want == "") || !strings.Contains(p.Ignored[0].Wrong, want) {
			t.Errorf("%s: %+v, want %q", text, p.Ignored, want)
		}
	}
}

func FuzzSuppression(f *testing.F) {
	f.Add("a: ONE # rocsmith-ignore: toy/one until 2027-01-31: it is old\n", "compose.yml toy/one until 2027-01-31: it is old\n")
	f.Add("// rocsmith-ignore: [ until x", "[ toy/[ until 2027-01-31: x\n/ / / :\n")
	f.Fuzz(func(t *testing.T, text, ignore string) {
		p := project(t, map[string]string{".env": text, ".rocsmith-ignore": ignore})
		rule := instead("toy/one", "ONE", "1")
		rule.Run = func(p *lint.Pass) {
			for _, f := range p.Files {
				p.Report(lint.Finding{File: f, Line: 1, Verdict: check.Fail, Message: "No.", Advice: advice()})
			}
		}
		for _, f := range lint.Run(p, setting(t), []lint.Rule{rule}).Found {
			if f.By != nil && (f.By.Wrong != "" || f.By.Reason == "" || f.By.Until.IsZero()) {
				t.Errorf("suppressed by %+v", f.By)
			}
		}
	})
}

// A file that breaks one rule thousands of times is left after enough of them, and
// that is said.
func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{"compose.yml": strings.Repeat("# ONE\n", 5000) + "a: 1\n"})
	found := lint.Run(p, setting(t), []lint.Rule{instead("toy/one", "ONE", "1"), instead("toy/a", "a: 1", "a: 2")}).Found
	count := map[string]int{}
	for _, f := range found {
		count[f.Rule.ID+" "+string(f.Verdict)]++
	}
	if count["toy/one fail"] != 1000 || count["toy/one unknown"] != 1 || count["toy/a fail"] != 1 || len(found) != 1002 {
		t.Errorf("found %v", count)
	}
}

func TestLongLinesAreShortened(t *testing.T) {
	t.Parallel()
	p := project(t, map[string]string{"compose.yml": "a: ONE # " + strings.Repeat("ü", 5000) + "\n"})
	f := lint.Run(p, setting(t), []lint.Rule{instead("toy/one", "ONE", "1")}).Found[0].Check()
	if text := f.Evidence[0].Text; !strings.HasPrefix(text, "a: ONE # ü") || !strings.HasSuffix(text, "ü…") || len(text) > 510 {
		t.Errorf("%d bytes: %.40s", len(text), text)
	}
}
