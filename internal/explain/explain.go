// Package explain finds out from logs what went wrong, and says how sure it is.
package explain

import (
	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// Verdict is the answer about a log.
type Verdict string

// The verdicts.
const (
	Failure Verdict = "failure"
	Benign  Verdict = "benign"  // nothing is broken
	Unknown Verdict = "unknown" // nothing in it is known
)

// Confidence says how sure an explanation is.
type Confidence string

// The grades, the best first.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Surroundings is what is known besides the log.
type Surroundings struct {
	GPUs     []string          // as the user named them, or as the machine has them: gfx1100
	Env      map[string]string // variables of the process that died
	Platform []cause.Platform
	Python   string           // its version, "3.12"
	Examined *machine.Machine // one that was looked at, and has an AMD GPU; nil where there is none
	Findings []check.Finding  // of that machine

	foreign bool // the log names a GPU of another maker, and none of AMD
}

// An Explanation is what a log says.
type Explanation struct {
	Verdict    Verdict
	Causes     []Suspect // the likeliest first
	Harmless   []Note    // texts that look bad and are not
	Recognised []Note    // other lines that are known
	Decide     string    // the command that tells the causes apart, where the log cannot
	GPUs       []string  // that the answer is about
}

// A Suspect is a cause that a log speaks for.
type Suspect struct {
	Cause       cause.Cause
	Confidence  Confidence
	Score       float64
	Why         string
	Evidence    []Evidence
	ConfirmedBy []string // checks of the machine that say the same
	Contradicts []string // checks of the machine that say otherwise
	Release     string   // whether another release of ROCm would help, where people advise that
	Values      map[string]string
	Remedies    []remedy.Remedy
	Fix         bool // rocsmith fix can apply one of them
}

// Evidence is a line of a log.
type Evidence struct {
	File  string
	Line  int64
	Text  string
	Count int // of lines like it
}

// A Note is a line that is known, and what it means.
type Note struct {
	Evidence
	Says string
}
