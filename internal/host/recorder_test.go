package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

var someTime = time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)

// replay writes what was recorded and reads it back.
func replay(t *testing.T, r *Recorder) (*Snapshot, string) {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	s, err := ParseSnapshot(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	return s, b.String()
}

// A question is asked of two Readers, whose answers are compared.
type question func(Reader) (any, error)

// allQuestions asks everything about one path and name.
func allQuestions(p, name string) map[string]question {
	return map[string]question{
		"ReadFile":    func(r Reader) (any, error) { return r.ReadFile(p) },
		"ReadAt":      func(r Reader) (any, error) { return r.ReadAt(p, 3, 5) },
		"ReadDir":     func(r Reader) (any, error) { return r.ReadDir(p) },
		"ReadLink":    func(r Reader) (any, error) { return r.ReadLink(p) },
		"Lstat":       func(r Reader) (any, error) { return r.Lstat(p) },
		"Statfs":      func(r Reader) (any, error) { return r.Statfs(p) },
		"Getxattr":    func(r Reader) (any, error) { return r.Getxattr(p, name) },
		"Access":      func(r Reader) (any, error) { return nil, r.Access(p, 'w') },
		"TryOpen":     func(r Reader) (any, error) { return nil, r.TryOpen(p) },
		"FileVersion": func(r Reader) (any, error) { return r.FileVersion(p) },
		"Environ":     func(r Reader) (any, error) { return r.Environ(name) },
		"Process":     func(r Reader) (any, error) { return r.Process() },
		"KernelLog":   func(r Reader) (any, error) { return r.KernelLog() },
		"Registry":    func(r Reader) (any, error) { return r.Registry(p, name) },
		"Ask":         func(r Reader) (any, error) { return r.Ask(context.Background(), Getent, p, name) },
		"Getenv": func(r Reader) (any, error) {
			value, set, err := r.Getenv(name)
			return fmt.Sprint(value, set), err
		},
	}
}

// same compares answers; an empty list is an empty list.
func same(a, b any) bool {
	if va, vb := reflect.ValueOf(a), reflect.ValueOf(b); va.IsValid() && va.Kind() == reflect.Slice && vb.IsValid() {
		if va.Len() == 0 && vb.Len() == 0 {
			return true
		}
	}
	return reflect.DeepEqual(a, b)
}

// sameError compares what a check can tell apart.
func sameError(a, b error) bool {
	for _, f := range faultWords {
		if errors.Is(a, f.err) != errors.Is(b, f.err) {
			return false
		}
	}
	if text, ok := faultOf(b).text(); ok {
		return a != nil && strings.Contains(a.Error(), text)
	}
	return (a == nil) == (b == nil) && ErrnoOf(a) == ErrnoOf(b) && faultOf(a) == faultOf(b)
}

// A randomMachine answers at random, with bytes that a text format fears.
type randomMachine struct{ *rand.Rand }

func (m randomMachine) text() string {
	pieces := []string{"a", " ", "\n", "\t", "\r", "\x00", "\xff", "é", "-- end 1 --", "\n-- file /x --\n", `"`, "=", "base64", "--", "\\", "/x"}
	var b strings.Builder
	for range m.IntN(6) {
		b.WriteString(pieces[m.IntN(len(pieces))])
	}
	return b.String()
}

func (m randomMachine) answer(value any) any {
	failures := []error{
		ENOENT, EACCES, Errno("EREMOTEIO"), ErrTooLong, ErrTooBig, ErrNotRegular, ErrOtherSystem, ErrAnotherRoot, ExitStatus(2), errors.New(m.text()),
	}
	if m.IntN(3) == 0 {
		return &fs.PathError{Op: "x", Path: "/y", Err: failures[m.IntN(len(failures))]}
	}
	return value
}

// machine answers every question about one path and name.
func (m randomMachine) machine(p, name string) fake {
	types := []fs.FileMode{0, fs.ModeDir, fs.ModeSymlink, fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice, fs.ModeSocket, fs.ModeNamedPipe}
	st := Stat{Mode: types[m.IntN(len(types))] | fs.ModeSetgid | fs.FileMode(m.IntN(0o1000)), UID: m.Uint32(), GID: m.Uint32(), Size: m.Int64()}
	if st.Mode&fs.ModeDevice != 0 {
		st.Major, st.Minor = m.Uint32(), m.Uint32()
	}
	var entries []Entry
	for i := range m.IntN(3) {
		entries = append(entries, Entry{Name: fmt.Sprint(i) + m.text(), Type: types[m.IntN(len(types))]})
	}
	f := fake{
		"file " + p:                    m.answer([]byte(m.text())),
		"range " + p + " 3 5":          m.answer([]byte(m.text())),
		"dir " + p:                     m.answer(entries),
		"link " + p:                    m.answer(m.text()),
		"stat " + p:                    m.answer(st),
		"statfs " + p:                  m.answer(FileSystem{Type: m.text(), ReadOnly: true, Free: m.Int64(), Size: m.Int64()}),
		"xattr " + p + " " + name:      m.answer([]byte(m.text())),
		"access " + p + " w":           m.answer(true),
		"open " + p:                    m.answer(true),
		"version " + p:                 m.answer(m.text()),
		"process":                      m.answer(Process{UID: 1, EUID: 2, GID: 3, EGID: 4, Groups: []uint32{5, 6}, CapEff: m.Uint64(), UIDMap: []IDRange{{0, 1, 2}}}),
		"log":                          m.answer(strings.Split(strings.Repeat("amdgpu\n", m.IntN(3)), "\n")),
		"registry " + p + " " + name:   m.answer(m.text()),
		"ask getent " + p + " " + name: m.answer([]byte(m.text())),
	}
	if m.IntN(2) == 0 && !strings.Contains(name, "=") { // no variable has such a name
		f["env "+name] = m.text()
	}
	return f
}

func TestRecordWriteParseAnswersTheSame(t *testing.T) {
	t.Parallel()
	names := []string{"plain", "with blank", `"quoted"`, "base64", "error=x", "--", "tab\t", "\xff", "é"}
	for seed := range uint64(400) {
		m := randomMachine{rand.New(rand.NewPCG(seed, 1))}
		name := names[m.IntN(len(names))]
		p := "/srv/" + names[m.IntN(len(names))]
		machine := m.machine(p, name)
		recorder := Record(machine, "test", someTime)
		questions := allQuestions(p, name)
		for _, ask := range questions {
			_, _ = ask(recorder)
		}
		s, text := replay(t, recorder)
		for what, ask := range questions {
			want, wantErr := ask(machine)
			got, gotErr := ask(s)
			if !same(got, want) && wantErr == nil || !sameError(gotErr, wantErr) {
				t.Fatalf("seed %d: %s(%q, %q): got %#v, %v, want %#v, %v\n%s", seed, what, p, name, got, gotErr, want, wantErr, text)
			}
		}
	}
}

func TestRecorderKeepsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	machine := fake{"file /x": []byte("first\n")}
	r := Record(machine, "test", someTime)
	_, _ = r.ReadFile("/x")
	machine["file /x"] = []byte("second\n")
	if got, _ := r.ReadFile("/x"); string(got) != "second\n" {
		t.Errorf("the caller got %q", got)
	}
	if got, err := r.Snapshot().ReadFile("/x"); string(got) != "first\n" || err != nil {
		t.Errorf("recorded: %q, %v", got, err)
	}
}

