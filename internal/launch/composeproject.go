package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/composefile"
)

// A Project is a compose project of the folder that rocsmith was started in.
type Project struct {
	Name    string
	Version string   // of the form of its first file; "" where it says none
	Files   []string // absolute
	*composefile.Project
}

// ReadProject reads the project that compose would find from a working folder:
// the files that COMPOSE_FILE names, else those of the folder or of the nearest
// one above it.
func ReadProject(env []string, dir string) (Project, error) {
	files, err := projectFiles(env, dir)
	if err != nil {
		return Project{}, err
	}
	read, err := composefile.Load(composefile.Options{Read: readProjectFile, Shell: func(name string) (string, bool) {
		i := slices.IndexFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		return value(env, name), i >= 0
	}}, files...)
	if err != nil {
		return Project{}, err
	}
	var top struct{ Name, Version string }
	if data, err := readProjectFile(files[0]); err == nil {
		_ = yaml.Unmarshal(data, &top) // it was read above, and need not say either
	}
	p := Project{Version: top.Version, Files: files, Project: read}
	p.Name = projectName(value(env, "COMPOSE_PROJECT_NAME"), p.setting("COMPOSE_PROJECT_NAME"), top.Name, filepath.Base(filepath.Dir(files[0])))
	if p.Name == "" {
		return Project{}, fmt.Errorf("the folder of %s gives its project no name: set COMPOSE_PROJECT_NAME", files[0])
	}
	return p, nil
}

func projectFiles(env []string, dir string) ([]string, error) {
	if named := value(env, "COMPOSE_FILE"); named != "" {
		separator := value(env, "COMPOSE_PATH_SEPARATOR")
		if separator == "" {
			separator = string(filepath.ListSeparator)
		}
		files := strings.Split(named, separator)
		for i, f := range files {
			if !filepath.IsAbs(f) {
				files[i] = filepath.Join(dir, f)
			}
		}
		return files, nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		names, _ := filepath.Glob(filepath.Join(escapeGlob(at), "*compose*.y*ml"))
		if files := composefile.Default(names); len(files) > 0 {
			return files, nil
		}
		if at == filepath.Dir(at) {
			return nil, fmt.Errorf("there is no compose file in %s, nor in a folder above it", dir)
		}
	}
}

// escapeGlob makes a pattern that matches a folder's own name alone.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func readProjectFile(name string) ([]byte, error) {
	const most = 4 << 20
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() || st.Size() > most:
		return nil, errors.New("it is no file of at most 4 MiB")
	}
	return os.ReadFile(name)
}

func (p Project) setting(name string) string {
	for _, s := range p.Env {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// projectName is the first of some names, made what compose makes of it
// (compose-spec, 04-version-and-name.md).
func projectName(names ...string) string {
	for _, name := range names {
		clean := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
				return r
			}
			return -1
		}, strings.ToLower(name))
		if clean = strings.TrimLeft(clean, "_-"); clean != "" {
			return clean
		}
	}
	return ""
}

// Named returns a service, or says which there are.
func (p Project) Named(name string) (*composefile.Service, error) {
	if s := p.Service(name); s != nil {
		return s, nil
	}
	names := make([]string, len(p.Services))
	for i, s := range p.Services {
		names[i] = s.Name
	}
	return nil, fmt.Errorf("%s has no service %s; there are: %s", p.Files[0], name, strings.Join(names, ", "))
}

// An overlay is the file that says what a service lacks. Its first lines say
// whose it is and which networks the project had before, for the one who finds it
// when its owner was killed.
type overlay struct {
	path     string
	owner    Owner
	project  string
	networks []string
}

const (
	overlayOwner    = "# rocsmith run "
	overlayProject  = "# project "
	overlayNetworks = "# networks before "
)

func (o overlay) write(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(o.path), 0o700); err != nil {
		return err
	}
	head := overlayOwner + o.owner.String() + "\n" + overlayProject + o.project + "\n" + overlayNetworks + strings.Join(o.networks, " ") + "\n"
	return os.WriteFile(o.path, append([]byte(head), text...), 0o600)
}

func (o overlay) remove() { _ = os.Remove(o.path) } // it may not have been written

// parseOverlay reads the first lines of a file.
func parseOverlay(text string) (o overlay, ok bool) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 3 || !strings.HasPrefix(lines[0], overlayOwner) || !strings.HasPrefix(lines[1], overlayProject) || !strings.HasPrefix(lines[2], overlayNetworks) {
		return overlay{}, false
	}
	o.owner, ok = ParseOwner(strings.TrimPrefix(lines[0], overlayOwner))
	o.project = strings.TrimPrefix(lines[1], overlayProject)
	o.networks = strings.Fields(strings.TrimPrefix(lines[2], overlayNetworks))
	return o, ok && o.project != "" && projectName(o.project) == o.project
}
