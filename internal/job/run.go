package job

import (
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A RunQuestion is what somebody wants to be run.
type RunQuestion struct {
	Argv       []string
	Environ    []string // of rocsmith itself
	Place      Place    // nil is the machine itself
	RequireGPU bool     // a failing check stops the start
	Streams    launch.Streams
	Say        func(line string) // one line to a person, beside the command's output
}

// A Place is where a command runs: on the machine itself, in a Python
// environment, in a container.
type Place interface {
	// Strict places are not entered where a check fails.
	Strict() bool
	// Command is how the command is started there, on a machine that was judged and
	// with the variables that it needs.
	Command(q RunQuestion, d report.Diagnosis, settings []launch.Setting) (launch.Command, error)
}

// here is the machine itself.
type here struct{ system string }

func (here) Strict() bool { return false }

func (h here) Command(q RunQuestion, _ report.Diagnosis, settings []launch.Setting) (launch.Command, error) {
	return launch.Command{Argv: q.Argv, Env: launch.Apply(q.Environ, settings, h.system)}, nil
}

// A RunReport is what became of a command.
type RunReport struct {
	End      launch.End
	Settings []launch.Setting
}

// Run runs a command with what the GPU needs.
func Run(r host.Reader, version string, q RunQuestion, now func() time.Time) (RunReport, error) {
	d, err := Diagnose(r, version, Question{}, now)
	if err != nil {
		return RunReport{}, err
	}
	if q.Place == nil {
		q.Place = here{r.OS()}
	}
	out := RunReport{}
	c, err := q.Place.Command(q, d, out.Settings)
	if err != nil {
		return out, err
	}
	out.End, err = launch.Run(c, q.Streams)
	return out, err
}
