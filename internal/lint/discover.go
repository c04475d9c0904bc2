package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Bounds of a project. What is beyond them is said to be not judged.
const (
	MaxFile  = 4 << 20
	maxFiles = 2_000
	maxNames = 200_000
	maxDepth = 24
	headSize = 64 << 10
)

// foreign are folders of other people's files.
var foreign = []string{
	".git", ".hg", ".svn", "node_modules", "vendor", "third_party", "site-packages", "dist-packages",
	"__pycache__", ".venv", ".tox", ".nox", ".cache", ".terraform",
}

// Discover reads the project files below a folder, or the one file that it is
// pointed at.
func Discover(fsys fs.FS, at string) (*Project, error) {
	p := &Project{FS: fsys}
	info, err := fs.Stat(fsys, at)
	if err != nil {
		return nil, reason(err)
	}
	d := discovery{project: p, top: at}
	switch {
	case info.IsDir():
		d.folder(at, 0)
	case !info.Mode().IsRegular():
		d.problem(&File{Path: at}, 0, "this is %s, and not a file", nature(info.Mode()))
	default:
		if err := d.pointedAt(at); err != nil {
			return nil, err
		}
	}
	p.readIgnored(at)
	return p, nil
}

type discovery struct {
	project *Project
	top     string
	names   int
	full    bool
}

func (d *discovery) problem(f *File, line int, format string, args ...any) {
	d.project.Problems = append(d.project.Problems, Problem{File: f, Line: line, What: fmt.Sprintf(format, args...)})
}

func (d *discovery) pointedAt(name string) error {
	kind, known := KindOf(name)
	if !known {
		head, err := readHead(d.project.FS, name)
		if err != nil {
			return err
		}
		if kind, known = kindOfContent(name, head); !known {
			return errors.New("this is not a kind of file that lint knows: compose, Dockerfile, requirements, pyproject.toml, Kubernetes, devcontainer.json, quadlet, .env or a shell script")
		}
	}
	d.take(name, kind)
	return nil
}

func (d *discovery) folder(dir string, depth int) {
	if d.full {
		return
	}
	if depth > maxDepth {
		d.problem(&File{Path: dir}, 0, "folders are nested more than %d deep, and what is below was not looked at", maxDepth)
		return
	}
	entries, err := fs.ReadDir(d.project.FS, dir)
	if err != nil {
		d.problem(&File{Path: dir}, 0, "this folder could not be read: %v", reason(err))
		return
	}
	if dir != d.top && anothers(entries) {
		return
	}
	for _, e := range entries {
		if d.names++; d.names > maxNames || len(d.project.Files) >= maxFiles {
			d.problem(&File{Path: dir}, 0, "there are more than %d names or %d project files here, and the rest was not looked at", maxNames, maxFiles)
			d.full = true
		}
		if d.full {
			return
		}
		d.entry(path.Join(dir, e.Name()), e, depth)
	}
}

// anothers tells a folder that holds another project, or a Python environment.
func anothers(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" || e.Name() == "pyvenv.cfg" })
}

func (d *discovery) entry(name string, e fs.DirEntry, depth int) {
	if e.IsDir() {
		if !slices.Contains(foreign, e.Name()) {
			d.folder(name, depth+1)
		}
		return
	}
	kind, known := KindOf(name)
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		target, inside := d.follow(name)
		if known && !inside {
			d.problem(&File{Path: name, Kind: kind}, 0, "this is a link that leads out of the project, or nowhere, and it was not followed")
		}
		if _, found := KindOf(target); !inside || found {
			return // it is another project's, or found under its own name
		}
		info, err := fs.Stat(d.project.FS, target)
		if err != nil || info.IsDir() {
			return
		}
		mode = info.Mode()
	}
	switch {
	case known && !mode.IsRegular():
		d.problem(&File{Path: name, Kind: kind}, 0, "this is %s, and not a file", nature(mode))
	case known:
		d.take(name, kind)
	case mode.IsRegular() && isYAML(strings.ToLower(path.Ext(name))):
		d.yaml(name)
	}
}

// yaml takes a file of Kubernetes, and leaves all others.
func (d *discovery) yaml(name string) {
	head, err := readHead(d.project.FS, name)
	if err != nil {
		d.problem(&File{Path: name}, 0, "it could not be read: %v", reason(err))
		return
	}
	if kind, known := kindOfYAML(head, false); known {
		d.take(name, kind)
	}
}

// follow returns where a link leads, and whether that is in the project.
func (d *discovery) follow(name string) (string, bool) {
	const most = 40
	for range most {
		info, err := fs.Lstat(d.project.FS, name)
		if err != nil {
			return name, false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return name, true
		}
		target, err := fs.ReadLink(d.project.FS, name)
		if err != nil || path.IsAbs(target) {
			return name, false
		}
		if name = path.Join(path.Dir(name), target); !fs.ValidPath(name) {
			return name, false
		}
	}
	return name, false
}

// take reads a file and keeps it where it is well formed.
func (d *discovery) take(name string, kind Kind) {
	f := &File{Path: name, Kind: kind}
	data, err := readFile(d.project.FS, name)
	if err != nil {
		d.problem(f, 0, "it could not be read: %v", reason(err))
		return
	}
	f.Data = data
	if err := WellFormed(kind, data); err != nil {
		d.malformed(f, err)
		return
	}
	d.project.Files = append(d.project.Files, f)
	if isTemplate(kind, data) && f.ForAMD() { // which rules about pods pass over, too
		d.template(f)
	}
}

func (d *discovery) malformed(f *File, err error) {
	if isTemplate(f.Kind, f.Data) {
		d.template(f)
		return
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		d.problem(f, syntax.Line, "%s", syntax.What)
		return
	}
	d.problem(f, 0, "%v", err)
}

func (d *discovery) template(f *File) {
	const what = "this is a template, which Helm fills in; judge what helm template makes of it"
	d.project.Problems = append(d.project.Problems, Problem{File: f, What: what, Template: true})
}

// isTemplate tells manifests that a program fills in first.
func isTemplate(kind Kind, data []byte) bool {
	return kind == Kubernetes && bytes.Contains(data, []byte("{{"))
}

// File returns a file of the project by its path: one that was discovered, or any
// other that files name.
func (p *Project) File(name string, kind Kind) (*File, error) {
	for _, f := range p.Files {
		if f.Path == name {
			return f, nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, there := p.opened[name]; there {
		return f, nil
	}
	data, err := readFile(p.FS, name)
	if err != nil {
		return nil, err
	}
	f := &File{Path: name, Kind: kind, Data: data}
	if p.opened == nil {
		p.opened = map[string]*File{}
	}
	p.opened[name] = f
	p.Ignored = append(p.Ignored, inComments(f)...)
	return f, nil
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("this is " + nature(info.Mode()) + ", and not a file")
	case info.Size() > MaxFile:
		return nil, fmt.Errorf("it has %d MiB, and lint reads at most %d", info.Size()>>20, MaxFile>>20)
	}
	data, err := fs.ReadFile(fsys, name)
	if err == nil && len(data) > MaxFile {
		return nil, fmt.Errorf("it has more than %d MiB", MaxFile>>20)
	}
	return data, err
}

func readHead(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, headSize))
}

// reason is what stood in the way, without the path, which is said already.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func nature(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