func TestRecorderOutputIsStable(t *testing.T) {
	t.Parallel()
	machine := fake{"file /b": []byte("b\n"), "file /a": []byte("a\n"), "env B": "2", "env A": "1"}
	write := func(order ...string) string {
		r := Record(machine, "0.1.0", someTime)
		for _, p := range order {
			_, _ = r.ReadFile("/" + p)
			_, _, _ = r.Getenv(strings.ToUpper(p))
		}
		_, text := replay(t, r)
		return text
	}
	want := "rocsmith snapshot 1\nos: linux\nrecorded: 2026-11-15T10:00:00Z by rocsmith 0.1.0\n" +
		"-- env --\nA=\"1\"\nB=\"2\"\n-- file /a --\na\n-- file /b --\nb\n-- end 3 --\n"
	for _, order := range [][]string{{"a", "b"}, {"b", "a", "b"}} {
		if got := write(order...); got != want {
			t.Errorf("%v:\n%s", order, got)
		}
	}
}

func TestRecorderSkipsWhatIsNotRecorded(t *testing.T) {
	t.Parallel()
	r := Record(newSnapshot("linux"), "test", someTime)
	_, _ = r.ReadFile("/x")
	_, _, _ = r.Getenv("X")
	if _, text := replay(t, r); !strings.HasSuffix(text, "\n-- end 0 --\n") {
		t.Errorf("got\n%s", text)
	}
}

func TestRecorderLimit(t *testing.T) {
	t.Parallel()
	machine := fake{}
	r := Record(machine, "test", someTime)
	big := bytes.Repeat([]byte{0xff}, MaxFile)
	for i := range 20 {
		p := fmt.Sprintf("/x%02d", i)
		machine["file "+p] = big
		_, _ = r.ReadFile(p)
	}
	s, _ := replay(t, r)
	if _, err := s.ReadFile("/x00"); err != nil {
		t.Errorf("the first file: %v", err)
	}
	if _, err := s.ReadFile("/x19"); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("the last file: %v", err)
	}
}

func TestRecorderIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	machine := fake{"file /x": []byte("x\n")}
	r := Record(machine, "test", someTime)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for _, ask := range allQuestions("/x", fmt.Sprint(i)) {
				_, _ = ask(r)
			}
			r.Snapshot()
		})
	}
	wg.Wait()
	replay(t, r)
}
