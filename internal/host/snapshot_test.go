package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
)

func parseFile(t *testing.T, name string) *Snapshot {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseSnapshot(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHandwrittenFiles(t *testing.T) {
	t.Parallel()
	s := parseFile(t, "handwritten.snapshot")
	tests := map[string]struct {
		want string
		err  error
	}{
		"/proc/sys/kernel/osrelease":         {want: "6.8.0-45-generic\n"},
		"/etc/hostname":                      {want: "host1"},
		"/etc/shadow":                        {err: EACCES},
		"/etc/nothing":                       {err: ENOENT},
		"/sys/class/drm/card0/device/vendor": {want: "0x1002\n"},
		"/sys/class/drm/card0/device/config": {want: "\x02\x10\xbf\x73"},
		"/sys/class/drm/card0/device/../../../../proc/sys/kernel/osrelease": {want: "6.8.0-45-generic\n"},
		"/dev/kfd":                  {err: ErrNotRegular},
		"/sys/class/drm":            {err: EISDIR},
		"/sys/class/drm/card1":      {err: ENOENT},
		"/usr/lib/libamdhip64.so.6": {err: ErrNotRecorded},
	}
	for path, test := range tests {
		got, err := s.ReadFile(path)
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v, want %q, %v", path, got, err, test.want, test.err)
		}
	}
	for _, r := range []struct {
		path string
		off  int64
		n    int
		want string
		err  error
	}{
		{"/usr/lib/libamdhip64.so.6", 0, 4, "\x7fELF", nil},
		{"/usr/lib/libamdhip64.so.6", 4, 4, "", ErrNotRecorded},
		{"/proc/sys/kernel/osrelease", 2, 3, "8.0", nil},
		{"/proc/sys/kernel/osrelease", 99, 3, "", nil},
		{"/nothing", 0, 1, "", ENOENT},
	} {
		got, err := s.ReadAt(r.path, r.off, r.n)
		if string(got) != r.want || !errors.Is(err, r.err) {
			t.Errorf("%+v: got %q, %v", r, got, err)
		}
	}
}

func TestHandwrittenTree(t *testing.T) {
	t.Parallel()
	s := parseFile(t, "handwritten.snapshot")
	lists := map[string]string{
		"/":                           "[{dev dir} {etc dir} {proc dir} {sys dir} {usr dir}]",
		"/dev":                        "[{dri dir} {kfd char}]",
		"/dev/dri":                    "[{by-path dir} {card0 char} {renderD128 char}]",
		"/dev/dri/by-path":            "[]",
		"/sys/class/drm":              "[{card0 link}]",
		"/sys/class/drm/card0":        "[{device link}]",
		"/sys/class/drm/card0/device": "[{config file} {drm dir} {vendor file}]",
	}
	for dir, want := range lists {
		entries, err := s.ReadDir(dir)
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = fmt.Sprintf("{%s %s}", e.Name, typeName(e.Type))
		}
		if got := "[" + strings.Join(names, " ") + "]"; got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", dir, got, err, want)
		}
	}
	for dir, want := range map[string]error{"/home": ENOENT, "/dev/kfd": ENOTDIR, "/etc/hostname": ENOTDIR} {
		if _, err := s.ReadDir(dir); !errors.Is(err, want) {
			t.Errorf("list %s: %v, want %v", dir, err, want)
		}
	}
	stats := map[string]Stat{
		"/dev/kfd":             {Mode: fs.ModeDevice | fs.ModeCharDevice | 0o660, GID: 110, Major: 234},
		"/etc/hostname":        {Mode: 0o644, Size: 5},
		"/etc/shadow":          {Mode: 0o644},
		"/sys":                 {Mode: fs.ModeDir | 0o755},
		"/sys/class/drm/card0": {Mode: fs.ModeSymlink | 0o777, Size: 47},
	}
	for path, want := range stats {
		if got, err := s.Lstat(path); got != want || err != nil {
			t.Errorf("stat %s: got %+v, %v", path, got, err)
		}
	}
	for path, want := range map[string]error{"/dev/dri/card0": ErrNotRecorded, "/none": ENOENT} {
		if _, err := s.Lstat(path); !errors.Is(err, want) {
			t.Errorf("stat %s: %v, want %v", path, err, want)
		}
	}
	if _, err := s.ReadLink("/etc/hostname"); !errors.Is(err, EINVAL) {
		t.Errorf("readlink of a file: %v", err)
	}
}

