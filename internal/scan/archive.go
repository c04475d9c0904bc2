package scan

import (
	"archive/tar"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/sevenzip"
)

const (
	zipMagic  = "PK\x03\x04"
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	xzMagic   = "\xfd7zXZ\x00"
	bzipMagic = "BZh"
	debMagic  = "!<arch>\ndebian-binary"
	arHeader  = 60
	headSize  = tarBlock
)

// Bounds of what archives make us do. Libraries pack to a tenth; those whose GPU
// code was split off hold gigabytes of zeros, which pack to a thousandth.
const (
	leastInflate = 2 << 30   // bytes that any archive may inflate to
	slowness     = 16        // so much longer xz and bzip2 take for a byte
	mostRatio    = 100       // what a larger one may, for each of its own bytes
	mostInflate  = 64 << 30  // and in all
	maxWindow    = 128 << 20 // what a decoder may keep of what it wrote
	innerWindow  = 16 << 20  // and one within another archive
	maxNested    = 128 << 20 // bytes of zips and packages within a compressed archive, at one time
	maxPadding   = 64 << 20  // behind the end of a tarball
	deepest      = 3         // archives in archives: a wheel in a tarball in a package
	largestIndex = 16 << 20
)

// limits bound what is unpacked of one archive, and of those within it, so that a
// small file cannot keep us busy for ever.
type limits struct {
	inflate int64 // bytes in all
	slowest int64 // and of those by xz and bzip2
	left    atomic.Int64
	slow    atomic.Int64 // what is left for xz and bzip2
	files   atomic.Int64

	nesting sync.Mutex   // archives within archives are kept in memory, so one at a time
	outer   bytes.Buffer // the outermost of them, one after the other
	held    int          // bytes of all of them
}

func newLimits(size, least int64) *limits {
	l := &limits{inflate: min(max(least, min(size, mostInflate)*mostRatio), max(least, mostInflate))}
	l.left.Store(l.inflate)
	l.slowest = min(max(least/slowness, min(size, mostInflate)*mostRatio), l.inflate)
	l.slow.Store(l.slowest)
	return l
}

// broken is the limit that was broken.
func (l *limits) broken() int64 {
	if l.slow.Load() < 0 {
		return l.slowest
	}
	return l.inflate
}

// errBomb is said once, of the archive.
var errBomb = errors.New("the archive inflates to too much")

// bounded is a stream that counts against the limits.
func (l *limits) bounded(r io.Reader) io.Reader { return boundedReader{r, l, false} }

// unpacking is one of what a decoder writes.
func (l *limits) unpacking(r io.Reader, head []byte) io.Reader {
	slow := bytes.HasPrefix(head, []byte(xzMagic)) || bytes.HasPrefix(head, []byte(bzipMagic)) || bytes.HasPrefix(head, []byte(sevenzip.Magic))
	return boundedReader{r, l, slow}
}

type boundedReader struct {
	from   io.Reader
	limits *limits
	slow   bool
}

func (b boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.slow && b.limits.slow.Add(-int64(n)) < 0 {
		b.limits.left.Store(-1)
	}
	if b.limits.left.Add(-int64(n)) < 0 {
		return 0, errBomb
	}
	return n, err
}

// archive looks into an archive; nothing is unpacked anywhere. The path of what
// it holds stands behind an exclamation mark.
func (s *scanner) archive(name string, w *watch) found {
	out := found{files: 1}
	f, size, err := s.open(name, w)
	if err != nil {
		out.problem(name, why(err))
		return out
	}
	defer func() { _ = f.Close() }()
	l := looker{scanner: s, found: &out, tool: s.tools.take(s.options()), limits: newLimits(size, s.inflate)}
	defer func() { s.tools.giveBack(l.tool) }()
	src := io.NewSectionReader(f, 0, size)
	if head, err := headOf(src); err != nil {
		out.problem(name, why(err))
	} else {
		l.container(name, src, head)
	}
	l.finish(name)
	s.hasShrunk(name, size, &out)
	return out
}

func (s *scanner) options() codeobj.Options { return codeobj.Options{Deep: s.request.Deep} }

