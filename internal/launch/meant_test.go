package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"FOO=1":                "write env FOO=1 before the command",
		"cd":                   "a command of the shell",
		"python3 -c 'print()'": "without quotes around all of it",
		"meant.go":             "write ./meant.go", // of the folder that tests run in
		"./meant":              "",
		"nonesuch":             "",
		"=1":                   "",
		"":                     "",
	} {
		if got := meant(word); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q", word, got)
		}
	}
}

// TestMeantInAnImage: there the words are those of rocsmith, and not what was typed.
func TestMeantInAnImage(t *testing.T) {
	t.Parallel()
	err := &StartError{ExitNotFound, "cd in the image x", errors.New("executable file not found")}
	if got := err.Error(); got != "there is no program cd in the image x" {
		t.Error(got)
	}
}

// TestFindWithoutPath: a program of the system is found as execvp(3) finds it, and none
// where the variable is there and empty of it.
func TestFindWithoutPath(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	if file, err := find("sh", []string{"HOME=/"}, ""); err != nil || filepath.Base(file) != "sh" {
		t.Errorf("%q %v", file, err)
	}
	if file, err := find("sh", []string{"PATH=/nowhere"}, ""); err == nil {
		t.Errorf("found %q", file)
	}
}
