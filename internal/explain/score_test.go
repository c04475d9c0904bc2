package explain

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// A scored is one real failure.
type scored struct {
	ID      string          `json:"id"`
	Source  string          `json:"source"`
	GPU     string          `json:"gpu"`
	Log     string          `json:"log"`
	Cause   string          `json:"cause"`
	Accept  []string        `json:"accept"`
	FromLog string          `json:"from_log"`
	Context json.RawMessage `json:"context"`
}

func (c scored) surroundings() Surroundings {
	var context struct {
		Env map[string]string `json:"env"`
	}
	_ = json.Unmarshal(c.Context, &context) // what is no mapping of texts is left out
	s := Surroundings{Env: context.Env}
	if gfx := regexp.MustCompile(`gfx[0-9a-f]{3,4}`).FindString(c.GPU); gfx != "" {
		s.GPUs = []string{gfx}
	}
	return s
}

// without leaves out the signatures that are known from one case alone.
func without(c cause.Catalogue, source string) cause.Catalogue {
	c.Signatures = slices.DeleteFunc(slices.Clone(c.Signatures), func(s cause.Signature) bool {
		return len(s.Source) == 1 && s.Source[0] == source
	})
	return c
}

type figures struct{ cases, top1, top3, family, silent int }

func (f *figures) add(c scored, e Explanation, families map[string]string) bool {
	got := ids(e)
	ok := func(id string) bool { return slices.Contains(c.Accept, id) }
	f.cases++
	if len(got) == 0 {
		f.silent++
		return false
	}
	if ok(got[0]) {
		f.top1++
	}
	if slices.ContainsFunc(got[:min(3, len(got))], ok) {
		f.top3++
	}
	if slices.ContainsFunc(c.Accept, func(id string) bool { return families[id] == e.Causes[0].Cause.Family }) {
		f.family++
	}
	return ok(got[0])
}

// A calibration counts, for each confidence, how often the first answer was right.
type calibration map[Confidence]*struct{ answers, right int }

func (c calibration) add(e Explanation, right bool) {
	if len(e.Causes) == 0 {
		return
	}
	grade := e.Causes[0].Confidence
	if c[grade] == nil {
		c[grade] = &struct{ answers, right int }{}
	}
	c[grade].answers++
	if right {
		c[grade].right++
	}
}

func percent(n, of int) int { return (100*n + of/2) / max(of, 1) }

// TestScore prints how often the true cause is named first. It is run by scripts/score-explain, on cases that are not
// part of the repository.
func TestScore(t *testing.T) {
	t.Parallel()
	name := os.Getenv("ROCSMITH_CASES")
	if name == "" {
		t.Skip("run by scripts/score-explain")
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	c := written(t)
	families := map[string]string{}
	for _, one := range c.Causes {
		families[one.ID] = one.Family
	}
	var all, answerable figures
	harmless, alarms := 0, 0
	graded := calibration{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var one scored
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		catalogue := c
		if os.Getenv("ROCSMITH_WITHOUT") == "1" {
			catalogue = without(c, one.Source)
		}
		e := explained(t, catalogue, one.Log, one.surroundings())
		if families[one.Cause] == cause.Benign {
			harmless++
			if e.Verdict == Failure {
				alarms++
				t.Logf("alarm %s: %v", one.ID, ids(e))
			}
			continue
		}
		hit := all.add(one, e, families)
		graded.add(e, hit)
		if one.FromLog != "no" {
			answerable.add(one, e, families)
		}
		if !hit && os.Getenv("ROCSMITH_VERBOSE") == "1" {
			got := ids(e)
			t.Logf("miss %s: wants %s, got %v", one.ID, one.Accept, got[:min(3, len(got))])
		}
	}
	for what, f := range map[string]figures{"all": all, "answerable from the log": answerable} {
		t.Logf("%s: failures %d, top1 %d%%, top3 %d%%, family %d%%, silent %d%%", what, f.cases,
			percent(f.top1, f.cases), percent(f.top3, f.cases), percent(f.family, f.cases), percent(f.silent, f.cases))
	}
	t.Logf("harmless %d, alarms %d", harmless, alarms)
	for _, grade := range []Confidence{Certain, Likely, Possible} {
		if g := graded[grade]; g != nil {
			t.Logf("%s: %d answers, %d%% right", grade, g.answers, percent(g.right, g.answers))
		}
	}
	if all.cases == 0 {
		t.Error("there are no cases")
	}
	if floor := os.Getenv("ROCSMITH_FLOOR") == "1"; floor && (percent(all.top1, all.cases) < 90 || percent(all.top3, all.cases) < 95 || percent(all.family, all.cases) < 95 || alarms > 0) {
		t.Error("this is below the floor: top1 90, top3 95, family 95, alarms 0")
	}
}
