package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/programtest"
)

func ask(t *testing.T, r Request) map[string]Outcome {
	t.Helper()
	got, err := Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(r.Tasks) {
		t.Fatalf("%d outcomes of %d tasks", len(got), len(r.Tasks))
	}
	out := map[string]Outcome{}
	for _, o := range got {
		out[o.Task.ID] = o
	}
	return out
}

// A child that dies is replaced, and the rest goes on.
func TestDeaths(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		verdict operation.Verdict
		says    string
	}{
		"segv":         {operation.Crash, "SIGSEGV: segmentation violation"},
		"fault":        {operation.GPUFault, "Memory access fault by GPU node-1 (Agent handle: 0x1f)"},
		"tensile":      {operation.NoKernel, "rocBLAS error: Cannot read"},
		"kill":         {operation.Crash, "SIGKILL"},
		"exit3":        {operation.Failed, "exit code 3; its last words: cannot go on"},
		"flood":        {operation.Failed, "more than 16 MiB"},
		"wrong-result": {operation.WrongResult, "so it is planned"},
		"no-kernel":    {operation.NoKernel, "so it is planned"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			got := ask(t, faked(t, map[string]string{"b": how}, task("a", "x"), task("b", "x"), task("c", "x"), task("d", "x", "b")))
			if b := got["b"].Answer; b.Verdict != want.verdict || !strings.Contains(b.Why, want.says) {
				t.Errorf("%s: %s", b.Verdict, b.Why)
			}
			if got["a"].Answer.Verdict != operation.Pass || got["c"].Answer.Verdict != operation.Pass {
				t.Errorf("the tasks around it: %+v, %+v", got["a"].Answer, got["c"].Answer)
			}
			if d := got["d"].Answer; d.Verdict != operation.Skipped || !strings.Contains(d.Why, string(want.verdict)) {
				t.Errorf("what needs it: %+v", d)
			}
			if len(got["b"].Words) > keptHead+keptTail+100 {
				t.Errorf("%d bytes of words are kept", len(got["b"].Words))
			}
		})
	}
}

// The limits of a task that hangs, and of one that never rests, which gets four times
// as much. The child answers another task before: how long it takes to start, where the
// machine has much else to do, is no part of it.
const (
	hangLimit = 2 * time.Second
	busyLimit = time.Second
)

func TestHangsAreToldFromWork(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]struct {
		verdict operation.Verdict
		says    string
		limit   time.Duration
	}{
		"hang":    {operation.Hang, "child idle", hangLimit},
		"spin":    {operation.Hang, "child spinning", busyLimit},
		"compile": {operation.Slow, "still busy", busyLimit},
		"close":   {operation.Hang, "closed its output", time.Minute},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := faked(t, map[string]string{"b": how}, task("a", "x"), task("b", "x"), task("c", "x"))
			r.Tasks[1].Limit = want.limit
			got := ask(t, r)
			if b := got["b"].Answer; b.Verdict != want.verdict || !strings.Contains(b.Why, want.says) {
				t.Errorf("%s: %s", b.Verdict, b.Why)
			}
			if got["c"].Answer.Verdict != operation.Pass {
				t.Errorf("the next one: %+v", got["c"].Answer)
			}
		})
	}
}

