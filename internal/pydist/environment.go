package pydist

import (
	"io/fs"
	"path"
	"strings"
)

// An Environment is one Python with the packages that it finds.
type Environment struct {
	Prefix string // its folder
	Kind   Kind
	Why    string   // what led to it: "VIRTUAL_ENV", ".venv in the working directory"
	Active bool     // VIRTUAL_ENV, CONDA_PREFIX or the first Python on PATH is this one
	Python string   // "3.12.3", or "3.12" where no file says more; "" where none says that
	ByUV   bool     // uv made it, which puts no pip in
	Base   string   // for a virtual environment, the folder of the interpreter it was made with
	Sites  []string // in the order of sys.path
}

// A Kind says what made an environment.
type Kind string

// The kinds of environments.
const (
	Venv     Kind = "venv" // by venv, virtualenv or uv
	Conda    Kind = "conda"
	UVTool   Kind = "uv-tool"
	Pipx     Kind = "pipx"
	Pyenv    Kind = "pyenv"     // an interpreter that pyenv built
	UVPython Kind = "uv-python" // an interpreter that uv fetched
	System   Kind = "system"    // any other interpreter
	Store    Kind = "windows-store"
)

// Reach says where to look for environments. Folders may be written as the
// system writes them or as names of io/fs.
type Reach struct {
	OS      string // linux, windows
	Home    string
	WorkDir string
	Path    []string            // the folders of PATH
	Getenv  func(string) string // nil for no variables
	Extra   []string            // further prefixes, such as those of the Windows registry
}

func (r Reach) windows() bool { return r.OS == "windows" }

func (r Reach) getenv(name string) string {
	if r.Getenv == nil {
		return ""
	}
	return r.Getenv(name)
}

// name turns a path of the system into a name of io/fs, "" where it is none.
func (r Reach) name(p string) string {
	if p == "" {
		return ""
	}
	if r.windows() {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	p = path.Clean(strings.TrimLeft(p, "/"))
	if !fs.ValidPath(p) {
		return ""
	}
	return p
}

// variable is the folder that a variable names; a relative one is taken from
// the working directory. It is "" where the variable is not set.
func (r Reach) variable(name string) string {
	return r.folder(r.getenv(name))
}

func (r Reach) folder(p string) string {
	if p == "" || len(p) > maxHeader {
		return ""
	}
	absolute := strings.HasPrefix(p, "/")
	if r.windows() {
		absolute = strings.HasPrefix(p, `\`) || len(p) > 1 && p[1] == ':'
	}
	if !absolute {
		p = r.WorkDir + "/" + p
	}
	return r.name(p)
}

// MarkersFor gives the values that markers have for a Python on a machine, by
// the name of its system (linux, windows) and of its processor (x86_64 or amd64).
// The release of the system is not known from files, and stays empty.
func MarkersFor(env Environment, system, machine string) Markers {
	m := Markers{
		OSName: "posix", SysPlatform: system, PlatformMachine: machineName(system, machine),
		PlatformPythonImplementation: "CPython", ImplementationName: "cpython",
		PythonVersion: minor(env.Python),
	}
	if strings.Count(env.Python, ".") > 1 {
		m.PythonFullVersion, m.ImplementationVersion = env.Python, env.Python
	}
	switch system {
	case "linux":
		m.PlatformSystem = "Linux"
	case "windows":
		m.OSName, m.SysPlatform, m.PlatformSystem = "nt", "win32", "Windows"
	case "darwin":
		m.PlatformSystem = "Darwin"
	}
	return m
}

// machineName is the processor as Python's platform.machine() calls it there.
func machineName(system, machine string) string {
	switch strings.ToLower(machine) {
	case "amd64", "x86_64":
		if system == "windows" {
			return "AMD64"
		}
		return "x86_64"
	case "arm64", "aarch64":
		switch system {
		case "windows":
			return "ARM64"
		case "darwin":
			return "arm64"
		}
		return "aarch64"
	}
	return machine
}
