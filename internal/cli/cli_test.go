package cli_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rocsmith/rocsmith/internal/cli"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/operation"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rocsmith": func() {
		app := cli.App{
			Version: "test",
			Stdin:   os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Getenv:  os.Getenv,
			Environ: os.Environ,
			Columns: cli.Columns(os.Stdout),
			Host:    host.Live(),
			Now:     time.Now,
		}
		os.Exit(app.Run(os.Args[1:]))
	}, "rocsmith-probe": playProbe})
}

// playProbe is a child that passes every task, but for those that the file in
// FAKE_ANSWERS answers: a line of JSON each.
func playProbe() {
	planned := map[string]string{}
	text, _ := os.ReadFile(os.Getenv("FAKE_ANSWERS"))
	for line := range strings.Lines(string(text)) {
		var a operation.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			panic(err)
		}
		planned[a.Task] = line
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q operation.Question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		answer := planned[q.Task]
		if answer == "" {
			answer = fmt.Sprintf(`{"task":%q,"verdict":"pass","ms":1,"numbers":{"max_abs_diff":0},"library":"lib%s.so"}`+"\n", q.Task, q.Task)
		}
		if strings.Contains(answer, `"crash"`) {
			fmt.Fprintln(os.Stderr, "SIGSEGV: segmentation violation")
			os.Exit(2)
		}
		fmt.Print(answer)
	}
}

// Each script is one behaviour, with its exit code.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			zoo, err := filepath.Abs("../../testdata/machines")
			env.Setenv("ZOO", zoo)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "decode": decode},
	})
}

// exits runs a command and asserts its exit code: exits 3 rocsmith doctor.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = exitCode(err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func exitCode(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err.Error()
	}
	return strconv.Itoa(exit.ExitCode())
}

// decode writes a binary file from base64: decode FROM TO.
func decode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: decode FROM TO")
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(ts.ReadFile(args[0]), "\n", ""))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}
