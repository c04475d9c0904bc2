package scan

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// What may hold code and is not looked into is never called a file without code.
func TestNotLookedInto(t *testing.T) {
	t.Parallel()
	plain := fixture(t, "plain.so")
	nested := wheel(t, zip.Store, map[string][]byte{"plain.so": plain})
	for _, name := range []string{"c.zip", "b.zip", "a.zip"} {
		nested = wheel(t, zip.Store, map[string][]byte{name: nested})
	}
	two := slices.Concat(tarball(t, map[string][]byte{"a": nil}), tarball(t, map[string][]byte{"plain.so": plain}))
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"x.rpm":         {[]byte("\xed\xab\xee\xdb and more"), "an RPM package"},
		"x.whl":         {[]byte("<html>not found</html>"), "no zip, or damaged"},
		"x.tar.gz":      {[]byte("<html>not found</html>"), "by its name it is a tarball"},
		"README.gz":     {gzipped(t, bytes.Repeat([]byte("text "), 200)), "it is compressed, and no tarball"},
		"x.zip":         {nested, "within 3 others"},
		"two.tar":       {two, "behind the end"},
		"encrypted.zip": {encryptedZip(t, plain), "encrypted"},
		"up.zip":        {wheel(t, zip.Deflate, map[string][]byte{"../plain.so": plain}), "leads out"},
		"up.tar":        {tarball(t, map[string][]byte{"/lib/plain.so": plain}), "leads out"},
	} {
		r := Files(fstest.MapFS{name: {Data: c.data}}, []string{name}, on(t, "gfx1100"))
		if r.Overall() != Unknown || !said(r, c.says) {
			t.Errorf("%s: %s, %+v", name, r.Overall(), r.Problems)
		}
	}
}

// encryptedZip claims that an entry is encrypted.
func encryptedZip(t *testing.T, data []byte) []byte {
	t.Helper()
	out := wheel(t, zip.Store, map[string][]byte{"plain.so": data})
	out[bytes.LastIndex(out, []byte(directoryEntry))+8] |= encrypted
	return out
}

// A zip may stand behind a program, and a layer of an image has no name that tells.
func TestToldByContent(t *testing.T) {
	t.Parallel()
	plain := fixture(t, "plain.so")
	layer := gzipped(t, tarball(t, map[string][]byte{"./plain.so": plain}))
	old := tarball(t, map[string][]byte{"plain.so": plain})
	copy(old[tarAt:], make([]byte, 8)) // as before POSIX, without a magic number
	sum := 8 * int(' ')
	for n, b := range old[:tarBlock] {
		if n < sumAt || n >= sumEnd {
			sum += int(b)
		}
	}
	copy(old[sumAt:], fmt.Sprintf("%06o\x00 ", sum))
	for name, data := range map[string][]byte{
		"d/x.pex":                   slices.Concat([]byte("#!/usr/bin/python3\n"), wheel(t, zip.Deflate, map[string][]byte{"plain.so": plain})),
		"d/blobs/sha256/0123456789": layer,
		"d/old.tar":                 old,
	} {
		r := Files(fstest.MapFS{name: {Data: data}}, []string{"d"}, Request{})
		if len(r.Items) != 1 || r.Items[0].Path != name+"!plain.so" || !slices.Equal(targetsOf(r.Items[0]), six) || len(r.Problems) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// An environment may be made of links to a store of packages. What is there by itself
// is counted once, and a link to the root is not followed.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	plain := &fstest.MapFile{Data: fixture(t, "plain.so")}
	fsys := fstest.MapFS{
		"store/torch/a.so": plain, "store/other/b.so": plain, "elsewhere/c.so": plain,
		"env/lib/torch/a.so": link("../../../store/torch/a.so"),
		"env/lib/torch/d.so": link("a.so"),
		"env/lib/other":      link("../../store/other"),
		"env/lib64":          link("lib"),
		"env/root":           link(".."),
		"env/nothing.so":     link("nowhere.so"),
	}
	r := Files(fsys, []string{"env"}, Request{})
	if got, want := paths(r), []string{"env/lib/other/b.so", "env/lib/torch/a.so"}; !slices.Equal(got, want) || len(r.Problems) > 0 {
		t.Errorf("got %v, want %v; %+v", got, want, r.Problems)
	}
	r = Files(fsys, []string{"env", "store"}, Request{})
	if got, want := paths(r), []string{"store/other/b.so", "store/torch/a.so"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Code that was split off counts with its library, and not again by itself.
func TestSplitOffCountsOnce(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"k/kpacked.so":               {Data: fixture(t, "kpack/kpacked.so")},
		"k/.kpack/fix_gfx1100.kpack": {Data: fixture(t, "kpack/.kpack/fix_gfx1100.kpack")},
		"alone/other_gfx1100.kpack":  {Data: fixture(t, "kpack/.kpack/fix_gfx1100.kpack")},
	}
	r := Files(fsys, []string{"k", "alone"}, Request{})
	if got, want := paths(r), []string{"alone/other_gfx1100.kpack", "k/kpacked.so"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r = Files(fsys, []string{"k/.kpack/fix_gfx1100.kpack", "k/kpacked.so"}, Request{})
	if len(r.Items) != 2 {
		t.Errorf("asked for both: %v", paths(r))
	}
}

// An index that names files which are not there, and a file of kernels that cannot be
// read, are no reason to say that all is well, or that code is missing.
func TestDamagedKernels(t *testing.T) {
	t.Parallel()
	const dir = "rocblas/library/"
	index := "\x82\xa9solutions\x90\xa7library\x82\xa4type\xabPlaceholder\xa5value\xb8TensileLibrary_Type_HH_x"
	fsys := fstest.MapFS{
		dir + "TensileLibrary_lazy_gfx1100.dat": {Data: []byte(index)},
		dir + "Kernels.so-000-gfx1100.hsaco":    {Data: fixture(t, "a_gfx1100.hsaco")},
	}
	r := Files(fsys, []string{"rocblas"}, on(t, "gfx1100"))
	if v := r.Items[0].Verdicts["gfx1100"]; v.Result != None || !strings.Contains(v.Why, "not there") || r.Overall() != No {
		t.Errorf("an index of what is missing: %s, %+v", r.Overall(), v)
	}
	fsys[dir+"Kernels.so-000-gfx1201.hsaco"] = &fstest.MapFile{Data: fixture(t, "a_gfx1100.hsaco")[:40]}
	r = Files(fsys, []string{"rocblas"}, on(t, "gfx1201"))
	if v := r.Items[0].Verdicts["gfx1201"]; v.Result != Unreadable || r.Overall() != Unknown {
		t.Errorf("a file that cannot be read: %s, %+v", r.Overall(), v)
	}
}

// A GPU without settings is not any GPU: comgr picks nothing for it where the code has
// some, and a person learns which.
func TestOtherSettings(t *testing.T) {
	t.Parallel()
	r := Files(fstest.MapFS{"plain.so": {Data: fixture(t, "plain.so")}}, []string{"plain.so"}, Request{GPUs: []rocm.TargetID{gpu(t, "gfx90a")}})
	if v := r.Items[0].Verdicts["gfx90a"]; v.Result != None || !strings.Contains(v.Why, "--gpu gfx90a:xnack+") {
		t.Errorf("%+v", v)
	}
}
