package codeobj

import (
	"errors"
	"fmt"
	"io"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// What can be wrong with a file.
var (
	errCutShort = errors.New("the file is cut short")
	errTooMuch  = errors.New("it holds more than is read")
	errStop     = errors.New("the rest was not read")
)

// A scan is the reading of one file.
type scan struct {
	file    File
	deep    bool
	limits  Limits
	meter   *meter
	inflate int64 // what may still be decompressed
	stopped bool  // the limits are reached
	unsound int   // magic numbers that stand before no bundle
	zstd    *zstdDecoder
	targets map[string]entryID
	listed  []part          // what holds code that is listed, and need not be searched
	head    [elfHeader]byte // of the entry at hand
}

func newScan(name string, src io.ReaderAt, o Options) *scan {
	limits := o.limits()
	return &scan{
		file:    File{Path: name},
		deep:    o.Deep,
		limits:  limits,
		meter:   &meter{src: src, left: limits.Read},
		inflate: limits.Inflate,
		targets: map[string]entryID{},
	}
}

// problem writes down what does not add up.
func (s *scan) problem(where, format string, args ...any) {
	if s.stopped {
		return
	}
	s.file.Problems = append(s.file.Problems, Problem{where, fmt.Sprintf(format, args...)})
	if len(s.file.Problems) >= s.limits.Problems {
		s.stop(where, "%d problems were found", len(s.file.Problems))
	}
}

// failed writes down an error about a part of the file, and gives up where more reading is pointless.
func (s *scan) failed(where, doing string, err error) {
	s.problem(where, "%s: %v", doing, err)
	if errors.Is(err, errStop) {
		s.stopped = true
	}
}

func (s *scan) stop(where, format string, args ...any) {
	if !s.stopped {
		s.stopped = true
		s.file.Problems = append(s.file.Problems, Problem{where, fmt.Sprintf(format, args...) + ", and the rest was not read"})
	}
}

// add keeps an object.
func (s *scan) add(o Object) {
	if s.stopped {
		return
	}
	if len(s.file.Objects) >= s.limits.Objects {
		s.stop(o.Where, "it holds more than %d code objects", s.limits.Objects)
		return
	}
	s.file.Objects = append(s.file.Objects, o)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// An entryID is a bundle's name for one entry, read once: a library repeats the same ten names a thousand times.
type entryID struct {
	text   string // the target as written
	target rocm.TargetID
	err    error
	host   bool // for the CPU
	other  bool // for the GPUs of somebody else
}
