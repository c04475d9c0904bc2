package job_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// TestActsAreGolden keeps what every cure that rocsmith applies does, on the first
// machine of the zoo that needs it. The tests of internal/state let every system
// call of each of them fail.
func TestActsAreGolden(t *testing.T) {
	t.Parallel()
	acts, applies := map[string][]state.Act{}, map[string]bool{}
	for _, a := range zoo(t) {
		d := diagnose(t, a.reader)
		if d.Machine.OS == "windows" {
			continue
		}
		for _, f := range d.Findings {
			for _, r := range f.Remedies {
				wish := fix.Wish{Only: []string{r.ID}, Risk: remedy.Disruptive, Pip: true}
				collect(acts, applies, r, fix.Make([]check.Finding{f}, wish, person(a, d.Machine), cage{a.reader, d.Machine, person(a, d.Machine).Home}))
			}
		}
	}
	causes, err := cause.All()
	if err != nil {
		t.Fatal(err)
	}
	a := specimen(t, healthy)
	m := diagnose(t, a.reader).Machine
	for _, c := range causes {
		made, err := explain.Remedies(c, m, []string{"gfx1100"}, nil)
		if err != nil || c.Family == cause.Benign {
			continue
		}
		for _, r := range made {
			p, err := planFor(t, a, job.FixQuestion{Wish: fix.Wish{Only: []string{c.ID}}})
			if err == nil {
				collect(acts, applies, r, p)
			}
		}
	}
	for id, can := range applies {
		if can && acts[id] == nil {
			t.Errorf("%s is applied on no machine of the zoo, so nothing lets its calls fail", id)
		}
	}
	data, err := json.MarshalIndent(acts, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cures: %v", len(acts), slices.Sorted(maps.Keys(acts)))
	golden(t, "../../testdata/acts.json", string(data)+"\n")
}

// collect keeps the acts of a plan for one cure, the first time.
func collect(acts map[string][]state.Act, applies map[string]bool, r remedy.Remedy, p fix.Plan) {
	applies[r.ID] = applies[r.ID] || r.Applies()
	if len(p.Steps) == 0 || acts[r.ID] != nil || len(p.Cures) != 1 || p.Cures[0].Remedy.ID != r.ID {
		return
	}
	for _, s := range p.Steps {
		acts[r.ID] = append(acts[r.ID], s.Act)
	}
}
