package state

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoRoot is that nobody could be asked to do the steps of root.
var ErrNoRoot = errors.New("these steps need root, and sudo does not let this process become it without a password")

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
		how = []string{"-n"}
		if exec.Command(sudo, "-n", "true").Run() != nil {
			return "", ErrNoRoot
		}
	}
	cmd := exec.Command(sudo, append(append(how, "--", self), args...)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), complaints
	said, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return string(said), ErrKept
	}
	if err != nil {
		return "", fmt.Errorf("the steps of root: %w", err)
	}
	return string(said), nil
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
