package codeobj

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wrong reads a file with something wrong in it, and returns what is said of it.
func wrong(t *testing.T, data []byte, o Options, want string) File {
	t.Helper()
	f := read(t, "x", data, o)
	var all []string
	for _, p := range f.Problems {
		all = append(all, p.What)
	}
	if said := strings.Join(all, "\n"); !strings.Contains(said, want) || want == "" {
		t.Errorf("said %q, want %q", said, want)
	}
	return f
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	lies := makeBundle(item{hip("gfx1101"), gpuCode(6, flags1100)})
	f := wrong(t, lies, Options{}, `is named "gfx1101", and its code is for gfx1100`)
	if len(f.Objects) != 1 || f.Objects[0].Text != "gfx1101" {
		t.Errorf("the runtime chooses by the name: %+v", f.Objects)
	}
	packed := zstded(t, lies)
	wrong(t, makeCCOB(3, 1, len(lies), hashOf(lies), packed), Options{}, `is named "gfx1101"`)
	wrong(t, makeBundle(item{hip("gfx90a"), gpuCode(4, flags90aX)}), Options{}, "its code is for gfx90a:xnack+")
	wrong(t, makeBundle(item{hip("gfx1100"), nil}), Options{}, "is empty")
	wrong(t, makeBundle(item{hip("gfx1100"), []byte("garbage that is no code at all")}), Options{}, "neither machine code")
	wrong(t, makeBundle(item{hip("navi31"), gpuCode(6, flags1100)}), Options{}, "names no target that we know")
	wrong(t, gpuCode(6, 0x27), Options{}, "processor 0x27 is not known")
	wrong(t, gpuCode(7, flags1100), Options{}, "version 7, which we do not know")
	wrong(t, gpuCode(2, 0), Options{}, "version 2 do not name their target")

	one := makeELF(item{nameFatbin, pair()}, item{nameWrappers, slices.Concat(wrapper(magicWrapper), wrapper(magicWrapper))})
	wrong(t, one, Options{}, "the program registers 2 bundles, and 1 is there")
	wrong(t, makeELF(item{nameWrappers, wrapper(magicSplit)}), Options{}, "does not say where it is")
}

// A zeroed bundle, as a tool that removes targets leaves behind, shows in the number of wrappers.
func TestZeroedBundle(t *testing.T) {
	t.Parallel()
	data := fixture(t, "plain.so")
	first := bytes.Index(data, []byte(magicBundle))
	second := first + 1 + bytes.Index(data[first+1:], []byte(magicBundle))
	clear(data[first:second])
	f := wrong(t, data, Options{}, "the program registers 2 bundles, and 1 is there")
	if len(f.Objects) != 6 {
		t.Errorf("%d objects", len(f.Objects))
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	whole := pair()
	f := wrong(t, whole[:len(whole)-10], Options{}, "the file is cut short")
	if len(f.Objects) != 1 {
		t.Errorf("the first entry is whole: %+v", f.Objects)
	}
	f = wrong(t, slices.Concat(whole, []byte("something else"), whole), Options{}, "are no bundle")
	if len(f.Objects) != 4 {
		t.Errorf("the second bundle was not found: %+v", f)
	}
	packed := makeCCOB(3, 1, len(whole), 42, zstded(t, whole))
	wrong(t, packed, Options{Deep: true}, "has the hash")
	wrong(t, makeCCOB(3, 1, len(whole)-1, 42, zstded(t, whole)), Options{Deep: true}, "longer after decompression")
	wrong(t, makeCCOB(3, 7, 1, 1, nil), Options{}, "by method 7")
	wrong(t, makeCCOB(9, 1, 1, 1, nil), Options{}, "of version 9")
	wrong(t, makeCCOB(3, 1, 10, 1, []byte("no frame")), Options{}, "no zstd frame")
	wrong(t, makeCCOB(1, 0, 10, 1, []byte("no stream")), Options{}, "decompress")
	wrong(t, []byte(magicArchive+"0123456789"), Options{}, "cut short")
	wrong(t, makeArchive(magicArchive, item{"/99", nil}), Options{}, `its name is "/99"`)
	wrong(t, []byte(magicKpack+"\x01\x00\x00\x00\xff\x00\x00\x00\x00\x00\x00\x00"), Options{}, "cut short")
}

// What would take memory or time without end is refused.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	huge := le.AppendUint64([]byte(magicBundle), 1<<60)
	wrong(t, append(huge, make([]byte, 100)...), Options{}, "entries")
	zeros := make([]byte, 64<<20)
	copy(zeros, magicBundle)
	le.PutUint64(zeros[24:], 1)
	le.PutUint64(zeros[32:], 60<<20)
	le.PutUint64(zeros[48:], 4)
	copy(zeros[56:], "hip-")
	bomb := makeCCOB(1, 0, 1<<31, 1, zlibbed(t, zeros))
	wrong(t, bomb, Options{Limits: Limits{Inflate: 1 << 20}}, "after decompression")
	wrong(t, makeCCOB(3, 1, 1<<40, 1, zstded(t, zeros)), Options{Deep: true, Limits: Limits{Inflate: 1 << 20}}, "after decompression")

	nested := makeELF(item{nameFatbin, pair()})
	for range 6 {
		nested = makeArchive(magicArchive, item{"a/", nested})
	}
	wrong(t, nested, Options{}, "archives stand in archives, 4 deep")
	wrong(t, pair(), Options{Limits: Limits{Objects: 1}}, "more than 1 code objects")
	wrong(t, slices.Concat(pair(), pair()), Options{Limits: Limits{Read: 5000}}, "holds more than is read")
	wrong(t, bytes.Repeat(makeBundle(item{hip("gfx1100"), nil}), 5), Options{Limits: Limits{Problems: 3}}, "and the rest was not read")

	deep := []byte(magicKpack + "\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00")
	wrong(t, append(deep, bytes.Repeat([]byte{0x91}, 1<<20)...), Options{}, "deep")
}

