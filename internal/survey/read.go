package survey

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// failed turns a reader's error into a fact: "not there" is knowledge,
// everything else is not.
func failed[T any](from string, err error) machine.Fact[T] {
	if errors.Is(err, fs.ErrNotExist) {
		return machine.Missing[T](machine.Source(from))
	}
	return machine.Unknown[T](machine.Source(from), reason(err))
}

// reason is the innermost cause: the fact names what was being read.
func reason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// text reads a small text file without its surrounding white space. Bytes that
// are no text are not passed on: they would end up on somebody's terminal.
func text(r host.Reader, file string) machine.Fact[string] {
	data, err := r.ReadFile(file)
	if err != nil {
		return failed[string](file, err)
	}
	s := strings.TrimSpace(string(data))
	if !readable(s) {
		return machine.Unknown[string](machine.Source(file), "its content is not text")
	}
	return machine.Know(s, machine.Source(file))
}

func readable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' && c != '\r' })
}

// number reads a file that holds one number, decimal or 0x.
func number[T integer](r host.Reader, file string) machine.Fact[T] {
	return parsed(text(r, file), func(s string) (T, bool) {
		v, err := strconv.ParseUint(strings.ToLower(s), 0, 64)
		n, fits := narrow[T](v)
		return n, err == nil && fits
	})
}

type integer interface {
	int | int64 | uint16 | uint32 | uint64
}

// narrow converts a number that came from outside; one that does not fit is 0.
func narrow[T integer](v uint64) (T, bool) {
	n := T(v)
	if n < 0 || uint64(n) != v {
		return 0, false
	}
	return n, true
}

// hex reads a file that holds one hexadecimal number without a prefix.
func hex(r host.Reader, file string) machine.Fact[uint64] {
	return parsed(text(r, file), func(s string) (uint64, bool) {
		v, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(s), "0x"), 16, 64)
		return v, err == nil
	})
}

// parsed converts a known fact; what does not parse ("N/A") is unread.
func parsed[T any](f machine.Fact[string], parse func(string) (T, bool)) machine.Fact[T] {
	if !f.Known() {
		return machine.Fact[T]{State: f.State, From: f.From, Why: f.Why}
	}
	v, ok := parse(f.Value)
	if !ok {
		return machine.Unknown[T](f.From, "it says "+quoted(f.Value))
	}
	return machine.Know(v, f.From)
}

// quoted shortens foreign text for a message.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}

// exists reports whether a path is there.
func exists(r host.Reader, file string) machine.Fact[bool] {
	if _, err := r.Lstat(file); err != nil {
		return failed[bool](file, err)
	}
	return machine.Know(true, machine.Source(file))
}

// list returns the names in a directory.
func list(r host.Reader, dir string) machine.Fact[[]string] {
	entries, err := r.ReadDir(dir)
	if err != nil {
		return failed[[]string](dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	slices.Sort(names)
	return machine.Know(names, machine.Source(dir))
}

// below puts a name below a folder of either system.
func below(dir, name string) string {
	if !strings.HasPrefix(dir, "/") && strings.Contains(dir, `\`) {
		return strings.TrimSuffix(dir, `\`) + `\` + name
	}
	return path.Join(dir, name)
}

// matching returns the paths in a directory whose names fit a pattern.
func matching(r host.Reader, dir, pattern string) []string {
	var out []string
	for _, name := range list(r, dir).Value {
		if ok, _ := path.Match(pattern, name); ok {
			out = append(out, below(dir, name))
		}
	}
	return out
}
