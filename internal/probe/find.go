package probe

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Variable names the child where it lies somewhere else.
const Variable = "ROCSMITH_PROBE"

// ErrNoChild says that there is no rocsmith-probe to ask.
var ErrNoChild = errors.New("rocsmith-probe, which loads the GPU's libraries, is not here")

// Find looks for the child: where the variable says, beside the running
// program, in ../libexec/rocsmith, and in PATH.
func Find(getenv func(string) string, system string) (string, error) {
	name := "rocsmith-probe"
	if system == "windows" {
		name += ".exe"
	}
	if named := getenv(Variable); named != "" {
		if !isFile(named) {
			return "", fmt.Errorf("%w: %s=%s is no file", ErrNoChild, Variable, named)
		}
		return filepath.Abs(named)
	}
	self := running()
	for _, dir := range append(beside(self), filepath.SplitList(getenv("PATH"))...) {
		if p := filepath.Join(dir, name); filepath.IsAbs(p) && isFile(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w: not beside rocsmith (%s), not in ../libexec/rocsmith and not in PATH. %s", ErrNoChild, filepath.Dir(self), howToBuild(self))
}

// running is the file of this program; "" in a root without /proc.
func running() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if target, err := filepath.EvalSymlinks(self); err == nil {
		return target
	}
	return self
}

// beside are the folders that belong to an installation.
func beside(self string) []string {
	if self == "" {
		return nil
	}
	dir := filepath.Dir(self)
	return []string{dir, filepath.Join(dir, "..", "libexec", "rocsmith")}
}

// howToBuild knows what go run leaves behind: a program in a folder of its own
// that is gone afterwards.
func howToBuild(self string) string {
	const build = "go build ./cmd/rocsmith-probe"
	if strings.Contains(self, "go-build") {
		return fmt.Sprintf("Under go run: first %s, then %s=./rocsmith-probe go run ./cmd/rocsmith probe", build, Variable)
	}
	return fmt.Sprintf("Build it with %s, and put it beside rocsmith or name it in %s", build, Variable)
}

func isFile(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.Mode().IsRegular()
}

// cannotStart says in words why a program that is there does not start. Linux
// says ENOENT of a program whose loader is missing.
func cannotStart(program string, err error) error {
	var missing *exec.Error
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("start %s: %w", program, err)
	case errors.Is(err, fs.ErrNotExist) && isFile(program):
		return fmt.Errorf("the loader %s that it asks for is not there, as on systems with musl and in empty containers (%w)", loaderOf(program), err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s is no program for this machine (%w)", program, err)
	}
	return fmt.Errorf("start %s: %w", program, err)
}

// loaderOf reads which loader a program asks for.
func loaderOf(program string) string {
	f, err := elf.Open(program)
	if err != nil {
		return "of another kind"
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		const longest = 4096
		if p.Type == elf.PT_INTERP && p.Filesz < longest {
			name := make([]byte, p.Filesz)
			if _, err := p.ReadAt(name, 0); err == nil {
				return strings.TrimRight(string(name), "\x00")
			}
		}
	}
	return "of another kind"
}
