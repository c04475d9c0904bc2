// Package sevenzip reads .7z archives from first to last, without another program and in bounded memory.
//
// The format is described in 7zFormat.txt and Methods.txt of the LZMA SDK. Files
// are packed together in folders; what is in front of a file in its folder has to
// be unpacked to come to it, so that an archive is read as a tarball is.
package sevenzip

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
)

// Magic is how an archive begins.
const Magic = "7z\xbc\xaf\x27\x1c"

// Limits bound what an archive makes us do.
type Limits struct {
	Window int64 // bytes that a decoder may keep of what it wrote
	Files  int
}

// An Entry is one name of an archive.
type Entry struct {
	Name string
	Size int64
	Mode fs.FileMode // its type alone; irregular where it is none that we know
}

// A FormatError is an archive that is damaged, cut off or none at all.
type FormatError struct{ What string }

func (e *FormatError) Error() string { return "it is no .7z archive, or damaged: " + e.What }

func damaged(format string, args ...any) error { return &FormatError{fmt.Sprintf(format, args...)} }

// A MethodError is a way of packing that is not read.
type MethodError struct{ Method string }

func (e *MethodError) Error() string {
	return fmt.Sprintf("the archive uses %s, which rocsmith does not read", e.Method)
}

// A WindowError is an archive that takes more memory to unpack than it is given.
type WindowError struct{ Window int64 }

func (e *WindowError) Error() string {
	return fmt.Sprintf("to unpack it takes more than %d MiB of memory", e.Window>>20)
}

// A Reader goes through an archive once, as that of archive/tar does. What is not
// read of an entry is not unpacked, unless something behind it is.
type Reader struct {
	source  source
	folders []folder
	files   []file
	next    int
	open    *stream
}

// A file is an entry, and where its content is.
type file struct {
	Entry
	folder int // none for those without content
	part   int
}

const nowhere = -1

// NewReader reads the list of files.
func NewReader(at io.ReaderAt, size int64, limits Limits) (*Reader, error) {
	r := &Reader{source: source{&door{ReaderAt: at}, size, limits}}
	list, err := r.source.list()
	if err != nil {
		return nil, err
	}
	if len(list) == 0 { // an archive of nothing
		return r, nil
	}
	if r.folders, r.files, err = r.source.parse(list); err != nil {
		return nil, err
	}
	return r, nil
}

// Unpacked is what all of it unpacks to, what is only passed on to another decoder
// included. No more is written, whatever it holds.
func (r *Reader) Unpacked() int64 {
	total := int64(0)
	for i := range r.folders {
		for _, size := range r.folders[i].sizes {
			total += size // largest bounds all of them together
		}
	}
	return total
}

// Next goes to the next entry, if there is one.
func (r *Reader) Next() (Entry, bool) {
	if r.next == len(r.files) {
		return Entry{}, false
	}
	r.next++
	return r.files[r.next-1].Entry, true
}

// Read reads the content of the entry. Its end is reached only where its checksum is
// right. To read no bytes is to ask whether it can be come to.
func (r *Reader) Read(p []byte) (int, error) {
	if r.next == 0 || r.files[r.next-1].folder == nowhere {
		return 0, io.EOF
	}
	f := r.files[r.next-1]
	if r.open == nil || r.open.folder != f.folder {
		packed := &r.folders[f.folder]
		content, err := r.source.unpack(packed)
		r.open = &stream{from: content, folder: f.folder, parts: packed.parts, broken: r.source.broken, err: err}
		r.open.begin(0)
	}
	if err := r.open.skip(f.part); err != nil || len(p) == 0 {
		return 0, err
	}
	return r.open.Read(p)
}

// A stream is a folder on its way out: its parts, one behind the other.
type stream struct {
	from   io.Reader
	folder int
	parts  []part
	part   int
	left   int64 // bytes of the part
	sum    uint32
	broken func(error) error
	err    error // of the folder: nothing behind it can be read
}

func (s *stream) begin(n int) { s.part, s.left, s.sum = n, s.parts[n].size, 0 }

// skip goes on to a part; what is passed over is compared with its checksum, too.
func (s *stream) skip(to int) error {
	for s.err == nil && s.part < to {
		if _, err := io.Copy(io.Discard, s); err == nil {
			s.begin(s.part + 1)
		}
	}
	return s.err
}

// Read reads of one part, and says EOF at its end.
func (s *stream) Read(p []byte) (int, error) {
	switch {
	case s.err != nil:
		return 0, s.err
	case s.left == 0:
		if s.err = s.parts[s.part].sum.compare(s.sum); s.err != nil {
			return 0, s.err
		}
		return 0, io.EOF
	}
	n, err := s.from.Read(p[:min(int64(len(p)), s.left)])
	s.sum = crc32.Update(s.sum, crc32.IEEETable, p[:n])
	if s.left -= int64(n); s.left == 0 || err == nil { // an error behind the last byte is that of the next part
		return n, nil
	}
	s.err = s.broken(err)
	return n, s.err
}

// noEOF: what ends early must not look like the end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
