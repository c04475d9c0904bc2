package launch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// longestAnswer is how much of an engine's answer is kept.
const longestAnswer = 4 << 20

// lateWords is how long what an engine said may be read after its end, where it left
// somebody running who holds its output.
const lateWords = 10 * time.Second

// ask asks an engine a question that changes nothing, or tells it to remove what
// is ours; bounded in time and bytes.
func (e Engine) ask(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, engineTime)
	defer cancel()
	out, words := limited{left: longestAnswer}, limited{left: 64 << 10}
	cmd := exec.CommandContext(ctx, e.Program, args...) //nolint:gosec // an engine that the user has installed
	cmd.Env = e.Env
	cmd.Stdout, cmd.Stderr = &out, &words
	cmd.WaitDelay = lateWords
	err := cmd.Run()
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s %s: no answer in %s", filepath.Base(e.Program), args[0], engineTime)
	case err != nil:
		return nil, &engineError{filepath.Base(e.Program), args[0], engineWords(words.String()), err}
	}
	return out.Bytes(), nil
}

// An engineError is an engine's own refusal.
type engineError struct {
	engine, question string
	words            string // one line
	err              error
}

func (e *engineError) Error() string {
	if e.words == "" {
		return fmt.Sprintf("%s %s: %v", e.engine, e.question, e.err)
	}
	return fmt.Sprintf("%s %s: %s", e.engine, e.question, e.words)
}

func (e *engineError) Unwrap() error { return e.err }

// lastLine is the line in which an engine says what is wrong: the last one that
// is no advice, nor a line of its log, of which docker writes one more afterwards.
func lastLine(text string) string {
	said, logged := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, err := strconv.ParseUint(line, 10, 8); err == nil {
			continue // docker-compose ends with the exit code
		}
		switch {
		case strings.HasPrefix(line, `time="`) && strings.Contains(line, " level="):
			logged = line
		case line != "" && !strings.HasPrefix(line, "Run '") && !strings.HasPrefix(line, "See '"):
			said = line
		}
	}
	return cmp.Or(said, logged)
}

// engineLeads are what engines put in front of everything that is wrong.
var engineLeads = []string{"docker: ", "Error: ", "Error response from daemon: "}

// engineWords is what an engine says is wrong, without its lead.
func engineWords(text string) string {
	said := lastLine(text)
	for _, lead := range engineLeads {
		said = strings.TrimPrefix(said, lead)
	}
	const most = 600
	if len(said) > most {
		said = said[:most] + " …"
	}
	return strings.ToValidUTF8(said, "�")
}

// engineRefusal says in one sentence why an engine does not answer.
func engineRefusal(name string, err error) error {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "permission denied"):
		return fmt.Errorf("you may not speak to %s: it answers root and its own group alone (%w); use podman, which needs no rights, or add yourself to that group and log in again", name, err)
	case strings.Contains(text, "cannot connect"), strings.Contains(text, "connection refused"), strings.Contains(text, "no such file or directory"):
		return fmt.Errorf("%s is installed and does not run (%w); start it: sudo systemctl start %s", name, err, name)
	}
	return fmt.Errorf("%s does not answer: %w", name, err)
}

// limited keeps the first bytes of what is written to it.
type limited struct {
	bytes.Buffer

	left int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), l.left)
	l.left -= keep
	_, _ = l.Buffer.Write(p[:keep]) // never fails
	return len(p), nil
}
