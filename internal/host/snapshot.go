package host

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A Snapshot is a machine as text: the questions that were asked of it and its
// answers, refusals included. It is a Reader, so a machine can be judged on
// another machine, and a fixture is a real machine or one written by hand.
//
//	rocsmith snapshot 1
//	os: linux
//	recorded: 2026-11-15T10:00:00Z by rocsmith 0.1.0
//	-- file /proc/sys/kernel/osrelease --
//	6.8.0-45-generic
//	-- open /dev/kfd error=EACCES --
//	-- end 2 --
//
// The first line names the format. Up to the first header line follow fields
// (name: value), empty lines and comments (# …). A header line is
//
//	-- VERB ARGUMENT… OPTION… --
//
// and the lines below it, up to the next header line, are the answer. Words
// with blanks, quotes or characters that do not print are Go strings. Options:
//
//	base64    the answer is not text, or could be mistaken for a header line
//	bare      the last newline is not part of the answer
//	error=E   the answer is an error: the name of an Errno, too-long, too-big,
//	          not-regular, other-system, another-root, exit-N, or a Go string
//
// The answers of link, registry and fileversion never include the last newline.
// The last line, "-- end N --", counts the records, so that half a file is known
// to be half a file.
//
// What is not recorded answers ErrNotRecorded. A machine written by hand says
// "unlisted: absent" instead: then a file, directory, link, stat or registry
// value that is not listed does not exist, an attribute has no data, a variable
// is unset; directories follow from the paths below them; and links are
// followed as a system does. Rights, the process, the kernel log, file systems
// and tools are still answered only if listed, because there is no harmless
// default for them.
//
// Paths of Windows are written with forward slashes.
type Snapshot struct {
	system   string
	recorded string
	records  map[string]record
	env      environment
	tree     *tree // what follows from the listed paths; nil unless unlisted is absent
}

func newSnapshot(system string) *Snapshot {
	return &Snapshot{system: system, records: map[string]record{}, env: newEnvironment()}
}

// Recorded says when and by which version the snapshot was made, as it is
// written there; it is empty for a machine written by hand.
func (s *Snapshot) Recorded() string { return s.recorded }

// cleanPath gives a path the form that records have. A path with ".." stays as
// it is: what it means depends on links.
func cleanPath(system, p string) string {
	if system == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if p == "" || strings.Contains(p, "..") {
		return p
	}
	return path.Clean(p)
}

// find looks for the record of a question about a path.
func (s *Snapshot) find(v verb, p string, more ...string) (record, bool) {
	p = cleanPath(s.system, p)
	if r, ok := s.records[heading(v, append([]string{p}, more...)...)]; ok {
		return r, true
	}
	if s.tree == nil {
		return record{}, false
	}
	return s.tree.find(v, p, more...)
}

// answer returns the body recorded for a question about a path.
func (s *Snapshot) answer(op string, v verb, p string, more ...string) ([]byte, error) {
	r, ok := s.find(v, p, more...)
	if !ok {
		return nil, s.missing(op, v, p)
	}
	if err := r.fault.err(); err != nil {
		return nil, &fs.PathError{Op: op, Path: p, Err: err}
	}
	return bytes.Clone(r.body), nil
}

func (s *Snapshot) missing(op string, v verb, p string) error {
	cause := ErrNotRecorded
	if s.tree != nil {
		cause = s.tree.missing(v, cleanPath(s.system, p))
	}
	return &fs.PathError{Op: op, Path: p, Err: cause}
}

// parsed returns the recorded answer to a question about a path as a value.
func parsed[T any](s *Snapshot, op string, v verb, p string, parse func([]byte) (T, error)) (T, error) {
	var none T
	body, err := s.answer(op, v, p)
	if err != nil {
		return none, err
	}
	value, err := parse(body)
	if err != nil {
		return none, &fs.PathError{Op: op, Path: p, Err: err}
	}
	return value, nil
}

// OS names the operating system of the recorded machine.
func (s *Snapshot) OS() string { return s.system }

// ReadFile implements Reader.
func (s *Snapshot) ReadFile(p string) ([]byte, error) { return s.answer(opRead, verbFile, p) }

// ReadAt implements Reader. A whole recorded file answers for all its ranges.
func (s *Snapshot) ReadAt(p string, off int64, n int) ([]byte, error) {
	offset, length := strconv.FormatInt(off, 10), strconv.Itoa(n)
	if _, ok := s.find(verbRange, p, offset, length); !ok {
		// A file too big to be read whole may still have other ranges.
		if r, ok := s.find(verbFile, p); ok && r.fault != faultOf(ErrTooBig) {
			whole, err := s.ReadFile(p)
			return cut(whole, off, n), err
		}
	}
	return s.answer(opRead, verbRange, p, offset, length)
}

