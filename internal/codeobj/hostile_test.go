package codeobj

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// A costly is a file in memory that counts what is asked of it.
type costly struct {
	*bytes.Reader
	reads, bytes int64
}

func (c *costly) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += int64(len(p))
	return c.Reader.ReadAt(p, off)
}

// table is a bundle's table with any numbers in it.
func table(count uint64, rows ...[3]uint64) []byte {
	out := le.AppendUint64([]byte(magicBundle), count)
	for _, r := range rows {
		out = le.AppendUint64(le.AppendUint64(le.AppendUint64(out, r[0]), r[1]), r[2])
		out = append(out, hip("gfx1100")...)
	}
	return out
}

// hostile are files made to be slow, to be large in memory, or to be believed. Of none is a piece of code reported that
// is not there, and reading grows at most as a multiple of the file, where it does not say that it stopped.
func hostile(t testing.TB) map[string][]byte {
	id, most := uint64(len(hip("gfx1100"))), uint64(1)<<63
	manyRows := make([][3]uint64, maxEntries)
	for i := range manyRows {
		manyRows[i] = [3]uint64{0, 64, id}
	}
	packed := zstded(t, []byte("CCOB in a CCOB"))
	inner := makeCCOB(3, 1, 100, 1, packed)
	kpack := func(doc any) []byte {
		toc, err := msgpack.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte(magicKpack+"\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00"), toc...)
	}
	sections := makeELF(item{nameFatbin, make([]byte, 5000)})
	le.PutUint16(sections[60:], 0) // the number stands in the first section header, and is a lie
	le.PutUint64(sections[le.Uint64(sections[40:])+32:], maxSections)
	return map[string][]byte{
		"entries in the table":       append(table(maxEntries, manyRows...), make([]byte, 100)...),
		"an endless name":            append(table(1, [3]uint64{0, 64, most}), make([]byte, 100)...),
		"sizes that overflow":        append(table(3, [3]uint64{most, most, id}, [3]uint64{1, most - 1, id}, [3]uint64{^uint64(0), 2, id}), make([]byte, 100)...),
		"magic numbers only":         bytes.Repeat([]byte(magicBundle), 5000),
		"compressed magic only":      bytes.Repeat([]byte(magicCCOB), 100_000),
		"empty compressed bundles":   bytes.Repeat(makeCCOB(3, 1, 0, 0, nil), 5000),
		"headers without an end":     bytes.Repeat(append(table(maxEntries), bytes.Repeat([]byte{0}, 8)...), 5000),
		"compressed in compressed":   makeCCOB(3, 1, len(inner), hashOf(inner), zstded(t, inner)),
		"a size that is a lie":       makeCCOB(3, 1, 1<<62, 1, zstded(t, table(1, [3]uint64{0, 1 << 61, id}))),
		"many sections, few bytes":   sections,
		"code objects by their name": makeELF(item{".rodata", bytes.Repeat([]byte(magicHSA), 50_000)}),
		"negative blobs":             kpack(map[string]any{"blobs": []any{map[string]any{"offset": -1, "size": -1}}, "toc": map[string]any{"k": map[string]any{"gfx1100": map[string]any{"type": "hsaco", "ordinal": 0}}}}),
		"blobs of no archive":        kpack(map[string]any{"toc": map[string]any{"k": map[string]any{"gfx1100": map[string]any{"type": "hsaco", "ordinal": int64(1) << 62}}}}),
		"compressed blobs that lie":  kpack(map[string]any{"compression_scheme": "zstd-per-kernel", "zstd_offset": 0, "zstd_size": 20, "toc": map[string]any{}}),
		"a list of four billion":     []byte(magicKpack + "\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\xdd\xff\xff\xff\xff"),
		"members of nothing":         makeArchive(magicArchive, item{"//", []byte("/0/\n")}, item{"/0", nil}, item{"/1", nil}, item{"#1/0", nil}),
		"images outside":             slices.Concat([]byte(magicOffload), []byte{2, 0, 0, 0}, le.AppendUint64(nil, 80), le.AppendUint64(nil, 40), le.AppendUint64(nil, 1), make([]byte, 16), le.AppendUint64(nil, most), le.AppendUint64(nil, 2), make([]byte, 16)),
	}
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for name, data := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, deep := range []bool{false, true} {
				source := &costly{Reader: bytes.NewReader(data)}
				f, err := Read("x", source, Options{Deep: deep})
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range f.Objects {
					if o.CodeObject != 0 {
						t.Errorf("deep %v: code was believed: %+v", deep, o)
					}
				}
				silent := name == "code objects by their name" || name == "members of nothing" || name == "compressed blobs that lie"
				if len(f.Problems) == 0 && !silent {
					t.Errorf("deep %v: nothing is said: %d objects", deep, len(f.Objects))
				}
				if limit := int64(len(data)+1<<20) * 64; source.bytes > limit || source.reads > int64(len(data)/4+10_000) {
					t.Errorf("deep %v: %d reads, %d bytes of a file of %d", deep, source.reads, source.bytes, len(data))
				}
			}
			hold(t, "x", data)
		})
	}
}

// Sections that share their bytes would list the same code many times.
func TestSectionsWithinOthers(t *testing.T) {
	t.Parallel()
	elf := makeELF(item{nameFatbin, pair()}, item{nameFatbin, nil}, item{nameFatbin, nil})
	rows := elf[le.Uint64(elf[40:]):]
	for i := 2; i <= 3; i++ {
		copy(rows[i*sectionRow+24:i*sectionRow+40], rows[sectionRow+24:sectionRow+40])
	}
	if f := wrong(t, elf, Options{}, `the section ".hip_fatbin" at 64 stands within another one`); len(f.Objects) != 2 || len(f.Problems) != 2 {
		t.Errorf("%+v", f)
	}
	pe := makePE(item{nameFatbinPE, pair()}, item{nameFatbinPE, nil})
	row := pe[0x80+4+coffHeader:]
	copy(row[peSectionRow+8:peSectionRow+24], row[8:24])
	if f := wrong(t, pe, Options{}, "stands within another one"); len(f.Objects) != 2 {
		t.Errorf("%+v", f)
	}
}

// A program without section headers whose data is full of wrappers would fill our memory.
func TestTooManyWrappers(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte(magicWrapper), 2*maxWrappers)
	segments := []segment{{kind: segmentLoad, flags: flagWrite, addr: 0x1000, part: part{src: bytes.NewReader(data), size: int64(len(data))}}}
	found, err := findWrappers(segments, magicWrapper)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint(maxWrappers)) || len(found) > maxWrappers+batch/8 {
		t.Errorf("%d wrappers, %v", len(found), err)
	}
}
