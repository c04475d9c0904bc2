package probe

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// A Judging is everything that a probe is judged by.
type Judging struct {
	Machine  *machine.Machine
	Found    []check.Finding // of the doctor, on the same machine
	Outcomes []Outcome
	Device   int
	// Explain names the cause that a text gives away, or "".
	Explain func(text string) string
}

// A Verdict is the answer of a whole probe.
type Verdict string

// The verdicts of a probe.
const (
	Passed    Verdict = "pass"         // everything that was asked passed
	Partial   Verdict = "partial"      // what could be tried passed; the rest has no library here, or no kernels by design
	Broken    Verdict = "fail"         // something that was tried did not pass
	NoGPU     Verdict = "no-device"    // there is no GPU here
	NoLibrary Verdict = "no-library"   // there is nothing here that could use a GPU
	NoStart   Verdict = "cannot-start" // the probe itself cannot start here
)

// A Report is a judged probe.
type Report struct {
	Version   string // of rocsmith
	Where     string // what was probed, where it is not this machine itself
	Verdict   Verdict
	GPU       GPU
	Gates     []Gate
	Anomalies []string
	Outcomes  []Outcome
	Findings  []check.Finding // what did not pass, by cause
	Health    *Health         // the last word on whether the GPU answers
	Left      string          // what could not be removed afterwards, and where it is
	Took      time.Duration
}

// A GPU is what was probed.
type GPU struct {
	Device    int
	Name      string
	Gfx       string // the real one, from the kernel
	Effective string // the one that programs see
	Override  string // "HSA_OVERRIDE_GFX_VERSION=10.3.0"; "" where none is set
	Runtime   string // the library of the HIP runtime
}

// Judge says what the outcomes mean on this machine.
func Judge(j Judging) Report {
	j.Outcomes = slices.Clone(j.Outcomes)
	for i, o := range j.Outcomes {
		j.Outcomes[i].Weight = j.weight(o)
	}
	r := Report{GPU: j.gpu(), Outcomes: j.Outcomes}
	r.Gates = j.gates(r.GPU)
	r.Anomalies = anomalies(r.Gates)
	for _, o := range j.Outcomes {
		if o.Health != nil {
			r.Health = o.Health
		}
	}
	r.Findings = j.findings()
	r.Verdict = j.overall()
	return r
}

// weight is what an outcome counts: ok, warn, fail, or skipped where the task
// does not apply here.
func (j Judging) weight(o Outcome) check.Verdict {
	switch v := o.Answer.Verdict; {
	case v == operation.Pass:
		return check.OK
	case v == operation.Skipped:
		return check.Skipped
	case v == operation.NoDevice && !j.offered() && o.Answer.Numbers["devices"] == 0:
		return check.Skipped
	default:
		return j.meaningOf(o).Weight
	}
}

// offered reports that the kernel offers a GPU, or might: then a runtime that
// sees none is a failure, not a machine without a GPU.
func (j Judging) offered() bool {
	return len(j.Machine.AMDGPUs()) > 0 || j.Machine.GPUs.Unread()
}

func (j Judging) overall() Verdict {
	count := map[check.Verdict]int{}
	said := map[operation.Verdict]bool{}
	for _, o := range j.Outcomes {
		said[o.Answer.Verdict] = true
		count[o.Weight]++
	}
	switch {
	case said[operation.CannotStart]:
		return NoStart
	case count[check.Fail] > 0:
		return Broken
	case count[check.OK] == 0 && (said[operation.NoDevice] || !j.offered()):
		return NoGPU
	case j.barren():
		return NoLibrary
	case len(j.Outcomes) == count[check.OK]:
		return Passed
	}
	return Partial
}

// barren reports that nothing but the runtime itself could be tried: of what was
// asked no library is here.
func (j Judging) barren() bool {
	missing := false
	for _, o := range j.Outcomes {
		missing = missing || o.Answer.Verdict == operation.NoLibrary
		if o.Answer.Verdict == operation.Pass && !slices.Contains(groundwork, o.Task.ID) {
			return false
		}
	}
	return missing
}

// groundwork are the tasks that others need, and that are asked with them.
var groundwork = []string{"init", "identity", "copy"}

