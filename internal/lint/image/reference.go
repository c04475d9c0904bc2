package image

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A reference is an image that a file names.
type reference struct {
	file                    *lint.File
	line                    int
	name                    string // with variables filled in
	repository, tag, digest string
	gpu                     bool   // whoever runs it is given AMD GPUs
	override                string // HSA_OVERRIDE_GFX_VERSION that stands beside it
}

// amd tells an image for AMD GPUs by its name, or by what it is given.
func (r reference) amd() bool {
	_, known := rocm.LookupImage(r.repository, r.tag)
	return r.gpu || known || rocm.ForROCm(r.repository, r.tag)
}

// divide reads the parts of a name: [registry/]repository[:tag][@digest]. It is
// not ok for what is no image, or is made by a template.
func (r reference) divide() (reference, bool) {
	r.repository, r.tag, r.digest = rocm.SplitImage(r.name)
	odd := strings.ContainsAny(r.name, "{}$<> \t\"'") || strings.HasPrefix(r.repository, "/") || strings.HasPrefix(r.repository, ".")
	return r, r.repository != "" && r.repository != "scratch" && !odd
}

// references returns the images of all files of a project, read once.
func references(p *lint.Pass) []reference {
	return lint.Shared(p.Project, "image/references", func() []reference {
		var out []reference
		add := func(r reference) {
			if r, ok := r.divide(); ok {
				out = append(out, r)
			}
		}
		for _, f := range p.Files {
			switch f.Kind {
			case lint.Dockerfile:
				inDockerfile(f, add)
			case lint.Compose:
				inCompose(p.Project, f, add)
			case lint.Kubernetes:
				inManifest(f, add)
			case lint.DevContainer:
				inDevContainer(f, add)
			case lint.Quadlet:
				inQuadlet(f, add)
			}
		}
		return out
	})
}

func inDockerfile(f *lint.File, add func(reference)) {
	file, err := dockerfile.Parse(f.Data)
	if err != nil {
		return // said by project/readable
	}
	stages := file.Stages()
	set := overrides(stages)
	for _, s := range stages {
		if s.On == nil && s.Base != "" {
			add(reference{file: f, line: s.From.Line, name: s.Base, override: set[s.Base]})
		}
	}
}

// overrides are those that stages set, by the image that they come down to.
func overrides(stages []*dockerfile.Stage) map[string]string {
	out := map[string]string{}
	for _, s := range stages {
		for _, in := range s.Instructions {
			for _, pair := range in.Pairs {
				if in.Name != "ENV" || pair.Name.Text != rocm.OverrideVariable {
					continue
				}
				if root := s.Root(); out[root] == "" {
					out[root] = pair.Value.Text
				}
			}
		}
	}
	return out
}

// variables are those that compose takes from the .env beside a file.
func variables(p *lint.Project, f *lint.File) map[string]string {
	out := map[string]string{}
	for _, env := range p.Of(lint.EnvFile) {
		if env.Path != path.Join(path.Dir(f.Path), ".env") {
			continue
		}
		for line := range strings.Lines(string(env.Data)) {
			name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
			if ok && !strings.HasPrefix(name, "#") {
				out[strings.TrimSpace(strings.TrimPrefix(name, "export "))] = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	return out
}

// filled puts variables and their defaults into a text of compose.
func filled(text string, values map[string]string) (string, bool) {
	if !strings.Contains(text, "$") {
		return text, true
	}
	return (&dockerfile.File{}).Expand(text, values)
}

func inQuadlet(f *lint.File, add func(reference)) {
	r := reference{file: f}
	line := 0
	for text := range strings.Lines(string(f.Data)) {
		line++
		key, value, _ := strings.Cut(strings.TrimSpace(text), "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "Image":
			r.name, r.line = value, line
		case "AddDevice":
			r.gpu = r.gpu || isGPU(value)
		case "Environment":
			if name, v, _ := strings.Cut(strings.Trim(value, `"`), "="); name == rocm.OverrideVariable {
				r.override = v
			}
		}
	}
	// Images of quadlets may be made by a .build unit.
	if r.name != "" && !strings.HasSuffix(r.name, ".build") && !strings.HasSuffix(r.name, ".image") {
		add(r)
	}
}

func isGPU(device string) bool {
	host, _, _ := strings.Cut(device, ":")
	return host == "/dev/kfd" || strings.HasPrefix(device, "amd.com/gpu")
}
