package survey

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestRocmRoot(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"/opt/rocm/lib": "/opt/rocm", "/opt/rocm-6.4.0/bin/": "/opt/rocm-6.4.0", "/opt/rocm/core-10.1/lib": "/opt/rocm",
		"/home/user1/rocm": "/home/user1/rocm", "/usr/lib": "", "rocm/lib": "", "": "", "/opt/rocmish/lib": "",
	} {
		if got := rocmRoot(p); got != want {
			t.Errorf("%q: %q, not %q", p, got, want)
		}
	}
}

func TestPythons(t *testing.T) {
	t.Parallel()
	for site, want := range map[string][]string{
		"/home/user1/venv/lib/python3.12/site-packages": {"/home/user1/venv/bin/python3.12", "/usr/bin/python3.12"},
		"/usr/lib/python3.13/dist-packages":             {"/usr/bin/python3.13"},
		"/usr/lib/packages":                             nil,
	} {
		if got := pythons(site); !slices.Equal(got, want) {
			t.Errorf("%s: %q", site, got)
		}
	}
}

func TestMajorsOf(t *testing.T) {
	t.Parallel()
	if got := majorsOf(hipLibrary); !slices.Equal(got, []int{7, 6, 5}) {
		t.Errorf("HIP: %v", got)
	}
	if got := majorsOf("libMIOpen"); !slices.Equal(got, []int{1}) {
		t.Errorf("MIOpen: %v", got)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a\x1b[31m", "two\nlines", strings.Repeat("x", 1000), "\xff"} {
		if got := shown(s); !readable(got) || len(got) > 100 || strings.Contains(got, "\n") {
			t.Errorf("%q is shown as %q", s, got)
		}
	}
	if got := shown("libamdhip64.so.6"); got != "libamdhip64.so.6" {
		t.Errorf("a plain name is shown as %q", got)
	}
}

// Who has no GPU, or nothing that uses ROCm, pays nothing.
func TestLinkageAsksNothingInVain(t *testing.T) {
	t.Parallel()
	s, err := host.ParseSnapshot([]byte("rocsmith snapshot 1\nos: linux\nunlisted: absent\n-- file /opt/rocm-7.2.0/lib/libamdhip64.so.7 --\nx\n-- end 1 --\n"))
	if err != nil {
		t.Fatal(err)
	}
	m := &machine.Machine{OS: "linux"}
	m.ROCm = machine.Know([]machine.Installation{{Version: "7.2.0", Path: "/opt/rocm-7.2.0", How: machine.HowAMDPackages}}, "x")
	if files := linkFiles(s, m); files != nil {
		t.Errorf("without a GPU: %+v", files)
	}
	m.GPUs = machine.Know([]machine.GPU{{}}, "x")
	files := linkFiles(s, m)
	if len(files) != 1 || files[0].path != "/opt/rocm-7.2.0/lib/libamdhip64.so.7" {
		t.Fatalf("with a GPU: %+v", files)
	}
	if got := linked(s, m, nil); !got.Unread() {
		t.Errorf("without a file: %+v", got)
	}
	many := slices.Repeat(files, mostLinked+3)
	if got := linked(s, m, many); len(got.Value.Files) != mostLinked || got.Value.Left != 3 {
		t.Errorf("%d files were looked at, and %d left", len(got.Value.Files), got.Value.Left)
	}
}
