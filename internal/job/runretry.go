package job

import (
	"errors"
	"fmt"

	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A Mend is a cure that was applied because a command ended badly.
type Mend struct {
	Title string
	Undo  string           // the entry of the journal
	Given []launch.Setting // what a new login would have, and the next run gets
}

// MendFor applies one safe cure of what a run died of. It takes no step of root,
// because nobody was asked.
func (s Surgeon) MendFor(r report.Run) (Mend, error) {
	causes := r.Explanation.Causes
	if len(causes) == 0 || causes[0].Confidence == explain.Possible {
		return Mend{}, errors.New("why it ended is not known well enough")
	}
	id := causes[0].Cause.ID
	plan, _, err := s.Plan(FixQuestion{Wish: fix.Wish{Only: []string{id}, Risk: remedy.Safe}})
	switch {
	case err != nil:
		return Mend{}, fmt.Errorf("the doctor finds nothing of %s on this machine", id)
	case len(plan.Cures) == 0:
		return Mend{}, fmt.Errorf("there is no safe cure of %s that rocsmith applies itself", id)
	case len(plan.Root()) > 0:
		return Mend{}, fmt.Errorf("the cure of %s needs root; rocsmith fix %s applies it", id, id)
	}
	outcome, err := s.Apply(plan)
	if err != nil {
		return Mend{}, err
	}
	m := Mend{Title: plan.Cures[0].Remedy.Title, Undo: outcome.Entry.ID}
	for _, v := range plan.Env {
		m.Given = append(m.Given, launch.Setting{Name: v.Name, Value: v.Value, Unset: v.Unset, Why: m.Title, Check: plan.Cures[0].Finding.Check})
	}
	return m, nil
}
