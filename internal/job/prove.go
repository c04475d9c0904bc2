package job

import (
	"path"
	"slices"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/state"
)

// prove asks the checks of the cures again, as a new login would see the machine.
func (s Surgeon) prove(e *state.Entry, p fix.Plan, out Outcome) {
	if len(p.Cures) == 0 {
		return // somebody asked for a file; no check speaks of it
	}
	const pause = 200 * time.Millisecond
	d, err := s.ask(e, p, out, pause, func() (report.Diagnosis, error) {
		return Diagnose(nextLogin{s.Host, p.Env}, s.Version, Question{}, s.Now)
	})
	if err != nil { // nothing was asked, and that is no proof
		for i := range e.Proofs {
			e.Proofs[i].After = string(check.Unknown)
		}
		return
	}
	if len(out.Rest) == 0 && !s.stopped() {
		e.Trials = s.try(p, d)
	}
}

// ask looks at the machine once; after a word to udev, which does its work when udevadm
// trigger has long returned, also some times more where a check is not content yet.
func (s Surgeon) ask(e *state.Entry, p fix.Plan, out Outcome, pause time.Duration, look func() (report.Diagnosis, error)) (report.Diagnosis, error) {
	turns := 1
	if len(out.Rest) == 0 && slices.ContainsFunc(p.Steps, triggersUdev) {
		turns = 5
	}
	for {
		d, err := look()
		e.Proofs = s.proofs(p, out, d)
		turns--
		if err != nil || turns == 0 || s.stopped() || !slices.ContainsFunc(e.Proofs, mayBeEarly) {
			return d, err
		}
		time.Sleep(pause) //nolint:forbidigo // udev tells nobody when it has done what a trigger asked for
	}
}

func triggersUdev(s fix.Step) bool {
	return s.Act.Kind == state.Run && len(s.Act.Argv) > 1 && path.Base(s.Act.Argv[0]) == "udevadm" && s.Act.Argv[1] == "trigger"
}

// mayBeEarly tells of a check that is not content, and waits for nothing that is known.
func mayBeEarly(p state.Proof) bool {
	return p.Waits == "" && check.Verdict(p.After).Worse(check.OK)
}

func (s Surgeon) proofs(p fix.Plan, out Outcome, d report.Diagnosis) []state.Proof {
	proofs := make([]state.Proof, 0, len(p.Cures))
	for _, c := range p.Cures {
		proof := state.Proof{Check: c.Finding.Check, Before: string(c.Finding.Verdict), AskedAt: s.Now().UTC()}
		if proof.Check == "" {
			proofs = append(proofs, s.proveLogged(proof, c.Remedy, d.Findings))
			continue
		}
		proof.After = string(Verdict(d.Findings, c.Finding.Check, c.Finding.Subject))
		if after := check.Verdict(proof.After); after.Worse(check.OK) || after == check.Skipped {
			proof.Waits = waitsFor(c.Remedy)
			if len(out.Rest) > 0 {
				proof.Waits = "the steps of root"
			}
			if proof.Waits == "" {
				proof.Says = says(d.Findings, c.Finding)
			}
		}
		proofs = append(proofs, proof)
	}
	return proofs
}

// says is what a check finds wrong with the subject of a finding that was cured.
func says(findings []check.Finding, cured check.Finding) string {
	i := slices.IndexFunc(findings, func(f check.Finding) bool {
		return f.Check == cured.Check && f.Subject == cured.Subject && f.Verdict.Worse(check.OK)
	})
	if i < 0 {
		return ""
	}
	return findings[i].Headline()
}

// proveLogged asks the checks of a cure for what no check had found: they can
// show that something is still wrong, and only the program that it is right.
func (s Surgeon) proveLogged(proof state.Proof, r remedy.Remedy, findings []check.Finding) state.Proof {
	worst := check.Skipped
	for _, f := range findings {
		if slices.Contains(r.Proof, f.Check) && (f.Verdict.Worse(worst) || proof.Check == "") {
			worst, proof.Check = f.Verdict, f.Check
		}
	}
	proof.After = string(worst)
	if worst != check.Fail {
		proof.Waits = "the next run of the program"
	}
	return proof
}

// Verdict is what a check says of a subject. One that is not spoken of any more
// is fine where the check was asked at all, and could read what it asked for:
// where it could not, the subject may be what it did not see.
func Verdict(findings []check.Finding, id, subject string) check.Verdict {
	asked := check.Skipped
	for _, f := range findings {
		switch {
		case f.Check == id && f.Subject == subject:
			return f.Verdict
		case f.Check != id || f.Verdict == check.Skipped || asked == check.Unknown:
		case f.Verdict == check.Unknown:
			asked = check.Unknown
		default:
			asked = check.OK
		}
	}
	return asked
}

func waitsFor(r remedy.Remedy) string {
	switch {
	case r.NeedsLogin():
		return nextLoginWaits
	case r.NeedsRestart():
		return nextStart
	}
	return ""
}
