package launch

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
)

// A Composer is a program that runs services of compose files, with the engine
// that it uses.
type Composer struct {
	Engine

	// Argv is "docker compose" or "docker-compose". It is empty where there is none:
	// then rocsmith reads the service, and asks the engine itself. podman-compose is
	// not used: it writes to the output of the command, and loses its exit code.
	Argv []string
}

// FindComposer finds an engine that answers, and its compose. wanted is the name
// of an engine, or "".
func FindComposer(ctx context.Context, env []string, wanted string) (Composer, error) {
	e, err := FindEngine(ctx, env, wanted, "")
	if err != nil || e.Kind != grant.Docker {
		return Composer{Engine: e}, err
	}
	if _, err := e.ask(ctx, "compose", "version"); err == nil {
		return Composer{e, []string{e.Program, "compose"}}, nil
	}
	if program, err := find("docker-compose", env, ""); err == nil {
		return Composer{e, []string{program}}, nil
	}
	return Composer{Engine: e}, nil
}

// A ServiceRun is a command in a service of a compose project. Of the container,
// the service has its own image and folder already, and is given what it lacks.
type ServiceRun struct {
	Container

	Composer Composer
	Project  Project
	Service  *composefile.Service
}

// Start is the command that runs it. What the service lacks is in a file that
// compose lays over those of the project, and that is removed afterwards.
func (r ServiceRun) Start(ctx context.Context) (Command, error) {
	if r.Access.Refused != "" {
		return Command{}, fmt.Errorf("%s cannot hand the GPU over: %s", r.Composer.Kind, r.Access.Refused)
	}
	base, err := cacheBase(r.Composer.Env)
	if err != nil {
		return Command{}, err
	}
	networks, err := r.Composer.networksOf(ctx, r.Project.Name)
	if err != nil {
		return Command{}, err
	}
	marks, err := r.marks(ctx)
	if err != nil {
		return Command{}, err
	}
	over := overlay{path: filepath.Join(base, "compose", r.Name+".yaml"), owner: r.Owner, project: r.Project.Name, networks: networks}
	text, err := r.lacking(marks)
	if err != nil {
		return Command{}, err
	}
	return Command{
		Argv:   r.arguments(over.path),
		Env:    r.Composer.Env,
		Before: func() error { return over.write(text) },
		After:  func() { r.Composer.leave(context.Background(), over) },
		Pass:   r.signal,
		Ended: func(end End) (End, error) {
			return r.Composer.ended(Container{Image: r.Service.Get("image").String(), Command: r.Command, Terminal: r.Terminal}, end)
		},
	}, nil
}

// signal tells the container itself: docker compose takes every signal for a wish to
// drop the run, without a word to the command, and docker-compose loses its code. It
// is false where there is no container yet.
func (r ServiceRun) signal(s os.Signal) bool {
	number, ok := s.(syscall.Signal)
	if !ok {
		return false
	}
	_, err := r.Composer.ask(context.Background(), "kill", "--signal", strconv.Itoa(int(number)), r.Name)
	return err == nil
}

func (r ServiceRun) arguments(over string) []string {
	argv := append(slices.Clone(r.Composer.Argv), "-p", r.Project.Name)
	for _, file := range append(slices.Clone(r.Project.Files), over) {
		argv = append(argv, "-f", file)
	}
	argv = append(argv, "run", "--rm", "--name", r.Name, "--label", ownerLabel+"="+r.Owner.String())
	if !r.Terminal {
		argv = append(argv, "-T")
	}
	return append(append(argv, r.Service.Name), r.Command...)
}

// An addition is what a file says of a service.
type addition struct {
	Devices     []string `yaml:"devices,omitempty"`
	Groups      []string `yaml:"group_add,omitempty"`
	User        string   `yaml:"user,omitempty"`
	UserNS      string   `yaml:"userns_mode,omitempty"`
	Security    []string `yaml:"security_opt,omitempty"`
	SharedSize  string   `yaml:"shm_size,omitempty"`
	Init        bool     `yaml:"init,omitempty"`
	Environment []string `yaml:"environment,omitempty"`
	Volumes     []any    `yaml:"volumes,omitempty"`

	Labels map[string]string `yaml:"labels,omitempty"`
}

