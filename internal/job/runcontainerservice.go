package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A Service is a place to run a command in: a new container of a service of the
// compose project here.
type Service struct {
	Container

	Service string
}

// Command is compose's command that runs the service, with what it lacks; where
// there is no compose, the engine's own.
func (s Service) Command(q RunQuestion, d report.Diagnosis, settings []launch.Setting) (launch.Command, error) {
	ctx := context.Background()
	self, err := launch.Self()
	if err != nil {
		return launch.Command{}, err
	}
	w, err := launch.Here(q.Environ)
	if err != nil {
		return launch.Command{}, err
	}
	w.Apart = true
	project, err := launch.ReadProject(q.Environ, w.Dir)
	if err != nil {
		return launch.Command{}, err
	}
	service, err := project.Named(s.Service)
	if err != nil {
		return launch.Command{}, err
	}
	needs := grant.For(d.Machine)
	composer, err := launch.FindComposer(ctx, q.Environ, s.Engine)
	if err != nil {
		return launch.Command{}, withoutEngine(err, needs, service.Get("image").String(), launch.Translation{Args: q.Argv})
	}
	composer.Sweep(ctx, self)
	composer.SweepProjects(ctx, self)
	c, own, err := s.container(q, w, service, needs.Through(composer.Engine.Engine))
	if err != nil {
		return launch.Command{}, err
	}
	if err := ownGroups(c.Access, d.Findings); err != nil {
		return launch.Command{}, err
	}
	kept, err := launch.Keep(needs.Caches, versionOf(ctx, composer, service, project), q.Environ)
	if err != nil {
		return launch.Command{}, err
	}
	q.sayIf(len(c.Access.Devices) == 0 && !d.NoAMDGPU(), "no GPU is handed to the container: "+strings.Join(needs.Unknown, ", "))
	q.sayIf(!composer.Rootless && othersWork(service, c), fmt.Sprintf("the service says user: %s, so what it writes belongs to that user and not to you", service.Get("user").String()))
	c.Mounts, c.Owner = slices.Concat(c.Mounts, kept.Mounts, shared(settings)), self
	c.Variables = slices.Concat(kept.Variables, passedOn(d.Machine, needs, settings))
	if len(composer.Argv) == 0 {
		return s.direct(ctx, q, composer, c, service, project)
	}
	c.Mounts = slices.DeleteFunc(c.Mounts, func(m launch.Mount) bool { return slices.Contains(own, m) })
	return launch.ServiceRun{Composer: composer, Project: project, Service: service, Container: c}.Start(ctx)
}

// othersWork tells whether a service runs as somebody else than the caller, by what it
// says itself.
func othersWork(s *composefile.Service, c launch.Container) bool {
	user, _, _ := strings.Cut(s.Get("user").String(), ":")
	return user != "" && user != strconv.FormatUint(uint64(c.UID), 10) && (user != "root" || c.UID != 0)
}

// container is the command in a container that has the service's own mounts, which
// are returned too.
func (s Service) container(q RunQuestion, w launch.Workplace, service *composefile.Service, access grant.Access) (launch.Container, []launch.Mount, error) {
	given, err := givenMounts(s.Mounts, w)
	if err != nil {
		return launch.Container{}, nil, err
	}
	variables, err := givenVariables(s.Given, q.Environ)
	if err != nil {
		return launch.Container{}, nil, err
	}
	own := launch.ServiceMounts(service, w.Home)
	told, err := launch.Translate(q.Argv, w, slices.Concat(given, own))
	if err != nil {
		return launch.Container{}, nil, err
	}
	uid, gid := launch.Caller()
	return launch.Container{
		Command: told.Args, Access: access, UID: uid, GID: gid, Mounts: told.Mounts, Given: variables,
		Interactive: true, Terminal: isTerminal(q), Name: launch.NewName(),
	}, own, nil
}

// direct asks the engine itself for what a service says.
func (s Service) direct(ctx context.Context, q RunQuestion, c launch.Composer, with launch.Container, service *composefile.Service, p launch.Project) (launch.Command, error) {
	definition, err := launch.Define(service, p)
	if err != nil {
		return launch.Command{}, err
	}
	if err := c.HasVolumes(ctx, definition.External); err != nil {
		return launch.Command{}, err
	}
	if _, err := c.Image(ctx, definition.Image, q.Streams.Stderr); err != nil {
		return launch.Command{}, err
	}
	q.sayIf(len(definition.Ignored) > 0, fmt.Sprintf("no compose is here that %s can use, so rocsmith read the service itself; not done: %s", c.Kind, strings.Join(definition.Ignored, ", ")))
	return c.Engine.Command(definition.Without(with, service))
}

// versionOf names the software of a service, for its caches.
func versionOf(ctx context.Context, c launch.Composer, s *composefile.Service, p launch.Project) string {
	if image, err := c.Known(ctx, s.Get("image").String()); err == nil {
		return image.Version()
	}
	return "compose-" + p.Name + "-" + s.Name
}

// givenMounts reads the flags --mount.
func givenMounts(texts []string, w launch.Workplace) ([]launch.Mount, error) {
	var given []launch.Mount
	var wrong []error
	for _, text := range texts {
		m, err := launch.ParseMount(text, w)
		given, wrong = append(given, m), append(wrong, err)
	}
	return given, errors.Join(wrong...)
}
