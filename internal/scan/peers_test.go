package scan

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"testing/fstest"
)

var le = binary.LittleEndian

// A section is a named range of a program or object file.
type section struct {
	name string
	body []byte
}

// fatbinRow returns the section header of the bundles of a library, the one
// section that asks for a whole page.
func fatbinRow(t *testing.T, data []byte) []byte {
	t.Helper()
	for row := data[le.Uint64(data[40:]):]; len(row) >= 64; row = row[64:] {
		if le.Uint64(row[48:]) == 4096 {
			return row[:64]
		}
	}
	t.Fatal("there is no section of bundles")
	return nil
}

// swapped is the library of a plain and a compressed bundle with the two in the
// other order, as a linker writes it that gets the objects in that order.
func swapped(t *testing.T) []byte {
	t.Helper()
	data := fixture(t, "mixed.so")
	row := fatbinRow(t, data)
	plain, packed, ok := bytes.Cut(data[le.Uint64(row[24:]):][:le.Uint64(row[32:])], []byte("CCOB"))
	if !ok {
		t.Fatal("no compressed bundle is there")
	}
	bundles := slices.Concat(pages([]byte("CCOB"+string(packed))), plain)
	data = pages(data)
	row = fatbinRow(t, data)
	le.PutUint64(row[24:], uint64(len(data)))
	le.PutUint64(row[32:], uint64(len(bundles)))
	return append(data, bundles...)
}

// pages fills the last page with zeros.
func pages(data []byte) []byte { return slices.Concat(data, make([]byte, (4096-len(data)%4096)%4096)) }

// object is an ELF object file of sections.
func object(sections ...section) []byte {
	names, out, rows := []byte{0}, make([]byte, 64), make([]byte, 64)
	for _, s := range append(sections, section{name: ".strtab"}) {
		row := make([]byte, 64)
		le.PutUint32(row, uint32(len(names)))
		names = append(append(names, s.name...), 0)
		if s.name == ".strtab" {
			s.body = names
		}
		le.PutUint32(row[4:], 1)
		le.PutUint64(row[24:], uint64(len(out)))
		le.PutUint64(row[32:], uint64(len(s.body)))
		out, rows = append(out, s.body...), append(rows, row...)
	}
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], 1)
	le.PutUint16(out[18:], 62)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[58:], 64)
	le.PutUint16(out[60:], uint16(len(sections)+2))
	le.PutUint16(out[62:], uint16(len(sections)+1))
	return append(out, rows...)
}

// dll is a library of Windows, whose linker cuts names after eight letters and
// pads sections to blocks.
func dll(sections ...section) []byte {
	const headers, row, block = 0x98, 40, 512
	out := make([]byte, headers+len(sections)*row)
	pad := func() { out = append(out, make([]byte, (block-len(out)%block)%block)...) }
	copy(out, "MZ")
	le.PutUint32(out[60:], headers-24)
	copy(out[headers-24:], "PE\x00\x00")
	le.PutUint16(out[headers-20:], 0x8664)
	le.PutUint16(out[headers-18:], uint16(len(sections)))
	pad()
	for i, s := range sections {
		r := out[headers+i*row:]
		copy(r[:8], s.name)
		le.PutUint32(r[8:], uint32(len(s.body)))
		le.PutUint32(r[16:], uint32((len(s.body)+block-1)/block*block))
		le.PutUint32(r[20:], uint32(len(out)))
		out = append(out, s.body...)
		pad()
	}
	return out
}

func wrappers(n int) []byte {
	return bytes.Repeat(append([]byte("FPIH\x01\x00\x00\x00"), make([]byte, 16)...), n)
}

// relocatable are the sections of -fgpu-rdc as the older driver of clang writes
// them: bitcode, one section for each target.
func relocatable() []section {
	out := []section{{"__CLANG_OFFLOAD_BUNDLE__host-x86_64-unknown-linux-gnu-", []byte{0}}}
	for _, target := range six {
		out = append(out, section{"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--" + target, []byte("BC\xc0\xde\x35\x14\x00\x00")})
	}
	return out
}

func wheelOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Each of these is read wrongly, and with exit code 0, by at least one of
// llvm-objdump, roc-obj-ls and clang-offload-bundler. The number is that of the
// entries for GPUs that are in it.
func TestWherePeersFail(t *testing.T) {
	t.Parallel()
	plain, packed := fixture(t, "a_v6.o"), fixture(t, "a_bundle_z.hsaco")
	both := slices.Concat(pages(fixture(t, "a_bundle.hsaco")), packed)
	for _, c := range []struct {
		name, file string
		data       []byte
		want       int
	}{
		{"plain library", "plain.so", fixture(t, "plain.so"), 12},
		{"compressed, version 3", "ccob3.so", fixture(t, "ccob3.so"), 12},
		{"compressed, version 2", "ccob2.so", fixture(t, "ccob2.so"), 12},
		{"plain and compressed", "mixed.so", fixture(t, "mixed.so"), 12},
		{"compressed and plain", "mixed2.so", swapped(t), 12},
		{"generic targets", "generic.o", fixture(t, "generic.o"), 6},
		{"SPIR-V and gfx1100", "spirv.o", fixture(t, "spirv.o"), 2},
		{"relocatable, newer driver", "a_rdc.o", fixture(t, "a_rdc.o"), 6},
		{"relocatable, older driver", "old_rdc.o", object(relocatable()...), 6},
		{"archive", "libfat.a", fixture(t, "libfat.a"), 12},
		{"thin archive", "thin.a", thinArchive("obj/plain.o", "obj/packed.o"), 12},
		{"COFF object", "a_win.obj", fixture(t, "a_win.obj"), 6},
		{"DLL, plain and compressed", "a.dll", dll(section{".text", nil}, section{".hip_fat", both}, section{".hipFatB", wrappers(2)}), 12},
		{"bundle file", "a_bundle.hsaco", fixture(t, "a_bundle.hsaco"), 6},
		{"compressed bundle file", "a_bundle_z.hsaco", packed, 6},
		{"compressed by zlib", "a_v3_zlib.hsaco", fixture(t, "a_v3_zlib.hsaco"), 6},
		{"compressed by clang 21", "c21_z.co", fixture(t, "c21_z.hsaco"), 2},
		{"raw code object", "a_gfx1100.hsaco", fixture(t, "a_gfx1100.hsaco"), 1},
		{"code split off", "kpack/kpacked.so", fixture(t, "kpack/kpacked.so"), 1},
		{"wheel", "x-1.0-py3-none-any.whl", wheelOf(t, map[string][]byte{"x/plain.so": fixture(t, "plain.so"), "x/packed.so": fixture(t, "ccob3.so")}), 24},
		{"tarball", "x.tar", tarball(t, map[string][]byte{"x/libfat.a": fixture(t, "libfat.a")}), 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{
				c.file:                           {Data: c.data},
				"obj/plain.o":                    {Data: plain},
				"obj/packed.o":                   {Data: object(section{".hip_fatbin", packed})},
				"kpack/.kpack/fix_gfx1100.kpack": {Data: fixture(t, "kpack/.kpack/fix_gfx1100.kpack")},
			}
			for _, deep := range []bool{false, true} {
				r := Files(fsys, []string{c.file}, Request{Deep: deep})
				got := 0
				for _, i := range r.Items {
					for _, target := range i.Targets {
						got += target.Count
					}
				}
				if got != c.want || len(r.Problems) > 0 {
					t.Errorf("deep %v: %d of %d; problems %v", deep, got, c.want, r.Problems)
				}
			}
		})
	}
}
