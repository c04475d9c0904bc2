package probe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// An engine is a program that runs containers.
type engine struct{ path string }

// engineTime is how long an engine may take for anything but running a child.
const engineTime = time.Minute

// ErrNoEngine says that there is neither docker nor podman.
var ErrNoEngine = errors.New("neither docker nor podman is in PATH")

// engines finds the programs in PATH.
func engines(getenv func(string) string) ([]engine, error) {
	var out []engine
	for _, name := range []string{"docker", "podman"} {
		for _, dir := range filepath.SplitList(getenv("PATH")) {
			if p := filepath.Join(dir, name); filepath.IsAbs(p) && isFile(p) {
				out = append(out, engine{p})
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, ErrNoEngine
	}
	return out, nil
}

// knowing picks the engine that knows an image or a container.
func knowing(getenv func(string) string, kind, name string) (engine, error) {
	all, err := engines(getenv)
	if err != nil {
		return engine{}, err
	}
	if strings.HasPrefix(name, "-") {
		return engine{}, fmt.Errorf("%q is no name of a %s", name, kind)
	}
	var errs []string
	for _, e := range all {
		err := e.do(kind, "inspect", name)
		if err == nil {
			return e, nil
		}
		errs = append(errs, err.Error())
	}
	return engine{}, fmt.Errorf("no engine knows the %s %s (%s)", kind, name, strings.Join(errs, "; "))
}

// do runs one command of the engine, bounded.
func (e engine) do(args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), engineTime)
	defer cancel()
	var words bytes.Buffer
	cmd := exec.CommandContext(ctx, e.path, args...) //nolint:gosec // an engine that the user has installed
	cmd.Stderr = &words
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w%s", filepath.Base(e.path), args[0], err, lastWords(shorten(words.String(), longestWords)))
	}
	return nil
}

// Devices are what a container is given.
type Devices struct {
	Nodes []string // "/dev/kfd", "/dev/dri"
	GIDs  []uint32 // the groups that own them
}

// InImage runs each child in a container of its own, made from an image that is
// already here: nothing is fetched.
func InImage(getenv func(string) string, program, image string, d Devices) (Place, error) {
	e, err := knowing(getenv, "image", image)
	if err != nil {
		return Place{}, err
	}
	return Place{
		Name:  "the image " + image,
		Close: func() error { return nil },
		Start: func() (Launch, error) {
			name := "rocsmith-probe-" + unique()
			return Launch{
				Argv: e.runArgs(name, program, image, d), Apart: true,
				// The engine's own program is killed in a hang, and its container
				// would stay.
				After: func() { _ = e.do("rm", "--force", name) },
			}, nil
		},
	}, nil
}

func (e engine) runArgs(name, program, image string, d Devices) []string {
	const inside = "/rocsmith-probe"
	argv := []string{
		e.path, "run", "--rm", "--interactive", "--pull=never", "--network=none", "--name", name,
		"--volume", program + ":" + inside + ":ro", "--entrypoint", inside,
	}
	for _, node := range d.Nodes {
		argv = append(argv, "--device", node)
	}
	for _, gid := range d.GIDs {
		argv = append(argv, "--group-add", fmt.Sprint(gid))
	}
	return append(argv, image)
}

// InContainer runs the children inside of a container that is running. The
// program is copied into it, and removed by Close.
func InContainer(getenv func(string) string, program, container string) (Place, error) {
	e, err := knowing(getenv, "container", container)
	if err != nil {
		return Place{}, err
	}
	inside := "/rocsmith-probe-" + unique()
	if err := e.do("cp", program, container+":"+inside); err != nil {
		return Place{}, fmt.Errorf("put the probe into the container %s: %w", container, err)
	}
	return Place{
		Name: "the container " + container,
		Start: func() (Launch, error) {
			return Launch{
				Argv: []string{e.path, "exec", "--interactive", container, inside}, Apart: true,
				After: func() { _ = e.do("exec", "--user=0", container, "sh", "-c", endThose, "sh", inside) },
			}, nil
		},
		Close: func() error {
			if err := e.do("exec", "--user=0", container, "rm", "-f", inside); err != nil {
				return fmt.Errorf("%s is left in the container %s: %w", inside, container, err)
			}
			return nil
		},
	}, nil
}

// endThose ends the processes of one program: the engine does not end what it
// started in a container when it is killed itself.
const endThose = `for p in /proc/[0-9]*; do if [ "$(readlink "$p/exe")" = "$1" ]; then kill -9 "${p#/proc/}"; fi; done`

// unique is a name that nobody else has.
func unique() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
