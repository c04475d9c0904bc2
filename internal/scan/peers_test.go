package scan

import (
	"archive/zip"
	"testing"
	"testing/fstest"
)

// Each of these is read wrongly, and with exit code 0, by at least one of
// llvm-objdump, roc-obj-ls and clang-offload-bundler. The number is that of the
// entries for GPUs that are in it.
func TestWherePeersFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		data       []byte
		want       int
	}{
		{"plain library", "plain.so", fixture(t, "plain.so"), 12},
		{"compressed, version 3", "ccob3.so", fixture(t, "ccob3.so"), 12},
		{"compressed, version 2", "ccob2.so", fixture(t, "ccob2.so"), 12},
		{"plain and compressed", "mixed.so", fixture(t, "mixed.so"), 12},
		{"compressed and plain", "mixed2.so", fixture(t, "mixed2.so"), 12},
		{"generic targets", "generic.o", fixture(t, "generic.o"), 6},
		{"SPIR-V and gfx1100", "spirv.o", fixture(t, "spirv.o"), 2},
		{"relocatable, newer driver", "a_rdc.o", fixture(t, "a_rdc.o"), 6},
		{"relocatable, older driver", "old_rdc.o", fixture(t, "old_rdc.o"), 6},
		{"archive", "libfat.a", fixture(t, "libfat.a"), 12},
		{"thin archive", "thin.a", thinArchive("obj/plain.o", "obj/packed.o"), 12},
		{"COFF object", "a_win.obj", fixture(t, "a_win.obj"), 6},
		{"DLL, plain and compressed", "both.dll", fixture(t, "both.dll"), 12},
		{"bundle file", "a_bundle.hsaco", fixture(t, "a_bundle.hsaco"), 6},
		{"compressed bundle file", "a_bundle_z.hsaco", fixture(t, "a_bundle_z.hsaco"), 6},
		{"compressed by zlib", "a_v3_zlib.hsaco", fixture(t, "a_v3_zlib.hsaco"), 6},
		{"compressed by clang 21", "c21_z.co", fixture(t, "c21_z.hsaco"), 2},
		{"raw code object", "a_gfx1100.hsaco", fixture(t, "a_gfx1100.hsaco"), 1},
		{"code split off", "kpack/kpacked.so", fixture(t, "kpack/kpacked.so"), 1},
		{"wheel", "x-1.0-py3-none-any.whl", wheel(t, zip.Deflate, map[string][]byte{"x/plain.so": fixture(t, "plain.so"), "x/packed.so": fixture(t, "ccob3.so")}), 24},
		{"tarball", "x.tar", tarball(t, map[string][]byte{"x/libfat.a": fixture(t, "libfat.a")}), 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{
				c.file:                           {Data: c.data},
				"obj/plain.o":                    {Data: fixture(t, "a_v6.o")},
				"obj/packed.o":                   {Data: fixture(t, "packed.o")},
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