// One child for each library, or with isolation for each task.
func TestWhoSharesAChild(t *testing.T) {
	t.Parallel()
	for _, isolate := range []bool{false, true} {
		r := faked(t, nil, task("a", "x"), task("b", "y"), task("c", "x"))
		r.Isolate = isolate
		got := ask(t, r)
		a, b, c := got["a"].Answer.Why, got["b"].Answer.Why, got["c"].Answer.Why
		if a == b || (a == c) == isolate {
			t.Errorf("isolate %t: %s, %s, %s", isolate, a, b, c)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	tasks := []operation.Task{task("init", "x"), task("copy", "x"), task("b", "y"), task("c", "z")}
	got := ask(t, faked(t, map[string]string{"b": "segv"}, tasks...))
	if h := got["b"].Health; h == nil || !h.Answers {
		t.Errorf("after a crash: %+v", h)
	}
	if got["c"].Health != nil || got["c"].Answer.Verdict != operation.Pass {
		t.Errorf("after a pass: %+v", got["c"])
	}

	// The machine breaks with the crash: later children answer otherwise.
	broken := faked(t, map[string]string{"b": "segv", "copy": "failed"}, tasks...)
	whole := faked(t, map[string]string{"b": "segv"}, tasks...)
	started := 0
	r := whole
	r.Start = func() (Launch, error) {
		if started++; started > 2 { // the one of x and the one of y
			return broken.Start()
		}
		return whole.Start()
	}
	got = ask(t, r)
	if h := got["b"].Health; h == nil || h.Answers || !strings.Contains(h.Why, "failed") {
		t.Errorf("the GPU is gone: %+v", h)
	}
	if c := got["c"].Answer; c.Verdict != operation.Skipped || !strings.Contains(c.Why, "does not answer any more, since b") {
		t.Errorf("what follows: %+v", c)
	}
}

// What a child says before it answers belongs to the answer, and not to the next one.
func TestWordsOfATask(t *testing.T) {
	t.Parallel()
	plan := map[string]string{}
	var tasks []operation.Task
	for i := range 200 {
		id := fmt.Sprint("task", i)
		plan[id] = "words"
		tasks = append(tasks, task(id, "x"))
	}
	for id, o := range ask(t, faked(t, plan, tasks...)) {
		if want := "what " + id + " says\n"; o.Answer.Verdict != operation.Failed || o.Words != want {
			t.Errorf("%s: %s, with the words %q", id, o.Answer.Verdict, o.Words)
		}
	}
}

func TestNoiseIsBoundedAndNamed(t *testing.T) {
	t.Parallel()
	got := ask(t, faked(t, map[string]string{"b": "noise"}, task("b", "x")))["b"]
	if got.Answer.Verdict != operation.Pass {
		t.Errorf("%+v", got.Answer)
	}
	for _, want := range []string{"Raw device name", "splendid", "more than 64 KiB", "an answer to another"} {
		if !strings.Contains(got.Noise, want) {
			t.Errorf("%q is not in the noise: %q", want, got.Noise)
		}
	}
	if len(got.Noise) > 2000 {
		t.Errorf("%d bytes of noise", len(got.Noise))
	}
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := dir + "/text"
	programtest.Write(t, text, "this is no program")
	closed := dir + "/closed"
	if err := os.WriteFile(closed, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	loader := faked(t, map[string]string{"start": "loader"}, task("a", "x"), task("b", "y"))
	got := ask(t, loader)
	if a := got["a"].Answer; a.Verdict != operation.CannotStart || !strings.Contains(a.Why, "libdl.so.2") {
		t.Errorf("a library of the child is missing: %+v", a)
	}
	if b := got["b"].Answer; b.Verdict != operation.Skipped || !strings.Contains(b.Why, "cannot start") {
		t.Errorf("the next task: %+v", b)
	}
	// What it said is not lost where it has ended before anybody asks.
	launch, err := loader.Start()
	if err != nil {
		t.Fatal(err)
	}
	c, err := start(launch, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	<-c.heard
	if a := c.ask(context.Background(), task("a", "x"), 0, &patience{limit: time.Minute, most: time.Minute}).Answer; a.Verdict != operation.CannotStart || !strings.Contains(a.Why, "libdl.so.2") {
		t.Errorf("it ended before it was asked: %+v", a)
	}
	for program, want := range map[string]string{text: "no program for this machine", closed: "permission denied", dir + "/none": "no such file"} {
		r := Request{Start: func() (Launch, error) { return Launch{Argv: []string{program}}, nil }, Tasks: []operation.Task{task("a", "x")}}
		if a := ask(t, r)["a"].Answer; a.Verdict != operation.CannotStart || !strings.Contains(a.Why, want) {
			t.Errorf("%s: %+v", program, a)
		}
	}
}

// Whatever happens, no process is left: not the child, nor what it started.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	r := faked(t, map[string]string{"b": "orphan"}, task("a", "x"), task("b", "x"))
	r.Tasks[1].Limit = hangLimit
	got := ask(t, r)["b"]
	if got.Answer.Verdict != operation.Hang {
		t.Errorf("%+v", got.Answer)
	}
	// The fake names the process that it started in an answer nobody asked for.
	if !strings.Contains(got.Noise, "an answer to pid") {
		t.Fatalf("noise %q", got.Noise)
	}
	gone(t, os.Getpid(), `{"b":"orphan"}`)
	gone(t, os.Getpid(), `{"start":"hang"}`)
}

// gone waits until no process with a plan is left; a killed process is a zombie
// until its new parent looks.
func gone(t *testing.T, self int, plan string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		left := players(self, plan)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes %v with the plan %s are left", left, plan)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// players are the running processes with a plan in their environment.
func players(self int, plan string) []int {
	var out []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == self {
			continue
		}
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if strings.Contains(string(environ), fakePlan+"="+plan+"\x00") {
			out = append(out, pid)
		}
	}
	return out
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	r := faked(t, map[string]string{"b": "hang", "interrupted": "yes"}, task("a", "x"), task("b", "x"), task("c", "x"))
	r.Progress = func(now operation.Task) {
		if now.ID == "b" {
			cancel()
		}
	}
	got, err := Run(ctx, r)
	if err == nil || !strings.Contains(err.Error(), "after 1 of 3") || len(got) != 1 {
		t.Errorf("%v, %d outcomes", err, len(got))
	}
	gone(t, os.Getpid(), `{"b":"hang","interrupted":"yes"}`)
}

// Where rocsmith itself is killed, its children go with it.
func TestChildrenDieWithTheParent(t *testing.T) {
	t.Parallel()
	if os.Getenv("ROCSMITH_FAKE_PARENT") != "" {
		r := faked(t, map[string]string{"b": "hang", "parent": "killed"}, task("b", "x"))
		r.Progress = func(operation.Task) {}
		_, _ = Run(context.Background(), r)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildrenDieWithTheParent$")
	cmd.Env = append(os.Environ(), "ROCSMITH_FAKE_PARENT=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const plan = `{"b":"hang","parent":"killed"}`
	for deadline := time.Now().Add(time.Minute); len(players(0, plan)) == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the child did not start")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	gone(t, 0, plan)
}

func FuzzReadAnswers(f *testing.F) {
	f.Add([]byte(`{"task":"init","verdict":"pass","numbers":{"devices":1}}` + "\n"))
	f.Add([]byte("noise\n{\n" + strings.Repeat("x", 70000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = readAnswers(strings.NewReader(string(data)), func(a operation.Answer) {
			if a.Task == "" || a.Verdict == "" || len(a.Why) > longestWords+10 {
				t.Errorf("%+v", a)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Error(err)
			}
		}, func(line string) {
			if len(line) > 300 {
				t.Errorf("%d bytes of noise", len(line))
			}
		})
	})
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (a (b) c) S 1 12 12 0 -1 4194560 100 5 1 0 7 3 2 1 20 0 1 0 5 6 7"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := parseStat(data); ok && (s.own < 0 || s.reaped < 0) {
			t.Errorf("%q: %+v", data, s)
		}
	})
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	s, ok := parseStat([]byte("12 (a (b) c) S 1 11 12 0 -1 4194560 100 5 1 0 7 3 2 1 20 0 1 0 5 6 7\n"))
	want := stat{pid: 12, group: 11, name: "a (b) c", state: "S", own: 100 * time.Millisecond, reaped: 30 * time.Millisecond, faults: 101}
	if !ok || s != want {
		t.Errorf("got %+v, %t", s, ok)
	}
	for _, bad := range []string{"", "12 (a", "x (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "12 (a) S 1 2"} {
		if s, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q is %+v", bad, s)
		}
	}
}
