package survey

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

func TestParseVersionFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		kind      rocm.BuildKind
		hip, cuda string
		ok        bool
	}{
		"cuda: Optional[str] = None\nhip: Optional[str] = '6.4.43484-123'\n": {rocm.BuildROCm, "6.4.43484-123", "", true},
		"cuda = '12.8'\nhip = None\n":                                        {rocm.BuildCUDA, "", "12.8", true},
		"cuda: Optional[str] = None\r\nhip: Optional[str] = None\r\n":        {rocm.BuildCPU, "", "", true},
		"hip = '7.2'\ncuda = '12.8'\n":                                       {rocm.BuildROCm, "7.2", "", true},
		"hip = None  # no hip\ncuda: Optional[str] = '12.8' # yes\n":         {rocm.BuildCUDA, "", "12.8", true},
		"cuda = None\nhip = None\nxpu: Optional[str] = '20250302'\n":         {rocm.BuildXPU, "", "", true},
		"hip = version()\n":       {rocm.BuildCPU, "", "", false},
		"__version__ = '2.9.1'\n": {rocm.BuildCPU, "", "", false},
		"":                        {rocm.BuildCPU, "", "", false},
		"hip = '\x1b[31m'\n":      {rocm.BuildCPU, "", "", false},
	} {
		got, ok := parseVersionFile(text)
		if got.build.Kind != want.kind || got.build.HIP != want.hip || got.build.CUDA != want.cuda || ok != want.ok {
			t.Errorf("%q: %+v, %t", text, got, ok)
		}
	}
}

func TestRecordedSize(t *testing.T) {
	t.Parallel()
	const record = "torch/__init__.py,sha256=a,10\r\ntorch/version.py,sha256=b,267\r\ntorch/none.py,,\r\n"
	for file, want := range map[string]int{"torch/version.py": 267, "torch/__init__.py": 10} {
		if got, ok := recordedSize(record, file); !ok || got != want {
			t.Errorf("%s: %d, %t", file, got, ok)
		}
	}
	for _, file := range []string{"torch/none.py", "version.py", "other.py"} {
		if got, ok := recordedSize(record, file); ok {
			t.Errorf("%s has %d bytes", file, got)
		}
	}
}

func FuzzParseVersionFile(f *testing.F) {
	f.Add("cuda: Optional[str] = None\nhip: Optional[str] = '6.4.43484-123'\n")
	f.Add("hip==\ncuda=''\n")
	f.Fuzz(func(t *testing.T, s string) {
		said, ok := parseVersionFile(s)
		build := said.build
		if (build.Kind == rocm.BuildROCm) != (build.HIP != "") || !ok && (build.HIP != "" || build.CUDA != "") {
			t.Errorf("%q: %+v, %t", s, build, ok)
		}
		if size, ok := recordedSize(s, "torch/version.py"); ok && size < 0 {
			t.Errorf("%q: %d bytes", s, size)
		}
	})
}