// finish says what can be said when all of an archive was seen.
func (l *looker) finish(name string) {
	out := l.found
	for _, f := range out.split {
		l.kpacked(f, out.kpacksOf)
	}
	out.folders(l.options())
	switch {
	case l.limits.left.Load() < 0:
		out.problem(name, fmt.Sprintf("it unpacks to more than %d MiB, far more than its own size; the rest was not looked at", l.limits.broken()>>20))
	case l.limits.files.Load() > maxFiles:
		out.problem(name, errTooMany.Error())
	}
}

// container looks into an archive that can be read anywhere.
func (l *looker) container(name string, src source, head []byte) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case l.isZip(name, head):
		l.zip(name, src)
	case begins(debMagic):
		l.deb(name, src)
	case begins(sevenzip.Magic):
		l.sevenZip(name, src, head)
	default:
		l.stream(name, io.NewSectionReader(src, 0, src.Size()), head)
	}
}

// stream looks into a tarball, plain or compressed. Other compressed files are
// texts, unless somebody asked about one.
func (l *looker) stream(name string, r io.Reader, head []byte) {
	if isTar(head) {
		l.tar(name, r)
		return
	}
	first := make([]byte, headSize)
	matters := l.asked(name) || isTarball(name)
	if strings.Count(name, "!") == 1 { // a zip is looked at by several at a time
		l.limits.nesting.Lock()
		defer l.limits.nesting.Unlock()
	}
	inflated, err := inflate(r, head, window(name))
	n := 0
	var unpacked io.Reader
	if err == nil {
		defer func() { _ = inflated.Close() }()
		unpacked = l.limits.unpacking(inflated, head)
		n, err = io.ReadFull(unpacked, first)
	}
	first = first[:n]
	switch {
	case isTar(first), matters && isZero(first) && n == headSize:
		l.tar(name, io.MultiReader(bytes.NewReader(first), unpacked))
	case matters && err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		l.failed(name, err)
	case matters:
		l.problem(name, noTarball(name))
	}
}

func noTarball(name string) string {
	if isTarball(name) {
		return "by its name it is a tarball, and it is none, or is damaged"
	}
	return "it is compressed, and no tarball: unpack it first"
}

// window is how much a decoder may keep: much for one, and little for those within
// another archive, of which there may be several.
func window(name string) uint64 {
	if strings.Contains(name, "!") {
		return innerWindow
	}
	return maxWindow
}

func inflate(r io.Reader, head []byte, window uint64) (io.ReadCloser, error) {
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return gzip.NewReader(r)
	case bytes.HasPrefix(head, []byte(zstdMagic)):
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case bytes.HasPrefix(head, []byte(xzMagic)):
		if codeobj.XZWindow(head) > window {
			return nil, fmt.Errorf("to unpack it takes more than %d MiB of memory: unpack it first", window>>20)
		}
		x, err := xz.ReaderConfig{DictCap: lzma.MinDictCap}.NewReader(r) // the least; the file may say more
		if err != nil {
			return nil, err
		}
		return io.NopCloser(x), nil
	case bytes.HasPrefix(head, []byte(bzipMagic)):
		return io.NopCloser(bzip2.NewReader(r)), nil
	}
	return io.NopCloser(r), nil
}

// tar looks into each file of a tarball. What stands behind its end is looked at by
// nobody, so there may be nothing but padding.
func (l *looker) tar(name string, r io.Reader) {
	if l.tooDeep(name) {
		return
	}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			l.padding(name, r)
			return
		case errors.Is(err, errBomb):
			return
		case err != nil:
			l.problem(name, "it is no tarball, or damaged: "+why(err))
			return
		case !isPlain(h):
			continue
		case l.limits.files.Add(1) > maxFiles:
			return
		}
		l.found.files++
		entry := name + "!" + strings.TrimPrefix(h.Name, "./")
		l.leadsOut(entry, h.Name)
		l.unpacked(entry, h.Size, l.entryOf(t, h))
	}
}

