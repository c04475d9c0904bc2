// Package launch runs a command in the right environment and keeps what its end shows.
package launch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
)

// A Command is what is to be run.
type Command struct {
	Argv []string // the program as a person types it, then its arguments
	Env  []string // the whole environment, NAME=VALUE
	Dir  string   // "" is the folder that rocsmith was started in
	// Before is done just before the start; an error of it stops the start. After
	// is done when the command has ended, or could not be started.
	Before func() error
	After  func()
	// Pass hands a signal to the command where the program that was started does not; it
	// reports whether it could.
	Pass func(os.Signal) bool
	// Ended makes of the end of the program that was started that of the command,
	// where they are two; an error tells that the command never ran.
	Ended func(End) (End, error)
}

// Streams are what the command is given as its own.
type Streams struct {
	Stdin, Stdout, Stderr *os.File
	// PassOn is a command line that copies its input to its output (see PassOn). A
	// process that the command leaves behind may write for years, and would be killed
	// by SIGPIPE if nobody read it any more.
	PassOn []string
	// attended tells that a person sits at the prompt of a shell, which needs the
	// terminal itself.
	attended bool
}

// An End is how a command ended.
type End struct {
	Code   int    // as a shell tells it: 128 and the number of the signal that ended it
	Signal string // "SIGSEGV"; "" where it ended by itself
	Core   bool   // the signal left a core dump
	Tail   []byte // the last that it wrote, and the first where much lies between
	// Lost counts the bytes between the first and the last that were not kept.
	Lost int64
	// Unseen names what it wrote that nobody could look at, and why.
	Unseen []string
	// Interrupted tells that somebody asked for the end, with Ctrl-C or a signal to
	// rocsmith, or read no further (head): then it needs no explanation.
	Interrupted bool
	// Unread tells that a reader of its output went away before it had ended.
	Unread   bool
	Started  time.Time
	Clock    float64 // seconds of the kernel's clock at the start
	Duration time.Duration
}

// The exit codes of a command that did not start, which are those of env(1),
// nice(1) and docker run.
const (
	ExitBefore        = 125 // rocsmith could not, or would not, start it
	ExitNotExecutable = 126
	ExitNotFound      = 127
	exitSignal        = 128 // and the number of the signal
)

// A StartError tells why a command was not started.
type StartError struct {
	Code    int
	Program string
	Err     error
}

func (e *StartError) Error() string {
	switch e.Code {
	case ExitNotFound:
		said := "there is no program " + e.Program
		if missing(e.Err) { // it was looked for here, by that word; of an image its engine tells
			said += meant(e.Program)
		}
		return said
	case ExitNotExecutable:
		return fmt.Sprintf("%s cannot be executed: %v", e.Program, e.Err)
	}
	return fmt.Sprintf("%s was not started: %v", e.Program, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// notStarted gives the errors of the system their exit codes.
func notStarted(program string, err error) *StartError {
	if missing(err) {
		return &StartError{ExitNotFound, program, bare(err)}
	}
	return &StartError{ExitNotExecutable, program, bare(err)}
}

// notBegun is notStarted for a program whose file was found: what is missing then is
// something else, of which the system says the same.
func notBegun(program string, err error) *StartError {
	switch {
	case missing(err):
		return &StartError{ExitNotExecutable, program, errNoInterpreter}
	case errors.Is(err, syscall.ENOEXEC):
		return &StartError{ExitNotExecutable, program, errNoProgram}
	}
	return notStarted(program, err)
}

var (
	errIsFolder      = errors.New("it is a folder")
	errNotMarked     = errors.New("it is not marked as executable; chmod +x does that, or name the program that is to run it, as in python3 train.py")
	errNoInterpreter = errors.New("it is there, and the interpreter that its first line names, or its loader, is not")
	errNoProgram     = errors.New("it is no program for this processor, and no script that names its interpreter in the first line, as #!/bin/sh does")
)

// missing reports that a program is not there, or below something that is no
// folder.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// bare is what the system said, without the call and the path.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Run runs a command to its end.
func Run(c Command, s Streams) (End, error) {
	r, err := Start(c, s)
	if err != nil {
		return End{}, err
	}
	end := r.Wait()
	if c.Ended != nil {
		return c.Ended(end)
	}
	return end, nil
}

// PassOn copies what somebody writes who was left behind, until they are gone or
// nobody reads it. It is done by a process of its own, after rocsmith has ended. Its
// arguments are those of the command line that Streams.PassOn is the beginning of.
func PassOn(args []string, in io.Reader, out io.Writer) {
	if slices.Contains(args, restWord) {
		in = io.MultiReader(os.NewFile(restFile, "rest"), in)
	}
	_, _ = io.Copy(out, in) // how it ends, there is nobody left to tell
}

// restWord tells that some bytes, in the file with that number, come before the input.
const (
	restWord = "rest"
	restFile = 3
)
