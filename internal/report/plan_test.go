package report_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// TestPlansSayTheSame: a folder is removed after what lies in it, a boot image is
// made when the files are back, and programs learn what people do.
func TestPlansSayTheSame(t *testing.T) {
	t.Parallel()
	cure := fix.Cure{
		Finding: check.Finding{Check: "a/b", Verdict: check.Fail, Message: "It is wrong"},
		Remedy:  remedy.Remedy{ID: "cure", Title: "Cure it", Steps: []remedy.Step{{Kind: remedy.Manual, Text: "restart the machine"}}},
	}
	p := fix.Plan{
		Cures: []fix.Cure{cure}, Ways: []string{"GRUB: press e"},
		Steps: []fix.Step{
			{Title: "make a", ByHand: "rmdir a"},
			{Title: "make a/b", ByHand: "rmdir a/b"},
			{Title: "edit x", ByHand: "edit x back", Boot: true},
			{Title: "rebuild", ByHand: "rebuild", Act: state.Act{Kind: state.Run, Refresh: true}},
			{Title: "menu", ByHand: "menu", Act: state.Act{Kind: state.Run, Refresh: true}},
		},
		Left: []fix.Left{{Finding: check.Finding{Check: "c/d", Verdict: check.Warn, Message: "It is odd"}, Why: "for you"}},
	}
	var text, data bytes.Buffer
	if err := report.Plan(&text, p, report.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := report.PlanJSON(&data, p); err != nil {
		t.Fatal(err)
	}
	var got struct {
		ByHand  []string `json:"by_hand"`
		Ways    []string `json:"if_it_does_not_start"`
		Login   bool     `json:"needs_login"`
		Restart bool     `json:"needs_restart"`
		Cures   []struct{ Verdict, Message string }
		Left    []struct{ Verdict, Message string }
	}
	if err := json.Unmarshal(data.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"edit x back", "rmdir a/b", "rmdir a", "rebuild", "menu"}; !slices.Equal(got.ByHand, want) {
		t.Errorf("by hand %q, want %q", got.ByHand, want)
	}
	if got.Login || !got.Restart || len(got.Ways) != 2 || got.Cures[0].Verdict != "fail" || got.Left[0].Verdict != "warn" {
		t.Errorf("it says %+v", got)
	}
	at, shown := 0, strings.Join(strings.Fields(text.String()), " ") // lines are broken where they are too long
	for _, want := range slices.Concat(got.ByHand, got.Ways, []string{got.Left[0].Message}) {
		i := strings.Index(shown[at:], want)
		if i < 0 {
			t.Fatalf("the text does not say %q after what the JSON says before it:\n%s", want, shown)
		}
		at += i
	}
}

// TestWaitingIsNoFailure: a group that a new login brings is still missing, and that
// is as it should be. What is written for everybody says what it costs.
func TestWaitingIsNoFailure(t *testing.T) {
	t.Parallel()
	e := state.Entry{Proofs: []state.Proof{
		{Check: "access/kfd", Before: "fail", After: "fail", Waits: "the next login"},
		{Check: "driver/x", Before: "fail", After: "fail", Says: "Another is wrong"},
	}}
	var out bytes.Buffer
	if err := report.Applied(&out, e, fix.Plan{}, report.Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-- access/kfd: was fail, and still is; it waits for the next login", "FAIL driver/x: was fail, now fail: Another is wrong"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	p := fix.Plan{Steps: []fix.Step{{Title: "write /etc/x.rules", Why: "from then on everybody may use it"}}}
	if err := report.Plan(&out, p, report.Style{}); err != nil || !strings.Contains(out.String(), "everybody may use it") {
		t.Errorf("the plan (%v):\n%s", err, out.String())
	}
}

// TestCasesSayTheSame: what the text tells of an attempt stands in the JSON.
func TestCasesSayTheSame(t *testing.T) {
	t.Parallel()
	entries := []state.Entry{{
		ID: "2026-11-15-1", Version: "1.2", Status: state.Kept,
		Steps:   []state.Step{{Act: state.Act{Path: "/x"}, Status: state.Kept, Note: "somebody changed it"}},
		Trials:  []state.Trial{{Task: "conv2d", Verdict: "pass"}},
		Expects: []state.Expected{{Parameter: "ttm.pages_limit", Want: "5"}},
		Wrote:   []state.Wrote{{Path: "/opt/kernels.co"}},
	}}
	entries[0].Steps = append(entries[0].Steps,
		state.Step{Act: state.Act{Kind: state.Install}, Had: map[string]string{"torch": "2.9.1+cpu", "numpy": "1"}, Has: map[string]string{"numpy": "1"}},
		state.Step{Act: state.Act{Kind: state.Install}, Had: map[string]string{"numpy": "1"}, Has: map[string]string{"torch": "2.9.1+rocm6.4", "numpy": "1", "triton": "3"}},
		state.Step{Act: state.Act{Kind: state.Own}, Owners: []state.Owned{{Path: "/home/ada/.cache/x", UID: 0, GID: 7, Mode: 0o644}}},
	)
	today := report.Today{Verdict: func(string, string) check.Verdict { return check.OK }, Others: func(state.Entry) []string { return []string{"/y"} }}
	var text, data bytes.Buffer
	if err := report.Case(&text, entries, today, report.Style{Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := report.CaseJSON(&data, entries, today); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.2", "conv2d", "somebody changed it", "/y", "/opt/kernels.co", "2.9.1+cpu", "triton", "/home/ada/.cache/x"} {
		if !strings.Contains(text.String(), want) || !strings.Contains(data.String(), want) {
			t.Errorf("%q does not stand in both:\n%s\n%s", want, text.String(), data.String())
		}
	}
	if strings.Contains(text.String(), "rocm6.4") || strings.Contains(text.String(), "numpy") || !strings.Contains(text.String(), "(0:7, 0644)") {
		t.Errorf("versions and owners before:\n%s", text.String())
	}
	if !strings.Contains(data.String(), "ttm.pages_limit") {
		t.Errorf("what the next start has to bring:\n%s", data.String())
	}
}

// TestTriedBefore: case asks doctor, which knows no rules of lint, and a cure that waits for
// a login is not called a failure for what its check said before.
func TestTriedBefore(t *testing.T) {
	t.Parallel()
	for want, tc := range map[string]struct {
		cure  state.Cure
		after check.Verdict
		waits string
		today check.Verdict
	}{
		"ok afterwards, not asked today": {
			cure: state.Cure{Title: "Pass /dev/kfd too", Check: "compose/kfd-missing", Subject: "compose.yaml:4"}, after: check.OK, today: check.Skipped,
		},
		"fail afterwards (it waited for the next login), fail today": {
			cure: state.Cure{Title: "Add ada to group render", Check: "access/kfd", Subject: "/dev/kfd"}, after: check.Fail, waits: "the next login", today: check.Fail,
		},
	} {
		entries := []state.Entry{{
			ID: "2026-11-15-1", Status: state.Undone, Cures: []state.Cure{tc.cure},
			Proofs: []state.Proof{{Check: tc.cure.Check, After: string(tc.after), Waits: tc.waits}},
		}}
		today := report.Today{Verdict: func(string, string) check.Verdict { return tc.today }, Others: func(state.Entry) []string { return nil }}
		var text bytes.Buffer
		if err := report.Case(&text, entries, today, report.Style{Width: 200}); err != nil {
			t.Fatal(err)
		}
		if words := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(words, want) {
			t.Errorf("%s", text.String())
		}
	}
}

// TestUndoingIsPlain: what somebody is asked about cannot be painted over by the
// name of a file.
func TestUndoingIsPlain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := state.Entry{ID: "2026-11-15-1", Titles: []string{"Move \x1b[2Ja aside", strings.Repeat("long ", 30)}}
	if err := report.Undoing(&out, e, []string{"rename /home/ada/\x1b[2Ja back"}, report.Style{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), "rename /home/ada/") {
		t.Errorf("it says %q", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 81 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
}
