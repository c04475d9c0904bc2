package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
)

// onDisk writes files below a root.
func onDisk(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// found returns the messages of one check that are not good.
func found(t *testing.T, root, id string) string {
	t.Helper()
	var out []string
	for _, f := range diagnose(t, host.Root(host.Live(), root)).Findings {
		if f.Check == id && f.Verdict.Worse(check.OK) {
			out = append(out, f.Message)
		}
	}
	return strings.Join(out, "\n")
}

// A virtual environment on a real disk, from hand-written metadata.
func TestVenvOnDisk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const site = "opt/venv/lib/python3.12/site-packages/"
	onDisk(t, root, map[string]string{
		"opt/venv/pyvenv.cfg":                    "home = /usr/bin\nversion = 3.12.3\n",
		site + "numba-0.63.1.dist-info/METADATA": "Metadata-Version: 2.4\nName: numba\nVersion: 0.63.1\nRequires-Dist: llvmlite<0.47,>=0.46.0dev0\nRequires-Dist: numpy<2.4,>=1.22\n\n",
		site + "numpy-2.4.1.dist-info/METADATA":  "Metadata-Version: 2.4\nName: numpy\nVersion: 2.4.1\n\n",
	})
	got := found(t, root, "python/requirements")
	for _, want := range []string{
		"numba 0.63.1 needs llvmlite, and it is not installed",
		"numba 0.63.1 does not work with numpy 2.4.1: it asks for numpy<2.4,>=1.22",
		"Numba needs NumPy 2.3 or less. Got NumPy 2.4.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	onDisk(t, root, map[string]string{
		site + "llvmlite-0.46.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: llvmlite\nVersion: 0.46.0\n\n",
		site + "numba-0.63.1.dist-info/METADATA":    "Metadata-Version: 2.4\nName: numba\nVersion: 0.63.1\nRequires-Dist: llvmlite<0.47,>=0.46.0dev0\nRequires-Dist: numpy<2.5,>=1.22\n\n",
	})
	if got := found(t, root, "python/requirements"); got != "" {
		t.Errorf("all is met, and yet:\n%s", got)
	}
}

// Bad input on a real disk is named and skipped; nothing of it is run.
func TestBadPackagesOnDisk(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const site = "opt/venv/lib/python3.12/site-packages/"
	onDisk(t, root, map[string]string{
		"opt/venv/pyvenv.cfg":                      "home = /usr/bin\nversion = 3.12.3\n",
		site + "torch-2.9.1.dist-info/METADATA":    "Metadata-Version: 2.4\nName: torch\nVersion: 2.9.1\n\n",
		site + "torch/version.py":                  "import os; os.system('touch " + filepath.Join(root, "ran") + "')\ncuda = '12.8'\n",
		site + "half-1.0.dist-info/RECORD":         "",
		site + "~orch/__init__.py":                 "",
		site + "zipped-1.0-py3.12.egg":             "PK",
		site + "binary-1.0.dist-info/METADATA":     "Name: binary\x00\xff",
		site + "__editable__.mine-0.1.pth":         "/srv/mine\n",
		site + "mine-0.1.dist-info/METADATA":       "Metadata-Version: 2.4\nName: mine\nVersion: 0.1\n\n",
		site + "flash_attn-2.8.dist-info/METADATA": "Metadata-Version: 2.4\nName: flash-attn\nVersion: 2.8.3\n\n",
		site + "flash_attn_2_cuda.so":              "\x7fELF\x02\x01\x01",
	})
	for link, target := range map[string]string{"loop-1.0.dist-info": "loop-1.0.dist-info", "self": "."} {
		if err := os.Symlink(target, filepath.Join(root, site, link)); err != nil {
			t.Fatal(err)
		}
	}
	d := diagnose(t, host.Root(host.Live(), root))
	var said []string
	for _, f := range d.Findings {
		if f.Check == "python/packages" {
			for _, e := range f.Evidence {
				said = append(said, string(e.From)+" "+e.Text)
			}
		}
	}
	got := strings.Join(said, "\n")
	for _, want := range []string{"half-1.0.dist-info has no METADATA", "~orch was left over", "binary-1.0.dist-info", "loop-1.0.dist-info is a link that leads nowhere", "zipped-1.0-py3.12.egg is a zipped egg", "mine-0.1.dist-info is an editable install", "flash_attn_2_cuda.so cannot be loaded"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
	if len(d.Machine.Python.Value) == 0 || d.Machine.Python.Value[0].Packages < 3 {
		t.Errorf("what is whole was not read: %+v", d.Machine.Python.Value)
	}
	if _, err := os.Stat(filepath.Join(root, "ran")); err == nil {
		t.Error("a file of a package was run")
	}
}
