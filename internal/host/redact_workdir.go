package host

import (
	"path"
	"slices"
	"strings"
)

// The folder that somebody works in is searched for Python environments, and the
// names of what else lies there are theirs. A snapshot keeps the environments:
// their neighbours are neither listed nor asked for when it is replayed.

// A workdir is the folder of the caller, and the environments in it.
type workdir struct {
	dir   string
	venvs []string
}

// configuration is the file that makes a folder a Python environment.
const configuration = "pyvenv.cfg"

// systemFolders are listed for other reasons, and are the same everywhere.
var systemFolders = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/opt", "/proc", "/run", "/sys", "/usr", "/var"}

func workdirOf(raw *Snapshot) workdir {
	w := workdir{dir: path.Clean(raw.env.vars["PWD"].value)}
	system := slices.ContainsFunc(systemFolders, func(dir string) bool { return w.dir == dir || strings.HasPrefix(w.dir, dir+"/") })
	if !path.IsAbs(w.dir) || w.dir == "/" || system {
		return workdir{}
	}
	for _, r := range raw.records {
		if name, ok := w.asked(r); ok && r.fault == "" {
			w.venvs = append(w.venvs, name)
		}
	}
	return w
}

// asked is the name of the folder that a question was about, whether it is a
// Python environment.
func (w workdir) asked(r record) (name string, ok bool) {
	if w.dir == "" || !shapes[r.verb].path {
		return "", false
	}
	rest, below := strings.CutPrefix(r.args[0], w.dir+"/")
	name, file, _ := strings.Cut(rest, "/")
	return name, below && file == configuration
}

// hides reports a question about a neighbour.
func (w workdir) hides(r record) bool {
	name, ok := w.asked(r)
	return ok && !slices.Contains(w.venvs, name)
}

// listed keeps the environments of a list of the folder.
func (w workdir) listed(r record) record {
	if w.dir == "" || r.verb != verbDir || r.args[0] != w.dir || r.fault != "" {
		return r
	}
	entries, err := parseEntries(r.body)
	if err != nil {
		return r
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return !slices.Contains(w.venvs, e.Name) })
	r.body = formatEntries(entries)
	return r
}
