package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// after is the text of a file once everything was mended.
func after(m lint.Mended, name, before string) string {
	for _, c := range m.Changes {
		if c.File.Path == name {
			return string(c.After)
		}
	}
	return before
}

func TestMendsChangeNothingElse(t *testing.T) {
	t.Parallel()
	const text = "# one stays? no\r\na:   one  # why\r\n\r\nb: {c: two, d: [one]}\t\r\n"
	p := project(t, map[string]string{"compose.yml": text})
	m := lint.MendAll(p, setting(t), []lint.Rule{instead("toy/one", "one", "1"), instead("toy/two", "two", "2")})
	want := strings.NewReplacer("one", "1", "two", "2").Replace(text)
	if got := after(m, "compose.yml", text); got != want || len(m.Taken) != 4 || len(m.Refused) != 0 || len(m.Left.Found) != 0 {
		t.Errorf("became %q, want %q; %+v", got, want, m)
	}
	if string(p.Files[0].Data) != text {
		t.Error("the project itself was changed")
	}
}

// Where two mends touch the same bytes the first is made; the other is asked for
// again, of what became of the file.
func TestTheFirstOfTwoMendsWins(t *testing.T) {
	t.Parallel()
	const text = "a: one two\n"
	m := lint.MendAll(project(t, map[string]string{"compose.yml": text}), setting(t),
		[]lint.Rule{instead("toy/both", "one two", "three two"), instead("toy/two", "two", "2")})
	if got := after(m, "compose.yml", text); got != "a: three 2\n" || len(m.Taken) != 2 {
		t.Errorf("became %q, %d mends", got, len(m.Taken))
	}
	same := lint.MendAll(project(t, map[string]string{"compose.yml": "a: one\n"}), setting(t),
		[]lint.Rule{instead("toy/one", "one", "1"), instead("toy/uno", "one", "1")})
	if got := after(same, "compose.yml", ""); got != "a: 1\n" || len(same.Taken) != 2 {
		t.Errorf("the same mend of two rules made %q, %d mends", got, len(same.Taken))
	}
}

// Two insertions of one mend at one place come in their order; edits that take the
// same bytes are none.
func TestEditsOfOneMend(t *testing.T) {
	t.Parallel()
	mend := func(edits ...lint.Edit) string {
		rule := instead("toy/one", "one", "1")
		rule.Run = func(p *lint.Pass) {
			f := p.Of(lint.Compose)[0]
			if !strings.Contains(string(f.Data), "one") {
				return
			}
			for i := range edits {
				edits[i].File = f
			}
			p.Report(lint.Finding{File: f, Line: 1, Verdict: check.Fail, Message: "No.", Mend: &lint.Mend{Title: "Do", Edits: edits}})
		}
		return after(lint.MendAll(project(t, map[string]string{"compose.yml": "a: one\n"}), setting(t), []lint.Rule{rule}), "compose.yml", "as before")
	}
	if got := mend(lint.Edit{Start: 3, End: 6, New: "1"}, lint.Edit{Start: 7, End: 7, New: "b: 2\n"}, lint.Edit{Start: 7, End: 7, New: "c: 3\n"}); got != "a: 1\nb: 2\nc: 3\n" {
		t.Errorf("became %q", got)
	}
	if got := mend(lint.Edit{Start: 3, End: 6, New: "1"}, lint.Edit{Start: 5, End: 7, New: "2"}); got != "as before" {
		t.Errorf("became %q", got)
	}
	if got := mend(lint.Edit{Start: 3, End: 99, New: "1"}); got != "as before" {
		t.Errorf("became %q", got)
	}
}

func TestAMendThatBreaksTheFileIsRefused(t *testing.T) {
	t.Parallel()
	const text = "a: one\nb: two\n"
	m := lint.MendAll(project(t, map[string]string{"compose.yml": text}), setting(t),
		[]lint.Rule{instead("toy/one", "one", "[1"), instead("toy/two", "two", "2")})
	if got := after(m, "compose.yml", text); got != "a: one\nb: 2\n" {
		t.Errorf("became %q", got)
	}
	if len(m.Refused) != 1 || m.Refused[0].Found.Rule.ID != "toy/one" || !strings.Contains(m.Refused[0].Why, "would be damaged") {
		t.Errorf("refused %+v", m.Refused)
	}
}

func TestMendsThatUndoEachOtherAreRefused(t *testing.T) {
	t.Parallel()
	m := lint.MendAll(project(t, map[string]string{"compose.yml": "a: one\n"}), setting(t),
		[]lint.Rule{instead("toy/one", "one", "two"), instead("toy/two", "two", "one")})
	if len(m.Changes) != 0 || len(m.Refused) == 0 || len(m.Left.Found) != 1 {
		t.Errorf("changes %+v, refused %d, left %+v", m.Changes, len(m.Refused), m.Left.Found)
	}
}

