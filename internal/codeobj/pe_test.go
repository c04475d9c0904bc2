package codeobj

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

func TestLongNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int64{
		"/4": 4, "/175": 175, "/9999999": 9999999, "//AAmJaA": 10_000_000, "//D/////": 1<<32 - 1, "//E/////": -1,
		".text": -1, "/": -1, "//": -1, "/x": -1, "//A*": -1,
	} {
		off, ok := longNameAt(name)
		if ok != (want >= 0) || ok && int64(off) != want {
			t.Errorf("%s: %d, %v", name, off, ok)
		}
	}
}

// A program that was stripped has lost its table of long names, which GNU's linker writes; code is told by its bytes.
func TestStrippedPE(t *testing.T) {
	t.Parallel()
	data := makePE(item{"/4", []byte("debug information")}, item{"/31", pair()}, item{"/45", wrapper(magicWrapper)}, item{"/99", nil})
	if f := sound(t, "x.dll", data, two...); f.Bundles != 1 || f.Wrappers != 1 {
		t.Errorf("%+v", f)
	}
	// What says that it has names, and has none, is damaged.
	le.PutUint32(data[0x84+8:], 1<<30)
	if f := wrong(t, data, Options{}, "the name of a section: the file is cut short"); len(f.Objects) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestWrappersOfPE(t *testing.T) {
	t.Parallel()
	two := slices.Concat(wrapper(magicWrapper), wrapper(magicWrapper))
	wrong(t, makePE(item{nameFatbinPE, pair()}, item{nameWrappersPE, two}), Options{}, "the program registers 2 bundles, and 1 is there")
	wrong(t, makePE(item{nameFatbinPE, make([]byte, 8192)}, item{nameWrappersPE, two}), Options{}, "the program registers 2 bundles, and 0 are there")
}

func TestKpackOfPE(t *testing.T) {
	t.Parallel()
	ref, err := msgpack.Marshal(map[string]any{"kernel_name": "bin/x.dll", "kpack_search_paths": []string{`.kpack/x_@GFXARCH@.kpack`}})
	if err != nil {
		t.Fatal(err)
	}
	f := sound(t, "x.dll", makePE(item{nameFatbinPE, make([]byte, 8192)}, item{nameWrappersPE, wrapper(magicSplit)}, item{nameKpackPE, ref}))
	if f.Kpack == nil || f.Kpack.Kernel != "bin/x.dll" || len(f.Kpack.Paths) != 1 || f.Wrappers != 0 {
		t.Errorf("%+v", f)
	}
	wrong(t, makePE(item{nameWrappersPE, wrapper(magicSplit)}), Options{}, "does not say where it is")
}

// Code outside of bundles is found in programs of either system, beside bundles too.
func TestDeepSearch(t *testing.T) {
	t.Parallel()
	code := gpuCode(4, flags1100)
	le.PutUint64(code[40:], elfHeader)
	data := slices.Concat(bytes.Repeat([]byte("x"), batch-70), code, []byte("...."), code)
	want := "gfx1100 gfx1100 gfx1100 gfx90a:xnack+"
	for name, file := range map[string][]byte{
		"x.dll": makePE(item{".rdata", data}, item{nameFatbinPE, pair()}), "x.so": makeELF(item{".rodata", data}, item{nameFatbin, pair()}),
		"y.dll": makePE(item{nameFatbinPE, pair()}, item{".rdata", data}), "y.so": makeELF(item{nameFatbin, pair()}, item{".rodata", data}),
	} {
		if f := read(t, name, file, Options{Deep: true}); strings.Join(texts(f), " ") != want || len(f.Problems) > 0 {
			t.Errorf("%s: %v, %v", name, texts(f), f.Problems)
		}
		if f := read(t, name, file, Options{}); len(f.Objects) != 2 {
			t.Errorf("%s: %v", name, texts(f))
		}
	}
}
