package codeobj

import (
	"bytes"
	"crypto/md5"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

var two = []string{"gfx1100", "gfx90a:xnack+"}

func hashOf(data []byte) uint64 {
	sum := md5.Sum(data)
	return le.Uint64(sum[:])
}

// sound reads a file in which nothing is wrong, both ways.
func sound(t *testing.T, name string, data []byte, want ...string) File {
	t.Helper()
	slices.Sort(want)
	deep := read(t, name, data, Options{Deep: true})
	f := read(t, name, data, Options{})
	for _, f := range []File{f, deep} {
		if got := texts(f); !slices.Equal(got, want) || len(f.Problems) > 0 {
			t.Errorf("%s: got %v, want %v; problems %v", name, got, want, f.Problems)
		}
	}
	return f
}

func TestCompressedBundles(t *testing.T) {
	t.Parallel()
	plain := pair()
	for version := uint16(1); version <= 3; version++ {
		for method, packed := range [][]byte{zlibbed(t, plain), zstded(t, plain)} {
			one := makeCCOB(version, uint16(method), len(plain), hashOf(plain), packed)
			sound(t, "one", one, two...)
			// Version 1 does not say how long it is, and yet what follows must be found.
			sound(t, "two and a plain one", slices.Concat(one, make([]byte, 77), one, plain), slices.Concat(two, two, two)...)
		}
	}
}

// A table behind the first block is rare, and yet legal.
func TestLongTable(t *testing.T) {
	t.Parallel()
	items := []item{host()}
	var want []string
	for range 3000 {
		items = append(items, item{hip("gfx1100"), gpuCode(6, flags1100)})
		want = append(want, "gfx1100")
	}
	table := le.AppendUint64([]byte(magicBundle), uint64(len(items)))
	for i, it := range items {
		table = le.AppendUint64(table, uint64(300_000+i*elfHeader))
		table = le.AppendUint64(table, uint64(len(it.body)))
		table = le.AppendUint64(table, uint64(len(it.id)))
		table = append(table, it.id...)
	}
	data := slices.Concat(table, make([]byte, 300_000-len(table)+elfHeader))
	for _, it := range items[1:] {
		data = append(data, it.body...)
	}
	sound(t, "plain", data, want...)
	sound(t, "zstd", makeCCOB(3, 1, len(data), hashOf(data), zstded(t, data)), want...)
	sound(t, "zlib", makeCCOB(3, 0, len(data), hashOf(data), zlibbed(t, data)), want...)
}

func TestSections(t *testing.T) {
	t.Parallel()
	packed := makeCCOB(2, 1, len(pair()), hashOf(pair()), zstded(t, pair()))
	both := slices.Concat(pair(), make([]byte, 4096-len(pair())%4096), packed)
	wrappers := slices.Concat(wrapper(magicWrapper), make([]byte, 8), wrapper(magicWrapper))
	f := sound(t, "a.dll", makePE(item{".text", nil}, item{".hip_fatbin", both}, item{".hipFatBinSegment", wrappers}), slices.Concat(two, two)...)
	if f.Kind != KindPE || f.Bundles != 2 || f.Wrappers != 2 {
		t.Errorf("%+v", f)
	}
	// The older driver's -fgpu-rdc: one section for each target.
	f = sound(t, "a.o", makeELF(item{magicBundle + "host-x86_64-unknown-linux--", []byte{0}},
		item{magicBundle + "hip-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", []byte(magicBitcode + "....")}), "gfx906:sramecc+:xnack-")
	if f.Objects[0].Form != FormBitcode {
		t.Errorf("%+v", f.Objects)
	}
}

// Between two bundles there may be the place of many that were zeroed.
func TestGaps(t *testing.T) {
	t.Parallel()
	first := pair()
	gap := make([]byte, 75*page-len(first)) // the bundles begin at whole pages, the gap does not
	sound(t, "x", slices.Concat(first, gap, first, make([]byte, 100)), slices.Concat(two, two)...)
}

func TestStrippedSectionHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain.so", "ccob2.so", "ccob3.so", "mixed.so"} {
		data := fixture(t, name)
		for i := range 8 {
			data[40+i] = 0
		}
		f := sound(t, name, data, slices.Concat(six, six)...)
		if f.Bundles != 2 || f.Wrappers != 2 {
			t.Errorf("%s: %+v", name, f)
		}
		// Without the dynamic section nothing says where the wrappers point: pages are looked at.
		for at := 64; ; at += segmentRow {
			if data[at] == segmentDynamic {
				data[at] = 0
				break
			}
		}
		sound(t, name, data, slices.Concat(six, six)...)
	}
}

