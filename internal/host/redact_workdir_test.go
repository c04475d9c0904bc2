package host

import (
	"io/fs"
	"strings"
	"testing"
)

// The names in somebody's folder stay there, but the environments among them are
// found again.
func TestWorkingDirectoryIsTheirs(t *testing.T) {
	t.Parallel()
	for dir, kept := range map[string]bool{"/srv/work": false, "/home/user1": false, "/opt": true, "/": true} {
		p := strings.TrimSuffix(dir, "/")
		rec := Record(fake{
			"env PWD":                         dir,
			"dir " + dir:                      []Entry{{Name: "secret-plan", Type: fs.ModeDir}, {Name: "myenv", Type: fs.ModeDir}},
			"file " + p + "/.env":             []byte("X=1\n"),
			"stat " + p + "/myenv/pyvenv.cfg": Stat{Size: 5},
			"file " + p + "/myenv/pyvenv.cfg": []byte("home = /usr/bin\n"),
		}, "test", someTime)
		_, _, _ = rec.Getenv("PWD")
		_, _ = rec.ReadDir(dir)
		for _, name := range []string{"secret-plan", "myenv"} {
			_, _ = rec.Lstat(p + "/" + name + "/pyvenv.cfg")
		}
		_, _ = rec.ReadFile(p + "/myenv/pyvenv.cfg")
		var text strings.Builder
		if _, err := rec.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text.String(), "secret-plan"); got != kept {
			t.Errorf("%s: the name is in the snapshot: %t\n%s", dir, got, text.String())
		}
		if !strings.Contains(text.String(), "myenv/pyvenv.cfg") {
			t.Errorf("%s: the environment is lost\n%s", dir, text.String())
		}
	}
}
