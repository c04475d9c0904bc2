package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settings are the variables by which people lead pip and uv to their index; other
// commands get none.
func settings(argv []string) []string {
	if !slices.Contains(argv, "pip") {
		return nil
	}
	meant := []string{"PIP_", "UV_", "HTTP_PROXY=", "HTTPS_PROXY=", "NO_PROXY=", "http_proxy=", "https_proxy=", "no_proxy=", "SSL_CERT_", "REQUESTS_CA_BUNDLE="}
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return !slices.ContainsFunc(meant, func(m string) bool { return strings.HasPrefix(v, m) })
	})
}

// patience is for a boot image on a slow disk, and forPackages for gigabytes of
// wheels over a slow line; grace is for a command to end when it is asked to, and
// for what it left running to let go of its output. saying is what is kept of the
// words of a command.
const (
	patience    = 10 * time.Minute
	forPackages = 4 * time.Hour
	grace       = 20 * time.Second
	saying      = 4 << 10
)

// run runs a command without a terminal and with a PATH of the system's own
// folders: root must not be led to a program of somebody's.
func (kernel) run(argv []string) (string, error) {
	limit := patience
	if slices.Contains(argv, "pip") {
		limit = forPackages
	}
	return runWithin(argv, limit, grace)
}

// runWithin asks a command to end at its limit, so that an installer can put back
// what it holds in its hands, and ends it where that does not help.
func runWithin(argv []string, limit, grace time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the commands of a plan are a closed list
	cmd.Env = append(settings(argv), "PATH="+strings.Join(Programs, ":"), "LC_ALL=C", "HOME="+os.Getenv("HOME"), "XDG_RUNTIME_DIR="+os.Getenv("XDG_RUNTIME_DIR"))
	cmd.Dir = "/"
	// Ctrl-C is for rocsmith, which takes back what was done: half a boot image would
	// be worse than the wait. Installers are let go, they take hours and know how.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !slices.Contains(argv, "pip")}
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = grace
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	text := strings.TrimSpace(string(said.kept))
	switch {
	case ctx.Err() != nil:
		return text, fmt.Errorf("%s: it was ended after %s: %s", strings.Join(argv, " "), limit, lastLine(text))
	case errors.Is(err, exec.ErrWaitDelay):
		return text, nil // it ended well, and left something running
	case err != nil:
		return text, fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, lastLine(text))
	}
	return text, nil
}

func lastLine(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

// A tail keeps the last of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-saying):]...)
	if over := len(t.kept) - saying; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}