// lacking writes what the service does not say itself, and the marks of the
// services that it depends on. What it says holds.
func (r ServiceRun) lacking(marks map[string]string) ([]byte, error) {
	s, e := r.Service, r.Composer.Engine
	a := addition{Devices: missingDevices(s, r.Access.Devices), Groups: missingGroups(s, r.Access.Groups)}
	if s.Get("user") == nil && (e.Kind != grant.Docker || !e.Rootless) {
		a.User = fmt.Sprintf("%d:%d", r.UID, r.GID)
		if e.Kind == grant.Podman && e.Rootless && s.Get("userns_mode") == nil {
			a.UserNS = "keep-id"
		}
	}
	if r.Access.Labels && len(s.List("security_opt")) == 0 {
		a.Security = []string{"label=disable"}
	}
	if s.Get("shm_size") == nil && s.Get("ipc") == nil {
		a.SharedSize = sharedMemory
	}
	a.Init = e.Init && s.Get("init") == nil
	for _, v := range slices.Concat(missingVariables(s, r.Variables), r.Given) {
		a.Environment = append(a.Environment, literal(v))
	}
	for _, m := range r.Mounts {
		a.Volumes = append(a.Volumes, m.volume())
	}
	services := map[string]addition{s.Name: a}
	for name, owner := range marks {
		services[name] = addition{Labels: map[string]string{dependencyLabel: owner}}
	}
	file := struct {
		Version  string              `yaml:"version,omitempty"`
		Services map[string]addition `yaml:"services"`
	}{r.Project.Version, services}
	text, err := yaml.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("write what the service %s lacks: %w", s.Name, err)
	}
	return text, nil
}

// missingDevices are the nodes that a service is not given yet, by their path,
// with a folder, through CDI or because it is given everything.
func missingDevices(s *composefile.Service, nodes []string) []string {
	if s.Get("privileged").String() == "true" {
		return nil
	}
	var out []string
	for _, node := range nodes {
		has := slices.ContainsFunc(s.Devices(), func(d composefile.Device) bool {
			return below(path.Clean(d.Source), node) || d.CDI() && strings.HasPrefix(d.Source, "amd.com/gpu=")
		})
		if !has {
			out = append(out, node+":"+node)
		}
	}
	return out
}

func missingGroups(s *composefile.Service, groups []string) []string {
	var out []string
	for _, g := range groups {
		if !slices.ContainsFunc(s.Groups(), func(v *composefile.Value) bool { return v.String() == g }) {
			out = append(out, g)
		}
	}
	return out
}

func missingVariables(s *composefile.Service, variables []string) []string {
	own, _ := s.Environment()
	var out []string
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(own, func(o composefile.Variable) bool { return o.Name == name }) {
			out = append(out, v)
		}
	}
	return out
}

// literal keeps compose from filling variables in.
func literal(text string) string { return strings.ReplaceAll(text, "$", "$$") }

// volume writes a mount as compose files do: in one word, which all versions of
// them understand, or with keys where a path holds a colon.
func (m Mount) volume() any {
	source, target := literal(m.Source), literal(m.Target)
	if strings.Contains(source+target, ":") {
		return map[string]any{"type": "bind", "source": source, "target": target, "read_only": m.ReadOnly}
	}
	if m.ReadOnly {
		target += ":ro"
	}
	return source + ":" + target
}

// ServiceMounts are the folders of this machine that a service mounts.
func ServiceMounts(s *composefile.Service, home string) []Mount {
	var out []Mount
	for _, v := range s.Volumes() {
		source := v.Source
		if strings.HasPrefix(source, "~/") && home != "" {
			source = path.Join(home, source[1:])
		}
		if v.Type == "bind" && path.IsAbs(source) && path.IsAbs(v.Target) {
			out = append(out, Mount{Source: path.Clean(source), Target: path.Clean(v.Target), ReadOnly: v.ReadOnly})
		}
	}
	return out
}
