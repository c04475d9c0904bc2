package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// Bounds of what a child may say: it runs code of others, which may write to
// its output whatever it likes.
const (
	longestLine  = 64 << 10
	mostOutput   = 16 << 20 // of one child
	longestWords = 4 << 10  // of one sentence in an answer
	mostEntries  = 64       // of a map in an answer
)

// errTooMuch ends the reading of a child that floods its output.
var errTooMuch = errors.New("it wrote more than 16 MiB to standard output")

// readAnswers reads lines until the end, hands answers to one function and
// lines that are none to another.
func readAnswers(r io.Reader, answer func(operation.Answer), noise func(string)) error {
	bounded := &io.LimitedReader{R: r, N: mostOutput}
	in := bufio.NewReaderSize(bounded, longestLine)
	for {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if long {
			noise("a line of more than 64 KiB: " + shorten(string(line), 80))
			err = skipLine(in)
		} else if text := bytes.TrimSpace(line); len(text) > 0 {
			if a, ok := parseAnswer(text); ok {
				answer(a)
			} else {
				noise(shorten(string(text), 200))
			}
		}
		switch {
		case err != nil && bounded.N <= 0:
			return errTooMuch
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// skipLine reads on to the end of a line that is too long.
func skipLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// spoken are the verdicts that a child can give; the others are the parent's.
var spoken = []operation.Verdict{
	operation.Started, operation.Pass, operation.WrongResult, operation.NoKernel, operation.NoLibrary, operation.NoDevice,
	operation.NoPermission, operation.NoMemory, operation.GPUFault, operation.Failed, operation.Skipped, operation.CannotStart,
}

// parseAnswer reads one line. What is not an answer with a task and a known
// verdict is none.
func parseAnswer(line []byte) (operation.Answer, bool) {
	var a operation.Answer
	if err := json.Unmarshal(line, &a); err != nil || a.Task == "" || !slices.Contains(spoken, a.Verdict) {
		return operation.Answer{}, false
	}
	if len(a.Numbers) > mostEntries || len(a.Facts) > mostEntries {
		return operation.Answer{}, false
	}
	a.Ms = max(0, a.Ms)
	a.Why, a.Library = shorten(a.Why, longestWords), shorten(a.Library, longestWords)
	for name, fact := range a.Facts {
		a.Facts[name] = shorten(fact, longestWords)
	}
	return a, true
}

// shorten keeps the beginning of a text.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.TrimSpace(s[:most]) + " …"
}