func TestWhatIsSuppressedIsNotMended(t *testing.T) {
	t.Parallel()
	const text = "a: ONE # rocsmith-ignore: toy/one until 2027-01-31: it is old\nb: ONE\n"
	m := lint.MendAll(project(t, map[string]string{"compose.yml": text}), setting(t), []lint.Rule{instead("toy/one", "ONE", "1")})
	if got := after(m, "compose.yml", text); !strings.HasPrefix(got, "a: ONE # ") || !strings.HasSuffix(got, "\nb: 1\n") {
		t.Errorf("became %q", got)
	}
}

// A mend may be spread over files, and reach one that was not discovered.
func TestAMendOfTwoFilesIsMadeWhole(t *testing.T) {
	t.Parallel()
	rule := instead("toy/pair", "one", "1")
	rule.Run = func(p *lint.Pass) {
		f := p.Of(lint.Compose)[0]
		base, err := p.File("base.inc", lint.Compose)
		if err != nil || !strings.Contains(string(f.Data), "one") {
			return
		}
		p.Report(lint.Finding{File: f, Line: 1, Verdict: check.Fail, Message: "No.", Mend: &lint.Mend{Title: "Write 1", Edits: []lint.Edit{
			{File: f, Start: 3, End: 6, New: "1"}, {File: base, Start: 0, End: 1, New: "c"},
		}}})
	}
	p := project(t, map[string]string{"compose.yml": "a: one\n", "base.inc": "b: 1\n"})
	m := lint.MendAll(p, setting(t), []lint.Rule{rule})
	if got := after(m, "compose.yml", "") + after(m, "base.inc", ""); got != "a: 1\nc: 1\n" {
		t.Errorf("became %q; %+v", got, m.Refused)
	}
}

// A file that others include has a say in what is found in it.
func TestSuppressionInAnIncludedFile(t *testing.T) {
	t.Parallel()
	rule := instead("toy/one", "ONE", "1")
	rule.Run = func(p *lint.Pass) {
		f := lint.Shared(p.Project, "base", func() *lint.File {
			f, _ := p.File("base.inc", lint.Compose)
			return f
		})
		p.Report(lint.Finding{File: f, Line: 1, Verdict: check.Fail, Message: "No.", Advice: advice()})
	}
	p := project(t, map[string]string{"compose.yml": "a: 1\n", "base.inc": "a: ONE # rocsmith-ignore: toy/one until 2027-01-31: it is old\n"})
	if got := lint.Run(p, setting(t), []lint.Rule{rule}).Found; len(got) != 1 || got[0].By == nil {
		t.Errorf("found %+v", got)
	}
}

func FuzzMend(f *testing.F) {
	f.Add("a: one\nb: [two, one]\n", "one", "1", "two", "one\n")
	f.Add("a: 'x'\r\n", "'", "", "x", "\x00")
	f.Fuzz(func(t *testing.T, text, old1, new1, old2, new2 string) {
		if len(old1)*len(old2) == 0 || lint.WellFormed(lint.Compose, []byte(text)) != nil {
			return
		}
		m := lint.MendAll(project(t, map[string]string{"compose.yml": text}), setting(t),
			[]lint.Rule{instead("toy/a", old1, new1), instead("toy/b", old2, new2)})
		for _, c := range m.Changes {
			if err := lint.WellFormed(c.File.Kind, c.After); err != nil {
				t.Errorf("%q became %q: %v", text, c.After, err)
			}
		}
	})
}

// A person reads the plan beside the files as they are.
func TestWhatIsLeftKeepsItsLines(t *testing.T) {
	t.Parallel()
	const text = "a: one\nb: gone\nc: x\nd: left\ne: one\nf: left\n"
	left := instead("toy/left", "left", "left")
	find := left.Run
	left.Run = func(p *lint.Pass) {
		for _, f := range lint.Run(p.Project, p.Setting, []lint.Rule{{ID: "toy/found", Run: find}}).Found {
			f.Mend = nil
			p.Report(f.Finding)
		}
	}
	m := lint.MendAll(project(t, map[string]string{"compose.yml": text}), setting(t), []lint.Rule{
		instead("toy/gone", "b: gone\n", ""), instead("toy/one", "one", "two\n# m\n# n"), instead("toy/two", "# n", "# o three"), instead("toy/three", "three", "3"), left,
	})
	var got []string
	for _, f := range m.Left.Found {
		got = append(got, f.Place()+" "+f.Text())
	}
	if want := "compose.yml:4 d: left, compose.yml:6 f: left"; strings.Join(got, ", ") != want {
		t.Errorf("left %q, want %s", got, want)
	}
	got = nil
	for _, f := range m.Taken {
		got = append(got, fmt.Sprintf("%d %s", f.Line, f.Rule.ID))
	}
	if want := "1 toy/one, 2 toy/gone, 5 toy/one, 1 toy/two, 5 toy/two, 1 toy/three, 5 toy/three"; strings.Join(got, ", ") != want {
		t.Errorf("taken %q, want %s", got, want)
	}
}
