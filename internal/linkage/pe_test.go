package linkage

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestReadPE(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		recipe  peRecipe
		machine string
		bits    int
	}{
		{"PE32+", peRecipe{}, "x86-64", 64},
		{"PE32", peRecipe{bits: 32, program: true}, "i386", 32},
		{"delayed imports by address", peRecipe{bits: 32, oldDelayed: true}, "i386", 32},
		{"ARM", peRecipe{machine: 0xaa64}, "aarch64", 64},
	} {
		c.recipe.imports, c.recipe.delayed = []string{"amdhip64_6.dll", "KERNEL32.dll", "Kernel32.dll"}, []string{"rocblas.dll"}
		got, err := ReadPE(bytes.NewReader(c.recipe.bytes()), "x.dll")
		want := Binary{
			Path: "x.dll", Format: PE, Machine: c.machine, Bits: c.bits, Program: c.recipe.program,
			Needs: []string{"amdhip64_6.dll", "KERNEL32.dll"}, Delayed: []string{"rocblas.dll"},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestManyImports(t *testing.T) {
	t.Parallel()
	var p peRecipe
	for i := range 200 {
		p.imports = append(p.imports, fmt.Sprintf("library%03d.dll", i))
	}
	got, err := ReadPE(bytes.NewReader(p.bytes()), "x.dll")
	if err != nil || !reflect.DeepEqual(got.Needs, p.imports) || got.Delayed != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	for range maxImports {
		p.imports = append(p.imports, "x.dll")
	}
	if _, err := ReadPE(bytes.NewReader(p.bytes()), "x.dll"); !errors.Is(err, ErrTooMuch) {
		t.Errorf("too many imports: %v", err)
	}
}

func TestPERefused(t *testing.T) {
	t.Parallel()
	good := peRecipe{imports: []string{"a.dll"}, delayed: []string{"b.dll"}}.bytes()
	for n := range good {
		if _, err := ReadPE(bytes.NewReader(good[:n]), "x"); !errors.Is(err, ErrCutShort) {
			t.Errorf("%d of %d bytes: %v", n, len(good), err)
		}
	}
	change := func(at int, to byte) []byte {
		data := bytes.Clone(good)
		data[at] = to
		return data
	}
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"text", []byte("version https://git-lfs.github.com/spec/v1"), ErrOtherFormat},
		{"ELF", whole().bytes(), ErrOtherFormat},
		{"DOS", change(64, 'N'), ErrOtherFormat},
		{"magic number", change(64+coffSize, 9), ErrDamaged},
		{"many sections", change(64+6, 0xff), ErrTooMuch},
		{"imports outside", change(64+coffSize+112+directoryImport*8+1, 0x90), ErrDamaged},
	} {
		if _, err := ReadPE(bytes.NewReader(c.data), c.name); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzReadPE(f *testing.F) {
	f.Add(peRecipe{imports: []string{"a.dll"}, delayed: []string{"b.dll"}}.bytes())
	f.Add(peRecipe{imports: []string{"a.dll"}, delayed: []string{"b.dll"}, bits: 32, oldDelayed: true}.bytes())
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadPE(bytes.NewReader(data), "x") })
}
