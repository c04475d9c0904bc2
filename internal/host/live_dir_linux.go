package host

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Of one record of getdents64(2): the number of the file and a cookie of eight
// bytes each, the record's length, the type, and the name to its zero byte.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// readDir lists a directory by the system call itself. A cache may hold
// thousands of files, and to make an object of each took as long as all other
// questions together.
func readDir(path string) ([]Entry, error) {
	fd, err := retried(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	var entries []Entry
	records := make([]byte, 32<<10)
	for {
		n, err := retried(func() (int, error) { return unix.Getdents(fd, records) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			return typed(path, entries), nil
		}
		entries = appendEntries(entries, records[:n])
		if len(entries) > maxEntries {
			return nil, ErrTooBig
		}
	}
}

// appendEntries reads the records of one call. The names of a call share one
// string.
func appendEntries(entries []Entry, records []byte) []Entry {
	text := string(records)
	for at := 0; at+direntName <= len(records); {
		length := int(binary.NativeEndian.Uint16(records[at+direntLength:]))
		if length < direntName || at+length > len(records) {
			break
		}
		begin, end := at+direntName, at+length
		if zero := bytes.IndexByte(records[begin:end], 0); zero >= 0 {
			end = begin + zero
		}
		if name := text[begin:end]; name != "." && name != ".." && name != "" {
			entries = append(entries, Entry{Name: name, Type: direntMode(records[at+direntType])})
		}
		at += length
	}
	return entries
}

// direntMode gives the type bits. What the file system did not tell is
// irregular, until typed asks for it.
func direntMode(kind byte) fs.FileMode {
	switch kind {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_BLK:
		return fs.ModeDevice
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	}
	return fs.ModeIrregular
}

// typed asks for the types that a file system does not list: some old ones list
// none. What vanished meanwhile is not there.
func typed(dir string, entries []Entry) []Entry {
	kept := entries[:0]
	for _, e := range entries {
		if e.Type == fs.ModeIrregular {
			info, err := os.Lstat(filepath.Join(dir, e.Name))
			if err != nil {
				continue
			}
			e.Type = info.Mode().Type()
		}
		kept = append(kept, e)
	}
	return kept
}
