package report

import (
	"io"
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

type jsonPlan struct {
	Schema int        `json:"schema"`
	Cures  []jsonCure `json:"cures"`
	Steps  []jsonStep `json:"steps"`
	Then   []string   `json:"then"`
	Left   []jsonLeft `json:"left"`
	Ways   []string   `json:"if_it_does_not_start"`
	// ByHand is the way back without rocsmith, in its order.
	ByHand  []string `json:"by_hand"`
	Login   bool     `json:"needs_login"`
	Restart bool     `json:"needs_restart"`
}

type jsonCure struct {
	Check   string        `json:"check"`
	Subject string        `json:"subject"`
	Cause   *string       `json:"cause"`
	Cure    string        `json:"cure"`
	Title   string        `json:"title"`
	Risk    remedy.Risk   `json:"risk"`
	From    string        `json:"from"` // where the fault was seen
	Verdict check.Verdict `json:"verdict"`
	Message string        `json:"message"`
}

type jsonStep struct {
	Title  string     `json:"title"`
	Kind   state.Kind `json:"kind"`
	Path   *string    `json:"path"`
	Root   bool       `json:"root"`
	Boot   bool       `json:"boot"`
	Detail string     `json:"detail"`
	ByHand string     `json:"by_hand"`
	Why    string     `json:"why"` // what a new file is for, and what it costs
}

type jsonLeft struct {
	Check   string        `json:"check"`
	Subject string        `json:"subject"`
	Why     string        `json:"why"`
	Verdict check.Verdict `json:"verdict"`
	Message string        `json:"message"`
}

// PlanJSON writes a plan for programs.
func PlanJSON(w io.Writer, p fix.Plan) error {
	out := jsonPlan{
		Schema: Schema, Cures: []jsonCure{}, Steps: []jsonStep{}, Then: append([]string{}, p.Then...), Left: []jsonLeft{}, Ways: append([]string{}, p.Rescue()...),
		ByHand: append([]string{}, p.ByHand()...), Login: slices.Contains(p.Waits(), fix.NewLogin), Restart: slices.Contains(p.Waits(), fix.Restart),
	}
	for _, c := range p.Cures {
		out.Cures = append(out.Cures, jsonCure{c.Finding.Check, c.Finding.Subject, orNull(c.Finding.Cause), c.Remedy.ID, c.Remedy.Title, c.Remedy.Risk, c.From, c.Finding.Verdict, c.Finding.Headline()})
	}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, jsonStep{s.Title, s.Act.Kind, orNull(s.Act.Path), s.Root, s.Boot, s.Detail, s.ByHand, s.Why})
	}
	for _, l := range p.Left {
		out.Left = append(out.Left, jsonLeft{l.Finding.Check, l.Finding.Subject, l.Why, l.Finding.Verdict, l.Finding.Headline()})
	}
	return asJSON(w, out)
}

type jsonCase struct {
	Schema  int           `json:"schema"`
	Entries []jsonAttempt `json:"entries"`
	// Contradictions are cures that ended differently at different times.
	Contradictions []string `json:"contradictions"`
}

type jsonAttempt struct {
	ID      string           `json:"id"`
	Time    string           `json:"time"`
	Status  state.Status     `json:"status"`
	Cures   []jsonTried      `json:"cures"`
	Others  []string         `json:"changed_since"` // files that are not what rocsmith wrote any more
	Version string           `json:"version"`       // of rocsmith
	Trials  []state.Trial    `json:"trials"`        // work on the GPU that was done to prove it
	Kept    []jsonKept       `json:"not_undone"`
	Expects []state.Expected `json:"expects"` // of the next start of the machine
	// What somebody has to know to take it back by hand.
	ByHand   []string          `json:"by_hand"`
	Rescue   []string          `json:"if_it_does_not_start"`
	Wrote    []string          `json:"wrote"`
	Packages map[string]string `json:"packages_before"` // that changed; "" was not there
	Owners   []state.Owned     `json:"owners_before"`
}

// jsonKept is a step that undo left alone.
type jsonKept struct {
	Step int     `json:"step"` // from 1
	Path *string `json:"path"`
	Why  string  `json:"why"`
}

func keptSteps(e state.Entry) []jsonKept {
	out := []jsonKept{}
	for i, s := range e.Steps {
		if s.Status == state.Kept {
			out = append(out, jsonKept{i + 1, orNull(s.Path), s.Note})
		}
	}
	return out
}

// jsonTried is a cure with what its check said before, afterwards and today.
type jsonTried struct {
	Cure    string        `json:"cure"`
	Title   string        `json:"title"`
	Check   string        `json:"check"`
	Subject string        `json:"subject"`
	Cause   *string       `json:"cause"`
	Before  *string       `json:"before"`
	After   *string       `json:"after"`
	Waits   *string       `json:"waits"`
	Restart *string       `json:"after_restart"` // what the check said after the start that it waited for
	Today   check.Verdict `json:"today"`
}

// CaseJSON writes what was tried, for programs.
func CaseJSON(w io.Writer, entries []state.Entry, now Today) error {
	out := jsonCase{Schema: Schema, Entries: []jsonAttempt{}, Contradictions: append([]string{}, contradictions(entries)...)}
	for _, e := range entries {
		attempt := jsonAttempt{
			ID: e.ID, Time: e.Time.Format("2006-01-02T15:04:05Z"), Status: e.Status, Cures: []jsonTried{}, Others: append([]string{}, now.Others(e)...),
			Version: e.Version, Trials: append([]state.Trial{}, e.Trials...), Kept: keptSteps(e), Expects: append([]state.Expected{}, e.Expects...),
			ByHand: append([]string{}, e.ByHand...), Rescue: append([]string{}, e.Rescue...), Wrote: wrote(e), Packages: packagesBefore(e), Owners: ownersBefore(e),
		}
		for i, c := range e.Cures {
			tried := jsonTried{Cure: c.ID, Title: c.Title, Check: c.Check, Subject: c.Subject, Cause: orNull(c.Cause)}
			if i < len(e.Proofs) {
				tried.Before, tried.After, tried.Waits = orNull(e.Proofs[i].Before), orNull(e.Proofs[i].After), orNull(e.Proofs[i].Waits)
				tried.Restart = orNull(e.Proofs[i].Restarted)
			}
			tried.Today = now.Verdict(c.Check, c.Subject)
			attempt.Cures = append(attempt.Cures, tried)
		}
		out.Entries = append(out.Entries, attempt)
	}
	return asJSON(w, out)
}
