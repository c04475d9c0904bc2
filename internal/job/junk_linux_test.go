package job_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
)

// plant writes a machine with one GPU below a directory.
func plant(t *testing.T) (root string, write func(path, content string)) {
	t.Helper()
	root = t.TempDir()
	write = func(path, content string) {
		t.Helper()
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("proc/sys/kernel/osrelease", "6.14.0-33-generic\n")
	write("sys/module/amdgpu/initstate", "live\n")
	const pci = "sys/bus/pci/devices/0000:03:00.0/"
	write(pci+"class", "0x030000\n")
	write(pci+"vendor", "0x1002\n")
	write(pci+"device", "0x744c\n")
	write(pci+"revision", "0xc8\n")
	if err := os.Symlink("../../drivers/amdgpu", filepath.Join(root, pci, "driver")); err != nil {
		t.Fatal(err)
	}
	write("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\nsimd_count 0\n")
	write("sys/class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0\nsimd_count 192\nsimd_per_cu 2\ngfx_target_version 110000\nvendor_id 4098\ndevice_id 29772\nlocation_id 768\ndomain 0\ndrm_render_minor 128\n")
	return root, write
}

const properties = "sys/class/kfd/kfd/topology/nodes/1/properties"

func TestAnotherRoot(t *testing.T) {
	t.Parallel()
	root, _ := plant(t)
	d := diagnose(t, host.Root(host.Live(), root))
	gpus := d.Machine.ComputeGPUs()
	if len(gpus) != 1 || gpus[0].Gfx.Value != "gfx1100" || gpus[0].Name != "Radeon RX 7900 XTX" {
		t.Errorf("GPUs: %+v", gpus)
	}
	if f := d.Machine.Process; !f.Unread() || f.Why != "another root" {
		t.Errorf("the process of another root is %+v", f)
	}
	if f := d.Machine.Variables; !f.Unread() || f.Why != "another root" {
		t.Errorf("the variables of another root are %+v", f)
	}
}

// Whatever stands where the properties should be: the answer comes soon, and is
// neither a panic nor a clean bill of health.
func TestUnreadableContentIsUnknown(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, file string){
		"not available": func(t *testing.T, file string) { rewrite(t, file, []byte("N/A\n")) },
		"empty":         func(t *testing.T, file string) { rewrite(t, file, nil) },
		"binary":        func(t *testing.T, file string) { rewrite(t, file, []byte{0, 1, 2, 0xff, 0xfe, '\n', 0x1b, '['}) },
		"huge":          huge,
		"a pipe that never answers": func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(file, 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"a directory": func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(file, 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"a link to itself": func(t *testing.T, file string) {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(file, file); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, write := plant(t)
			write("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "4711\n")
			spoil(t, filepath.Join(root, properties))
			done := make(chan []check.Finding, 1)
			go func() { done <- diagnose(t, host.Root(host.Live(), root)).Findings }()
			select {
			case findings := <-done:
				mustBeUnknown(t, findings)
			case <-time.After(2 * time.Minute):
				t.Fatal("no answer: a doctor that hangs")
			}
		})
	}
}

func mustBeUnknown(t *testing.T, findings []check.Finding) {
	t.Helper()
	for _, f := range findings {
		if f.Check != "driver/offered" {
			continue
		}
		if f.Verdict != check.Unknown {
			t.Errorf("%s of unreadable content: %s", f.Verdict, f.Message)
		}
		return
	}
	t.Error("driver/offered says nothing")
}

func rewrite(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// huge is 100 MB that take no room on disk.
func huge(t *testing.T, file string) {
	t.Helper()
	if err := os.Truncate(file, 100<<20); err != nil {
		t.Fatal(err)
	}
}
