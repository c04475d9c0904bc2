package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/grant"
)

// An Engine is a program that starts containers, found on this machine.
type Engine struct {
	grant.Engine

	Program string   // its file
	Env     []string // that it is started with
	// Init tells that it has a first process for containers that hands signals on
	// and buries children, so that Ctrl-C ends a program that does neither.
	Init bool
}

// ErrNoEngine says that nothing here starts containers.
var ErrNoEngine = errors.New("no container engine is here: neither docker nor podman is in PATH")

// An ApptainerError says that apptainer is here alone, which rocsmith does not
// start.
type ApptainerError struct{ Program string }

func (e *ApptainerError) Error() string {
	return "neither docker nor podman is in PATH, and rocsmith does not start apptainer itself"
}

// engineTime is how long an engine may think about a question.
const engineTime = 30 * time.Second

// FindEngine finds an engine that answers, and that has the image if one of them
// has it. Docker is asked first. wanted is the name of one, or "".
func FindEngine(ctx context.Context, env []string, wanted, image string) (Engine, error) {
	names := []string{"docker", "podman"}
	if wanted != "" {
		if !slices.Contains(names, wanted) {
			return Engine{}, fmt.Errorf("there is no engine %q; choose docker or podman", wanted)
		}
		names = []string{wanted}
	}
	var first *Engine
	var refusals []error
	for _, name := range names {
		program, err := find(name, env, "")
		if err != nil {
			continue
		}
		e, err := askEngine(ctx, program, env)
		switch {
		case err != nil:
			refusals = append(refusals, err)
		case image == "" || e.has(ctx, image):
			return e, nil
		case first == nil:
			first = &e
		}
	}
	if first == nil {
		return Engine{}, noEngine(env, wanted, refusals)
	}
	return *first, nil // it is asked to fetch the image
}

func noEngine(env []string, wanted string, refusals []error) error {
	if len(refusals) > 0 {
		return errors.Join(refusals...)
	}
	if wanted != "" {
		return fmt.Errorf("%s is not in PATH", wanted)
	}
	for _, name := range []string{"apptainer", "singularity"} {
		if program, err := find(name, env, ""); err == nil {
			return &ApptainerError{program}
		}
	}
	return ErrNoEngine
}

func (e Engine) has(ctx context.Context, image string) bool {
	_, err := e.ask(ctx, "image", "inspect", "--format", "{{.Id}}", image)
	return err == nil
}

// askEngine asks an engine what it is.
func askEngine(ctx context.Context, program string, env []string) (Engine, error) {
	name := filepath.Base(program)
	e := Engine{Program: program, Env: env}
	if name == "docker" {
		if err := e.isHere(ctx); err != nil {
			return Engine{}, err
		}
	}
	out, err := e.ask(ctx, "info", "--format", "{{json .}}")
	if err != nil {
		return Engine{}, engineRefusal(name, err)
	}
	answer, err := ParseEngineInfo(out)
	if err != nil {
		return Engine{}, fmt.Errorf("ask %s what it is: %w", name, err)
	}
	e.Engine = answer
	e.Init = slices.ContainsFunc(initPrograms(e.Kind), isFile)
	if !e.Init {
		_, err = find(filepath.Base(initPrograms(e.Kind)[0]), env, "")
		e.Init = err == nil
	}
	return e, nil
}

// isHere says where docker speaks to an engine on another machine. DOCKER_HOST
// counts more than the context in use, which docker itself knows best: it may
// stand in DOCKER_CONTEXT or in its settings. Where docker knows no contexts, the
// engine is here.
func (e Engine) isHere(ctx context.Context) error {
	said, address := "DOCKER_HOST is", value(e.Env, "DOCKER_HOST")
	if address == "" {
		said = "docker's context (docker context show) leads to"
		if out, err := e.ask(ctx, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}"); err == nil {
			address = strings.TrimSpace(string(out))
		}
	}
	if far := elsewhere(address); far != "" {
		return fmt.Errorf("%s %s, which is another machine: what its containers need was not looked at", said, far)
	}
	return nil
}

// elsewhere is the address of an engine on another machine; "" where it is on
// this one.
func elsewhere(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || scheme == "unix" || scheme == "npipe" || scheme == "fd" {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	if scheme != "ssh" && (name == "localhost" || strings.HasPrefix(name, "127.")) {
		return ""
	}
	return address
}

// initPrograms are where the engines look for a container's first process
// (containers.conf(5), init_path; moby daemon/config, LookupInitPath).
func initPrograms(k grant.Kind) []string {
	if k == grant.Podman {
		return []string{"/usr/libexec/podman/catatonit", "/usr/local/libexec/podman/catatonit", "/usr/lib/podman/catatonit", "/usr/local/lib/podman/catatonit"}
	}
	return []string{"/usr/libexec/docker/docker-init", "/usr/local/libexec/docker/docker-init", "/usr/sbin/docker-init", "/usr/local/lib/docker/docker-init", "/usr/lib/docker/docker-init"}
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

// engineInfo is what both engines answer to info: Docker's words begin with a
// capital letter, podman's do not.
type engineInfo struct {
	ServerVersion   string
	ServerErrors    []string
	OperatingSystem string
	DefaultRuntime  string
	SecurityOptions []string
	CDISpecDirs     []string

	Host *struct {
		OCIRuntime struct{ Name string } `json:"ociRuntime"`
		Security   struct {
			Rootless       bool `json:"rootless"`
			SELinuxEnabled bool `json:"selinuxEnabled"`
		} `json:"security"`
		ServiceIsRemote bool `json:"serviceIsRemote"`
	} `json:"host"`
	Version struct{ Version string } `json:"version"`
}

// ParseEngineInfo reads the answer of docker info and podman info. A program that
// is called docker may be podman.
func ParseEngineInfo(text []byte) (grant.Engine, error) {
	var i engineInfo
	if err := json.Unmarshal(text, &i); err != nil {
		return grant.Engine{}, fmt.Errorf("its answer is no JSON: %w", err)
	}
	if i.Host != nil {
		if i.Host.ServiceIsRemote {
			return grant.Engine{}, errors.New("this podman starts containers on another machine, which was not looked at")
		}
		return grant.Engine{
			Kind: grant.Podman, Version: i.Version.Version, Rootless: i.Host.Security.Rootless,
			Runtime: i.Host.OCIRuntime.Name, CDI: true, SELinux: i.Host.Security.SELinuxEnabled,
		}, nil
	}
	if len(i.ServerErrors) > 0 {
		return grant.Engine{}, errors.New(i.ServerErrors[0])
	}
	if i.ServerVersion == "" {
		return grant.Engine{}, errors.New("it does not say which version it has")
	}
	if i.OperatingSystem == "Docker Desktop" {
		return grant.Engine{}, errors.New("this is Docker Desktop, which starts containers in a virtual machine of its own, which has no /dev/kfd; use Docker Engine or podman")
	}
	return grant.Engine{
		Kind: grant.Docker, Version: i.ServerVersion, Runtime: i.DefaultRuntime, CDI: len(i.CDISpecDirs) > 0,
		Rootless: i.secured("rootless"), Remapped: i.secured("userns"), SELinux: i.secured("selinux"),
	}, nil
}

// secured looks a name up in options such as "name=seccomp,profile=default".
func (i engineInfo) secured(name string) bool {
	return slices.ContainsFunc(i.SecurityOptions, func(option string) bool {
		first, _, _ := strings.Cut(option, ",")
		return first == "name="+name
	})
}
