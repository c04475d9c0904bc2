package job_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// A cage is a machine of the zoo as a plan sees it. Every program is installed
// there, and below the home the user may write.
type cage struct {
	r    host.Reader
	m    *machine.Machine
	home string
}

func (c cage) Look(file string, content bool) (string, state.Image, error) {
	i := state.Image{UID: c.m.Process.Value.UID}
	if !strings.HasPrefix(file, c.home) {
		i.UID = 0
	}
	data, unread := c.r.ReadFile(file)
	plain := unread == nil
	st, looked := c.r.Lstat(file)
	_, listed := c.r.ReadDir(file)
	if _, err := c.r.ReadFile(file + "/pyvenv.cfg"); err == nil {
		return file, state.Image{Folder: true, UID: c.m.Process.Value.UID}, nil
	}
	switch {
	case plain && content:
		i.Data = data
	case plain:
	case looked == nil:
		i.Folder, i.UID = st.Mode.IsDir(), st.UID
	case listed == nil, !errors.Is(looked, fs.ErrNotExist), slices.Contains([]string{"/", "/home", "/var/tmp", "/etc/udev/rules.d", c.home}, file):
		i.Folder = true // what was not recorded is taken for a folder
		if file == "/root" {
			i.UID = 0
		}
	default:
		return file, state.Image{Absent: true}, nil
	}
	if strings.HasPrefix(filepath.Base(file), ".bashrc") && !plain || strings.HasSuffix(file, ".aside") {
		return file, state.Image{Absent: true}, nil
	}
	return file, i, nil
}

func (c cage) MayWrite(folder string) bool {
	return strings.HasPrefix(folder, c.home) || folder == "/var/tmp"
}
func (c cage) Program(name string) (string, bool) { return "/usr/sbin/" + name, true }

func (c cage) List(folder string) ([]string, error) {
	entries, _ := c.r.ReadDir(folder) // what was not recorded holds nothing
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names, nil
}
func (c cage) HasGroup(name string) bool { _, ok := c.m.GroupNamed(name); return ok }

// TestPlansAreGolden plans the cures of every machine of the zoo: a diff in review
// is what fix would do otherwise.
func TestPlansAreGolden(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, a := range zoo(t) {
		d := diagnose(t, a.reader)
		if d.Machine.OS == "windows" {
			continue
		}
		home, _, _ := a.reader.Getenv("HOME")
		who := fix.Person{UID: d.Machine.Process.Value.UID, Name: d.Machine.Process.Value.Name, Home: home, Shell: "/bin/bash"}
		p := fix.Make(d.Findings, fix.Wish{Risk: remedy.Disruptive}, who, cage{a.reader, d.Machine, home})
		byPip := fix.Make(d.Findings, fix.Wish{Risk: remedy.Disruptive, Pip: true}, who, cage{a.reader, d.Machine, home})
		if len(p.Steps)+len(p.Left) == 0 {
			continue
		}
		fmt.Fprintf(&out, "%s\n", a.name)
		for _, s := range p.Steps {
			root := ""
			if s.Root {
				root = "root: "
			}
			fmt.Fprintf(&out, "  %s%s\n", root, s.Title)
			if s.ByHand == "" {
				t.Errorf("%s: %s: nothing says how to take it back by hand", a.name, s.Title)
			}
			for line := range strings.Lines(s.Detail) {
				if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
					out.WriteString("    " + line)
				}
			}
		}
		for _, s := range byPip.Steps {
			if s.Act.Kind == state.Install {
				fmt.Fprintf(&out, "  with --pip: %s\n", s.Title)
				if len(s.Act.First) > 0 {
					fmt.Fprintf(&out, "    after %s\n", strings.Join(s.Act.First, " "))
				}
			}
		}
		for _, l := range p.Left {
			fmt.Fprintf(&out, "  left: %s: %s\n", l.Finding.Check, l.Why)
		}
	}
	golden(t, "../../testdata/plans.txt", out.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (%v); run go test ./internal/job -update and read the difference", file, err)
	}
}
