package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A pythonPlace is the machine with a Python environment activated, as its own
// script would.
type pythonPlace struct {
	here
	dir, programs string // the environment, and the folder of its programs
	path          string // PATH as it is
}

// InEnvironment is a Python environment as a place to run in.
func InEnvironment(r host.Reader, dir string) (Place, error) {
	programs, python := "bin", "python"
	if r.OS() == "windows" {
		programs, python = "Scripts", "python.exe"
	}
	p := pythonPlace{here: here{r.OS()}, dir: dir, programs: path.Join(dir, programs)}
	if r.OS() == "windows" {
		p.programs = dir + `\` + programs
	}
	if _, err := r.Lstat(path.Join(p.programs, python)); err != nil {
		return nil, fmt.Errorf("%s is no Python environment: it has no %s/%s", dir, programs, python)
	}
	if err := leadsToPython(r, dir, path.Join(p.programs, python)); err != nil {
		return nil, err
	}
	p.path, _, _ = r.Getenv("PATH")
	return p, nil
}

// leadsToPython refuses an environment whose Python is gone, as after an upgrade of the
// system: the name would be looked up further, and another Python found without its
// packages.
func leadsToPython(r host.Reader, dir, python string) error {
	if err := r.Access(python, 'r'); !errors.Is(err, fs.ErrNotExist) {
		return nil // what stands in the way otherwise, the start will tell
	}
	target, err := r.ReadLink(python)
	if err != nil {
		target = "nothing"
	}
	return fmt.Errorf("the Python of %s is gone: %s leads to %s, which is not there; make the environment again with a Python that is here", dir, python, target)
}

// variables are what the survey has to see as the command will.
func (p pythonPlace) variables() []fix.Setting {
	separator := ":"
	if p.system == "windows" {
		separator = ";"
	}
	return []fix.Setting{
		{Name: "VIRTUAL_ENV", Value: p.dir},
		{Name: "PATH", Value: strings.TrimSuffix(p.programs+separator+p.path, separator)},
		{Name: "PYTHONHOME", Unset: true}, // it would lead Python to another standard library
	}
}

func (p pythonPlace) Command(q RunQuestion, d report.Diagnosis, settings []launch.Setting) (launch.Command, error) {
	var own []launch.Setting
	for _, v := range p.variables() {
		own = append(own, launch.Setting{Name: v.Name, Value: v.Value, Unset: v.Unset})
	}
	q.Environ = launch.Apply(q.Environ, own, p.system)
	return p.here.Command(q, d, settings)
}
