package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A FixQuestion is what somebody wants cured.
type FixQuestion struct {
	Wish      fix.Wish
	Logs      []explain.Input // of programs that failed here; none is what the doctor finds
	Catalogue cause.Catalogue // to read them by
	Probe     []byte          // what rocsmith probe --format json wrote here; nil where nobody asked
	ProbeName string
	Kernels   Kernels
}

// ErrElsewhere is a complaint about a machine without an AMD GPU.
var ErrElsewhere = errors.New("there is no AMD GPU here; what a log or a cause is about is cured on the machine that has it")

// ErrNothingNamed is a log or a probe in which nothing is known well enough to
// be cured.
var ErrNothingNamed = errors.New("names no cause that is certain or likely; rocsmith explain shows what it may be")

// A complaint is a cause that somebody or something else than the doctor names.
type complaint struct {
	cause    cause.Cause
	from     string // "train.log:18190"
	line     string
	verdict  check.Verdict
	against  []string // checks that say otherwise
	remedies []remedy.Remedy
}

// asked returns the findings that a plan is to be made of, and notes in the wish
// where causes were named that the doctor did not look for.
func (q *FixQuestion) asked(d report.Diagnosis) ([]check.Finding, error) {
	var list []complaint
	var err error
	switch {
	case len(q.Logs) > 0:
		list, err = q.logged(d)
	case q.Probe != nil:
		list, err = q.probed(d)
	default:
		list, err = q.named(d)
		if err == nil && len(list) == 0 {
			return d.Findings, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if d.NoAMDGPU() {
		return nil, ErrElsewhere
	}
	q.Wish.From = map[string]string{}
	var out []check.Finding
	for _, c := range list {
		q.Wish.From[c.cause.ID] = c.from
		out = append(out, c.findings(d)...)
	}
	if len(q.Logs) == 0 && q.Probe == nil { // and what else was named, which the doctor found
		out = append(out, slices.DeleteFunc(slices.Clone(d.Findings), func(f check.Finding) bool { return q.Wish.From[f.Cause] != "" })...)
	}
	return out, nil
}

// named are the causes among the names that the doctor does not find here.
func (q *FixQuestion) named(d report.Diagnosis) ([]complaint, error) {
	var out []complaint
	var gpus []string
	for _, g := range d.Machine.TargetGPUs() {
		gpus = append(gpus, d.Machine.EffectiveGfx(g))
	}
	for _, name := range q.Wish.Only {
		c, isCause := cause.Lookup(name)
		switch {
		case known(name, d.Findings):
			continue
		case !isCause:
			return nil, fmt.Errorf("nothing that was found has the name %s; rocsmith doctor names checks and causes, rocsmith kb cause all causes that are known", name)
		case c.Family == cause.Benign:
			return nil, fmt.Errorf("%s is harmless: %s", name, c.Title)
		}
		made, err := explain.Remedies(c, d.Machine, gpus, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, complaint{cause: c, from: "the command line", verdict: check.Warn, against: refuted(c, d.Findings), remedies: made})
	}
	return out, nil
}

// refuted are the checks that are fine only where this is not the cause.
func refuted(c cause.Cause, findings []check.Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Verdict == check.OK && slices.Contains(c.Refute, f.Check) && !slices.Contains(out, f.Check) {
			out = append(out, f.Check)
		}
	}
	return out
}

// logged are the causes that logs name, where they are certain or likely on this
// machine.
func (q *FixQuestion) logged(d report.Diagnosis) ([]complaint, error) {
	log, err := explain.Read(context.Background(), q.Logs, q.Catalogue, nil)
	if err != nil {
		return nil, err
	}
	e, err := explain.Judge(log, q.Catalogue, around(explain.Surroundings{}, d))
	if err != nil {
		return nil, err
	}
	var out []complaint
	for _, s := range e.Causes {
		if s.Confidence == explain.Possible {
			continue
		}
		c := complaint{cause: s.Cause, verdict: check.Fail, against: s.Contradicts, remedies: s.Remedies}
		if len(s.Evidence) > 0 {
			c.from, c.line = fmt.Sprintf("%s:%d", s.Evidence[0].File, s.Evidence[0].Line), s.Evidence[0].Text
		}
		out = append(out, c)
	}
	if len(out) == 0 && e.Verdict != explain.Benign {
		return nil, fmt.Errorf("%s: the log %w", strings.Join(log.Names, ", "), ErrNothingNamed)
	}
	return out, nil
}

// probed are the causes that a probe of this machine names. Its cures are made
// anew: a file is not where commands come from.
func (q *FixQuestion) probed(d report.Diagnosis) ([]complaint, error) {
	results, err := operation.ParseResults(q.Probe)
	if err != nil {
		return nil, err
	}
	if err := sameGPU(d.Machine, results); err != nil {
		return nil, err
	}
	var in struct {
		Findings []check.Finding `json:"findings"`
	}
	if err := json.Unmarshal(q.Probe, &in); err != nil {
		return nil, fmt.Errorf("read the report of a probe: %w", err)
	}
	var out []complaint
	for _, f := range in.Findings {
		c, known := cause.Lookup(f.Cause)
		if !known || !f.Verdict.Worse(check.OK) || slices.ContainsFunc(out, func(o complaint) bool { return o.cause.ID == c.ID }) {
			continue
		}
		made, err := explain.Remedies(c, d.Machine, []string{results.Gfx}, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, complaint{cause: c, from: q.ProbeName, line: f.Headline(), verdict: f.Verdict, remedies: made})
	}
	if len(out) == 0 && slices.ContainsFunc(in.Findings, func(f check.Finding) bool { return f.Verdict == check.Fail }) {
		return nil, fmt.Errorf("%s: the probe %w", q.ProbeName, ErrNothingNamed)
	}
	return out, nil
}

// findings are those of the doctor where it finds the same cause: it knows the
// file, the group and the number. Else there is the catalogue's advice.
func (c complaint) findings(d report.Diagnosis) []check.Finding {
	var own []check.Finding
	for _, f := range d.Findings {
		if f.Cause == c.cause.ID && f.Verdict.Worse(check.OK) && f.Verdict != check.Unknown && len(f.Remedies) > 0 {
			own = append(own, f)
		}
	}
	if len(own) > 0 {
		return own
	}
	message := c.cause.Title
	if len(c.against) > 0 {
		message += ". The doctor says otherwise, now: " + strings.Join(c.against, ", ") + " found nothing wrong"
	}
	f := check.Finding{Subject: c.from, Verdict: c.verdict, Cause: c.cause.ID, Message: message, Remedies: c.remedies}
	if c.line != "" {
		f.Evidence = []machine.Evidence{{From: machine.Source(c.from), Text: c.line}}
	}
	return []check.Finding{f}
}
