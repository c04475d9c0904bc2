package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What a recorder keeps leaves room for base64, so that its snapshot can always
// be read back. What goes beyond is not recorded.
const (
	maxRecordedBytes = maxSnapshot / 2
	maxRecorded      = maxRecords / 2
)

// A Recorder passes questions on to another Reader and keeps each with its
// first answer. It may be used by several goroutines.
type Recorder struct {
	door     Reader
	recorded string

	mu   sync.Mutex
	raw  *Snapshot // as answered, nothing redacted
	size int
}

// Record starts a recording. The snapshot will say that it was made by the
// given version of rocsmith at the given time.
func Record(r Reader, version string, at time.Time) *Recorder {
	return &Recorder{
		door:     r,
		recorded: at.UTC().Format(time.RFC3339) + " by rocsmith " + strings.Join(strings.Fields(version), " "),
		raw:      newSnapshot(r.OS()),
	}
}

// Snapshot returns what was recorded so far. Names of people and hosts, serial
// numbers and the like are replaced now and not earlier, because the file that
// tells whose names they are may have been read last.
func (r *Recorder) Snapshot() *Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := redact(r.raw)
	s.recorded = r.recorded
	return s
}

// WriteTo writes the snapshot of what was recorded so far.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) { return r.Snapshot().WriteTo(w) }

// keep records one answer, unless the question was asked before.
func (r *Recorder) keep(err error, body []byte, v verb, args ...string) {
	if errors.Is(err, ErrNotRecorded) {
		return // the recorded machine is a snapshot itself
	}
	rec := record{verb: v, args: args, fault: faultOf(err)}
	if shapes[v].path {
		rec.args[0] = cleanPath(r.raw.system, args[0])
		if len(rec.args[0]) > maxPath {
			return
		}
	}
	if err == nil {
		rec.body = bytes.Clone(body)
	}
	key := rec.heading()
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.raw.records[key]
	if known || !r.reserve(len(key)+len(rec.body)) {
		return
	}
	r.raw.records[key] = rec
}

// reserve says whether there is room for so many bytes more.
func (r *Recorder) reserve(n int) bool {
	if r.size+n > maxRecordedBytes || len(r.raw.records) >= maxRecorded {
		return false
	}
	r.size += n
	return true
}

// keepVariable records one variable. The caller holds the lock.
func (r *Recorder) keepVariable(name string, v variable) {
	if _, known := r.raw.env.vars[name]; !known && r.reserve(len(name)+len(v.value)) {
		r.raw.env.vars[name] = v
	}
}

// OS implements Reader.
func (r *Recorder) OS() string { return r.door.OS() }

// ReadFile implements Reader.
func (r *Recorder) ReadFile(path string) ([]byte, error) {
	data, err := r.door.ReadFile(path)
	r.keep(err, reducedFile(path, data), verbFile, path)
	return data, err
}

// ReadAt implements Reader.
func (r *Recorder) ReadAt(path string, off int64, n int) ([]byte, error) {
	data, err := r.door.ReadAt(path, off, n)
	r.keep(err, data, verbRange, path, strconv.FormatInt(off, 10), strconv.Itoa(n))
	return data, err
}

// ReadDir implements Reader.
func (r *Recorder) ReadDir(path string) ([]Entry, error) {
	entries, err := r.door.ReadDir(path)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	r.keep(err, formatEntries(entries), verbDir, path)
	return entries, err
}

// ReadLink implements Reader.
func (r *Recorder) ReadLink(path string) (string, error) {
	target, err := r.door.ReadLink(path)
	r.keep(err, []byte(target), verbLink, path)
	return target, err
}

// Lstat implements Reader.
func (r *Recorder) Lstat(path string) (Stat, error) {
	st, err := r.door.Lstat(path)
	r.keep(err, formatStat(st), verbStat, path)
	return st, err
}

// Statfs implements Reader.
func (r *Recorder) Statfs(path string) (FileSystem, error) {
	f, err := r.door.Statfs(path)
	r.keep(err, formatFileSystem(f), verbStatfs, path)
	return f, err
}

// Getxattr implements Reader.
func (r *Recorder) Getxattr(path, name string) ([]byte, error) {
	value, err := r.door.Getxattr(path, name)
	r.keep(err, value, verbXattr, path, name)
	return value, err
}

// Access implements Reader.
func (r *Recorder) Access(path string, want byte) error {
	err := r.door.Access(path, want)
	r.keep(err, nil, verbAccess, path, string(rune(want)))
	return err
}

// TryOpen implements Reader.
func (r *Recorder) TryOpen(path string) error {
	err := r.door.TryOpen(path)
	r.keep(err, nil, verbOpen, path)
	return err
}

// Getenv implements Reader.
func (r *Recorder) Getenv(name string) (string, bool, error) {
	value, set, err := r.door.Getenv(name)
	if errors.Is(err, ErrNotRecorded) {
		return value, set, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keepVariable(name, variable{value: value, set: set, fault: faultOf(err)})
	return value, set, err
}

// Environ implements Reader.
func (r *Recorder) Environ(prefix string) ([]Variable, error) {
	found, err := r.door.Environ(prefix)
	if errors.Is(err, ErrNotRecorded) {
		return found, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.raw.env.prefixes[prefix]; !known && r.reserve(len(prefix)) {
		r.raw.env.prefixes[prefix] = faultOf(err)
	}
	for _, v := range found {
		r.keepVariable(v.Name, variable{value: v.Value, set: true})
	}
	return found, err
}

// Process implements Reader.
func (r *Recorder) Process() (Process, error) {
	p, err := r.door.Process()
	r.keep(err, formatProcess(p), verbProcess)
	return p, err
}

// KernelLog implements Reader.
func (r *Recorder) KernelLog() ([]string, error) {
	lines, err := r.door.KernelLog()
	r.keep(err, formatLines(lines), verbLog)
	return lines, err
}

// Registry implements Reader.
func (r *Recorder) Registry(key, value string) (string, error) {
	text, err := r.door.Registry(key, value)
	r.keep(err, []byte(text), verbRegistry, key, value)
	return text, err
}

// FileVersion implements Reader.
func (r *Recorder) FileVersion(path string) (string, error) {
	version, err := r.door.FileVersion(path)
	r.keep(err, []byte(version), verbVersion, path)
	return version, err
}

// Ask implements Reader.
func (r *Recorder) Ask(ctx context.Context, tool Tool, args ...string) ([]byte, error) {
	out, err := r.door.Ask(ctx, tool, args...)
	if ctx.Err() != nil {
		// The caller lost interest: that is no answer of the machine.
		return out, err
	}
	r.keep(err, out, verbAsk, append([]string{string(tool)}, args...)...)
	return out, err
}