// shrinking is a file that somebody cuts off while it is read.
type shrinking struct {
	*bytes.Reader
	left int
}

func (s *shrinking) ReadAt(p []byte, off int64) (int, error) {
	if s.left--; s.left < 0 {
		return 0, io.EOF
	}
	return s.Reader.ReadAt(p, off)
}

// broken is a file on a disk that fails.
type broken struct {
	*bytes.Reader
	left int
}

var errDisk = errors.New("input/output error")

func (b *broken) ReadAt(p []byte, off int64) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, off)
}

func TestFilesThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range fixtures {
		data := fixture(t, c.name)
		for reads := 1; ; reads++ {
			source := &shrinking{bytes.NewReader(data), reads}
			f, err := Read(c.name, source, Options{})
			if err != nil || source.left < 0 && len(f.Problems) == 0 {
				t.Errorf("%s: after %d reads: %v, %v", c.name, reads, err, texts(f))
			}
			disk := &broken{bytes.NewReader(data), reads}
			f, err = Read(c.name, disk, Options{Deep: true})
			if err != nil || disk.left < 0 && len(f.Problems) == 0 {
				t.Errorf("%s: broken after %d reads: %v, %v", c.name, reads, err, f.Problems)
			}
			if source.left >= 0 && disk.left >= 0 {
				break
			}
		}
		if _, err := Read(c.name, &broken{bytes.NewReader(data), 0}, Options{}); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTruncations(t *testing.T) {
	t.Parallel()
	for _, c := range fixtures {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := fixture(t, c.name)
			for n := 0; n < len(data); n += 64 {
				for _, deep := range []bool{false, true} {
					if f := read(t, c.name, data[:n], Options{Deep: deep}); len(f.Objects) > len(c.targets) {
						t.Errorf("%d bytes: %v", n, texts(f))
					}
				}
			}
		})
	}
}

// Mutated files are judged without a panic, and what is listed stands within the file.
func TestMutations(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := fixtures[random.IntN(len(fixtures))]
		data := fixture(t, c.name)
		for range 1 + random.IntN(8) {
			switch at := random.IntN(len(data)); random.IntN(4) {
			case 0:
				data[at] = byte(random.Uint32())
			case 1:
				data[at] ^= 1 << random.IntN(8)
			case 2:
				from := data[random.IntN(len(data)):]
				copy(data[at:], bytes.Clone(from[:min(len(from), 1+random.IntN(64))]))
			default: // headers are what matters
				data[at%min(len(data), 512)] = byte(random.Uint32())
			}
		}
		hold(t, c.name, data)
	}
}

