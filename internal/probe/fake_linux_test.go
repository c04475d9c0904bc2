package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/operation"
)

// fakePlan makes the test binary play the child: a JSON object that says how to
// behave in each task. Tasks that it does not name pass.
const fakePlan = "ROCSMITH_FAKE_PLAN"

func TestMain(m *testing.M) {
	if plan := os.Getenv(fakePlan); plan != "" {
		playChild(plan)
		return
	}
	os.Exit(m.Run())
}

func playChild(text string) {
	plan := map[string]string{}
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		panic(err)
	}
	behave(plan["start"], "start")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q operation.Question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		say(q.Task, operation.Started, "")
		behave(plan[q.Task], q.Task)
	}
}

func say(task string, v operation.Verdict, why string) {
	line, _ := json.Marshal(operation.Answer{Task: task, Verdict: v, Why: why, Ms: 1})
	fmt.Println(string(line))
}

func behave(how, task string) {
	if task == "start" && how == "" {
		return
	}
	switch how {
	case "":
		say(task, operation.Pass, fmt.Sprintf("pid %d", os.Getpid()))
	case "segv": // as Go's runtime does for a signal in a library
		fmt.Fprint(os.Stderr, "SIGSEGV: segmentation violation\nPC=0x0 m=0 sigcode=1\nsignal arrived during cgo execution\n"+strings.Repeat("goroutine 1 [syscall]:\n", 9000))
		os.Exit(2)
	case "fault":
		fmt.Fprintln(os.Stderr, "Memory access fault by GPU node-1 (Agent handle: 0x1f) on address 0x7f. Reason: Page not present or supervisor privilege.")
		fmt.Fprintln(os.Stderr, "SIGABRT: abort")
		os.Exit(2)
	case "tensile":
		fmt.Fprintln(os.Stderr, "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1031")
		os.Exit(134)
	case "kill":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		time.Sleep(time.Minute)
	case "exit3":
		fmt.Fprintln(os.Stderr, "cannot go on")
		os.Exit(3)
	case "loader":
		fmt.Fprintln(os.Stderr, "rocsmith-probe: error while loading shared libraries: libdl.so.2: cannot open shared object file: No such file or directory")
		os.Exit(127)
	case "hang":
		time.Sleep(time.Minute)
	case "orphan": // starts a process that would outlive it
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fakePlan+`={"start":"hang"}`)
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		say("pid", operation.Pass, fmt.Sprint(cmd.Process.Pid))
		time.Sleep(time.Minute)
	case "spin":
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			for range 1000000 { // a loop that waits for a GPU
			}
		}
	case "compile": // uses the processor and new memory
		var kept [][]byte
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			block := make([]byte, 4096)
			for i := range 20000 {
				block[i%len(block)] = byte(i)
			}
			kept = append(kept, block)
		}
		fmt.Fprintln(os.Stderr, len(kept))
	case "noise":
		fmt.Println("MIOpen(HIP): Info [get_device_name] Raw device name: gfx1030")
		fmt.Println(`{"task":"` + task + `","verdict":"splendid"}`)
		fmt.Println(strings.Repeat("x", 200<<10))
		say("another", operation.Pass, "")
		say(task, operation.Pass, "")
	case "words":
		fmt.Fprintln(os.Stderr, "what", task, "says")
		say(task, operation.Failed, "")
	case "flood":
		for {
			if _, err := fmt.Println(strings.Repeat("y", 1000)); err != nil {
				return
			}
		}
	case "close":
		_ = os.Stdout.Close()
		time.Sleep(time.Minute)
	default:
		say(task, operation.Verdict(how), "so it is planned")
	}
}

// faked is a request whose children follow a plan.
func faked(t *testing.T, plan map[string]string, tasks ...operation.Task) Request {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Start: func() (Launch, error) {
			return Launch{Argv: []string{self}, Env: append(os.Environ(), fakePlan+"="+string(text))}, nil
		},
		Tasks: tasks, Reader: host.Live(),
	}
}

func task(id, library string, needs ...string) operation.Task {
	return operation.Task{ID: id, Operation: "copy", Library: library, Title: id, Needs: needs, Limit: time.Minute}
}
