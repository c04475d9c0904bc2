package launch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// manyRuns is the variable that says how many commands TestStress runs, and
// firstSeed the one with which it begins: alone, it repeats a run that failed.
const (
	manyRuns  = "ROCSMITH_RUNS"
	firstSeed = "ROCSMITH_SEED"
)

// TestStress runs commands that write any amount in any pieces to every kind of
// target, while readers read at once, slowly, late, or go away. All that was written
// has to arrive and in its order, the keeper has to have seen it, the exit code has to
// be the command's, and nobody may wait for ever or turn in a circle.
func TestStress(t *testing.T) {
	t.Parallel()
	runs, first := uint64(24), uint64(1)
	if n, err := strconv.ParseUint(os.Getenv(firstSeed), 10, 64); err == nil {
		first, runs = n, 1
	}
	if n, err := strconv.ParseUint(os.Getenv(manyRuns), 10, 64); err == nil {
		runs = n
	}
	var written atomic.Int64
	t.Cleanup(func() { t.Logf("%d runs, %d bytes", runs, written.Load()) })
	const atOnce = 6 // most of them wait for their readers
	for worker := range uint64(atOnce) {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for seed := first + worker; seed < first+runs; seed += atOnce {
				written.Add(stress(t, seed, t.TempDir()))
			}
		})
	}
}

// A speech is what a command says, and what becomes of it: all of it follows from the
// seed.
type speech struct {
	seed   uint64
	pieces []piece
	code   int
	signal unix.Signal // that ends it, where not 0
	stays  bool        // a process is left behind, which holds the streams for a moment
	out    target
	err    target
	same   bool // both streams are one file
	asked  bool // somebody asks rocsmith for the end, after a moment
	moment time.Duration
}

// A piece is what is written in one call; before it there may be a pause.
type piece struct {
	stderr bool
	size   int
	pause  time.Duration
}

// A target is where a stream leads, and how it is read.
type target struct {
	kind   string
	reader string
}

var (
	kinds   = []string{"pipe", "pipe", "pipe", "pipe that does not block", "fifo", "file", "file to append to", "socket", "socket that does not block", "network", "terminal", "terminal", "device"}
	readers = []string{"at once", "at once", "at once", "slowly", "late", "in two halves", "goes"}
	sizes   = []int{0, 1, 4095, 4096, 4097, 8192, 64<<10 - 1, 64 << 10, 64<<10 + 1, 256 << 10, 320 << 10, 1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<20 + 64<<10, 2 << 20, 3<<20 + 1, 4 << 20}
)

func newSpeech(seed uint64) speech {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	s := speech{seed: seed, code: []int{0, 1, 2, 77, 125, 255}[r.IntN(6)], stays: r.IntN(8) == 0, same: r.IntN(4) == 0}
	if r.IntN(8) == 0 {
		s.signal = []unix.Signal{unix.SIGKILL, unix.SIGTERM}[r.IntN(2)]
	}
	s.out = target{kinds[r.IntN(len(kinds))], readers[r.IntN(len(readers))]}
	s.err = target{kinds[r.IntN(len(kinds))], readers[r.IntN(len(readers))]}
	sizeOf := func() int {
		if r.IntN(3) == 0 {
			return r.IntN(4 << 20)
		}
		return sizes[r.IntN(len(sizes))]
	}
	most := []int{80, 512, 4096, 4096, 64 << 10, 1 << 20, 4 << 20}[r.IntN(7)]
	exact := r.IntN(2) == 0
	for _, stderr := range []bool{false, true} {
		left := sizeOf()
		if stderr && r.IntN(2) == 0 {
			left = min(left, 2000)
		}
		for least := left / 3000; left > 0; {
			n := most
			if !exact {
				n = 1 + r.IntN(most)
			}
			n = min(max(n, least), left)
			s.pieces = append(s.pieces, piece{stderr: stderr, size: n})
			left -= n
		}
	}
	if r.IntN(2) == 0 { // both by turns
		r.Shuffle(len(s.pieces), func(i, j int) { s.pieces[i], s.pieces[j] = s.pieces[j], s.pieces[i] })
	}
	for range min(len(s.pieces), r.IntN(4)) {
		s.pieces[r.IntN(len(s.pieces))].pause = time.Duration(r.IntN(20)) * time.Millisecond
	}
	s.asked, s.moment = r.IntN(8) == 0, time.Duration(r.IntN(100))*time.Millisecond
	return s
}

// isCut tells whether not all may arrive: a reader of one of its streams goes away, or
// somebody asks for the end.
func (s speech) isCut() bool {
	return s.asked || s.out.leaves() || !s.same && s.err.leaves()
}

func (g target) leaves() bool {
	return g.reader == "goes" && g.kind != "file" && g.kind != "file to append to" && g.kind != "device"
}

// letters is what is said over and over: its length is a prime number, so that no piece
// is like one that could stand in its place.
var letters = sync.OnceValue(func() []byte {
	r := rand.New(rand.NewPCG(1, 1))
	text := make([]byte, 999_983)
	for i := range text {
		text[i] = 'a' + byte(r.Uint32()%26)
	}
	for i := 96; i < len(text); i += 97 {
		text[i] = '\n'
	}
	return text
})

