package scan

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

const maxEntries = 200_000 // of one zip

// zip looks into a wheel or another zip: several entries at a time, except in one
// that stands in another archive.
func (l *looker) zip(name string, src source) {
	z, err := zip.NewReader(src, src.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		l.problem(name, why(err))
		return
	}
	z.RegisterDecompressor(zip.Deflate, newInflater)
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)))
	entries := z.File
	if len(entries) > maxEntries {
		entries = entries[:maxEntries]
		l.problem(name, "there are too many files in it; the rest was not looked at")
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
	case strings.Count(name, "!") < deepest && isContainer(head):
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
