package job

import (
	"io/fs"
	"path"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/scan"
)

// TestCodeOfAnImage concludes nothing from an image that could not be read whole.
func TestCodeOfAnImage(t *testing.T) {
	t.Parallel()
	item := func(path string, result scan.Result) scan.Item {
		return scan.Item{Path: path, Targets: []scan.Target{{Target: "gfx1030"}}, Verdicts: map[string]scan.Verdict{"gfx1100": {Result: result}}}
	}
	for name, tt := range map[string]struct {
		report      scan.Report
		known, runs bool
	}{
		"nothing in it":         {scan.Report{Items: []scan.Item{{Path: "lib/libamdhip64.so"}}}, false, false},
		"nothing runs":          {scan.Report{Items: []scan.Item{item("a.so", scan.None), item("b.so", scan.Override)}}, true, false},
		"one of two runs":       {scan.Report{Items: []scan.Item{item("a.so", scan.None), item("b.so", scan.Generic)}}, true, true},
		"one could not be read": {scan.Report{Items: []scan.Item{item("a.so", scan.None), item("b.so", scan.Unreadable)}}, false, false},
		"something is closed":   {scan.Report{Items: []scan.Item{item("a.so", scan.None)}, Problems: []scan.Problem{{Path: "c.so"}}}, false, false},
	} {
		code, known := codeOf(tt.report, "/store")
		if known != tt.known || code.Runs["gfx1100"] != tt.runs || known && code.Files[0].Path != "/a.so" {
			t.Errorf("%s: %+v, %t", name, code, known)
		}
	}
}

func TestMayHoldCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		folder bool
		want   bool
	}{
		{"usr/bin/ollama", false, true},
		{"opt/rocm/lib/librocblas.so.4.4", false, true},
		{"opt/rocm/lib/rocblas/library/Kernels.dat", false, true},
		{"app/k.hsaco", false, true},
		{"app/train.py", false, false},
		{"etc", true, false},
		{"opt/etc", true, true},
		{"usr/share", true, false},
		{"opt/rocm/include", true, false},
		{"app/__pycache__", true, false},
	} {
		mode := fs.FileMode(0o755)
		if tt.folder {
			mode |= fs.ModeDir
		}
		info, err := fs.Stat(fstest.MapFS{tt.name: {Mode: mode}}, tt.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayHoldCode(path.Dir(tt.name), fs.FileInfoToDirEntry(info)); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
