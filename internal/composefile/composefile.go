// Package composefile reads compose projects so that every value in effect knows the file and the node it came from.
package composefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// An Error is why a project cannot be read, and where.
type Error struct {
	Path   string
	Line   int // counted from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Reason) }

// A Project is what compose would make of some files.
type Project struct {
	Dir      string // that relative paths begin at
	Files    []*File
	Services []*Service
	// Volumes are the entries of the key volumes at the top, by their names.
	Volumes map[string]*Value
	// EnvPath is the file that compose takes variables from, whether it is there or
	// not; Env are its lines.
	EnvPath string
	Env     []*Setting
	// Skipped are parts that were not read, because they are not in the project:
	// files of other machines, remote includes. What they say is not known.
	Skipped []*Error

	scope scope
	read  func(string) ([]byte, error)
}

// A Service is one service with everything that files before and beside it add.
type Service struct {
	Name string
	*Value
	Profiles []string // it is started only with one of them, where there are any

	project *Project
}

// Same reports two readings of one service: files are laid over a project in
// several ways. A service of the same name in another project is another one.
func (s *Service) Same(o *Service) bool {
	return s.Name == o.Name && s.project.Files[0].Path == o.project.Files[0].Path
}

// Service returns a service by its name; nil where there is none.
func (p *Project) Service(name string) *Service {
	for _, s := range p.Services {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Options say how a project is read.
type Options struct {
	// Read returns a file's bytes; a bounded door to the project.
	Read func(path string) ([]byte, error)
	// Shell returns the variables of whoever starts compose; nil where they are not
	// known.
	Shell func(name string) (string, bool)
	// Opened keeps parsed files, so that projects with a file in common have its
	// nodes in common. Nil keeps them for one project.
	Opened map[string]*File
}

// Names that compose looks for in a folder, in this order (compose-spec,
// 03-compose-file.md).
var (
	names         = []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"}
	overrideNames = []string{"compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml"}
)

// Default picks from the compose files of one folder those that compose reads
// without being told: one, and one that overrides it.
func Default(files []string) []string {
	main := first(files, names)
	if main == "" {
		return nil
	}
	if over := first(files, overrideNames); over != "" {
		return []string{main, over}
	}
	return []string{main}
}

func first(files, wanted []string) string {
	for _, name := range wanted {
		for _, file := range files {
			if path.Base(file) == name {
				return file
			}
		}
	}
	return ""
}

// Load reads a project from files, of which later ones override earlier ones.
// Errors are of type *Error.
func Load(o Options, files ...string) (*Project, error) {
	if len(files) == 0 {
		return nil, errors.New("read a compose project: no file was named")
	}
	l := &loader{options: o, opened: o.Opened}
	if l.opened == nil {
		l.opened = map[string]*File{}
	}
	dir := path.Dir(files[0])
	l.project = &Project{Dir: dir, Volumes: map[string]*Value{}, EnvPath: path.Join(dir, ".env"), read: o.Read}
	s, err := l.environment(dir, nil, nil)
	if err != nil {
		return nil, err
	}
	l.project.scope = s
	for _, set := range s.files {
		l.project.Env = append(l.project.Env, set)
	}
	slices.SortFunc(l.project.Env, func(a, b *Setting) int { return a.Line - b.Line })
	services, err := l.files(layer{dir: dir, scope: s}, files)
	if err != nil {
		return nil, err
	}
	l.finish(services)
	return l.project, nil
}

func (l *loader) finish(services *Value) {
	if services == nil {
		return
	}
	for _, name := range services.keys {
		v := services.fields[name]
		if v.fields == nil {
			continue
		}
		s := &Service{Name: name, Value: v, project: l.project}
		if p := v.Get("profiles"); p != nil {
			for _, item := range p.Items {
				s.Profiles = append(s.Profiles, item.Text)
			}
		}
		l.project.Services = append(l.project.Services, s)
	}
}

// environment reads the env files of a folder: .env, or those that are named.
func (l *loader) environment(dir string, named []*Value, above map[string]*Setting) (scope, error) {
	s := scope{shell: l.options.Shell, files: map[string]*Setting{}}
	paths := []string{path.Join(dir, ".env")}
	if named != nil {
		paths = nil
		for _, v := range named {
			if v.Text != "/dev/null" {
				paths = append(paths, path.Join(v.Dir, v.Text))
			}
		}
	}
	for i, name := range paths {
		data, err := l.options.Read(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && named == nil:
			continue
		case err != nil && named != nil:
			return s, &Error{named[i].File.Path, named[i].Line(), fmt.Sprintf("the env file %s cannot be read: %v", name, reason(err))}
		case err != nil:
			return s, &Error{name, 1, fmt.Sprintf("it cannot be read: %v", reason(err))}
		}
		settings, err := ParseEnvFile(name, data, l.options.Shell)
		if err != nil {
			return s, err
		}
		for _, set := range settings {
			s.files[set.Name] = set
		}
	}
	for name, set := range above {
		s.files[name] = set
	}
	return s, nil
}

func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// outside tells names that are not in the project: of other machines, or
// anywhere on this one.
func outside(name string) bool {
	return path.IsAbs(name) || strings.HasPrefix(name, "../") || name == ".." || strings.HasPrefix(name, "~") ||
		strings.Contains(name, "://") || strings.HasPrefix(name, "git@") || len(name) > 1 && name[1] == ':'
}

// passed is the value of a variable that a service takes from the shell.
func (p *Project) passed(name string) (string, bool) {
	value, from, _ := p.scope.lookup(name)
	return value, from != Unset
}

// envFile reads an entry of env_file. Such files are often not under version
// control, so a missing one is no error. Variables in it are those of the project,
// then those of the service.
func (p *Project) envFile(v *Value, own []Variable) ([]*Setting, bool) {
	name := envFilePath(v)
	if outside(name) {
		return nil, false
	}
	data, err := p.read(name)
	if err != nil {
		return nil, v.Get("required").String() == "false"
	}
	settings, err := ParseEnvFile(name, data, func(name string) (string, bool) {
		if value, set := p.passed(name); set {
			return value, true
		}
		for _, v := range own {
			if v.Name == name && v.Set {
				return v.Text, true
			}
		}
		return "", false
	})
	return settings, err == nil
}
