package launch

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/grant"
)

// A Container is what is asked of an engine: a command in an image, with what it
// needs of this machine.
type Container struct {
	Image   string
	Command []string
	Access  grant.Access
	UID     uint32 // of the caller
	GID     uint32
	Mounts  []Mount
	Dir     string // the working folder inside; "" is the image's
	// Variables are NAME=VALUE, or NAME alone: the value is taken from the engine's
	// own environment, and stands in no list of processes.
	Variables []string
	// Given are variables that somebody asked for, in the same form. They count more
	// than those of a service.
	Given []string
	// Flags are further ones of the engine, which a service asks for.
	Flags []string
	// User is whom a service names; "" is the caller.
	User string
	// Entrypoint is what stands before the command where a service says so. Own
	// leaves it to the image.
	Entrypoint  []string
	Own         bool
	Interactive bool // standard input is handed on
	Terminal    bool // a terminal is
	Owner       Owner
	Name        string
}

// ownerLabel marks the containers that rocsmith started, and says for whom.
const ownerLabel = "io.github.rocsmith.run"

// sharedMemory is the size of a container's /dev/shm. Engines give it 64 MiB,
// which the workers of torch's data loaders fill (pytorch, README, "Docker
// Image"); it takes memory only as far as it is filled.
const sharedMemory = "8g"

// NewName is a name for a container that nobody else has.
func NewName() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "rocsmith-run-" + hex.EncodeToString(b[:])
}

// Arguments are those of the engine that start a container.
//
// The command is the container's whole command: the image's entrypoint is left
// out, because whoever writes -- python3 train.py means that program. A service
// keeps its own, as compose run does.
func (e Engine) Arguments(c Container) ([]string, error) {
	if c.Access.Refused != "" {
		return nil, fmt.Errorf("%s cannot hand the GPU over: %s", e.Kind, c.Access.Refused)
	}
	args := []string{"run", "--rm", "--pull=never"}
	if c.Owner.PID != 0 { // else a person starts it, and rocsmith must never remove it
		args = append(args, "--name", c.Name, "--label", ownerLabel+"="+c.Owner.String())
	}
	if e.Init {
		args = append(args, "--init")
	}
	if c.Interactive {
		args = append(args, "--interactive")
	}
	if c.Terminal {
		args = append(args, "--tty")
	}
	args = append(args, e.identity(c)...)
	for _, node := range c.Access.Devices {
		args = append(args, "--device", node)
	}
	for _, group := range c.Access.Groups {
		args = append(args, "--group-add", group)
	}
	if c.Access.Labels {
		args = append(args, "--security-opt", "label=disable")
	}
	if !slices.Contains(c.Flags, "--shm-size") && !slices.Contains(c.Flags, "--ipc") {
		args = append(args, "--shm-size", sharedMemory)
	}
	args = append(args, c.Flags...)
	for _, m := range c.Mounts {
		args = append(args, "--mount", m.flag())
	}
	if c.Dir != "" {
		args = append(args, "--workdir", c.Dir)
	}
	for _, v := range slices.Concat(c.Variables, c.Given) {
		args = append(args, "--env", v)
	}
	switch {
	case len(c.Entrypoint) > 0:
		args = append(args, "--entrypoint", c.Entrypoint[0], c.Image)
		args = append(args, c.Entrypoint[1:]...)
	case c.Own:
		args = append(args, c.Image)
	default:
		args = append(args, "--entrypoint", "", c.Image)
	}
	return append(args, c.Command...), nil
}

// identity makes the container's process the caller, so that what it writes
// belongs to the caller.
func (e Engine) identity(c Container) []string {
	user := []string{"--user", fmt.Sprintf("%d:%d", c.UID, c.GID)}
	switch {
	case c.User != "" || slices.Contains(c.Flags, "--userns"):
		return []string{"--user", cmp.Or(c.User, user[1])}
	case e.Kind == grant.Podman && e.Rootless:
		return append(user, "--userns=keep-id")
	case e.Kind == grant.Docker && e.Rootless:
		return []string{"--user", "0:0"} // root inside is the caller outside
	case e.Kind == grant.Docker && e.Remapped:
		return append(user, "--userns=host")
	}
	return user
}

// Command is how a container is started and ended. Where the engine's own program
// does not end well, the container is removed by name.
func (e Engine) Command(c Container) (Command, error) {
	args, err := e.Arguments(c)
	if err != nil {
		return Command{}, err
	}
	return Command{
		Argv: append([]string{e.Program}, args...),
		Env:  e.Env,
		Ended: func(end End) (End, error) {
			if end.Code == 0 {
				return end, nil
			}
			_ = e.remove(context.Background(), c.Name) // it is gone already, as a rule
			return e.ended(c, end)
		},
	}, nil
}