// hold checks what must be true of every file.
func hold(t *testing.T, name string, data []byte) {
	t.Helper()
	for _, deep := range []bool{false, true} {
		f, err := Read(name, bytes.NewReader(data), Options{Deep: deep, Limits: Limits{Inflate: 16 << 20, Read: 64 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range f.Objects {
			if o.Offset < 0 || o.Size < 0 || o.Offset+o.Size > int64(len(data)) || !strings.HasPrefix(o.Where, name) {
				t.Errorf("%s: %+v", name, o)
			}
		}
		for _, p := range f.Problems {
			if p.What == "" || strings.ContainsAny(p.What+p.Path, "\n\r\x00") {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if len(f.Problems) > defaultProblems+1 || len(f.Objects) > defaultObjects {
			t.Errorf("%s: %d problems, %d objects", name, len(f.Problems), len(f.Objects))
		}
	}
}

// sparse is a big file of zeros with something at its beginning.
type sparse struct {
	head    []byte
	size    int64
	bytes   int64
	largest int
}

func (s *sparse) Size() int64 { return s.size }

func (s *sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.head)) {
		copy(p, s.head[off:])
	}
	s.bytes += int64(len(p))
	s.largest = max(s.largest, len(p))
	return len(p), nil
}

// Cost grows with the number of bundles, not with bytes.
func TestReadsLittle(t *testing.T) {
	t.Parallel()
	var entries []item
	for range 10 {
		entries = append(entries, item{hip("gfx1100"), gpuCode(6, flags1100)})
	}
	bundle := makeBundle(entries...)
	le.PutUint64(bundle[int(tableStart)+9*(entryHeader+len(hip("gfx1100")))+8:], 1<<30) // the last entry has a gigabyte
	source := &sparse{head: bundle, size: 1<<30 + 100_000}
	f, err := Read("big", source, Options{})
	if err != nil || len(f.Objects) != 10 || len(f.Problems) > 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	if source.bytes > 100<<10 {
		t.Errorf("%d bytes were read", source.bytes)
	}
}

// A file that is all promise is left alone after a while.
func TestBigFilesWithNothingInThem(t *testing.T) {
	t.Parallel()
	for name, head := range map[string][]byte{
		"bundles": pair(), "archive": []byte(magicArchive), "kpack": []byte(magicKpack + "\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x91"),
	} {
		source := &sparse{head: head, size: 1 << 34}
		f, err := Read(name, source, Options{})
		if err != nil || len(f.Problems) == 0 {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if source.bytes > 100<<20 || source.largest > mostAtOnce {
			t.Errorf("%s: %d bytes were read, %d at once", name, source.bytes, source.largest)
		}
	}
}

// FuzzRead changes a few bytes of real files. The change is what is fuzzed, not the file: a fuzzer spends its time on
// making large inputs smaller.
func FuzzRead(f *testing.F) {
	var files [][]byte
	for i, c := range fixtures {
		files = append(files, fixture(f, c.name))
		f.Add(i, 0, []byte{0x7f}, 0)
		f.Add(i, 40, []byte{0xff, 0xff}, 64*i)
		f.Add(i, 4096, []byte(magicCCOB), 1)
	}
	f.Fuzz(func(t *testing.T, which, at int, patch []byte, cut int) {
		data := bytes.Clone(files[within(which, len(files))])
		copy(data[within(at, len(data)):], patch)
		hold(t, "x", data[:len(data)-within(cut, len(data))])
	})
}

func within(n, size int) int { return int(uint(n) % uint(size)) }

// FuzzFormats begins with the smallest of each format, which a fuzzer can take apart faster than real files.
func FuzzFormats(f *testing.F) {
	small := le.AppendUint64([]byte(magicBundle), 1)
	for _, n := range []int{100, elfHeader, len(hip("gfx1100"))} {
		small = le.AppendUint64(small, uint64(n))
	}
	small = append(append(small, hip("gfx1100")...), make([]byte, 100-len(small)-len(hip("gfx1100")))...)
	small = append(small, gpuCode(6, flags1100)...)
	packed := makeCCOB(1, 1, len(small), hashOf(small), zstded(f, small))
	for _, seed := range [][]byte{
		small, packed, makeCCOB(2, 0, len(small), hashOf(small), zlibbed(f, small)), slices.Concat(small, []byte{0, 0, 0}, packed),
		makeELF(item{nameFatbin, small}, item{nameWrappers, wrapper(magicWrapper)}), makePE(item{nameFatbin, small}, item{nameKpackPE, []byte("\x80")}),
		makeArchive(magicArchive, item{"//", []byte("long/\n")}, item{"/0", small}), makeArchive(magicThin, item{"a.o/", nil}),
		[]byte(magicKpack + "\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x82\xa3toc\x81\xa1k\x81\xa7gfx1100\x81\xa4type\xa5hsaco\xa5blobs\x91\x80"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, "x", data) })
}

func FuzzMessagePack(f *testing.F) {
	f.Add([]byte("\x82\xa9solutions\x90\xa7library\x82\xa4type\xabPlaceholder\xa5value\xa1x"))
	f.Add([]byte("\xdf\xff\xff\xff\xff\x91\x91\x91"))
	f.Add([]byte("\xdb\xff\xff\xff\xffabc"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = placeholders(data) })
}

func FuzzKernelName(f *testing.F) {
	f.Add("Kernels.so-000-gfx90a-sramecc+-xnack-.hsaco")
	f.Fuzz(func(t *testing.T, name string) {
		if k := parseKernelName(name); !strings.HasPrefix(name, k.stem) || !strings.HasPrefix(k.stem, k.task) {
			t.Errorf("%q: %+v", name, k)
		}
	})
}
