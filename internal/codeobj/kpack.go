package codeobj

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A KpackRef says where the code of a library stands that was split off into archives, one for each GPU.
type KpackRef struct {
	Kernel string   // under which name the archives hold it
	Paths  []string // relative to the library's folder; @GFXARCH@ stands for the target
}

// Names reports whether a piece of code of an archive is one of this library's: an archive serves several.
func (r KpackRef) Names(o Object) bool { return strings.HasSuffix(o.Where, "!"+printable(r.Kernel)) }

const (
	kpackHeader  = 16
	kpackVersion = 1
	maxRef       = 1 << 20
)

// kpackRef reads the section that names the archives.
func (s *scan) kpackRef(p part) {
	data, err := p.upTo(0, int(min(p.size, maxRef)))
	if err != nil {
		s.failed(p.where, "the reference to kpack archives", err)
		return
	}
	doc, err := decodeDocument(data)
	if err != nil {
		s.failed(p.where, "the reference to kpack archives", err)
		return
	}
	ref := KpackRef{Kernel: field[string](doc, "kernel_name")}
	for _, path := range field[[]any](doc, "kpack_search_paths") {
		if text, ok := path.(string); ok {
			ref.Paths = append(ref.Paths, text)
		}
	}
	if ref.Kernel == "" || len(ref.Paths) == 0 {
		s.problem(p.where, "the reference to kpack archives names no kernel or no path")
	}
	s.file.Kpack = &ref
}

// A kpackArchive is an archive of code that was split off libraries (rocm-kpack). A document at its end lists, by
// kernel and target, the number of a blob.
type kpackArchive struct {
	part  part
	zstd  bool   // the blobs are compressed one by one
	blobs []part // none where they are compressed and were not looked for
}

func (s *scan) kpack(p part) {
	doc, err := kpackDocument(p)
	if err != nil {
		s.failed(p.where, "the kpack archive", err)
		return
	}
	a := kpackArchive{part: p}
	switch scheme := field[string](doc, "compression_scheme"); scheme {
	case "none", "":
		s.plainBlobs(&a, doc)
	case "zstd-per-kernel":
		a.zstd = true
		s.zstdBlobs(&a, doc)
	default:
		s.problem(p.where, "the kpack archive is compressed by %s, which we cannot read", quoted(scheme))
		a.zstd = true
	}
	toc := field[map[string]any](doc, "toc")
	for _, kernel := range slices.Sorted(maps.Keys(toc)) {
		targets, ok := toc[kernel].(map[string]any)
		if !ok {
			s.problem(p.where, "the kpack archive lists no targets for %s", quoted(kernel))
			continue
		}
		for _, target := range slices.Sorted(maps.Keys(targets)) {
			s.kpackEntry(a, kernel, target, targets[target])
		}
	}
}

func kpackDocument(p part) (any, error) {
	h, err := p.exactly(0, kpackHeader)
	if err != nil {
		return nil, err
	}
	if version := binary.LittleEndian.Uint32(h[4:]); version != kpackVersion {
		return nil, fmt.Errorf("it has version %d, which we cannot read", version)
	}
	at := binary.LittleEndian.Uint64(h[8:])
	if at > uint64(p.size) { //nolint:gosec // a size is never negative
		return nil, fmt.Errorf("%w: its table is said to stand at %d", errCutShort, at)
	}
	table := p.from(int64(at)) //nolint:gosec // within the file
	if table.size > maxDocument {
		return nil, fmt.Errorf("%w: a table of %d bytes", errTooMuch, table.size)
	}
	data, err := table.exactly(0, int(table.size))
	if err != nil {
		return nil, err
	}
	return decodeDocument(data)
}

// plainBlobs finds the blobs of an archive that is not compressed.
func (s *scan) plainBlobs(a *kpackArchive, doc any) {
	for i, blob := range field[[]any](doc, "blobs") {
		offset, size := field[int64](blob, "offset"), field[int64](blob, "size")
		body, err := a.part.cut(uint64(offset), uint64(size)) //nolint:gosec // a negative number is far behind the end
		if err != nil {
			s.problem(a.part.where, "blob %d of the kpack archive: %v", i, err)
		}
		a.blobs = append(a.blobs, body)
	}
}

// zstdBlobs hops through compressed blobs: their number, and before each its length.
func (s *scan) zstdBlobs(a *kpackArchive, doc any) {
	offset, size := field[int64](doc, "zstd_offset"), field[int64](doc, "zstd_size")
	all, err := a.part.cut(uint64(offset), uint64(size)) //nolint:gosec // a negative number is far behind the end
	if err != nil {
		s.failed(a.part.where, "the blobs of the kpack archive", err)
		return
	}
	for at, left := int64(4), min(s.blobCount(all), maxNodes); left > 0; left-- {
		length, err := all.exactly(at, 4)
		if err != nil {
			s.failed(a.part.where, "the blobs of the kpack archive", err)
			return
		}
		body, err := all.cut(uint64(at)+4, uint64(binary.LittleEndian.Uint32(length))) //nolint:gosec // an offset is never negative
		if err != nil {
			s.failed(a.part.where, fmt.Sprintf("blob %d of the kpack archive", len(a.blobs)), err)
			return
		}
		a.blobs = append(a.blobs, body)
		at += 4 + body.size
	}
}

func (s *scan) blobCount(all part) uint32 {
	head, err := all.exactly(0, 4)
	if err != nil {
		s.failed(all.where, "the blobs of the kpack archive", err)
		return 0
	}
	return binary.LittleEndian.Uint32(head)
}

func (s *scan) kpackEntry(a kpackArchive, kernel, target string, row any) {
	where := a.part.where + "!" + printable(kernel)
	ordinal := field[int64](row, "ordinal")
	if kind := field[string](row, "type"); kind != "hsaco" && kind != "spirv" {
		return // for the GPUs of somebody else
	}
	name := "hip-amdgcn-amd-amdhsa--" + target
	if ordinal < 0 || ordinal >= int64(len(a.blobs)) {
		s.problem(where, "the kpack archive has no blob %d for %s", ordinal, quoted(target))
		return
	}
	blob := a.blobs[ordinal]
	if blob.src == nil {
		return // behind the end, which is said already
	}
	if !a.zstd {
		blob.where = where
		s.entry(blob, name, blob)
		return
	}
	o := Object{Compressed: true, Where: where, Offset: blob.start, Size: blob.size}
	head, err := s.firstBlocks(blob, 1)
	if err != nil {
		s.failed(where, fmt.Sprintf("the blob for %s", quoted(target)), err)
		return
	}
	s.add(s.object(where, name, at(head, 0), o))
}
