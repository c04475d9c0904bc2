package survey

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
)

// onGPU is this machine, with this process among those that KFD serves.
type onGPU struct{ host.Reader }

func (r onGPU) ReadDir(dir string) ([]host.Entry, error) {
	if dir == "/sys/class/kfd/kfd/proc" {
		return []host.Entry{{Name: strconv.Itoa(os.Getpid())}}, nil
	}
	return r.Reader.ReadDir(dir)
}

// TestDeletedWhileOpen asks the real /proc about a file that this process holds.
func TestDeletedWhileOpen(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "gfx1100_48.ukdb")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if got := removedCaches(onGPU{host.Live()}); len(got) != 0 {
		t.Errorf("before it is deleted: %+v", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	got := removedCaches(onGPU{host.Live()})
	if len(got) != 1 || got[0].Path != name || got[0].Process != strconv.Itoa(os.Getpid()) {
		t.Errorf("after: %+v, want %s", got, name)
	}
}
