package explain

import (
	"slices"

	"github.com/rocsmith/rocsmith/internal/check"
)

// ask holds each suspect to what was found on the machine. A cause that a check names as well is confirmed; one whose
// check is content is struck, unless a line of the log names it: then both are shown.
func (j *judge) ask(out *Explanation) {
	if j.surroundings.Examined == nil {
		return
	}
	for i := range out.Causes {
		s := &out.Causes[i]
		for _, f := range j.surroundings.Findings {
			switch {
			case (f.Verdict == check.Fail || f.Verdict == check.Warn) && f.Cause == s.Cause.ID:
				s.ConfirmedBy = append(s.ConfirmedBy, f.Check)
				s.Remedies = append(s.Remedies, f.Remedies...)
			case f.Verdict == check.OK && slices.Contains(s.Cause.Refute, f.Check):
				s.Contradicts = append(s.Contradicts, f.Check)
			}
		}
		s.ConfirmedBy = slices.Compact(slices.Sorted(slices.Values(s.ConfirmedBy)))
		s.Contradicts = slices.Compact(slices.Sorted(slices.Values(s.Contradicts)))
		switch {
		case len(s.ConfirmedBy) > 0:
			s.Contradicts = nil
			s.Score = 1 - (1-s.Score)*(1-certainFrom)
		case len(s.Contradicts) > 0:
			s.Score *= againstFactor
		}
		s.Confidence = grade(s.Score)
	}
	out.Causes = slices.DeleteFunc(out.Causes, func(s Suspect) bool {
		return len(s.Contradicts) > 0 && s.Score < worth["weak"]
	})
}