func TestStrippedKpack(t *testing.T) {
	t.Parallel()
	data := fixture(t, "kpack/kpacked.so")
	clear(data[40:48])
	f := read(t, "x", data, Options{})
	if len(f.Objects) != 0 || len(f.Problems) == 0 {
		t.Errorf("the reference stands outside of what is loaded, and nothing is said: %+v", f)
	}
	// In libraries that AMD's tool wrote, the pointer leads to the reference.
	ref := bytes.Index(fixture(t, "kpack/kpacked.so"), []byte("\x82\xb2kpack_search_paths"))
	at := bytes.Index(data, []byte(magicSplit))
	copy(data[0x1000:], data[ref:ref+100])
	for range 2 {
		le.PutUint64(data[at+8:], 0x1000)
		at += wrapperSize
	}
	if f := sound(t, "x", data); f.Kpack == nil || f.Kpack.Kernel != "lib/kpacked.so" {
		t.Errorf("%+v", f)
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	object := makeELF(item{".hip_fatbin", pair()})
	gnu := makeArchive(magicArchive, item{"/", []byte("odd")}, item{"//", []byte("a_very_long_name.o/\n")}, item{"/0", object}, item{"b.o/", object})
	f := sound(t, "x.a", gnu, slices.Concat(two, two)...)
	if f.Objects[0].Where != "x.a!a_very_long_name.o" || f.Objects[2].Where != "x.a!b.o" {
		t.Errorf("%+v", f.Objects)
	}
	bsd := makeArchive(magicArchive, item{"__.SYMDEF", nil}, item{"#1/12", append([]byte("long_name.o\x00"), object...)})
	if f := sound(t, "x.a", bsd, two...); f.Objects[0].Where != "x.a!long_name.o" {
		t.Errorf("%+v", f.Objects)
	}
	thin := []byte(magicThin)
	thin = append(thin, makeArchive("", item{"//", []byte("../../etc/a.o/\n")})...)
	thin = append(thin, makeArchive("", item{"/0", object})[:memberHeader]...)
	if f := sound(t, "x.a", thin); !slices.Equal(f.Outside, []string{"../../etc/a.o"}) {
		t.Errorf("%+v", f)
	}
	// The members of another archive have its name.
	thin = append([]byte(magicThin), makeArchive("", item{"//", []byte("inner.a/\n")})...)
	thin = slices.Concat(thin, makeArchive("", item{"/0:216", object})[:memberHeader], makeArchive("", item{"/0:34932", object})[:memberHeader])
	if f := sound(t, "x.a", thin); !slices.Equal(f.Outside, []string{"inner.a"}) {
		t.Errorf("%+v", f)
	}
}

func TestOffloadBinaryOfVersion1(t *testing.T) {
	t.Parallel()
	texts := "triple\x00arch\x00amdgcn-amd-amdhsa\x00gfx1100\x00\x00\x00"
	const row, pairs, words = offloadHeader, offloadHeader + offloadRow, offloadHeader + offloadRow + 32
	image := words + len(texts)
	var b []byte
	b = le.AppendUint32([]byte(magicOffload), 1)
	for _, n := range []int{image + elfHeader, row, offloadRow} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = le.AppendUint64(b, 1|4<<16)
	for _, n := range []int{pairs, 2, image, elfHeader, words, words + 12, words + 7, words + 30} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = append(append(b, texts...), gpuCode(6, flags1100)...)
	f := sound(t, "x", slices.Concat(b, make([]byte, (8-len(b)%8)%8), b), "gfx1100", "gfx1100")
	if f.Kind != KindOffloadBinary {
		t.Error(f.Kind)
	}
}

func TestCompressedKpack(t *testing.T) {
	t.Parallel()
	var blobs []byte
	blobs = le.AppendUint32(blobs, 2)
	for _, code := range [][]byte{gpuCode(6, flags1100), gpuCode(4, flags90aX)} {
		packed := zstded(t, append(code, make([]byte, 5000)...))
		blobs = append(le.AppendUint32(blobs, uint32(len(packed))), packed...)
	}
	row := func(n int) map[string]any {
		return map[string]any{"type": "hsaco", "ordinal": n, "original_size": 5064}
	}
	toc, err := msgpack.Marshal(map[string]any{
		"compression_scheme": "zstd-per-kernel", "zstd_offset": 64, "zstd_size": len(blobs),
		"toc": map[string]any{"lib/x.so": map[string]any{"gfx1100": row(0), "gfx90a:xnack+": row(1)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	head := le.AppendUint64(le.AppendUint32([]byte(magicKpack), 1), uint64(64+len(blobs)))
	sound(t, "x.kpack", slices.Concat(head, make([]byte, 64-len(head)), blobs, toc), two...)
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, data string
		want       Kind
	}{
		{"a.txt", "hello", KindNone},
		{"empty", "", KindNone},
		{"ocml.bc", magicBitcode, KindBitcode},
		{"shader.spv", magicSPIRV, KindSPIRV},
		{"x.dat", "\x82\xa9solutions\x90", KindTensile},
		{"gfx90878.HIP.fdb.txt", "1-2-3=x", KindMIOpen},
		{"gfx906_60.kdb", "SQLite format 3\x00", KindMIOpen},
		{"gfx906_60.db", "SQLite format 3\x00", KindMIOpen},
		{"my.db", "SQLite format 3\x00", KindNone},
		{"old.exe", "MZ", KindPE},
	} {
		if f := sound(t, c.name, []byte(c.data)); f.Kind != c.want {
			t.Errorf("%s is %s", c.name, f.Kind)
		}
	}
}

func TestInfrastructure(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"/usr/lib/libhsa-runtime64.so.1.15.0": true, "libamdhip64.so": true, `C:\Windows\System32\amdhip64_6.dll`: true,
		"libamd_comgr.so.2": true, "librocblas.so.4": false, "libamdhip64extra.so": false,
	} {
		if f := read(t, name, nil, Options{}); f.Infrastructure != want {
			t.Errorf("%s: %v", name, f.Infrastructure)
		}
	}
}

// The HSA runtime carries kernels in its data, in no bundle: they are looked for on demand.
func TestCodeOutsideOfBundles(t *testing.T) {
	t.Parallel()
	code := gpuCode(4, flags1100)
	le.PutUint64(code[40:], elfHeader)
	data := makeELF(item{".rodata", slices.Concat(bytes.Repeat([]byte("x"), batch-70), code, []byte("...."), code)})
	if f := read(t, "libhsa-runtime64.so.1", data, Options{}); len(f.Objects) != 0 || !f.Infrastructure {
		t.Errorf("%+v", f)
	}
	if f := read(t, "libhsa-runtime64.so.1", data, Options{Deep: true}); strings.Join(texts(f), " ") != "gfx1100 gfx1100" {
		t.Errorf("%+v", f)
	}
}

func TestVersionsOfCodeObjects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version int
		flags   uint32
		want    string
	}{
		{3, 0x12f, "gfx906:xnack+"},
		{3, 0x2f, "gfx906"},
		{4, 0x52f, "gfx906"},
		{4, 0xe2f, "gfx906:sramecc+:xnack-"},
		{5, 0xa3f, "gfx90a:sramecc-:xnack-"},
		{6, flagsGeneric, "gfx11-generic"},
	} {
		f := sound(t, "x.hsaco", gpuCode(c.version, c.flags), c.want)
		if len(f.Objects) != 1 || f.Objects[0].CodeObject != c.version {
			t.Errorf("%+v", f)
		}
	}
}

// Behind something that is no bundle, the next sound one is found among magic numbers of both kinds.
func TestSearchAmongMagicNumbers(t *testing.T) {
	t.Parallel()
	plain := pair()
	packed := makeCCOB(3, 1, len(plain), hashOf(plain), zstded(t, plain))
	for name, noise := range map[string]string{"plain": magicBundle, "compressed": magicCCOB, "both": magicCCOB + magicBundle} {
		for _, next := range [][]byte{plain, packed} {
			data := slices.Concat([]byte("noise"), bytes.Repeat([]byte(noise), 1<<18/len(noise)), make([]byte, 77), next)
			f := read(t, name, makeELF(item{nameFatbin, data}), Options{})
			if !slices.Equal(texts(f), two) || len(f.Problems) != 1 || !strings.Contains(f.Problems[0].What, "are no bundle") {
				t.Errorf("%s: %v, %v", name, texts(f), f.Problems)
			}
		}
	}
	wrong(t, makeELF(item{nameFatbin, append([]byte("noise"), bytes.Repeat([]byte(magicCCOB), maxUnsound+10)...)}), Options{}, "stand before no bundle, and the rest was not read")
}
