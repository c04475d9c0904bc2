package sevenzip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// What stands in a list of files, by number (7zFormat.txt, "Property IDs").
const (
	idEnd              = 0x00
	idHeader           = 0x01
	idProperties       = 0x02
	idAdditional       = 0x03
	idMainStreams      = 0x04
	idFiles            = 0x05
	idPackInfo         = 0x06
	idUnpackInfo       = 0x07
	idSubStreams       = 0x08
	idSize             = 0x09
	idCRC              = 0x0a
	idFolder           = 0x0b
	idCodersUnpackSize = 0x0c
	idNumUnpackStream  = 0x0d
	idEmptyStream      = 0x0e
	idEmptyFile        = 0x0f
	idAnti             = 0x10
	idNames            = 0x11
	idAttributes       = 0x15
	idEncodedHeader    = 0x17
	idDummy            = 0x19 // only there to fill up
)

const (
	startHeader = 32       // bytes before what is packed
	maxList     = 32 << 20 // bytes of a list: 50,000 files with long names take a third of it
	packings    = 4        // of the list itself: one is usual
	largest     = 1 << 50  // bytes of anything, and of all together
)

// A source is an archive as it lies there.
type source struct {
	at     *door
	size   int64
	limits Limits
}

// A door remembers why bytes could not be read: no decoder tells that from bytes that
// are wrong.
type door struct {
	io.ReaderAt
	err error
}

// ReadAt reads a part.
func (d *door) ReadAt(p []byte, off int64) (int, error) {
	n, err := d.ReaderAt.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) && d.err == nil {
		d.err = err
	}
	return n, err
}

// broken is what an error of a decoder means.
func (s source) broken(err error) error {
	var memory *WindowError
	var format *FormatError
	switch {
	case s.at.err != nil:
		return fmt.Errorf("read it: %w", s.at.err)
	case errors.As(err, &memory), errors.As(err, &format):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("unpack it: %w", io.ErrUnexpectedEOF)
	}
	return damaged("%v", err)
}

// A section is a part of it.
type section struct{ at, size int64 }

func (s source) read(part section) io.Reader { return io.NewSectionReader(s.at, part.at, part.size) }

// list finds the list of files, and unpacks it; that of an archive of nothing is empty.
func (s source) list() ([]byte, error) {
	var start [startHeader]byte
	if n, err := s.at.ReadAt(start[:], 0); n < len(start) {
		return nil, fmt.Errorf("read its list of files: %w", noEOF(err))
	}
	offset, size := binary.LittleEndian.Uint64(start[12:]), binary.LittleEndian.Uint64(start[20:])
	behind := uint64(max(s.size-startHeader, 0)) //nolint:gosec // not negative
	switch {
	case string(start[:len(Magic)]) != Magic:
		return nil, damaged("it begins otherwise")
	case crc32.ChecksumIEEE(start[12:]) != binary.LittleEndian.Uint32(start[8:]):
		return nil, damaged("the checksum of its first %d bytes is wrong", startHeader)
	case offset > behind || size > behind-offset:
		return nil, damaged("its list of files would stand behind its end, so it is cut off, or the first of several parts")
	case size > maxList:
		return nil, damaged("its list of files has %d MiB", size>>20)
	}
	list := make([]byte, size)
	if n, err := s.at.ReadAt(list, startHeader+int64(offset)); n < len(list) { //nolint:gosec // within the file
		return nil, fmt.Errorf("read its list of files: %w", noEOF(err))
	}
	if crc32.ChecksumIEEE(list) != binary.LittleEndian.Uint32(start[28:]) {
		return nil, damaged("the checksum of its list of files is wrong")
	}
	return s.plain(list)
}

// plain unpacks a list that is packed itself.
func (s source) plain(list []byte) ([]byte, error) {
	for range packings {
		if len(list) == 0 || list[0] != idEncodedHeader {
			return list, nil
		}
		c := &cursor{data: list[1:]}
		folders := c.streams(s)
		switch {
		case c.err != nil:
			return nil, c.err
		case len(folders) != 1 || len(folders[0].parts) != 1 || folders[0].parts[0].size > maxList:
			return nil, damaged("its list of files is packed in an unknown way")
		}
		r, err := s.unpack(&folders[0])
		if err != nil {
			return nil, fmt.Errorf("unpack its list of files: %w", err)
		}
		part := &stream{from: r, parts: folders[0].parts, broken: s.broken}
		part.begin(0)
		if list, err = io.ReadAll(part); err != nil {
			return nil, fmt.Errorf("unpack its list of files: %w", err)
		}
	}
	return nil, damaged("its list of files is packed more than %d times", packings)
}

// parse reads a plain list.
func (s source) parse(list []byte) ([]folder, []file, error) {
	c := &cursor{data: list}
	c.want(idHeader)
	id := c.byte()
	if id == idProperties {
		for c.byte() != idEnd {
			c.take(c.number())
		}
		id = c.byte()
	}
	if id == idAdditional {
		c.fail("part of its list of files is stored elsewhere")
	}
	var folders []folder
	var files []file
	if id == idMainStreams {
		folders = c.streams(s)
		id = c.byte()
	}
	if id == idFiles {
		files = c.files(s.limits.Files)
		id = c.byte()
	}
	if id != idEnd {
		c.fail("its list of files goes on with %#x", id)
	}
	if c.err == nil {
		c.assign(files, folders)
	}
	return folders, files, c.err
}