func cut(data []byte, off int64, n int) []byte {
	if off < 0 || n < 0 || off >= int64(len(data)) {
		return nil
	}
	data = data[off:]
	return data[:min(n, len(data))]
}

// ReadDir implements Reader.
func (s *Snapshot) ReadDir(p string) ([]Entry, error) {
	if _, ok := s.find(verbDir, p); !ok && s.tree != nil {
		if entries, ok := s.tree.list(cleanPath(s.system, p)); ok {
			return entries, nil
		}
	}
	return parsed(s, opReadDir, verbDir, p, parseEntries)
}

// ReadLink implements Reader.
func (s *Snapshot) ReadLink(p string) (string, error) {
	target, err := s.answer(opReadLink, verbLink, p)
	return string(target), err
}

// Lstat implements Reader.
func (s *Snapshot) Lstat(p string) (Stat, error) {
	if _, ok := s.find(verbStat, p); !ok && s.tree != nil {
		if st, ok := s.tree.stat(cleanPath(s.system, p)); ok {
			return st, nil
		}
	}
	return parsed(s, opLstat, verbStat, p, parseStat)
}

// Statfs implements Reader.
func (s *Snapshot) Statfs(p string) (FileSystem, error) {
	return parsed(s, opStatfs, verbStatfs, p, parseFileSystem)
}

// Getxattr implements Reader.
func (s *Snapshot) Getxattr(p, name string) ([]byte, error) {
	return s.answer(opGetxattr, verbXattr, p, name)
}

// Access implements Reader.
func (s *Snapshot) Access(p string, want byte) error {
	_, err := s.answer(opAccess, verbAccess, p, string(rune(want)))
	return err
}

// TryOpen implements Reader.
func (s *Snapshot) TryOpen(p string) error {
	_, err := s.answer(opOpen, verbOpen, p)
	return err
}

// Getenv implements Reader.
func (s *Snapshot) Getenv(name string) (string, bool, error) {
	v, known := s.env.get(name)
	if !known && s.tree == nil {
		return "", false, fmt.Errorf("read variable %s: %w", name, ErrNotRecorded)
	}
	if err := v.fault.err(); err != nil {
		return "", false, fmt.Errorf("read variable %s: %w", name, err)
	}
	return v.value, v.set, nil
}

// Environ implements Reader.
func (s *Snapshot) Environ(prefix string) ([]Variable, error) {
	f, known := s.env.covered(prefix)
	if !known && s.tree == nil {
		return nil, fmt.Errorf("read variables %s*: %w", prefix, ErrNotRecorded)
	}
	if err := f.err(); err != nil {
		return nil, fmt.Errorf("read variables %s*: %w", prefix, err)
	}
	return s.env.list(prefix), nil
}

// other returns the body recorded for a question that is about no path.
func (s *Snapshot) other(doing string, v verb, args ...string) ([]byte, error) {
	r, ok := s.records[heading(v, args...)]
	err := r.fault.err()
	switch {
	case ok:
	case v == verbRegistry && s.tree != nil && s.system != "windows":
		err = ErrOtherSystem
	case v == verbRegistry && s.tree != nil:
		err = ENOENT
	default:
		err = ErrNotRecorded
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return bytes.Clone(r.body), nil
}

// Process implements Reader.
func (s *Snapshot) Process() (Process, error) {
	body, err := s.other("read process", verbProcess)
	if err != nil {
		return Process{}, err
	}
	return parseProcess(body)
}

// KernelLog implements Reader.
func (s *Snapshot) KernelLog() ([]string, error) {
	body, err := s.other("read kernel log", verbLog)
	return parseLines(body), err
}

// Registry implements Reader.
func (s *Snapshot) Registry(key, value string) (string, error) {
	body, err := s.other("read registry "+key+" "+value, verbRegistry, key, value)
	return string(body), err
}

// FileVersion implements Reader.
func (s *Snapshot) FileVersion(p string) (string, error) {
	body, err := s.answer(opVersion, verbVersion, p)
	return string(body), err
}

// Ask implements Reader.
func (s *Snapshot) Ask(_ context.Context, tool Tool, args ...string) ([]byte, error) {
	return s.other("run "+string(tool), verbAsk, append([]string{string(tool)}, args...)...)
}
