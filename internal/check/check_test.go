package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// asking returns a check that finds what it is told to.
func asking(id string, v check.Verdict, needs ...string) check.Check {
	return check.Check{ID: id, Title: "T " + id, Doc: "d", Needs: needs, Run: func(check.Input) []check.Finding {
		return []check.Finding{{Subject: "s", Verdict: v, Message: "m"}}
	}}
}

func TestRunSkipsSymptoms(t *testing.T) {
	t.Parallel()
	nothing := check.Check{ID: "a/none", Title: "t", Doc: "d", Run: func(check.Input) []check.Finding { return nil }}
	broken := check.Check{ID: "a/broken", Title: "t", Doc: "d", Run: func(check.Input) []check.Finding { panic("ouch") }}
	tests := []struct {
		name   string
		checks []check.Check
		want   []check.Verdict
	}{
		{"ok lets through", []check.Check{asking("a/1", check.OK), asking("a/2", check.Fail, "a/1")}, []check.Verdict{check.OK, check.Fail}},
		{"warn lets through", []check.Check{asking("a/1", check.Warn), asking("a/2", check.OK, "a/1")}, []check.Verdict{check.Warn, check.OK}},
		{"fail blocks", []check.Check{asking("a/1", check.Fail), asking("a/2", check.OK, "a/1")}, []check.Verdict{check.Fail, check.Skipped}},
		{"unknown blocks", []check.Check{asking("a/1", check.Unknown), asking("a/2", check.OK, "a/1")}, []check.Verdict{check.Unknown, check.Skipped}},
		{"blocked blocks on", []check.Check{asking("a/1", check.Fail), asking("a/2", check.OK, "a/1"), asking("a/3", check.OK, "a/2")}, []check.Verdict{check.Fail, check.Skipped, check.Skipped}},
		{"no meaning blocks nothing", []check.Check{asking("a/1", check.Skipped), asking("a/2", check.OK, "a/1")}, []check.Verdict{check.Skipped, check.OK}},
		{"left out blocks nothing", []check.Check{asking("a/2", check.OK, "a/1")}, []check.Verdict{check.OK}},
		{"no finding is skipped", []check.Check{nothing}, []check.Verdict{check.Skipped}},
		{"a panic is unknown", []check.Check{broken, asking("a/2", check.OK)}, []check.Verdict{check.Unknown, check.OK}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []check.Verdict
			for _, f := range check.Run(tt.checks, check.Input{Machine: &machine.Machine{}}) {
				got = append(got, f.Verdict)
				if !strings.HasPrefix(f.Check, "a/") {
					t.Errorf("a finding of no check: %+v", f)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestOverall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give []check.Verdict
		want check.Verdict
	}{
		{nil, check.Unknown},
		{[]check.Verdict{check.Skipped}, check.Unknown},
		{[]check.Verdict{check.OK, check.Skipped}, check.OK},
		{[]check.Verdict{check.OK, check.Warn}, check.Warn},
		{[]check.Verdict{check.Warn, check.Unknown, check.OK}, check.Unknown},
		{[]check.Verdict{check.Unknown, check.Fail, check.Warn}, check.Fail},
	}
	for _, tt := range tests {
		var findings []check.Finding
		for _, v := range tt.give {
			findings = append(findings, check.Finding{Verdict: v})
		}
		if got := check.Overall(findings); got != tt.want {
			t.Errorf("Overall(%v) = %s, want %s", tt.give, got, tt.want)
		}
	}
}

func TestByWeight(t *testing.T) {
	t.Parallel()
	in := []check.Finding{{Check: "1", Verdict: check.Warn}, {Check: "2", Verdict: check.OK}, {Check: "3", Verdict: check.Fail}, {Check: "4", Verdict: check.Unknown}, {Check: "5", Verdict: check.Fail}, {Check: "6", Verdict: check.Skipped}}
	var got string
	for _, f := range check.ByWeight(in) {
		got += f.Check
	}
	if got != "3541" {
		t.Errorf("order %s, want 3541", got)
	}
}

func TestHeadline(t *testing.T) {
	t.Parallel()
	tests := []struct{ message, head, rest string }{
		{"It is so", "It is so", ""},
		{"It is so.", "It is so", ""},
		{"It is so. Because of that.", "It is so", "Because of that."},
		{"Version 6.8.0 fits. Fine.", "Version 6.8.0 fits", "Fine."},
	}
	for _, tt := range tests {
		f := check.Finding{Message: tt.message}
		if f.Headline() != tt.head || f.Explanation() != tt.rest {
			t.Errorf("%q: %q and %q", tt.message, f.Headline(), f.Explanation())
		}
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	list := []check.Check{asking("gpu/a", check.OK), asking("driver/b", check.OK, "gpu/a"), asking("access/c", check.OK, "driver/b"), asking("gpu/d", check.OK)}
	tests := []struct {
		name       string
		sel        check.Selection
		run, shown string // ids without area
		err        string
	}{
		{"all", check.Selection{}, "abcd", "abcd", ""},
		{"an area", check.Selection{Only: []string{"access"}}, "abc", "c", ""},
		{"a glob", check.Selection{Only: []string{"gpu/*"}}, "ad", "ad", ""},
		{"skip", check.Selection{Skip: []string{"driver/b"}}, "acd", "acd", ""},
		{"skip a prerequisite", check.Selection{Only: []string{"access/c"}, Skip: []string{"driver"}}, "ac", "c", ""},
		{"no match", check.Selection{Only: []string{"acess/*"}}, "", "", `no check matches "acess/*"`},
		{"no match to skip", check.Selection{Skip: []string{"zzz"}}, "", "", `no check matches "zzz"`},
		{"bad glob", check.Selection{Only: []string{"a["}}, "", "", "pattern"},
		{"nothing left", check.Selection{Only: []string{"gpu/d"}, Skip: []string{"gpu"}}, "", "", "nothing is left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run, wanted, err := tt.sel.Apply(list)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q in it", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var ran, shown string
			for _, c := range run {
				letter := c.ID[len(c.ID)-1:]
				ran += letter
				if wanted(c.ID) {
					shown += letter
				}
			}
			if ran != tt.run || shown != tt.shown {
				t.Errorf("runs %s and shows %s, want %s and %s", ran, shown, tt.run, tt.shown)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := asking("a/b", check.OK)
	bad := good
	bad.Doc = ""
	tests := []struct {
		name string
		list []check.Check
		want string
	}{
		{"good", []check.Check{good, asking("a/c", check.OK, "a/b")}, ""},
		{"no slash", []check.Check{asking("ab", check.OK)}, "not area/name"},
		{"two slashes", []check.Check{asking("a/b/c", check.OK)}, "not area/name"},
		{"twice", []check.Check{good, good}, "taken"},
		{"no doc", []check.Check{bad}, "must be set"},
		{"needs a later one", []check.Check{asking("a/c", check.OK, "a/b"), good}, "not earlier"},
	}
	for _, tt := range tests {
		err := check.Validate(tt.list)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