// unpacked looks at what one entry of an archive holds, which comes once.
func (l *looker) unpacked(name string, size int64, r io.Reader) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		l.failed(name, err)
		return
	}
	head = head[:n]
	r = io.MultiReader(bytes.NewReader(head), r)
	switch {
	case l.closed(name, head):
	case l.isZip(name, head), bytes.HasPrefix(head, []byte(debMagic)), bytes.HasPrefix(head, []byte(sevenzip.Magic)):
		l.nested(name, size, r, head)
	case isContainer(head):
		l.stream(name, r, head)
	case isKernelFolder(path.Dir(inner(name))):
		l.kernel(name, size, r)
	default:
		l.gathered(name, size, r)
	}
}

// inner is the path within the innermost archive.
func inner(name string) string { return name[strings.LastIndexByte(name, '!')+1:] }

// failed says why an entry cannot be read; of a bomb, the archive is told.
func (l *looker) failed(name string, err error) {
	if !errors.Is(err, errBomb) {
		l.problem(name, why(err))
	}
}

// nested looks into an archive within an archive, as far as it fits into memory. The
// outermost waits for its turn; those within it share what it leaves.
func (l *looker) nested(name string, size int64, r io.Reader, head []byte) {
	if l.tooDeep(name) {
		return
	}
	data := &bytes.Buffer{}
	if strings.Count(name, "!") == 1 {
		l.limits.nesting.Lock()
		defer l.limits.nesting.Unlock()
		data = &l.limits.outer
		data.Reset()
	}
	most := maxNested - l.limits.held
	data.Grow(int(min(max(size, 0), int64(most))) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(r, int64(most)+1))
	switch {
	case err != nil:
		l.failed(name, err)
	case data.Len() > most:
		l.problem(name, fmt.Sprintf("it is an archive within another one, and they take more than %d MiB: unpack it first", maxNested>>20))
	default:
		l.limits.held += data.Len()
		l.container(name, bytes.NewReader(data.Bytes()), head)
		l.limits.held -= data.Len()
	}
}

// gathered looks for GPU code in a file that comes once.
func (l *looker) gathered(name string, size int64, r io.Reader) {
	src, err := l.tool.gatherer.Gather(name, size, r, l.options())
	if err != nil {
		l.failed(name, err)
		return
	}
	before := len(l.found.problems)
	l.codes(name, src)
	if src.Missed() && len(l.found.problems) == before {
		l.problem(name, notKept)
	}
}

const notKept = "not all of it that matters could be kept while it was unpacked: unpack it first"

// kernel reads one file of a folder of kernels.
func (l *looker) kernel(name string, size int64, r io.Reader) {
	var src *codeobj.Gathered
	file := l.tool.kernels.Read(name, func() (codeobj.Source, error) {
		if strings.HasSuffix(name, ".dat") { // an index
			data, err := io.ReadAll(io.LimitReader(r, largestIndex+1))
			return bytes.NewReader(data), err
		}
		var err error
		src, err = l.tool.gatherer.Gather(name, size, r, l.options())
		return src, err
	})
	if src != nil && src.Missed() {
		l.problem(name, notKept)
	}
	l.found.kernel(kernelRoot(name), file)
}

// deb finds the files of a Debian package: its member data.tar, compressed.
func (l *looker) deb(name string, src source) {
	for at := int64(len("!<arch>\n")); at+arHeader <= src.Size(); {
		header := make([]byte, arHeader)
		if _, err := src.ReadAt(header, at); err != nil {
			l.problem(name, why(err))
			return
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64)
		if err != nil || size < 0 || size > src.Size()-at-arHeader {
			l.problem(name, "a member is said to reach past the end of the package")
			return
		}
		if strings.HasPrefix(string(header), "data.tar") {
			l.data(name, io.NewSectionReader(src, at+arHeader, size))
			return
		}
		at += arHeader + size + size%2
	}
	l.problem(name, "the package holds no files")
}

func (l *looker) data(name string, part *io.SectionReader) {
	head, err := headOf(part)
	if err != nil {
		l.problem(name, why(err))
		return
	}
	r, err := inflate(part, head, window(name))
	if err != nil {
		l.problem(name, why(err))
		return
	}
	defer func() { _ = r.Close() }()
	l.tar(name, l.limits.unpacking(r, head))
}
