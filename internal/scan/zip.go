package scan

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

const (
	maxEntries     = 200_000 // of one zip
	directoryEntry = "PK\x01\x02"
	encrypted      = 1 // the flag of an entry
)

var errTooManyEntries = fmt.Errorf("there are more than %d files in it; it was not looked into", maxEntries)

// A directory is a zip whose list of files is read. The list comes into memory as a
// whole, so its entries are counted on their way.
type directory struct {
	source
	entries int
	read    bool // what follows are the files
}

// ReadAt reads a part.
func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	n, err := d.source.ReadAt(p, off)
	if d.read {
		return n, err
	}
	if d.entries += bytes.Count(p[:n], []byte(directoryEntry)); d.entries > maxEntries {
		return 0, errTooManyEntries
	}
	return n, err
}

// inflated is what compressed entries are said to unpack to.
func inflated(entries []*zip.File) int64 {
	total := int64(0)
	for _, f := range entries {
		if size := f.FileInfo().Size(); f.Method != zip.Store && size >= 0 {
			total += min(size, math.MaxInt64-total)
		}
	}
	return total
}

// zip looks into a wheel or another zip: several entries at a time, except in one
// that stands in another archive.
func (l *looker) zip(name string, src source) {
	if l.tooDeep(name) {
		return
	}
	list := &directory{source: src}
	z, err := zip.NewReader(list, src.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		l.problem(name, why(err))
		return
	}
	list.read = true
	z.RegisterDecompressor(zip.Deflate, newInflater)
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)))
	entries := z.File
	if said := inflated(entries); said > l.limits.inflate {
		l.problem(name, fmt.Sprintf("it is said to unpack to %d MiB, far more than its own size; it was not looked into", said>>20))
		return
	}
	look := func(i int) found {
		out := found{}
		part := looker{scanner: l.scanner, found: &out, tool: l.tools.take(l.options()), limits: l.limits}
		defer func() { l.tools.giveBack(part.tool) }()
		part.entry(name+"!"+entries[i].Name, entries[i], src)
		return out
	}
	if strings.Contains(name, "!") {
		for i := range entries {
			l.found.add(look(i))
		}
		return
	}
	for _, f := range inOrder(len(entries), look) {
		l.found.add(f)
	}
}

func (l *looker) entry(name string, f *zip.File, src source) {
	if f.FileInfo().IsDir() || l.limits.left.Load() < 0 || l.limits.files.Add(1) > maxFiles {
		return
	}
	l.found.files++
	l.leadsOut(name, f.Name)
	if f.Flags&encrypted != 0 {
		l.problem(name, "it is encrypted")
		return
	}
	if f.Method == zip.Store {
		l.stored(name, f, src)
		return
	}
	r, err := f.Open()
	if err != nil {
		l.problem(name, why(err))
		return
	}
	defer func() { _ = r.Close() }()
	l.unpacked(name, f.FileInfo().Size(), l.limits.bounded(r))
}

// stored looks at an entry that is not compressed, in its place.
func (l *looker) stored(name string, f *zip.File, src source) {
	at, err := f.DataOffset()
	size := f.FileInfo().Size()
	switch {
	case err != nil:
		l.problem(name, why(err))
		return
	case size < 0 || at < 0 || size > src.Size()-at:
		l.problem(name, "it is said to reach past the end of the archive")
		return
	}
	body := io.NewSectionReader(src, at, size)
	head, err := headOf(body)
	switch {
	case err != nil:
		l.problem(name, why(err))
	case l.closed(name, head):
	case isContainer(head), l.isZip(name, head):
		l.container(name, body, head)
	case isKernelFolder(path.Dir(f.Name)):
		file := l.tool.kernels.Read(name, func() (codeobj.Source, error) { return codeobj.Buffered(body, size), nil })
		l.found.kernel(kernelRoot(name), file)
	default:
		l.codes(name, codeobj.Buffered(body, size))
	}
}

// An inflater inflates an entry, and is used for one after the other.
type inflater struct {
	input  *bufio.Reader
	output io.ReadCloser
}

var inflaters sync.Pool

func newInflater(r io.Reader) io.ReadCloser {
	const input = 64 << 10 // of a file on a disk at once
	i, ok := inflaters.Get().(*inflater)
	if !ok {
		i = &inflater{input: bufio.NewReaderSize(r, input)}
		i.output = flate.NewReader(i.input)
		return i
	}
	i.input.Reset(r)
	if resetter, ok := i.output.(flate.Resetter); !ok || resetter.Reset(i.input, nil) != nil {
		i.output = flate.NewReader(i.input)
	}
	return i
}

// Read inflates.
func (i *inflater) Read(p []byte) (int, error) { return i.output.Read(p) }

// Close gives it back.
func (i *inflater) Close() error {
	err := i.output.Close()
	inflaters.Put(i)
	return err
}