func TestHandwrittenRest(t *testing.T) {
	t.Parallel()
	s := parseFile(t, "handwritten.snapshot")
	wantErr := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	wantErr("open", s.TryOpen("/dev/kfd"), EACCES)
	wantErr("open unlisted", s.TryOpen("/dev/dri/card0"), ErrNotRecorded)
	wantErr("access", s.Access("/dev/dri/renderD128", 'r'), EACCES)
	wantErr("access allowed", s.Access("/home", 'w'), nil)
	wantErr("access unlisted", s.Access("/home", 'r'), ErrNotRecorded)
	_, err := s.Getxattr("/dev/kfd", "system.posix_acl_access")
	wantErr("xattr", err, ENODATA)
	_, err = s.Statfs("/")
	wantErr("statfs", err, ErrNotRecorded)
	_, err = s.Ask(t.Context(), Getent, "group", "video")
	wantErr("ask", err, ErrNotRecorded)
	_, err = s.Ask(t.Context(), Modinfo, "-F", "version", "amdgpu")
	wantErr("modinfo", err, ExitStatus(1))
	_, err = s.Registry("HKLM", "x")
	wantErr("registry", err, ErrOtherSystem)
	p, err := s.Process()
	if err != nil || p.EUID != 1000 || !reflect.DeepEqual(p.Groups, []uint32{27, 1000}) {
		t.Errorf("process: %+v, %v", p, err)
	}
	if value, set, err := s.Getenv("HSA_OVERRIDE_GFX_VERSION"); value != "10.3.0" || !set || err != nil {
		t.Errorf("getenv: %q, %v, %v", value, set, err)
	}
	if _, set, err := s.Getenv("ANYTHING"); set || err != nil {
		t.Errorf("an unlisted variable: %v, %v", set, err)
	}
	if found, err := s.Environ("HSA_"); len(found) != 1 || err != nil {
		t.Errorf("environ: %v, %v", found, err)
	}
}

func TestRecordedEnvironment(t *testing.T) {
	t.Parallel()
	s, err := ParseSnapshot([]byte("rocsmith snapshot 1\nos: linux\n-- env --\nA=\"\"\nB unset\nMIOPEN_*\nMIOPEN_X=\"1\"\n-- end 1 --\n"))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		value string
		set   bool
		err   error
	}{
		"A": {set: true}, "B": {}, "C": {err: ErrNotRecorded}, "MIOPEN_X": {value: "1", set: true}, "MIOPEN_Y": {},
	}
	for name, test := range tests {
		value, set, err := s.Getenv(name)
		if value != test.value || set != test.set || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v, %v", name, value, set, err)
		}
	}
	for prefix, want := range map[string]error{"MIOPEN_": nil, "MIOPEN_X": nil, "MIO": ErrNotRecorded} {
		if _, err := s.Environ(prefix); !errors.Is(err, want) {
			t.Errorf("%s*: %v, want %v", prefix, err, want)
		}
	}
}

