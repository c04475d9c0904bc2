package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A LogSource is a log that a service keeps, not a file.
type LogSource struct {
	Journal   bool   // of this boot, as systemd keeps it
	Container string // a name or id that Docker or Podman knows
	Pod       string // of the current cluster: NAME or NAMESPACE/NAME
}

// String says which log it is.
func (s LogSource) String() string {
	switch {
	case s.Container != "":
		return "container " + s.Container
	case s.Pod != "":
		return "pod " + s.Pod
	}
	return "the journal"
}

// commands print the log; the first that is installed and knows it is taken. The list is closed, and nothing of it
// changes anything.
func (s LogSource) commands() [][]string {
	switch {
	case s.Container != "":
		return [][]string{{"docker", "logs", "--timestamps", "--", s.Container}, {"podman", "logs", "--timestamps", "--", s.Container}}
	case s.Pod != "":
		args := []string{"kubectl", "logs", "--all-containers", "--timestamps"}
		name := s.Pod
		if namespace, pod, ok := strings.Cut(s.Pod, "/"); ok {
			args, name = append(args, "--namespace="+namespace), pod
		}
		return [][]string{append(args, "--", name)}
	}
	return [][]string{{"journalctl", "--boot", "--no-pager", "--output=short-iso"}}
}

// OpenLog reads a log from the tool that keeps it. Standard error is part of it: engines hand on that of the container
// there.
func OpenLog(ctx context.Context, s LogSource) (io.ReadCloser, error) {
	var errs []error
	for _, command := range s.commands() {
		path, err := exec.LookPath(command[0])
		if err != nil {
			errs = append(errs, fmt.Errorf("%s is not installed here", command[0]))
			continue
		}
		r, err := startLog(ctx, path, command[1:])
		if err == nil {
			return r, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", command[0], err))
	}
	return nil, fmt.Errorf("read the log of %s: %w", s, errors.Join(errs...))
}

// A toolLog is the output of a tool while it runs.
type toolLog struct {
	pipe   *os.File
	head   []byte // what was read to see whether it works
	cancel context.CancelFunc
	ended  chan error
}

func startLog(ctx context.Context, path string, args []string) (*toolLog, error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, path, args...)
	out, in, err := os.Pipe()
	if err != nil {
		cancel()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, in, time.Second
	err = cmd.Start()
	_ = in.Close() // the tool has its own
	if err != nil {
		cancel()
		_ = out.Close()
		return nil, err
	}
	t := &toolLog{pipe: out, cancel: cancel, ended: make(chan error, 1)}
	go func() { t.ended <- cmd.Wait() }()
	return t, t.begin()
}

// begin reads the first bytes. A tool that fails says so in a few of them, and ends.
func (t *toolLog) begin() error {
	const look = 4 << 10
	head := make([]byte, look)
	n, err := io.ReadFull(t.pipe, head)
	t.head = head[:n]
	if err == nil {
		return nil // it has a lot to say
	}
	if end := <-t.ended; end != nil {
		_ = t.Close()
		return errors.New(string(bytes.TrimSpace(t.head)))
	}
	t.ended <- nil
	return nil
}

func (t *toolLog) Read(p []byte) (int, error) {
	if len(t.head) > 0 {
		n := copy(p, t.head)
		t.head = t.head[n:]
		return n, nil
	}
	return t.pipe.Read(p)
}

func (t *toolLog) Close() error {
	t.cancel()
	return t.pipe.Close()
}
