package scan

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// patched changes a file of testdata from the first place on where some bytes stand.
func patched(t *testing.T, name, where string, change func(at []byte)) []byte {
	t.Helper()
	data := fixture(t, name)
	at := bytes.Index(data, []byte(where))
	if at < 0 {
		t.Fatalf("%s does not hold %q", name, where)
	}
	change(data[at:])
	return data
}

// A file that contradicts itself is never said to run, however good the rest of
// it looks: the problem is named, and nothing is judged. What does not run
// anyway stays a failure.
func TestContradictions(t *testing.T) {
	t.Parallel()
	const hsa = "\x7fELF\x02\x01\x01\x40"
	flags := func(at []byte) { at[48] = 0x46 } // gfx1101
	zeroed := func(at []byte) { clear(at[:24]) }
	for _, c := range []struct {
		name, file string
		data       []byte
		deep       bool
		want       string
	}{
		{"the code is for another GPU than its name", "x.so", patched(t, "plain.so", hsa, flags), false, ", and its code is for gfx1101"},
		{"one bundle is gone", "x.so", patched(t, "plain.so", "__CLANG_OFFLOAD_BUNDLE__", zeroed), false, "the program registers 2 bundles, and 1 is there"},
		{"the compressed one is gone", "x.dll", patched(t, "both.dll", "CCOB", func(at []byte) { clear(at[:32]) }), false, "are no bundle"},
		{"the hash is another one", "x.hsaco", patched(t, "a_bundle_z.hsaco", "CCOB", func(at []byte) { at[24]++ }), true, "its content has the hash "},
		{"the size is too large", "x.hsaco", patched(t, "a_bundle_z.hsaco", "CCOB", func(at []byte) { at[8]++ }), false, "the file is cut short"},
		{"the size is too small", "x.hsaco", patched(t, "a_bundle_z.hsaco", "CCOB", func(at []byte) { binary.LittleEndian.PutUint64(at[16:], 5000) }), false, "ends behind the bundle"},
		{"it is cut short", "x.hsaco", fixture(t, "a_bundle.hsaco")[:30000], false, "the file is cut short"},
		{"the archive is cut short", "x.a", fixture(t, "libfat.a")[:40000], false, "the file is cut short"},
		{"the name is for another GPU than the code", "rocblas/library/Kernels.so-000-gfx1030.hsaco", fixture(t, "a_gfx1100.hsaco"), false, "by its name it is for gfx1030, and its code is for gfx1100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{"good.so": {Data: fixture(t, "plain.so")}, c.file: {Data: c.data}}
			fsys["rocblas/library/TensileLibrary_gfx1100.dat"] = &fstest.MapFile{Data: []byte("\x82\xa9solutions")}
			for name, want := range map[string]Overall{"gfx1100": Unknown, "gfx1010": No} {
				r := Files(fsys, []string{"."}, Request{GPUs: []rocm.TargetID{gpu(t, name)}, Deep: c.deep})
				if r.Overall() != want || !said(r, c.want) {
					t.Errorf("%s: %s, want %s; problems %q", name, r.Overall(), want, r.Problems)
				}
			}
		})
	}
}

// An archive of code that was split off serves several libraries: code of another
// one is not this one's.
func TestArchiveOfOtherLibraries(t *testing.T) {
	t.Parallel()
	const archive = "kpack/.kpack/fix_gfx1100.kpack"
	library := fixture(t, "kpack/kpacked.so")
	for _, c := range []struct {
		data    []byte
		overall Overall
		result  Result
		want    string
	}{
		{patched(t, archive, "lib/kpacked.so", func(at []byte) { at[0] = 'L' }), No, None, "none with code for gfx1100 is there"},
		{fixture(t, archive)[:100], Unknown, Unreadable, "the kpack archive"},
	} {
		fsys := fstest.MapFS{"kpack/kpacked.so": {Data: library}, archive: {Data: c.data}}
		r := Files(fsys, []string{"kpack/kpacked.so"}, Request{GPUs: []rocm.TargetID{gpu(t, "gfx1100")}})
		if v := r.Items[0].Verdicts["gfx1100"]; r.Overall() != c.overall || v.Result != c.result || !strings.Contains(v.Why, c.want) {
			t.Errorf("%s: %+v", r.Overall(), r)
		}
	}
}

func said(r Report, what string) bool {
	for _, p := range r.Problems {
		if strings.Contains(p.What, what) && fs.ValidPath(p.Path) {
			return true
		}
	}
	return false
}