// said calls do with each piece: small letters on standard output, capitals on
// standard error.
func (s speech) said(do func(p piece, text []byte) error) error {
	all := letters()
	capitals := bytes.ToUpper(all)
	at := int(s.seed % uint64(len(all)))
	for _, p := range s.pieces {
		from := all
		if p.stderr {
			from = capitals
		}
		text := make([]byte, 0, p.size)
		for len(text) < p.size {
			n := min(p.size-len(text), len(all)-at)
			text = append(text, from[at:at+n]...)
			at = (at + n) % len(all)
		}
		if err := do(p, text); err != nil {
			return err
		}
	}
	return nil
}

// expected is what both targets get.
func (s speech) expected() (out, errs []byte) {
	_ = s.said(func(p piece, text []byte) error {
		if p.stderr && !s.same {
			errs = append(errs, text...)
		} else {
			out = append(out, text...)
		}
		return nil
	})
	return out, errs
}

// speakWord is the argument with which the test binary is the command of a speech,
// and exitUnread its exit code where a reader went away.
const (
	speakWord  = "speak"
	exitUnread = 78
	exitAsked  = exitSignal + int(unix.SIGTERM)
	exitKept   = 79 // of the wrapper, where the keeper saw something else
	exitCircle = 80 // of the wrapper, where it used too much of the processor
)

// speak is what the command of a speech does.
func speak(seed string) int {
	number, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return exitKept
	}
	s := newSpeech(number)
	if s.stays {
		stay := exec.Command("sleep", "0.2")
		stay.Stdout, stay.Stderr = os.Stdout, os.Stderr
		if err := stay.Start(); err != nil {
			return exitKept
		}
	}
	err = s.said(func(p piece, text []byte) error {
		time.Sleep(p.pause)
		fd := 1
		if p.stderr {
			fd = 2
		}
		return (&relay{to: fd, released: -1}).write(text)
	})
	switch {
	case err != nil:
		return exitUnread
	case s.signal != 0:
		_ = unix.Kill(os.Getpid(), s.signal)
		time.Sleep(time.Minute)
	}
	return s.code
}

// inspect is what the wrapper of a speech exits with.
func inspect(seed string, end End) int {
	const most = 600 * time.Millisecond // who turns in a circle does it as long as a reader is late
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil || time.Duration(used.Utime.Nano()+used.Stime.Nano()) > most {
		return exitCircle
	}
	if !keptRight(seed, end) {
		return exitKept
	}
	return end.Code
}

// keptRight tells whether the keeper saw what the command of a speech wrote.
func keptRight(seed string, end End) bool {
	number, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return false
	}
	s := newSpeech(number)
	if s.isCut() {
		return true
	}
	var want []byte
	var lost int64
	out, errs := s.expected()
	for i, text := range [][]byte{out, errs} {
		if []target{s.out, s.err}[i].kind == "device" {
			continue
		}
		var k kept
		_, _ = k.Write(text)
		b, l := k.bytes()
		want, lost = append(want, b...), lost+l
	}
	return bytes.Equal(want, end.Tail) && lost == end.Lost
}

func stress(t *testing.T, seed uint64, dir string) (written int64) {
	t.Helper()
	s := newSpeech(seed)
	out := openTarget(t, s.out, filepath.Join(dir, "out"))
	errs := out
	if !s.same {
		errs = openTarget(t, s.err, filepath.Join(dir, "err"))
	}
	cmd := wrapper(os.Args[0], speakWord, strconv.FormatUint(seed, 10))
	cmd.Stdout, cmd.Stderr = out.file, errs.file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = out.file.Close()
	_ = errs.file.Close()
	want, wantErr := s.expected()
	ended := make(chan struct{})
	gotOut := out.read(len(want), ended)
	var gotErr <-chan []byte
	if !s.same {
		gotErr = errs.read(len(wantErr), ended)
	}
	if s.asked {
		ask := time.AfterFunc(s.moment, func() { _ = cmd.Process.Signal(unix.SIGTERM) })
		defer ask.Stop()
	}
	const patience = 2 * time.Minute // only who hangs takes so long
	hangs := time.AfterFunc(patience, func() {
		t.Errorf("seed %d hangs: %s", seed, s.brief())
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	})
	got := code(t, cmd)
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.asked && status.Signaled() && status.Signal() == unix.SIGTERM {
		got = exitAsked // before it had begun, or when the command had ended
	}
	close(ended)
	s.judge(t, "standard output", s.out, <-gotOut, want)
	if !s.same {
		s.judge(t, "standard error", s.err, <-gotErr, wantErr)
	}
	hangs.Stop()
	if want := s.exit(); got != want && (got != exitUnread && got != exitAsked || !s.isCut()) {
		t.Errorf("seed %d: exit code %d, not %d: %s", seed, got, want, s.brief())
	}
	return int64(len(want) + len(wantErr))
}

func (s speech) exit() int {
	if s.signal != 0 {
		return exitSignal + int(s.signal)
	}
	return s.code
}

func (s speech) brief() string {
	return fmt.Sprintf("%d pieces, out %v, err %v, same %v, stays %v, asked %v", len(s.pieces), s.out, s.err, s.same, s.stays, s.asked)
}

// judge compares what arrived.
func (s speech) judge(t *testing.T, stream string, g target, got, want []byte) {
	t.Helper()
	if g.kind == "device" {
		return
	}
	if s.isCut() && len(got) < len(want) {
		want = want[:len(got)]
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("seed %d: %s: %d bytes arrived, %d were written, the same up to %d: %s", s.seed, stream, len(got), len(want), at, s.brief())
	}
}
