package launch

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A writtenFile is a regular file that the command was given as its output, and
// from where on it wrote.
type writtenFile struct {
	fd       int
	dev, ino uint64
	from     int64
}

func writtenFileAt(fd int, st unix.Stat_t) writtenFile {
	from, err := unix.Seek(fd, 0, io.SeekCurrent)
	flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_APPEND != 0 {
		from = st.Size
	}
	return writtenFile{fd, st.Dev, st.Ino, from}
}

// written is the beginning and the end of what the command wrote. The file was
// opened to be written to, so it is opened once more.
func (w writtenFile) written() (text []byte, lost int64, err error) {
	f, err := os.Open("/proc/self/fd/" + strconv.Itoa(w.fd))
	if err != nil {
		return nil, 0, bare(err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("it is no file any more: %w", err)
	}
	size := st.Size() - w.from
	if size <= 0 {
		return nil, 0, nil
	}
	var k kept
	first := min(size, keepHead)
	if _, err := io.Copy(&k, io.NewSectionReader(f, w.from, first)); err != nil {
		return nil, 0, bare(err)
	}
	last := min(size-first, keepTail)
	k.pass(size - first - last)
	if _, err := io.Copy(&k, io.NewSectionReader(f, st.Size()-last, last)); err != nil {
		return nil, 0, bare(err)
	}
	text, lost = k.bytes()
	return text, lost, nil
}
