package device

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// Serve answers questions, a line of JSON each, until there are no more. It
// gives the exit code of the process: 0, or 2 where it was called wrongly.
func Serve(arguments []string, questions io.Reader, answers, messages io.Writer) int {
	back, err := parseArguments(arguments, messages)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(messages, "rocsmith-probe:", err)
		return 2
	}
	if err := serve(back, questions, answers); err != nil {
		fmt.Fprintln(messages, "rocsmith-probe:", err)
		return 2
	}
	return 0
}

// folders is a flag that may be given several times.
type folders []string

func (f *folders) String() string { return strings.Join(*f, ", ") }

func (f *folders) Set(folder string) error {
	*f = append(*f, folder)
	return nil
}

func parseArguments(arguments []string, messages io.Writer) (backend, error) {
	flags := flag.NewFlagSet("rocsmith-probe", flag.ContinueOnError)
	flags.SetOutput(messages)
	kind := flags.String("backend", "hip", "whose GPUs: hip or cuda")
	var paths folders
	flags.Var(&paths, "library-path", "a `folder` to look for libraries in before the system does; may be given again")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag; questions are read from standard input, a line of JSON each", flags.Arg(0))
	}
	switch s := (search{*kind, paths}); *kind {
	case "hip":
		return &hip{search: s}, nil
	case "cuda":
		return &cuda{search: s}, nil
	default:
		return nil, fmt.Errorf("there is no backend %q; choose hip or cuda", *kind)
	}
}

// mostLine is the longest question.
const mostLine = 64 << 10

// serve stays on one thread of the system, because which GPU is in use is kept
// by thread.
func serve(back backend, questions io.Reader, answers io.Writer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lines := bufio.NewScanner(questions)
	lines.Buffer(make([]byte, mostLine), mostLine)
	out := json.NewEncoder(answers)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var q operation.Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			if err := out.Encode(operation.Answer{Verdict: operation.Failed, Why: fmt.Sprintf("the question is not JSON: %v", err)}); err != nil {
				return fmt.Errorf("answer: %w", err)
			}
			continue
		}
		if err := out.Encode(operation.Answer{Task: q.Task, Verdict: operation.Started}); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if err := out.Encode(answerTo(back, q)); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the questions: %w", err)
	}
	return nil
}
