package compose

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A view is all compose projects among the files, read once for all rules.
type view struct {
	projects []*composefile.Project
	// wrong are the projects that could not be read.
	wrong []*composefile.Error
	// gpus are the services that are given nodes of GPUs by path, or use ROCm, and
	// rocm says by what.
	gpus []*composefile.Service
	rocm map[*composefile.Service]string
	// parsed counts the bytes that mends had parsed again.
	parsed int
}

func look(p *lint.Pass) *view {
	return lint.Shared(p.Project, "compose", func() *view {
		r := reader{pass: p, opened: map[string]*composefile.File{}}
		return r.all()
	})
}

type reader struct {
	pass   *lint.Pass
	opened map[string]*composefile.File
	view   view
}

// all groups the compose files: those that compose takes by itself in a folder,
// and each other one alone, or over those where it is nothing without them.
func (r *reader) all() *view {
	folders := map[string][]string{}
	var order []string
	for _, f := range r.pass.Of(lint.Compose) {
		dir := path.Dir(f.Path)
		if folders[dir] == nil {
			order = append(order, dir)
		}
		folders[dir] = append(folders[dir], f.Path)
	}
	for _, dir := range order {
		standard := composefile.Default(folders[dir])
		if standard != nil {
			r.load(standard...)
		}
		for _, file := range folders[dir] {
			switch {
			case slices.Contains(standard, file) || r.read(file):
			case standard != nil && r.partial(file):
				r.load(append(slices.Clone(standard), file)...)
			default:
				r.load(file)
			}
		}
	}
	r.view.rocm = map[*composefile.Service]string{}
	for _, s := range r.view.services() {
		why := computes(r.pass, s)
		r.view.rocm[s] = why
		if r.view.given(s) {
			r.view.gpus = append(r.view.gpus, s)
		}
	}
	return &r.view
}

// given reports a service that is given nodes of GPUs by path, or uses ROCm.
func (v *view) given(s *composefile.Service) bool {
	return v.rocm[s] != "" || passes(s, "/dev/kfd") || passes(s, "/dev/dri")
}

// read reports a file that is a part of a project already: it is included or
// extended.
func (r *reader) read(file string) bool {
	return slices.ContainsFunc(r.view.projects, func(p *composefile.Project) bool {
		return slices.ContainsFunc(p.Files, func(f *composefile.File) bool { return f.Path == file })
	})
}

// partial reports a file whose services say neither image nor build: it is laid
// over another one with -f.
func (r *reader) partial(file string) bool {
	data, err := r.bytes(file)
	if err != nil {
		return false
	}
	doc, err := yamltext.Parse(data)
	if err != nil || doc.Root() == nil {
		return false
	}
	services := doc.Root().Get("services").Entries()
	for _, e := range services {
		if e.Value.Get("image") != nil || e.Value.Get("build") != nil || e.Value.Get("extends") != nil {
			return false
		}
	}
	return len(services) > 0
}

func (r *reader) load(files ...string) {
	project, err := composefile.Load(composefile.Options{Read: r.bytes, Shell: r.shell(), Opened: r.opened}, files...)
	var placed *composefile.Error
	switch {
	case errors.As(err, &placed):
		r.view.wrong = append(r.view.wrong, placed)
	case err != nil:
		r.view.wrong = append(r.view.wrong, &composefile.Error{Path: files[0], Line: 1, Reason: err.Error()})
	default:
		r.view.projects = append(r.view.projects, project)
	}
}

// shell looks variables up where lint runs; where that is not to be had, among
// those of ROCm that were seen.
func (r *reader) shell() func(string) (string, bool) {
	switch {
	case r.pass.Getenv != nil:
		return r.pass.Getenv
	case r.pass.Machine == nil || !r.pass.Machine.Variables.Known():
		return nil
	}
	return r.pass.Machine.Variable
}

// bytes reads a file of the project: one that was read already, or another, with
// the same bounds.
func (r *reader) bytes(name string) ([]byte, error) {
	for _, f := range r.pass.Files {
		if f.Path == name {
			return f.Data, nil
		}
	}
	info, err := fs.Stat(r.pass.FS, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	case info.Size() > lint.MaxFile:
		return nil, fmt.Errorf("it has %d MiB, and lint reads at most %d", info.Size()>>20, lint.MaxFile>>20)
	}
	return fs.ReadFile(r.pass.FS, name)
}

// services yields each service of each project. One that stands in several
// projects comes with each.
func (v *view) services() []*composefile.Service {
	var out []*composefile.Service
	for _, p := range v.projects {
		out = append(out, p.Services...)
	}
	return out
}

// passes reports that a service is given a node, or something below a folder of
// nodes.
func passes(s *composefile.Service, node string) bool {
	return slices.ContainsFunc(s.Devices(), func(d composefile.Device) bool { return below(d.Source, node) })
}

func below(source, node string) bool {
	return strings.TrimSuffix(source, "/") == node || strings.HasPrefix(source, node+"/")
}

// prefixes begin the names of variables that only programs on AMD GPUs read.
var prefixes = []string{"HSA_", "HIP_", "ROCR_", "MIOPEN_", "ROCBLAS_", "HIPBLASLT_"}

// computes says by what a service shows that it computes with ROCm; "" where it
// does not. Nodes of /dev/dri alone are no such sign: players of films use them.
func computes(p *lint.Pass, s *composefile.Service) string {
	if image := s.Get("image"); image.String() != "" && forROCm(image.Text) {
		return "its image is " + image.Text
	}
	if base := buildBase(p, s); base != "" {
		return "its image is built on " + base
	}
	if passes(s, "/dev/kfd") {
		return "it is given /dev/kfd"
	}
	if name := variableOf(s); name != "" {
		return "it sets " + name
	}
	return ""
}

// variableOf is the first variable of a service that only programs on AMD GPUs
// read. One that names no GPU at all is no sign that somebody wants one.
func variableOf(s *composefile.Service) string {
	vars, _ := s.Environment()
	for _, v := range vars {
		none := strings.HasSuffix(v.Name, "_VISIBLE_DEVICES") && v.Set && (v.Text == "" || v.Text == "-1")
		if !none && slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(v.Name, prefix) }) {
			return v.Name
		}
	}
	return ""
}

func forROCm(image string) bool {
	repository, tag, _ := rocm.SplitImage(image)
	return rocm.ForROCm(repository, tag)
}

// buildBase is the image for ROCm that a service is built on; "" where it is not,
// or cannot be known.
func buildBase(p *lint.Pass, s *composefile.Service) string {
	build := s.Get("build")
	if build == nil {
		return ""
	}
	dir, file := build.String(), "Dockerfile"
	if c := build.Get("context"); c != nil {
		dir = c.Text
	}
	if f := build.Get("dockerfile").String(); f != "" {
		file = f
	}
	name := path.Join(build.Dir, dir, file)
	for _, f := range p.Of(lint.Dockerfile) {
		if f.Path != name {
			continue
		}
		parsed, err := dockerfile.Parse(f.Data)
		if err != nil {
			return ""
		}
		stages := parsed.Stages()
		target := build.Get("target").String()
		for i := len(stages) - 1; i >= 0; i-- {
			if target == "" || stages[i].Name == strings.ToLower(target) {
				if root := stages[i].Root(); forROCm(root) {
					return root
				}
				return ""
			}
		}
	}
	return ""
}
