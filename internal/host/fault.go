package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// An ExitStatus is the non-zero status with which a tool ended. It is an answer
// more than a failure: getent says 2 for "there is no such entry".
type ExitStatus int

func (s ExitStatus) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// A fault is an error as a snapshot writes it: the name of an Errno, a word for
// an error of the door itself, exit-N, or a quoted text. Empty means no error.
type fault string

const exitPrefix = "exit-"

// faultWords are the errors that keep their identity in a snapshot.
var faultWords = []struct {
	word fault
	err  error
}{
	{"too-long", ErrTooLong},
	{"too-big", ErrTooBig},
	{"not-regular", ErrNotRegular},
	{"other-system", ErrOtherSystem},
	{"another-root", ErrAnotherRoot},
	{"not-recorded", ErrNotRecorded},
}

// faultOf returns the fault that stands for an error.
func faultOf(err error) fault {
	if err == nil {
		return ""
	}
	for _, f := range faultWords {
		if errors.Is(err, f.err) {
			return f.word
		}
	}
	if e := ErrnoOf(err); isErrnoName(string(e)) {
		return fault(e)
	}
	var status ExitStatus
	if errors.As(err, &status) && status >= 0 {
		return fault(exitPrefix + strconv.Itoa(int(status)))
	}
	// The path is in the question already.
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fault(strconv.Quote(err.Error()))
}

// err returns the error that the fault stands for, nil for none.
func (f fault) err() error {
	if f == "" {
		return nil
	}
	for _, w := range faultWords {
		if f == w.word {
			return w.err
		}
	}
	if text, ok := f.text(); ok {
		return errors.New(text)
	}
	if n, ok := strings.CutPrefix(string(f), exitPrefix); ok {
		status, err := strconv.Atoi(n)
		if err == nil {
			return ExitStatus(status)
		}
	}
	return Errno(f)
}

// text returns the words of a fault that is only words.
func (f fault) text() (string, bool) {
	if !strings.HasPrefix(string(f), `"`) {
		return "", false
	}
	text, err := strconv.Unquote(string(f))
	return text, err == nil
}

// parseFault reads what stands behind "error=" in a snapshot.
func parseFault(s string) (fault, error) {
	f := fault(s)
	for _, w := range faultWords {
		if f == w.word {
			return f, nil
		}
	}
	if text, ok := f.text(); ok {
		return fault(strconv.Quote(text)), nil
	}
	if n, ok := strings.CutPrefix(s, exitPrefix); ok {
		if status, err := strconv.ParseUint(n, 10, 31); err == nil {
			return fault(exitPrefix + strconv.FormatUint(status, 10)), nil
		}
	}
	if !isErrnoName(s) {
		return "", fmt.Errorf("%s is no error name", quoteWord(s))
	}
	return f, nil
}

// absent says that the question was answered with "there is no such thing".
func (f fault) absent() bool { return f == fault(ENOENT) || f == fault(ENOTDIR) }

func isErrnoName(s string) bool {
	if len(s) < 2 || s[0] != 'E' {
		return false
	}
	for _, c := range s {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
