package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// This file writes answers as text and reads them back.

// fileTypes names the types of files. The order matters to nobody but readers.
var fileTypes = []struct {
	name string
	mode fs.FileMode
}{
	{"file", 0},
	{"dir", fs.ModeDir},
	{"link", fs.ModeSymlink},
	{"char", fs.ModeDevice | fs.ModeCharDevice},
	{"block", fs.ModeDevice},
	{"fifo", fs.ModeNamedPipe},
	{"socket", fs.ModeSocket},
	{"other", fs.ModeIrregular},
}

func typeName(mode fs.FileMode) string {
	for _, t := range fileTypes {
		if mode&fs.ModeType == t.mode {
			return t.name
		}
	}
	return "other"
}

func parseType(name string) (fs.FileMode, error) {
	for _, t := range fileTypes {
		if name == t.name {
			return t.mode, nil
		}
	}
	return 0, fmt.Errorf("%q is no type of file", name)
}

// specialBits pairs the three bits above the permissions with Go's own.
var specialBits = []struct {
	octal uint64
	mode  fs.FileMode
}{{0o4000, fs.ModeSetuid}, {0o2000, fs.ModeSetgid}, {0o1000, fs.ModeSticky}}

func octalMode(mode fs.FileMode) uint64 {
	octal := uint64(mode.Perm())
	for _, b := range specialBits {
		if mode&b.mode != 0 {
			octal |= b.octal
		}
	}
	return octal
}

func formatStat(st Stat) []byte {
	text := fmt.Sprintf("%s %04o uid=%d gid=%d size=%d", typeName(st.Mode), octalMode(st.Mode), st.UID, st.GID, st.Size)
	if st.Mode&fs.ModeDevice != 0 {
		text += fmt.Sprintf(" dev=%d:%d", st.Major, st.Minor)
	}
	return []byte(text + "\n")
}

// parseStat reads "char 0660 uid=0 gid=110 size=0 dev=234:0". The type and the
// mode must be there; what else is missing is zero.
func parseStat(body []byte) (Stat, error) {
	fields := strings.Fields(string(body))
	if len(fields) < 2 {
		return Stat{}, errors.New("a stat needs a type and a mode")
	}
	kind, err := parseType(fields[0])
	if err != nil {
		return Stat{}, err
	}
	octal, err := strconv.ParseUint(fields[1], 8, 12)
	if err != nil {
		return Stat{}, fmt.Errorf("%q is no octal mode", fields[1])
	}
	st := Stat{Mode: kind | fs.FileMode(octal&0o777)} //nolint:gosec // nine bits
	for _, b := range specialBits {
		if octal&b.octal != 0 {
			st.Mode |= b.mode
		}
	}
	for _, f := range fields[2:] {
		if err := st.set(f); err != nil {
			return Stat{}, err
		}
	}
	return st, nil
}

func (st *Stat) set(field string) error {
	name, value, _ := strings.Cut(field, "=")
	var err error
	switch name {
	case "uid":
		st.UID, err = parseID(value)
	case "gid":
		st.GID, err = parseID(value)
	case "size":
		st.Size, err = strconv.ParseInt(value, 10, 64)
	case "dev":
		major, minor, _ := strings.Cut(value, ":")
		if st.Major, err = parseID(major); err == nil {
			st.Minor, err = parseID(minor)
		}
	default:
		err = errors.New("unknown field")
	}
	if err != nil {
		return fmt.Errorf("field %q: %w", field, err)
	}
	return nil
}

func parseID(s string) (uint32, error) {
	id, err := strconv.ParseUint(s, 10, 32)
	return uint32(id), err
}

func formatEntries(entries []Entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s\n", quoteWord(e.Name), typeName(e.Type))
	}
	return b.Bytes()
}

// parseEntries reads one "name type" a line.
func parseEntries(body []byte) ([]Entry, error) {
	var entries []Entry
	for line := range strings.Lines(string(body)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		w, rest, err := cutWord(line, " \n")
		if err != nil {
			return nil, err
		}
		kind, err := parseType(strings.TrimSpace(rest))
		if err != nil {
			return nil, fmt.Errorf("entry %q: %w", w.text, err)
		}
		entries = append(entries, Entry{Name: w.text, Type: kind})
	}
	return entries, nil
}

func formatFileSystem(f FileSystem) []byte {
	access := "rw"
	if f.ReadOnly {
		access = "ro"
	}
	return fmt.Appendf(nil, "%s %s free=%d size=%d\n", quoteWord(f.Type), access, f.Free, f.Size)
}

// parseFileSystem reads "ext rw free=1048576 size=2097152".
func parseFileSystem(body []byte) (FileSystem, error) {
	w, rest, err := cutWord(strings.TrimSpace(string(body)), " ")
	if err != nil {
		return FileSystem{}, err
	}
	f := FileSystem{Type: w.text}
	for _, field := range strings.Fields(rest) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "ro", "rw":
			f.ReadOnly = name == "ro"
		case "free":
			f.Free, err = strconv.ParseInt(value, 10, 64)
		case "size":
			f.Size, err = strconv.ParseInt(value, 10, 64)
		default:
			err = errors.New("unknown field")
		}
		if err != nil {
			return FileSystem{}, fmt.Errorf("field %q: %w", field, err)
		}
	}
	return f, nil
}

func noBody(body []byte) error {
	if len(bytes.TrimSpace(body)) != 0 {
		return errors.New("this record has no content: it says yes, or error=")
	}
	return nil
}

// parseLines reads the lines of a kernel log.
func parseLines(body []byte) []string {
	var lines []string
	for line := range strings.Lines(string(body)) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

func formatLines(lines []string) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}
