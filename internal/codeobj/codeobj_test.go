package codeobj

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// six are the targets that most fixtures were compiled for.
var six = []string{"gfx906:sramecc+:xnack-", "gfx90a:xnack+", "gfx942", "gfx1030", "gfx1100", "gfx1201"}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t testing.TB, name string, data []byte, o Options) File {
	t.Helper()
	f, err := Read(name, bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func texts(f File) []string {
	var out []string
	for _, o := range f.Objects {
		out = append(out, o.Text)
	}
	slices.Sort(out) // compilers write their tables in different orders
	return out
}

// fixtures are the files of testdata, and what is in them: they were made with clang 23, c21_z.hsaco with clang 21.
var fixtures = []struct {
	name              string
	kind              Kind
	targets           []string
	bundles, wrappers int
	version           int
	form              Form
	compressed        int
}{
	{"a_gfx1100.hsaco", KindCodeObject, []string{"gfx1100"}, 0, 0, 6, FormELF, 0},
	{"a_bundle.hsaco", KindBundle, six, 1, 0, 6, FormELF, 0},
	{"a_bundle_z.hsaco", KindBundle, six, 1, 0, 6, FormELF, 6},
	{"a_v3_zlib.hsaco", KindBundle, six, 1, 0, 6, FormELF, 6},
	{"c21_z.hsaco", KindBundle, []string{"gfx90a", "gfx1100"}, 1, 0, 6, FormELF, 2},
	{"a_v4.o", KindELF, six, 1, 1, 4, FormELF, 0},
	{"a_v5.o", KindELF, six, 1, 1, 5, FormELF, 0},
	{"a_v6.o", KindELF, six, 1, 1, 6, FormELF, 0},
	{"a_rdc.o", KindELF, six, 0, 0, 0, FormBitcode, 0},
	{"a_win.obj", KindCOFF, six, 1, 1, 6, FormELF, 0},
	{"plain.so", KindELF, slices.Concat(six, six), 2, 2, 6, FormELF, 0},
	{"ccob2.so", KindELF, slices.Concat(six, six), 2, 2, 6, FormELF, 12},
	{"ccob3.so", KindELF, slices.Concat(six, six), 2, 2, 6, FormELF, 12},
	{"mixed.so", KindELF, slices.Concat(six, six), 2, 2, 6, FormELF, 6},
	{"mixed2.so", KindELF, slices.Concat(six, six), 2, 2, 6, FormELF, 6},
	{"old_rdc.o", KindELF, six, 0, 1, 0, FormBitcode, 0},
	{"packed.o", KindELF, six, 1, 1, 6, FormELF, 6},
	{"both.dll", KindPE, slices.Concat(six, six), 2, 2, 6, FormELF, 6},
	{"libfat.a", KindArchive, slices.Concat(six, six), 2, 2, 6, FormELF, 6},
	{"kpack/kpacked.so", KindELF, nil, 0, 0, 0, "", 0},
	{"kpack/.kpack/fix_gfx1100.kpack", KindKpack, []string{"gfx1100"}, 0, 0, 6, FormELF, 0},
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, c := range fixtures {
		for _, deep := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				f := read(t, c.name, fixture(t, c.name), Options{Deep: deep})
				if f.Kind != c.kind || f.Bundles != c.bundles || f.Wrappers != c.wrappers || len(f.Problems) > 0 {
					t.Errorf("kind %s, bundles %d, wrappers %d, problems %v", f.Kind, f.Bundles, f.Wrappers, f.Problems)
				}
				if got, want := texts(f), slices.Sorted(slices.Values(c.targets)); !slices.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
				compressed := 0
				for _, o := range f.Objects {
					if o.Compressed {
						compressed++
					}
					if o.Target.String() != o.Text || o.CodeObject != c.version || o.Form != c.form {
						t.Errorf("%+v", o)
					}
				}
				if compressed != c.compressed {
					t.Errorf("%d compressed, want %d", compressed, c.compressed)
				}
			})
		}
	}
}

func TestGenericTargets(t *testing.T) {
	t.Parallel()
	f := read(t, "generic.o", fixture(t, "generic.o"), Options{})
	if len(f.Objects) != 6 || len(f.Problems) > 0 {
		t.Fatalf("%+v", f)
	}
	gpu := rocm.TargetID{Processor: "gfx1102"}
	var codes []rocm.Code
	for _, o := range f.Objects {
		if !strings.HasSuffix(o.Target.Processor, "-generic") || o.GenericVersion != 1 {
			t.Errorf("%+v", o)
		}
		codes = append(codes, o.Code())
	}
	if match, code, _ := rocm.BestMatch(codes, gpu); match != rocm.MatchGeneric || code.Target.Processor != "gfx11-generic" {
		t.Errorf("%s %v", match, code)
	}
}

func TestSPIRV(t *testing.T) {
	t.Parallel()
	f := read(t, "spirv.o", fixture(t, "spirv.o"), Options{})
	if got := texts(f); len(f.Problems) > 0 || len(got) != 2 {
		t.Fatalf("%+v", f)
	}
	for _, o := range f.Objects {
		if want := o.Text == rocm.SPIRVProcessor; o.Code().SPIRV != want || (o.Form == FormSPIRV) != want {
			t.Errorf("%+v", o)
		}
	}
}

func TestMembersAreNamed(t *testing.T) {
	t.Parallel()
	f := read(t, "lib/libfat.a", fixture(t, "libfat.a"), Options{})
	if a, b := f.Objects[0].Where, f.Objects[6].Where; a == b || !strings.HasPrefix(a, "lib/libfat.a!") {
		t.Errorf("%s, %s", a, b)
	}
}

func TestKpackReference(t *testing.T) {
	t.Parallel()
	f := read(t, "kpacked.so", fixture(t, "kpack/kpacked.so"), Options{})
	if f.Kpack == nil || f.Kpack.Kernel != "lib/kpacked.so" || !slices.Equal(f.Kpack.Paths, []string{".kpack/fix_@GFXARCH@.kpack"}) {
		t.Errorf("%+v", f.Kpack)
	}
	archive := read(t, "x.kpack", fixture(t, "kpack/.kpack/fix_gfx1100.kpack"), Options{})
	if got := archive.Objects[0].Where; got != "x.kpack!lib/kpacked.so" {
		t.Error(got)
	}
}
