package sevenzip

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz/lzma"
)

// A method is a way of packing. Those without open are known by name only.
type method struct {
	name string
	open func(in []*bufio.Reader, k coder, size, window int64) (io.Reader, error)
}

const idBCJ2 = 0x0303011b

// wants is how many inputs it has to have.
func (k coder) wants() int {
	if k.method == idBCJ2 {
		return bcj2Inputs
	}
	return 1
}

// methodOf: methods are numbered in Methods.txt of the LZMA SDK, Zstandard in that of 7-Zip-zstd.
func methodOf(id uint64) method {
	switch id {
	case 0x00:
		return method{"Copy", copied}
	case 0x21:
		return method{"LZMA2", lzma2}
	case 0x030101:
		return method{"LZMA", lzma1}
	case 0x04, 0x03030103:
		return method{"BCJ", unBCJ}
	case idBCJ2:
		return method{"BCJ2", unBCJ2}
	case 0x040108:
		return method{"Deflate", deflated}
	case 0x040202:
		return method{"BZip2", bzipped}
	case 0x04f71101:
		return method{"Zstandard", zstandard}
	}
	if name := unreadMethods(id); name != "" {
		return method{name: name}
	}
	return method{name: fmt.Sprintf("a method of the number %x", id)}
}

func unreadMethods(id uint64) string {
	switch id {
	case 0x03:
		return "the Delta filter"
	case 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x03030205, 0x03030401, 0x03030501, 0x03030701, 0x03030805:
		return "a filter for programs of another processor than x86"
	case 0x030401:
		return "PPMd"
	case 0x040109:
		return "Deflate64"
	case 0x04f71102:
		return "Brotli"
	case 0x04f71104:
		return "LZ4"
	case 0x06f10701:
		return "AES (it is encrypted)"
	}
	return ""
}

// unpack opens a folder.
func (s source) unpack(f *folder) (io.Reader, error) {
	for _, k := range f.coders { // all of them first: a packed list is often encrypted behind its packing
		if m := methodOf(k.method); m.open == nil {
			return nil, &MethodError{m.name}
		}
	}
	used := 0
	r, err := s.output(f, f.last(), &used)
	if err == nil && used < len(f.coders) {
		return nil, errTangled
	}
	return r, err
}

var errTangled = damaged("its coders are not connected as they have to be")

// output is what one coder writes: no more than is said of it.
func (s source) output(f *folder, n int, used *int) (io.Reader, error) {
	k := f.coders[n]
	if *used++; *used > len(f.coders) || k.inputs != k.wants() {
		return nil, errTangled
	}
	var in []*bufio.Reader
	for i := range k.inputs {
		r, err := s.input(f, k.first+i, used)
		if err != nil {
			return nil, err
		}
		in = append(in, bufio.NewReader(r))
	}
	m := methodOf(k.method)
	r, err := m.open(in, k, f.sizes[n], s.limits.Window)
	if err != nil {
		return nil, s.broken(fmt.Errorf("unpack %s: %w", m.name, err))
	}
	return io.LimitReader(r, f.sizes[n]), nil
}

// input is what a coder reads: the output of another, or packed bytes.
func (s source) input(f *folder, n int, used *int) (io.Reader, error) {
	for _, l := range f.links {
		if l.input == n {
			return s.output(f, l.coder, used)
		}
	}
	for i, input := range f.inputs {
		if input == n {
			return s.read(f.packed[i]), nil
		}
	}
	return nil, damaged("a coder has no input")
}

func copied(in []*bufio.Reader, _ coder, _, _ int64) (io.Reader, error) { return in[0], nil }

func deflated(in []*bufio.Reader, _ coder, _, _ int64) (io.Reader, error) {
	return flate.NewReader(in[0]), nil
}

func bzipped(in []*bufio.Reader, _ coder, _, _ int64) (io.Reader, error) {
	return bzip2.NewReader(in[0]), nil
}

// zstandard: a decoder that works alone has nothing to give back.
func zstandard(in []*bufio.Reader, _ coder, _, window int64) (io.Reader, error) {
	return zstd.NewReader(in[0], zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(window))) //nolint:gosec // a limit of ours
}

// dictionary is what a decoder has to keep: no more than all that it writes.
func dictionary(said, size, window int64) (int64, error) {
	keeps := max(min(said, size), lzma.MinDictCap)
	if keeps > window {
		return 0, &WindowError{window}
	}
	return keeps, nil
}

// lzma1 reads LZMA. Its properties are the first bytes of a .lzma file, where the size
// follows.
func lzma1(in []*bufio.Reader, k coder, size, window int64) (io.Reader, error) {
	const properties = 5
	if len(k.properties) != properties {
		return nil, damaged("LZMA has %d bytes of properties", len(k.properties))
	}
	keeps, err := dictionary(int64(binary.LittleEndian.Uint32(k.properties[1:])), size, window)
	if err != nil {
		return nil, err
	}
	header := []byte{k.properties[0]}
	header = binary.LittleEndian.AppendUint32(header, uint32(keeps)) //nolint:gosec // at most what 32 bits said
	header = binary.LittleEndian.AppendUint64(header, uint64(size))  //nolint:gosec // less than largest
	return lzma.ReaderConfig{DictCap: int(keeps)}.NewReader(bufio.NewReader(io.MultiReader(bytes.NewReader(header), in[0])))
}

// lzma2 reads LZMA2, whose one property is how much its decoder keeps.
func lzma2(in []*bufio.Reader, k coder, size, window int64) (io.Reader, error) {
	if len(k.properties) != 1 {
		return nil, damaged("LZMA2 has %d bytes of properties", len(k.properties))
	}
	said, err := lzma.DecodeDictCap(k.properties[0])
	if err != nil {
		return nil, err
	}
	keeps, err := dictionary(said, size, window)
	if err != nil {
		return nil, err
	}
	return lzma.Reader2Config{DictCap: int(keeps)}.NewReader2(in[0])
}
