package job

import (
	"time"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A RunQuestion is what somebody wants to be run.
type RunQuestion struct {
	Argv       []string
	Environ    []string         // of rocsmith itself
	Place      Place            // nil is the machine itself
	RequireGPU bool             // a failing check stops the start
	Trace      bool             // the layers of ROCm write down what they do
	Given      []launch.Setting // besides what the machine needs
	Streams    launch.Streams
	Say        func(line string) // one line to a person, beside the command's output
	Verbose    bool
	// Catalogue is what an end is explained by; it is asked for when something ended
	// badly.
	Catalogue func() (cause.Catalogue, error)
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

func (here) sharesNodes() bool { return true }

func (h here) Command(q RunQuestion, _ report.Diagnosis, settings []launch.Setting) (launch.Command, error) {
	return launch.Command{
		Argv: q.Argv, Env: launch.Apply(q.Environ, settings, h.system),
		Before: func() error { return launch.MakeFolders(settings) },
	}, nil
}

// A Runner runs commands on the machine that it runs on itself.
type Runner struct {
	Host    host.Reader
	Version string
	Now     func() time.Time
}

// Run runs a command with what the GPU needs, and explains its end. An error is
// what stopped it before the start.
func (r Runner) Run(q RunQuestion) (report.Run, error) {
	reader := r.Host
	if q.Place == nil {
		q.Place = here{reader.OS()}
	}
	if v, ok := q.Place.(interface{ variables() []fix.Setting }); ok {
		reader = nextLogin{reader, v.variables()}
	}
	d, err := r.look(reader, q)
	if err != nil {
		return report.Run{}, err
	}
	env, err := environment(reader, d, r.Now)
	if err != nil {
		return report.Run{}, err
	}
	if err := preflight(q, env); err != nil {
		return report.Run{}, &launch.StartError{Code: launch.ExitBefore, Program: q.Argv[0], Err: err}
	}
	out := report.Run{Argv: q.Argv, Environment: env}
	env.Settings = append(env.Settings, q.Given...)
	if q.Trace {
		if out.Case, err = r.newCase(); err != nil {
			return out, err
		}
		env.Settings = append(env.Settings, launch.Trace(out.Case.Dir, lookup(reader, d))...)
	}
	return r.start(reader, q, env, out)
}

// look judges the machine, unless it has no AMD GPU and so nothing to decide: then
// the command need not wait.
func (r Runner) look(reader host.Reader, q RunQuestion) (report.Diagnosis, error) {
	if m := survey.GPUs(reader); !q.Place.Strict() && m.DXG.Absent() {
		if quick := (report.Diagnosis{Version: r.Version, Machine: m, Areas: all.Areas()}); quick.NoAMDGPU() {
			return quick, nil
		}
	}
	return Diagnose(reader, r.Version, Question{}, r.Now)
}

func (r Runner) start(reader host.Reader, q RunQuestion, env report.Environment, out report.Run) (report.Run, error) {
	c, err := q.Place.Command(q, env.Diagnosis, env.Settings)
	if err != nil {
		return out, err
	}
	watch := watchGPU(q, env)
	end, err := launch.Run(c, q.Streams)
	out.End, out.Settings = end, env.Settings
	opened, known := watch.End()
	if err != nil {
		return out, err
	}
	out.Processor = onProcessor(q, env.Diagnosis, end, known && !opened)
	if end.Code == 0 && !q.Trace || end.Interrupted {
		return out, nil
	}
	return r.explained(reader, q, out), nil
}
