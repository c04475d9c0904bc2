package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// ErrNoRoot is that nobody could be asked to do the steps of root.
var ErrNoRoot = errors.New("these steps need root, and sudo did not let this process become it")

// AsRoot runs this program with other arguments as root, through sudo. Where
// nobody can be asked for a password, none is asked for. It returns what the other
// printed.
func AsRoot(ask bool, input []byte, complaints io.Writer, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	sudo, ok := find("sudo")
	if !ok {
		return "", ErrNoRoot
	}
	var how []string
	if !ask {
		how = []string{"-n"} // it says itself that it would need a password
	}
	cmd := exec.Command(sudo, append(append(how, "--", self), args...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), complaints
	return become(cmd)
}

// become runs sudo. Its own exit codes are those of the program that it runs, and
// 1 is also a wrong password or a user whom it does not know (sudo(8), EXIT VALUE):
// only the mark tells that the other rocsmith ran. An interrupt ends sudo and not
// this process, which has its journal to bring to an end.
func become(cmd *exec.Cmd) (string, error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	printed, err := cmd.Output()
	signal.Stop(interrupts) // which waits for one that has come to be in the channel
	_, said, began := strings.Cut(string(printed), Began)
	var exit *exec.ExitError
	switch {
	case !began && len(interrupts) > 0:
		return "", ErrStopped
	case !began && (err == nil || errors.As(err, &exit)):
		return "", ErrNoRoot
	case errors.As(err, &exit) && exit.ExitCode() == ExitKept:
		return said, ErrKept
	case err != nil:
		return "", fmt.Errorf("the steps of root: %w", err)
	}
	return said, nil
}

func find(name string) (string, bool) {
	for _, dir := range Programs {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, true
		}
	}
	return "", false
}
