package kernelset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/sevenzip"
)

// maxArchive bounds the archive itself, window what its decoder may keep in memory.
const (
	maxArchive  = 8 << 30
	window      = 128 << 20
	largeWindow = 256 << 20 // that of a .7z: what 7-Zip takes of large files with -mx=9
)

func (s *reader) archive(fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	at, ok := f.(io.ReaderAt)
	if !ok || info.Size() > maxArchive {
		return fmt.Errorf("it cannot be read in parts, or is larger than %d GiB", maxArchive>>30)
	}
	whole := func() *io.SectionReader { return io.NewSectionReader(at, 0, info.Size()) }
	const longest = 262 // where a tarball says that it is one
	head := make([]byte, longest)
	n, err := io.ReadFull(whole(), head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if s.set.Sum, err = sumOf(whole()); err != nil {
		return fmt.Errorf("read it for its sum: %w", err)
	}
	if s.refused = s.vouch(s.set.Name, s.set.Sum); s.refused != nil {
		return s.refused // before a stranger's archive is unpacked
	}
	return s.unpack(head[:n], whole, info.Size())
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

func (s *reader) unpack(head []byte, whole func() *io.SectionReader, size int64) error {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("PK\x03\x04"):
		return s.zip(whole(), size)
	case begins(sevenzip.Magic):
		return s.sevenZip(whole(), size)
	case begins("\x1f\x8b"):
		r, err := gzip.NewReader(whole())
		if err != nil {
			return err
		}
		return s.tar(r)
	case begins("\x28\xb5\x2f\xfd"):
		r, err := zstd.NewReader(whole(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return err
		}
		defer r.Close()
		return s.tar(r)
	case begins("\xfd7zXZ\x00"):
		if codeobj.XZWindow(head) > window {
			return fmt.Errorf("to unpack it takes more than %d MiB of memory: unpack it first, and name the folder", window>>20)
		}
		r, err := xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(whole()) // the least; the file may say more
		if err != nil {
			return err
		}
		return s.tar(r)
	case len(head) > 262-5 && string(head[257:262]) == "ustar":
		return s.tar(whole())
	}
	return errors.New("it is neither a zip, a .7z nor a tarball (plain, .gz, .xz, .zst)")
}

func (s *reader) zip(at io.ReaderAt, size int64) error {
	z, err := zip.NewReader(at, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // odd names are refused one by one
		return err
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if err := s.entry(f.Name, f.Mode().IsRegular(), f.Open); err != nil {
			return err
		}
	}
	return nil
}

// sevenZip unpacks no more of an archive than it has to, so that a library which was
// packed apart in a way that is not read does not matter.
func (s *reader) sevenZip(at io.ReaderAt, size int64) error {
	z, err := sevenzip.NewReader(at, size, sevenzip.Limits{Window: largeWindow, Files: maxEntries})
	if err != nil {
		return byHand(err)
	}
	if z.Unpacked() > maxBytes {
		return errTooLarge
	}
	for e, ok := z.Next(); ok; e, ok = z.Next() {
		if e.Mode.IsDir() {
			continue
		}
		if err := s.entry(e.Name, e.Mode.IsRegular(), func() (io.ReadCloser, error) { return io.NopCloser(z), nil }); err != nil {
			return byHand(err)
		}
	}
	return nil
}

// byHand says what helps where an archive is sound, and is not read.
func byHand(err error) error {
	var method *sevenzip.MethodError
	var memory *sevenzip.WindowError
	if errors.As(err, &method) || errors.As(err, &memory) {
		return fmt.Errorf("%w: unpack it with 7z x FILE -oFOLDER, and name the folder", err)
	}
	return err
}

func (s *reader) tar(r io.Reader) error {
	var skipped int64
	t := tar.NewReader(&bounded{r, &skipped}) // what is not used is inflated, too
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader:
			continue
		}
		if err := s.entry(h.Name, h.Typeflag == tar.TypeReg, func() (io.ReadCloser, error) { return io.NopCloser(t), nil }); err != nil {
			return err
		}
	}
}
