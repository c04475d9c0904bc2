package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// preflight says what stands in the way before the start, or stops it.
func preflight(q RunQuestion, env report.Environment) error {
	wrong, missing := noGPU(env.Diagnosis)
	if !missing {
		wrong, missing = hiddenGPU(env.Diagnosis)
	}
	if !missing {
		wrong = hindrance(q.Place, env)
	}
	switch {
	case wrong == "":
	case q.RequireGPU, q.Place.Strict() && !missing:
		return errors.New(wrong)
	default:
		q.Say(wrong + "; that does not stop the command")
	}
	if settings := taken(q.Place, env.Settings); len(settings) > 0 {
		for _, line := range report.SettingLines(settings, q.Verbose) {
			q.Say(line)
		}
	}
	return nil
}

// noGPU says that there is none, which is no failure of anything: a container may
// still do its work on the processor.
func noGPU(d report.Diagnosis) (why string, none bool) {
	switch {
	case d.NoAMDGPU():
		return "there is no AMD GPU here", true
	case d.Machine.GPUs.Unread():
		return "whether there is an AMD GPU could not be read", true
	}
	return "", false
}

// hiddenGPU says that somebody hid every GPU with -1, which is the way to compute on the
// processor: it is for --require-gpu alone to stop that.
func hiddenGPU(d report.Diagnosis) (why string, hidden bool) {
	isVisible := func(f check.Finding) bool { return f.Check == "gpu/visible" && f.Verdict == check.Fail }
	i := slices.IndexFunc(d.Findings, isVisible)
	if i < 0 {
		return "", false
	}
	for _, name := range []string{"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"} {
		if value, set := d.Machine.Variable(name); set && strings.TrimSpace(value) == "-1" {
			return name + "=-1 hides every GPU", true
		}
	}
	return "", false
}

// hindrance is the first thing that keeps a command in a place from the GPU, and
// that no variable cures; "" where there is none.
func hindrance(p Place, env report.Environment) string {
	for _, f := range check.ByWeight(env.Findings) {
		if f.Verdict == check.Fail && concerns(p, f) && !cured(f, env.Settings) {
			return fmt.Sprintf("%s (%s; rocsmith doctor shows the cure)", f.Headline(), f.Check)
		}
	}
	return ""
}

// concerns tells whether a finding about the machine says something of a place.
func concerns(p Place, f check.Finding) bool {
	if c, ok := p.(contained); ok {
		return c.concerns(f)
	}
	return true
}

// A contained place has software of its own, and takes from the machine only what
// it is handed.
type contained interface {
	concerns(f check.Finding) bool
	takes(s launch.Setting) bool
}

// taken are the settings that hold in a place.
func taken(p Place, settings []launch.Setting) []launch.Setting {
	c, ok := p.(contained)
	if !ok {
		return settings
	}
	return slices.DeleteFunc(slices.Clone(settings), func(s launch.Setting) bool { return !c.takes(s) })
}

// cured tells of a finding that goes when the command starts. Settings that were in force
// when it was found have not cured it.
func cured(f check.Finding, settings []launch.Setting) bool {
	for _, s := range settings {
		if s.Check == f.Check && s.Subject == f.Subject && (isNotYet(s) || s.Prepend) {
			return true
		}
	}
	return false
}
