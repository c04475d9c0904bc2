package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// grace is how long a tool may take to die that was killed.
const grace = 400 * time.Millisecond

func (l live) Ask(ctx context.Context, tool Tool, args ...string) ([]byte, error) {
	path, err := findTool(tool, args)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", tool, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.patience, ErrTooLong)
	defer cancel()
	// A tool that sits in the kernel does not die when killed, so the wait
	// itself is bounded too.
	out, err := within(l.patience+grace, func() ([]byte, error) {
		return runTool(ctx, path, args, l.patience)
	})
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", tool, err)
	}
	return out, nil
}

// findTool resolves a tool of the closed list. System tools live in
// directories that an ordinary user's PATH often lacks.
func findTool(tool Tool, args []string) (string, error) {
	switch tool {
	case Getent, Modinfo:
	case Docker, Podman: // they can do anything, so they are asked for one thing only
		if len(args) != 1 || args[0] != "--version" {
			return "", errors.New("only its version may be asked for")
		}
	default:
		return "", errors.New("not a tool that may be run")
	}
	path, err := exec.LookPath(string(tool))
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin/", "/sbin/"} {
		if path, err := exec.LookPath(dir + string(tool)); err == nil {
			return path, nil
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", ENOENT
	}
	return "", named(err)
}

// runTool runs a tool. Its output may be read as long after its end as it may take
// itself: that is done in a moment, but by a goroutine that has to get its turn.
func runTool(ctx context.Context, path string, args []string, patience time.Duration) ([]byte, error) {
	var out boundedBuffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C", "LC_ALL=C"}
	cmd.Stdout = &out
	cmd.WaitDelay = patience
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.full:
		return nil, ErrTooBig
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit) && exit.Exited():
		return nil, ExitStatus(exit.ExitCode())
	case err != nil:
		return nil, named(err)
	}
	return out.data.Bytes(), nil
}

// A boundedBuffer takes MaxFile bytes and then refuses, which ends the tool.
type boundedBuffer struct {
	data bytes.Buffer
	full bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.data.Len()+len(p) > MaxFile {
		b.full = true
		return 0, ErrTooBig
	}
	return b.data.Write(p)
}
