package linkage

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func whole() elfRecipe {
	return elfRecipe{
		soname: "libhip.so.6", needs: []string{"libhsa.so.1", "libc.so.6"}, runpath: "$ORIGIN:$ORIGIN/../lib", flags1: flagNoDefaultLibs,
		wants:  map[string][]string{"libhsa.so.1": {"ROCR_1"}, "libc.so.6": {"GLIBC_2.34", "?GLIBC_ABI_DT_RELR"}},
		offers: []string{"libhip.so.6", "hip_4.2", "hip_6.0"},
	}
}

func TestReadELF(t *testing.T) {
	t.Parallel()
	for _, bits := range []int{32, 64} {
		for _, big := range []bool{false, true} {
			t.Run(fmt.Sprint(bits, big), func(t *testing.T) {
				t.Parallel()
				e := whole()
				e.bits, e.big = bits, big
				got, err := ReadELF(bytes.NewReader(e.bytes()), "libhip.so.6")
				if err != nil {
					t.Fatal(err)
				}
				want := Binary{
					Path: "libhip.so.6", Format: ELF, Machine: "x86-64", Bits: bits, Soname: "libhip.so.6", Needs: e.needs,
					RunPath: []string{"$ORIGIN", "$ORIGIN/../lib"}, NoDefaultLibs: true,
					Wants: []VersionNeed{
						{"libhsa.so.1", "ROCR_1", false},
						{"libc.so.6", "GLIBC_2.34", false},
						{"libc.so.6", "GLIBC_ABI_DT_RELR", true},
					},
					Offers: e.offers,
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got  %+v\nwant %+v", got, want)
				}
			})
		}
	}
}

func TestProgramsAndLibraries(t *testing.T) {
	t.Parallel()
	const interp = "/lib64/ld-linux-x86-64.so.2"
	for _, c := range []struct {
		name string
		elf  elfRecipe
		want bool
	}{
		{"fixed address", elfRecipe{exec: true, interp: interp}, true},
		{"PIE", elfRecipe{flags1: flagPIE, interp: interp}, true},
		{"old PIE", elfRecipe{interp: interp}, true},
		{"library", elfRecipe{soname: "libx.so"}, false},
		{"library that can be started", elfRecipe{soname: "libc.so.6", interp: interp}, false},
	} {
		b, err := ReadELF(bytes.NewReader(c.elf.bytes()), c.name)
		if err != nil || b.Program != c.want || b.Interpreter != c.elf.interp {
			t.Errorf("%s: %+v, %v", c.name, b, err)
		}
	}
}

func TestRunPathSilencesRPath(t *testing.T) {
	t.Parallel()
	b, err := ReadELF(bytes.NewReader(elfRecipe{rpath: "/a", runpath: "/b:"}.bytes()), "x")
	if err != nil || b.RPath != nil || !reflect.DeepEqual(b.RunPath, []string{"/b", ""}) {
		t.Errorf("got %+v, %v", b, err)
	}
}

// A string table may be far from the rest, and a path longer than most.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("/opt/rocm/lib/deep", 300)
	b, err := ReadELF(bytes.NewReader(elfRecipe{pad: 100_000, runpath: long, needs: []string{"liba.so"}}.bytes()), "x")
	if err != nil || len(b.RunPath) != 1 || b.RunPath[0] != long || b.Needs[0] != "liba.so" {
		t.Errorf("got %+v, %v", b, err)
	}
}

func TestCutShort(t *testing.T) {
	t.Parallel()
	e := whole()
	e.pad = 3000
	data := e.bytes()
	for n := range data {
		_, err := ReadELF(bytes.NewReader(data[:n]), "x")
		if err == nil && n < len(data)-16 { // the last row is the end mark
			t.Errorf("%d of %d bytes pass for the whole", n, len(data))
		}
		if err != nil && !errors.Is(err, ErrCutShort) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	good := whole().bytes()
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
		{"text", []byte("/* GNU ld script */ INPUT(-lc)"), ErrOtherFormat},
		{"a pointer to a big file", []byte("version https://git-lfs.github.com/spec/v1"), ErrOtherFormat},
		{"empty", nil, ErrCutShort},
		{"class", change(4, 9), ErrDamaged},
		{"byte order", change(5, 9), ErrDamaged},
		{"object file", change(16, 1), ErrNotLoadable},
		{"size of program headers", change(54, 9), ErrDamaged},
		{"many program headers", change(57, 0xff), ErrTooMuch},
	} {
		if _, err := ReadELF(bytes.NewReader(c.data), c.name); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A recorder keeps what is read: of a big file it must be little.
func TestReadsLittle(t *testing.T) {
	t.Parallel()
	e := whole()
	e.pad = 10 << 20
	c := &counter{Reader: bytes.NewReader(e.bytes())}
	if _, err := ReadELF(c, "big"); err != nil {
		t.Fatal(err)
	}
	if c.bytes > 8<<10 || c.reads > 8 {
		t.Errorf("%d bytes in %d reads", c.bytes, c.reads)
	}
}

type counter struct {
	*bytes.Reader
	bytes, reads int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes += n
	c.reads++
	return n, err
}

func FuzzReadELF(f *testing.F) {
	f.Add(whole().bytes())
	small := whole()
	small.bits, small.big = 32, true
	f.Add(small.bytes())
	f.Add(elfRecipe{undefined: []string{"f@V1"}, needs: []string{"a"}, wants: map[string][]string{"a": {"V1"}}, interp: "/lib/ld.so"}.bytes())
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = ReadELF(bytes.NewReader(data), "x")
		_, _ = readSymbols(bytes.NewReader(data))
	})
}
