package pydist

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const site = "venv/lib/python3.12/site-packages"

// planted makes a file system of names and texts.
func planted(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		if target, isLink := strings.CutPrefix(text, "-> "); isLink {
			fsys[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
			continue
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return fsys
}

// packages makes a site of "name version" with the lines of their METADATA.
func packages(dists map[string][]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for id, headers := range dists {
		name, version, _ := strings.Cut(id, " ")
		text := fmt.Sprintf("Metadata-Version: 2.4\nName: %s\nVersion: %s\n%s\n", name, version, strings.Join(append(headers, ""), "\n"))
		file := path.Join(site, strings.ReplaceAll(name, "-", "_")+"-"+version+".dist-info/METADATA")
		fsys[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// read lists a site and reads its metadata.
func read(t *testing.T, fsys fs.FS) Site {
	t.Helper()
	s, err := List(fsys, site)
	if err != nil {
		t.Fatal(err)
	}
	s.ReadMetadata(fsys)
	return s
}

// said writes distributions and faults, for comparing.
func said(s Site) (dists, faults []string) {
	for _, d := range s.Distributions {
		dists = append(dists, d.Name+" "+d.Version)
	}
	for _, f := range s.Faults {
		faults = append(faults, strings.TrimPrefix(f.Path, s.Path+"/")+": "+string(f.Kind))
	}
	return dists, faults
}

func TestList(t *testing.T) {
	t.Parallel()
	fsys := planted(map[string]string{
		site + "/numpy-2.4.1.dist-info/METADATA":                  "",
		site + "/numpy/__init__.py":                               "",
		site + "/torch-2.9.1+rocm6.4.dist-info/METADATA":          "",
		site + "/Typing_Extensions-4.5.dist-info/METADATA":        "",
		site + "/foo-bar-1.0.dist-info/METADATA":                  "",
		site + "/PyYAML-6.0-py3.12-linux-x86_64.egg-info":         "",
		site + "/setuptools-68.0.egg/EGG-INFO/PKG-INFO":           "",
		site + "/plain.egg-info/PKG-INFO":                         "",
		site + "/mine.egg-link":                                   "/src/mine\n.",
		site + "/yours-2.0.dist-info/METADATA":                    "",
		site + "/__editable__.yours-2.0.pth":                      "",
		site + "/~umpy-2.3.0.dist-info/METADATA":                  "",
		site + "/~umpy/core.py":                                   "",
		site + "/file-1.0.dist-info":                              "",
		site + "/old-1.0-py3.12.egg":                              "PK",
		site + "/loop-1.0.dist-info":                              "-> nowhere",
		site + "/linked-1.0.dist-info":                            "-> ../../../../store/linked-1.0.dist-info",
		"store/linked-1.0.dist-info/METADATA":                     "",
		site + "/twice-1.0.dist-info/METADATA":                    "",
		site + "/twice-2.0.dist-info/METADATA":                    "",
		site + "/.dist-info/METADATA":                             "",
		site + "/__pycache__/x.pyc":                               "",
		site + "/noversion.dist-info/METADATA":                    "",
		site + "/README.txt":                                      "",
		site + "/distutils-precedence.pth":                        "",
		site + "/deep/inside-1.0.dist-info/METADATA":              "",
		"venv/lib/python3.12/elsewhere-1.0.dist-info/METADATA":    "",
		site + "/directory.egg-link/this is nothing we know here": "",
	})
	s, err := List(fsys, site)
	if err != nil {
		t.Fatal(err)
	}
	dists, faults := said(s)
	if want := []string{
		"foo-bar 1.0", "linked 1.0", "mine ", "noversion ", "numpy 2.4.1", "plain ", "pyyaml 6.0", "setuptools 68.0", "torch 2.9.1+rocm6.4",
		"twice 1.0", "twice 2.0", "typing-extensions 4.5", "yours 2.0",
	}; !slices.Equal(dists, want) {
		t.Errorf("got %q\nwant %q", dists, want)
	}
	if want := []string{
		"file-1.0.dist-info: not-a-folder", "loop-1.0.dist-info: broken-link", "old-1.0-py3.12.egg: zipped-egg",
		"twice-2.0.dist-info: duplicate", "~umpy: leftover", "~umpy-2.3.0.dist-info: leftover",
	}; !slices.Equal(faults, want) {
		t.Errorf("got %q\nwant %q", faults, want)
	}
	for _, d := range s.Distributions {
		if want := d.Name == "mine" || d.Name == "yours"; d.Origin.Editable != want {
			t.Errorf("%s: editable is %t", d.Name, d.Origin.Editable)
		}
	}
	if _, err := List(fsys, "nowhere"); err == nil {
		t.Error("a folder that is not there was read")
	}
}

func TestReadMetadata(t *testing.T) {
	t.Parallel()
	good := func(name, version string) string { return "Name: " + name + "\nVersion: " + version + "\n" }
	fsys := planted(map[string]string{
		site + "/good-1.0.dist-info/METADATA":            good("Good", "1.0") + "Requires-Dist: numpy<2\n\nRequires-Dist: body\n",
		site + "/torch-2.9.1+rocm6.4.dist-info/METADATA": good("torch", "2.9.1+rocm6.4"),
		site + "/escaped-1.0_x.dist-info/METADATA":       good("escaped", "1.0+x"),
		site + "/norm-1.0rc1.dist-info/METADATA":         good("norm", "1.0-RC1"),
		site + "/half-1.0.dist-info/RECORD":              "",
		site + "/empty-1.0.dist-info/METADATA":           "",
		site + "/binary-1.0.dist-info/METADATA":          "\x7fELF\x00\x01",
		site + "/cut-1.0.dist-info/METADATA":             good("cut", "1.0") + "Requires-Dist: numpy\nRequires-Dist: numb",
		site + "/big-1.0.dist-info/METADATA":             good("big", "1.0") + strings.Repeat("x", maxMetadata),
		site + "/nameless-1.0.dist-info/METADATA":        "Version: 1.0\n",
		site + "/other-1.0.dist-info/METADATA":           good("another", "1.0"),
		site + "/older-1.0.dist-info/METADATA":           good("older", "1.1"),
		site + "/odd-1.0.dist-info/METADATA":             good("odd", "one"),
		site + "/wish-1.0.dist-info/METADATA":            good("wish", "1.0") + "Requires-Dist: a; foo == 'x'\nRequires-Dist: b\n",
		site + "/pin-1.0.dist-info/METADATA":             good("pin", "1.0") + "Requires-Python: >=3.6.*\n",
		site + "/folder-1.0.dist-info/METADATA/x":        "",
		site + "/twice-1.0.dist-info/METADATA":           good("twice", "1.0"),
		site + "/both-1.0.dist-info/METADATA":            good("both", "1.0"),
		site + "/both.egg-info/PKG-INFO":                 good("both", "1.0"),
		site + "/two-1.0.dist-info/METADATA":             good("two", "1.0"),
		site + "/two.egg-info/PKG-INFO":                  good("two", "1.1"),
		site + "/twice-0.9.dist-info/RECORD":             "",
		site + "/egg-1.0-py3.12.egg-info/PKG-INFO":       good("egg", "1.0"),
		site + "/egg-1.0-py3.12.egg-info/requires.txt":   "numpy\n\n[test]\npytest>=7\n[:python_version<\"3\"]\nsix\n",
		site + "/deb-1.0.egg-info":                       good("deb", "1.0"),
		site + "/mine.egg-link":                          "/src/mine\n.",
		"src/mine/mine.egg-info/PKG-INFO":                good("mine", "3.0"),
		site + "/gone.egg-link":                          "\n",
	})
	s := read(t, fsys)
	dists, faults := said(s)
	if want := []string{
		"another 1.0", "both 1.0", "both 1.0", "cut 1.0", "deb 1.0", "egg 1.0", "escaped 1.0+x", "good 1.0", "mine 3.0", "norm 1.0-RC1", "odd one", "older 1.1", "pin 1.0",
		"torch 2.9.1+rocm6.4", "twice 1.0", "two 1.0", "two 1.1", "wish 1.0",
	}; !slices.Equal(dists, want) {
		t.Errorf("got %q\nwant %q", dists, want)
	}
	if want := []string{
		"big-1.0.dist-info/METADATA: oversized", "binary-1.0.dist-info/METADATA: binary", "cut-1.0.dist-info/METADATA: cut-short",
		"empty-1.0.dist-info/METADATA: incomplete", "folder-1.0.dist-info/METADATA: unreadable", "gone.egg-link: broken-link",
		"half-1.0.dist-info: half-removed", "nameless-1.0.dist-info/METADATA: incomplete", "odd-1.0.dist-info/METADATA: disagreement",
		"odd-1.0.dist-info/METADATA: bad-version", "older-1.0.dist-info/METADATA: disagreement",
		"other-1.0.dist-info/METADATA: disagreement", "pin-1.0.dist-info/METADATA: bad-requirement", "twice-0.9.dist-info: half-removed", "two.egg-info: duplicate",
		"wish-1.0.dist-info/METADATA: bad-requirement",
	}; !slices.Equal(faults, want) {
		t.Errorf("got %q\nwant %q", faults, want)
	}
	wishes := map[string]string{"good": "numpy<2", "cut": "numpy", "wish": "b", "egg": `numpy|pytest>=7; extra == "test"|six; python_version<"3"`}
	for _, d := range s.Distributions {
		var got []string
		for _, r := range d.Requires {
			got = append(got, r.String())
		}
		if strings.Join(got, "|") != wishes[d.Name] {
			t.Errorf("%s wants %q", d.Name, got)
		}
	}
}

// A map of fstest does not survive a circle of links; a disk does.
func TestLinksInACircle(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(site))
	if err := os.MkdirAll(filepath.Join(dir, "b-1.0.dist-info"), 0o750); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"a-1.0.dist-info": "a-1.0.dist-info", "b-1.0.dist-info/METADATA": "METADATA", "../../x": "y", "../../y": "x",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	s := read(t, os.DirFS(root))
	_, faults := said(s)
	if want := []string{"a-1.0.dist-info: broken-link", "b-1.0.dist-info/METADATA: unreadable"}; !slices.Equal(faults, want) {
		t.Errorf("got %q", faults)
	}
	if got := Find(os.DirFS(root), Reach{OS: "linux", Extra: []string{"/venv/lib/x", "/venv/x"}}); got != nil {
		t.Errorf("found %+v", got)
	}
}

func TestReadOrigin(t *testing.T) {
	t.Parallel()
	fsys := planted(map[string]string{
		"a-1.dist-info/INSTALLER":       "uv\n",
		"a-1.dist-info/direct_url.json": `{"url": "file:///src/a", "dir_info": {"editable": true}}`,
		"b-1.dist-info/direct_url.json": `{"url": "https://e.org/b.git", "vcs_info": {"vcs": "git", "commit_id": "0123abc"}}`,
		"c-1.dist-info/direct_url.json": `{"url": 5`,
	})
	for dir, want := range map[string]Distribution{
		"a-1.dist-info": {Installer: "uv", Origin: Origin{URL: "file:///src/a", Editable: true}},
		"b-1.dist-info": {Origin: Origin{URL: "https://e.org/b.git", Commit: "0123abc"}},
		"c-1.dist-info": {},
		"d-1.dist-info": {},
	} {
		d := Distribution{Path: dir}
		d.ReadOrigin(fsys)
		if d.Installer != want.Installer || d.Origin != want.Origin {
			t.Errorf("%s: %+v", dir, d)
		}
	}
}

func TestParseMetadata(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"plain":        {"Name: a\nVersion: 1\n", "a 1 []"},
		"windows":      {"Name: a\r\nVersion: 1\r\nRequires-Dist: b\r\n\r\nRequires-Dist: c\r\n", "a 1 [b]"},
		"macintosh":    {"Name: a\rVersion: 1\rRequires-Dist: b\r\rRequires-Dist: c\r", "a 1 [b]"},
		"any case":     {"NAME: a\nversion:1\nrequires-DIST:  b \n", "a 1 [b]"},
		"continued":    {"Name: a\nVersion: 1\nRequires-Dist: b\n  ; os_name\n\t== 'nt'\nX: y\n z\n", "a 1 [b ; os_name == 'nt']"},
		"blank inside": {"Name: a\nDescription: x\n        \n  y\nVersion: 1\n", "a 1 []"},
		"byte order":   {"\xef\xbb\xbfName: a\nVersion: 1\n", "a 1 []"},
		"not utf-8":    {"Author: \xff\xfe\nName: a\nVersion: 1\nRequires-Dist: b\xff\n", "a 1 [b�]"},
		"first counts": {"Name: a\nName: b\nVersion: 1\nVersion: 2\n", "a 1 []"},
		"a body early": {"Name: a\nVersion: 1\nno header\nRequires-Dist: b\n", "a 1 []"},
		"nothing":      {"", "  []"},
	} {
		m := parseMetadata([]byte(tc.text))
		if got := fmt.Sprintf("%s %s %v", m.name, m.version, m.requires); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestParseMetadataBounds(t *testing.T) {
	t.Parallel()
	many := parseMetadata([]byte("Name: a\nVersion: 1\n" + strings.Repeat("Requires-Dist: b\n", 20_000)))
	long := parseMetadata([]byte("Name: a\nVersion: 1\nRequires-Dist: b\n" + strings.Repeat(" continued\n", 20_000)))
	if !many.tooMuch || len(many.requires) != maxHeaders || !long.tooMuch || len(long.requires[0]) > maxHeader {
		t.Errorf("%d requirements, one of %d bytes", len(many.requires), len(long.requires[0]))
	}
}

// Whatever happened to a site, each of its distributions is listed or a fault.
func TestCorruptSites(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		fsys := fstest.MapFS{}
		var dirs []string
		for i := range 1 + random.IntN(8) {
			name := fmt.Sprintf("p%d-%d.%d.dist-info", i, random.IntN(3), random.IntN(10))
			dirs = append(dirs, path.Join(site, name))
			corrupt(random, fsys, dirs[i], fmt.Sprintf("Name: p%d\nVersion: 1.0\nRequires-Dist: p%d>=1; os_name == 'nt'\n\nbody\n", i, i+1))
		}
		s := read(t, fsys)
		Resolve(s.Distributions, ubuntu)
		for _, dir := range dirs {
			listed := slices.ContainsFunc(s.Distributions, func(d Distribution) bool { return d.Path == dir })
			faulty := slices.ContainsFunc(s.Faults, func(f Fault) bool { return strings.HasPrefix(f.Path, dir) })
			if !listed && !faulty {
				t.Fatalf("%s is neither listed nor a fault: %+v", dir, s)
			}
		}
	}
}

// corrupt plants one distribution, as a disk or a dying installer leaves it.
func corrupt(random *rand.Rand, fsys fstest.MapFS, dir, text string) {
	data := []byte(text)
	switch random.IntN(8) {
	case 0:
		data = data[:random.IntN(len(data))]
	case 1:
		for range 1 + random.IntN(10) {
			data[random.IntN(len(data))] = byte(random.IntN(256))
		}
	case 2:
		fsys[path.Join(dir, "RECORD")] = &fstest.MapFile{}
		return
	case 3:
		fsys[dir] = &fstest.MapFile{Data: data}
		return
	case 4:
		fsys[dir] = &fstest.MapFile{Data: []byte("nowhere"), Mode: fs.ModeSymlink}
		return
	case 5:
		fsys[path.Join(dir, "METADATA/x")] = &fstest.MapFile{}
		return
	}
	fsys[path.Join(dir, "METADATA")] = &fstest.MapFile{Data: data}
}

func FuzzParseMetadata(f *testing.F) {
	f.Add([]byte("Metadata-Version: 2.4\r\nName: a\nVersion: 1\rRequires-Dist: b\n c\n\nbody"))
	f.Add([]byte("\xef\xbb\xbfName: \xff\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := parseMetadata(data)
		if len(m.requires) > maxHeaders || len(m.name) > maxHeader {
			t.Error("more than is allowed was kept")
		}
	})
}

func FuzzParseRequiresTxt(f *testing.F) {
	f.Add([]byte("numpy\n[test]\npytest>=7\n[:python_version<\"3\"]\nsix\n[a:os_name=='nt']\nb"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, text := range parseRequiresTxt(data) {
			if r, err := ParseRequirement(text); err == nil {
				r.Marker.Applies(ubuntu, "test")
			}
		}
	})
}

func FuzzParseDirectURL(f *testing.F) {
	f.Add([]byte(`{"url": "file:///src/a", "dir_info": {"editable": true}}`))
	f.Fuzz(func(_ *testing.T, data []byte) { parseDirectURL(data) })
}
