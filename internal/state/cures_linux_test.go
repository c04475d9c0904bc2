package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// everyVariable asks for each single call of each cure; CI takes one in seven, and
// another one in each cure.
const (
	everyVariable = "ROCSMITH_EVERY"
	ciStride      = 17
)

// namedCures are the acts of every cure that rocsmith applies, as internal/job
// makes them for the machines of the zoo.
func namedCures(t *testing.T) map[string][]Act {
	t.Helper()
	data, err := os.ReadFile("../../testdata/acts.json")
	must(t, err)
	var cures map[string][]Act
	must(t, json.Unmarshal(data, &cures))
	if len(cures) < 30 {
		t.Fatalf("there are %d cures", len(cures))
	}
	return cures
}

// A ward is a machine that needs one cure: its files below a folder, and commands
// that change what they are said to touch.
type ward struct {
	plot
	acts []Act
}

// admit plants what the acts of a cure find.
func admit(t testing.TB, acts []Act) ward {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := ward{plot: plot{root: filepath.Join(dir, "root"), state: filepath.Join(dir, "state")}}
	must(t, os.MkdirAll(w.root, 0o755))
	made := map[string]bool{}
	for _, a := range acts {
		w.acts = append(w.acts, w.within(t, a, made))
	}
	return w
}

// within puts an act below the folder of the ward, with what it finds there.
func (w ward) within(t testing.TB, a Act, made map[string]bool) Act {
	t.Helper()
	at := func(p string) string {
		if p == "" {
			return ""
		}
		return w.root + p
	}
	a.Path, a.To = at(a.Path), at(a.To)
	a.Touches = slices.Clone(a.Touches)
	for i, file := range a.Touches {
		a.Touches[i] = at(file)
		if !strings.HasSuffix(file, "-") && !made[a.Touches[i]] {
			made[a.Touches[i]] = true
			w.put(t, a.Touches[i], []byte("root:x:0:\n"))
		}
	}
	switch a.Kind {
	case MakeDir:
		made[a.Path] = true
		must(t, os.MkdirAll(filepath.Dir(a.Path), 0o755))
		if made[filepath.Dir(a.Path)] {
			must(t, os.RemoveAll(filepath.Dir(a.Path))) // an act before this one makes it
		}
	case Write:
		w.find(t, &a, made)
	case Move:
		w.put(t, a.Path, []byte("kernels"))
		_, image, err := Look(a.Path, false)
		must(t, err)
		a.Before = image
	case Own:
		w.put(t, filepath.Join(a.Path, "deep/file"), []byte("x"))
		a.UID, a.GID = stranger(), stranger()
	case Install:
		a.Argv, a.First = w.python(a.Argv), w.python(a.First)
		for _, p := range []string{"torch-1.dist-info", "numpy-1.dist-info"} {
			must(t, os.MkdirAll(filepath.Join(a.Path, "lib/python3.12/site-packages", p), 0o755))
		}
	}
	return a
}

// python is a call of pip within the ward; that of uv is called like it.
func (w ward) python(argv []string) []string {
	at := slices.Index(argv, "pip")
	if at < 0 {
		return nil
	}
	for i, word := range argv {
		if i > 0 && argv[i-1] == "--python" {
			return slices.Concat([]string{w.root + word, "-m"}, slices.Delete(slices.Clone(argv[at:]), i-1-at, i+1-at))
		}
	}
	return append([]string{w.root + argv[0], "-m"}, argv[at:]...)
}

func (w ward) find(t testing.TB, a *Act, made map[string]bool) {
	t.Helper()
	if !a.Before.Absent {
		w.put(t, a.Path, a.Before.Data)
	} else if !made[filepath.Dir(a.Path)] {
		must(t, os.MkdirAll(filepath.Dir(a.Path), 0o755))
	}
	_, image, err := Look(a.Path, true)
	must(t, err)
	a.Before = image
}

func (w ward) put(t testing.TB, file string, data []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, data, 0o640))
	must(t, os.Chtimes(file, old, old))
}

// commands do to the files that they touch what such tools do, and take it back.
func (w ward) commands(argv []string) (string, error) {
	if slices.Contains(argv, "pip") {
		return pretendPip(argv)
	}
	line := strings.Join(argv, " ")
	for _, a := range w.acts {
		back := strings.Join(a.Back, " ") == line
		if !back && strings.Join(a.Argv, " ") != line {
			continue
		}
		for _, file := range a.Touches {
			data, err := os.ReadFile(file)
			if err != nil && strings.HasSuffix(file, "-") {
				continue
			}
			text, mark := string(data), "# "+strings.Join(a.Argv, " ")+"\n"
			if text = strings.Replace(text, mark, "", 1); !back {
				text += mark
			}
			if err := replaceFile(file, []byte(text)); err != nil {
				return "", err
			}
		}
		return "done", nil
	}
	return "", fmt.Errorf("nobody plans %s", line)
}

// perform applies the cure, through a disk that may fail.
func (w ward) perform(d *trap) error {
	d.commands = w.commands
	j, err := open(w.state, disk{d}, clock)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	e, err := j.Begin(Entry{Version: "test"}, w.acts)
	if err != nil {
		return err
	}
	return j.Apply(e)
}

// undo takes the last entry back, through a disk that may fail.
func (w ward) undo(t testing.TB, d *trap) error {
	t.Helper()
	d.commands = w.commands
	j, err := open(w.state, disk{d}, clock)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	if _, err := j.Recover(); err != nil {
		return err
	}
	entries, err := j.Entries()
	if err != nil || len(entries) == 0 || !entries[len(entries)-1].Standing() {
		return err
	}
	conflicts, err := j.Undo(&entries[len(entries)-1])
	for _, c := range conflicts {
		err = errors.Join(err, c)
	}
	return err
}

// TestEveryCureFails breaks each cure that rocsmith applies at its system calls,
// those of apply and those of undo, and wants the machine as it was.
func TestEveryCureFails(t *testing.T) {
	t.Parallel()
	stride := ciStride
	if os.Getenv(everyVariable) != "" {
		stride = 1
	}
	cures := namedCures(t)
	for n, id := range slices.Sorted(maps.Keys(cures)) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			first := admit(t, cures[id])
			before := first.tree(t)
			apply, back := &trap{}, &trap{}
			must(t, first.perform(apply))
			if maps.Equal(first.tree(t), before) && len(first.acts[0].Argv) == 0 && os.Geteuid() == 0 {
				t.Error("the cure changes nothing here")
			}
			must(t, first.undo(t, back))
			sameTree(t, "undone", first.tree(t), before)
			for at := 1 + n%stride; at <= apply.count; at += stride {
				w := admit(t, cures[id])
				before := w.tree(t)
				d := &trap{at: at, err: unix.EIO, dead: at%2 == 0}
				_ = w.perform(d) // whatever it says, the machine must be as it was
				must(t, w.undo(t, &trap{}))
				sameTree(t, "apply, call "+strconv.Itoa(at)+" "+d.said, w.tree(t), before)
			}
			for at := 1 + n%stride; at <= back.count; at += stride {
				w := admit(t, cures[id])
				before := w.tree(t)
				must(t, w.perform(&trap{}))
				d := &trap{at: at, err: unix.EIO, dead: at%2 == 0}
				_ = w.undo(t, d)
				must(t, w.undo(t, &trap{}))
				sameTree(t, "undo, call "+strconv.Itoa(at)+" "+d.said, w.tree(t), before)
			}
			t.Logf("%d calls of apply, %d of undo", apply.count, back.count)
		})
	}
}
