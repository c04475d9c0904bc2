package host

import (
	"bytes"
	"strings"
	"testing"
)

func TestReducedFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, in, want string }{
		"headers": {
			"/x/torch-2.9.1.dist-info/METADATA",
			"Metadata-Version: 2.1\nName: torch\nAuthor-email: a@b\nRequires-Dist: numpy\n  ; extra == 'x'\nLicense: long\n  text\nVersion: 2\n\nA description: of 100 KB\n",
			"Metadata-Version: 2.1\nName: torch\nRequires-Dist: numpy\n  ; extra == 'x'\nVersion: 2\n\n",
		},
		"addresses": {
			"/x/METADATA",
			"Name: x\nRequires-Dist: a @ git+https://u:pw@h/a.git ; extra == 'b'\nRequires-Dist: c @ https://h/c.whl?token=1\n\n",
			"Name: x\nRequires-Dist: a @ https://redacted ; extra == 'b'\nRequires-Dist: c @ https://redacted\n\n",
		},
		"cut short": {"/x/PKG-INFO", "Name: torch\r\nAuthor: a", "Name: torch\r\n"},
		"record":    {"/x/RECORD", "torch/version.py,sha256=x,200\ntorch/a.h,,1\ntorch/lib/libc10.so,,2\n", "torch/version.py,sha256=x,200\ntorch/lib/libc10.so,,2\n"},
		"login":     {"/x/direct_url.json", `{"url": "https://ada:secret@example.org/x@1", "vcs": "ssh://git@h/y"}`, `{"url": "https://example.org/x@1", "vcs": "ssh://h/y"}`},
		"binary":    {"/x/METADATA", "Name: x\x00", "Name: x\x00"},
		"other":     {"/etc/hosts", "Author: x", "Author: x"},
		"windows":   {`C:\x\METADATA`, "Author: x\nName: y\n\n", "Name: y\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(reducedFile(tc.path, []byte(tc.in)))
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if again := string(reducedFile(tc.path, []byte(got))); again != got {
				t.Errorf("reduced twice it is %q", again)
			}
		})
	}
}

func TestSnapshotHoldsNoDescriptions(t *testing.T) {
	t.Parallel()
	const file = "/v/lib/python3.12/site-packages/x-1.dist-info/METADATA"
	rec := Record(fake{"file " + file: []byte("Name: x\nAuthor: Ada\nVersion: 1\n\nhello\n")}, "test", someTime)
	data, err := rec.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte("hello")) {
		t.Errorf("the caller gets %q, %v", data, err)
	}
	var out bytes.Buffer
	if _, err := rec.WriteTo(&out); err != nil || strings.Contains(out.String(), "Ada") || strings.Contains(out.String(), "hello") || !strings.Contains(out.String(), "Version: 1") {
		t.Errorf("the snapshot holds\n%s\n%v", out.String(), err)
	}
}
