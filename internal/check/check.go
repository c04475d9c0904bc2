// Package check defines what a check is, what it finds, and how a list of checks is run; it does no input or output.
package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A Check is one question about a machine.
type Check struct {
	ID    string   // "access/kfd": area/name, stable for ever
	Title string   // the good state as a sentence: "You may open /dev/kfd"
	Doc   string   // Markdown; docs/checks.md is made from it
	Needs []string // must hold first, else skipped: causes before symptoms
	Run   func(Input) []Finding
}

// Area returns the part of the id before the slash.
func (c Check) Area() string {
	area, _, _ := strings.Cut(c.ID, "/")
	return area
}

// An Area groups checks for a reader.
type Area struct {
	Name string
	// Voices are the checks that speak for the area when all is well, the most
	// telling first.
	Voices []string
	// Quiet areas are not mentioned where nothing of them was asked: most
	// machines have no part that they are about.
	Quiet bool
	// Each finding of the area has a line of its own: it answers a question that
	// somebody asked.
	Each bool
}

// An Input is what a check may look at.
type Input struct {
	Machine *machine.Machine
	// Operations and Services are what an application needs.
	Operations []string
	Services   []operation.Service
	// Probed is what real work on the GPU showed; only the checks on what an
	// application needs look at it.
	Probed operation.Results
	// Found is what the checks before this one found.
	Found []Finding
}

// A Verdict is the answer to a check's question.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Warn    Verdict = "warn"
	Fail    Verdict = "fail"
	Unknown Verdict = "unknown" // we looked and cannot tell
	Skipped Verdict = "skipped" // not asked: it needs something else first, or has no meaning here
)

// rank orders verdicts by how much a person must hear of them. Not knowing is
// worse than a warning: a warning says that the GPU can be used.
func (v Verdict) rank() int {
	return slices.Index([]Verdict{Skipped, OK, Warn, Unknown, Fail}, v)
}

// Worse reports whether v must be heard before w.
func (v Verdict) Worse(w Verdict) bool { return v.rank() > w.rank() }

// A Finding is the answer of one check about one subject.
type Finding struct {
	Check    string             `json:"check"`
	Subject  string             `json:"subject"` // ("access/kfd", "uid 1000") identifies it across runs
	Verdict  Verdict            `json:"verdict"`
	Cause    string             `json:"cause,omitempty"` // id in the cause catalogue
	Message  string             `json:"message"`         // to a person: the headline sentence, then why it matters
	Evidence []machine.Evidence `json:"evidence"`
	Remedies []remedy.Remedy    `json:"remedies"` // alternatives; at most one is applied
}

// Headline is the first sentence of the message.
func (f Finding) Headline() string {
	head, _ := f.sentences()
	return head
}

// Explanation is what follows the headline; it may be empty.
func (f Finding) Explanation() string {
	_, rest := f.sentences()
	return rest
}

func (f Finding) sentences() (head, rest string) {
	head, rest, found := strings.Cut(f.Message, ". ")
	if !found {
		return strings.TrimSuffix(f.Message, "."), ""
	}
	return head, rest
}

// Area returns the area of the check.
func (f Finding) Area() string { return Check{ID: f.Check}.Area() }

// CannotTell is the finding for a fact that nobody could read.
func CannotTell(subject, question string, from machine.Source, why string) Finding {
	if why == "" {
		why = "it was not looked at"
	}
	f := Finding{Subject: subject, Verdict: Unknown, Message: fmt.Sprintf("Not judged: %s. %s", question, sentence(why))}
	if from != "" {
		f.Evidence = []machine.Evidence{{From: from, Text: why}}
	}
	return f
}

// NotHere is the finding for a question without meaning on this machine, or
// whose source is closed to this user.
func NotHere(subject, why string) Finding {
	return Finding{Subject: subject, Verdict: Skipped, Message: "Not asked: " + why + "."}
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// Validate says what is wrong with a list of checks.
func Validate(checks []Check) error {
	var errs []error
	seen := map[string]bool{}
	for _, c := range checks {
		if err := c.validate(seen); err != nil {
			errs = append(errs, fmt.Errorf("check %q: %w", c.ID, err))
		}
		seen[c.ID] = true
	}
	return errors.Join(errs...)
}

// validate wants prerequisites to stand earlier in the list, which also rules
// out cycles and makes the list itself the order of decisiveness.
func (c Check) validate(earlier map[string]bool) error {
	area, name, found := strings.Cut(c.ID, "/")
	switch {
	case !found || area == "" || name == "" || strings.Contains(name, "/"):
		return errors.New("the id is not area/name")
	case earlier[c.ID]:
		return errors.New("the id is taken")
	case c.Title == "" || c.Doc == "" || c.Run == nil:
		return errors.New("title, doc and run must be set")
	}
	for _, need := range c.Needs {
		if !earlier[need] {
			return fmt.Errorf("needs %q, which is not earlier in the list", need)
		}
	}
	return nil
}