func TestSnapshotIsExactWithoutAbsent(t *testing.T) {
	t.Parallel()
	s, err := ParseSnapshot([]byte("rocsmith snapshot 1\nos: linux\n-- file /a/b --\nx\n-- link /l --\na\n-- end 2 --\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/a/c", "/l/b"} {
		if _, err := s.ReadFile(path); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got, err := s.ReadFile("/a//b/"); string(got) != "x\n" || err != nil {
		t.Errorf("another spelling: %q, %v", got, err)
	}
}

func TestParseSnapshotComplains(t *testing.T) {
	t.Parallel()
	head := "rocsmith snapshot 1\nos: linux\n"
	tests := map[string]struct{ in, want string }{
		"empty":            {"", "this is no rocsmith snapshot: the first line is \"\""},
		"something else":   {"PK\x03\x04", "this is no rocsmith snapshot"},
		"newer":            {"rocsmith snapshot 2\n", "made by a newer rocsmith"},
		"no end":           {head + "-- file /x --\ny\n", "the snapshot is truncated"},
		"only a head":      {head, "the snapshot is truncated"},
		"fewer":            {head + "-- end 1 --\n", "the snapshot is truncated: it holds 0 records, its last line counts 1"},
		"no system":        {"rocsmith snapshot 1\n-- end 0 --\n", `line 2: the field "os:" is missing`},
		"unknown field":    {head + "colour: red\n-- end 0 --\n", "line 3: \"colour: red\" is no field"},
		"unknown verb":     {head + "-- smell /x --\n-- end 1 --\n", "line 3: \"smell\" is no kind of record"},
		"missing argument": {head + "-- file --\n-- end 1 --\n", "line 3: file has 0 arguments, want 1"},
		"bad stat":         {head + "-- stat /x --\nchar\n-- end 1 --\n", "line 3: stat /x: a stat needs"},
		"bad base64":       {head + "-- file /x base64 --\n?\n-- end 1 --\n", "line 3: file /x: decode base64"},
		"bad error":        {head + "-- file /x error=oops --\n-- end 1 --\n", "line 3: oops is no error name"},
		"error with body":  {head + "-- file /x error=EIO --\ny\n-- end 1 --\n", "an error has no content"},
		"twice":            {head + "-- file /x --\n-- file /x --\n-- end 2 --\n", "line 4: file /x: recorded twice"},
		"open quote":       {head + "-- file \"/x --\n-- end 1 --\n", "line 3: a quoted word does not end"},
		"text after end":   {head + "-- end 0 --\n\nmore\n", "text follows"},
		"bad variable":     {head + "-- env --\nA=b\n-- end 1 --\n", "the value must be quoted"},
		"access with body": {head + "-- access /x r --\nno\n-- end 1 --\n", "has no content"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseSnapshot([]byte(test.in))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestParseSnapshotTakesWindowsLineEnds(t *testing.T) {
	t.Parallel()
	s, err := ParseSnapshot([]byte("\ufeffrocsmith snapshot 1\r\nos: windows\r\n-- file \"C:/Program Files/x\" --\r\ny\r\n-- end 1 --\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.ReadFile(`C:\Program Files\x`); string(got) != "y\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzParseSnapshot(f *testing.F) {
	data, err := os.ReadFile("testdata/handwritten.snapshot")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("rocsmith snapshot 1\nos: linux\nunlisted: absent\n-- link /a --\n/a\n-- file /a/../b \"base64\" error=\"x\" --\n-- end 2 --\n"))
	f.Add([]byte("rocsmith snapshot 1\nos: windows\n-- env --\n\"A B\"=\"\\x00\"\nX* error=EIO\n-- ask x \"error=y\" -- bare --\nz\n-- end 2 --\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSnapshot(data)
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if _, err := s.WriteTo(&first); err != nil {
			t.Fatal(err)
		}
		again, err := ParseSnapshot(first.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, &first)
		}
		if _, err := again.WriteTo(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("written twice, it differs:\n%s\n%s", &first, &second)
		}
		askEverything(s)
		redact(s)
	})
}

// askEverything asks each recorded question, and follows each path.
func askEverything(s *Snapshot) {
	for _, r := range s.records {
		if !shapes[r.verb].path {
			continue
		}
		p := r.args[0]
		_, _ = s.ReadFile(p)
		_, _ = s.ReadAt(p, 1, 2)
		_, _ = s.ReadDir(p)
		_, _ = s.ReadLink(p)
		_, _ = s.Lstat(p)
		_, _ = s.Getxattr(p, "x")
	}
	_, _ = s.Process()
	_, _ = s.KernelLog()
	_, _ = s.Environ("")
}
