package scan

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// maxArchive bounds what is unpacked of one archive, so that a small file cannot
// keep us busy for ever.
const maxArchive = 64 << 30

const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	xzMagic   = "\xfd7zXZ\x00"
	debMagic  = "!<arch>\ndebian-binary"
	arHeader  = 60
	tarMagic  = "ustar"
	tarAt     = 257
)

// container looks into archives; it reports whether the bytes are one.
func (s *scanner) container(name string, src source) bool {
	head := make([]byte, tarAt+len(tarMagic))
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		s.problem(name, why(err))
		return true
	}
	head = head[:n]
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("PK\x03\x04"):
		s.zip(name, src)
	case begins(debMagic):
		s.deb(name, src)
	case len(head) == tarAt+len(tarMagic) && string(head[tarAt:]) == tarMagic:
		s.tar(name, io.NewSectionReader(src, 0, src.Size()))
	case begins(gzipMagic), begins(zstdMagic), begins(xzMagic):
		s.compressed(name, src, head)
	default:
		return false
	}
	return true
}

// compressed looks into a compressed tarball. Other compressed files are texts,
// unless somebody asked about one.
func (s *scanner) compressed(name string, src source, head []byte) {
	if !s.asked(name) && !isArchive(name) {
		return
	}
	r, err := inflated(io.NewSectionReader(src, 0, src.Size()), head)
	if err != nil {
		s.problem(name, why(err))
		return
	}
	defer func() { _ = r.Close() }()
	s.tar(name, io.LimitReader(r, maxArchive))
}

func inflated(r io.Reader, head []byte) (io.ReadCloser, error) {
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return gzip.NewReader(r)
	case bytes.HasPrefix(head, []byte(zstdMagic)):
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxInflate))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case bytes.HasPrefix(head, []byte(xzMagic)):
		x, err := xz.ReaderConfig{DictCap: maxInflate}.NewReader(r)
		if err != nil {
			return nil, err
		}
		return io.NopCloser(x), nil
	}
	return io.NopCloser(r), nil
}

// tar looks into each file of a tarball; nothing is unpacked anywhere.
func (s *scanner) tar(name string, r io.Reader) {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			s.problem(name, "it is no tarball, or damaged: "+why(err))
			return
		case s.files >= maxFiles:
			s.problem(name, errTooMany.Error())
			return
		case h.Typeflag != tar.TypeReg:
			continue
		}
		s.files++
		s.unpacked(name+"!"+h.Name, t)
	}
}

// unpacked looks at what one compressed entry holds, as far as it fits into
// memory.
func (s *scanner) unpacked(name string, r io.Reader) {
	data, err := io.ReadAll(io.LimitReader(r, maxInflate+1))
	switch {
	case err != nil:
		s.problem(name, why(err))
	case len(data) > maxInflate:
		s.problem(name, fmt.Sprintf("it has more than %d MiB, and is not looked into while it is packed: unpack it first", maxInflate>>20))
	default:
		s.bytes(name, bytes.NewReader(data))
	}
}

// deb finds the files of a Debian package: its member data.tar, compressed.
func (s *scanner) deb(name string, src source) {
	for at := int64(len("!<arch>\n")); at+arHeader <= src.Size(); {
		header := make([]byte, arHeader)
		if _, err := src.ReadAt(header, at); err != nil {
			s.problem(name, why(err))
			return
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64)
		if err != nil || size < 0 || size > src.Size()-at-arHeader {
			s.problem(name, "a member is said to reach past the end of the package")
			return
		}
		if strings.HasPrefix(string(header), "data.tar") {
			s.data(name, io.NewSectionReader(src, at+arHeader, size))
			return
		}
		at += arHeader + size + size%2
	}
	s.problem(name, "the package holds no files")
}

func (s *scanner) data(name string, part *io.SectionReader) {
	head := make([]byte, 8)
	n, err := part.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		s.problem(name, why(err))
		return
	}
	r, err := inflated(part, head[:n])
	if err != nil {
		s.problem(name, why(err))
		return
	}
	defer func() { _ = r.Close() }()
	s.tar(name, io.LimitReader(r, maxArchive))
}