// findings says for each cause which tasks it broke. A library that is missing
// is worth a finding only where nothing can be done without it.
func (j Judging) findings() []check.Finding {
	var out []check.Finding
	at := map[string]int{} // verdict, library and cause → place in out
	for _, o := range j.Outcomes {
		w := o.Weight
		fatal := o.Answer.Verdict == operation.NoLibrary && o.Task.ID == "init" && j.offered()
		if !fatal && w != check.Fail && w != check.Warn {
			continue
		}
		m := j.meaningOf(o)
		key := fmt.Sprint(o.Answer.Verdict, o.Task.Library, m.Cause)
		if i, told := at[key]; told {
			out[i].Evidence = append(out[i].Evidence, evidence(o)...)
			out[i].Subject += ", " + o.Task.ID
			continue
		}
		at[key] = len(out)
		out = append(out, j.finding(o, m, w))
	}
	return check.ByWeight(out)
}

func (j Judging) finding(o Outcome, m meaning, w check.Verdict) check.Finding {
	f := check.Finding{
		Check: "probe/" + o.Task.Operation, Subject: o.Task.ID, Verdict: w, Cause: m.Cause, Message: headline(o),
		Evidence: evidence(o),
	}
	if w == check.Skipped {
		f.Verdict = check.Unknown // nothing was tried
	}
	if o.Answer.Verdict == operation.NoDevice {
		j.blame(&f)
		return f
	}
	if c, known := cause.Lookup(m.Cause); known {
		f.Message += ". " + c.Meaning
	}
	f.Remedies = j.remedies(m)
	return f
}

// blame gives a runtime that sees no GPU its reason: HIP says the same for a
// missing node, a missing right and a hiding variable, and the doctor tells
// them apart.
func (j Judging) blame(f *check.Finding) {
	for _, d := range check.ByWeight(j.Found) {
		if d.Cause != "" && slices.Contains([]string{"access", "driver", "gpu"}, d.Area()) {
			f.Cause, f.Remedies = d.Cause, d.Remedies
			f.Message += ". The reason: " + d.Message
			f.Evidence = append(f.Evidence, d.Evidence...)
			return
		}
	}
}

// headline says what became of a task in a sentence.
func headline(o Outcome) string {
	a := o.Answer
	if a.Verdict == operation.CannotStart {
		return "The probe cannot start here"
	}
	words := map[operation.Verdict]string{
		operation.WrongResult:  "computes wrong results",
		operation.NoKernel:     "has no code for this GPU",
		operation.NoLibrary:    "is not here, or does not load",
		operation.NoDevice:     "sees no GPU",
		operation.NoPermission: "may not open the GPU",
		operation.NoMemory:     "gets no memory of the GPU",
		operation.GPUFault:     "makes the GPU fault",
		operation.Failed:       "refuses",
		operation.Crash:        "crashes",
		operation.Hang:         "hangs",
		operation.Slow:         "was still compiling or tuning when its time was over",
	}
	text := fmt.Sprintf("%s %s in %s", who(o.Task.Library), words[a.Verdict], o.Task.ID)
	if n := numbersOf(a); n != "" {
		text += ": " + n
	}
	return text
}

func who(library string) string {
	if library == "HIP runtime" {
		return "The HIP runtime"
	}
	return library
}

// numbersOf names the numbers by which a result is judged.
func numbersOf(a operation.Answer) string {
	if a.Verdict != operation.WrongResult {
		return ""
	}
	var parts []string
	for _, n := range []struct{ key, words string }{{"correlation", "correlation %.4g"}, {"max_abs_diff", "max diff %.4g"}, {"threshold", "allowed %.4g"}} {
		if v, ok := a.Numbers[n.key]; ok {
			parts = append(parts, fmt.Sprintf(n.words, v))
		}
	}
	return strings.Join(parts, ", ")
}

func evidence(o Outcome) []machine.Evidence {
	text := string(o.Answer.Verdict)
	if o.Answer.Why != "" {
		text += ": " + o.Answer.Why
	}
	out := []machine.Evidence{{From: machine.Source(o.Task.ID), Text: text}}
	if o.Answer.Library != "" {
		out = append(out, machine.Evidence{From: "loaded", Text: o.Answer.Library})
	}
	return out
}
