package device

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rocsmith/rocsmith/internal/operation"
)

func TestNodesTellWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kfd, render := filepath.Join(dir, "kfd"), filepath.Join(dir, "renderD*")
	see := func(words string, want operation.Verdict) {
		t.Helper()
		if why, v := examineNodes(kfd, render); v != want || !strings.Contains(why, words) {
			t.Errorf("%s: %s, want %s: %s", v, why, want, words)
		}
	}
	see("no such file or directory", operation.NoDevice)
	if err := os.WriteFile(kfd, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	see("there is no "+render, operation.NoDevice)
	if err := os.Mkdir(filepath.Join(dir, "renderD128"), 0o700); err != nil {
		t.Fatal(err)
	}
	see("is a directory", operation.NoDevice)
	if err := os.WriteFile(filepath.Join(dir, "renderD129"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	see("renderD129 open", operation.NoDevice)
	if os.Getuid() != 0 {
		if err := os.Chmod(kfd, 0); err != nil {
			t.Fatal(err)
		}
		see("permission denied", operation.NoPermission)
	}
}

func TestRefusedNodes(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]operation.Verdict{
		syscall.EACCES: operation.NoPermission,
		syscall.EPERM:  operation.NoPermission, // a container's device cgroup
		syscall.ENXIO:  operation.NoDevice,
		syscall.ENOENT: operation.NoDevice,
	} {
		if why, v := nodeRefused(&fs.PathError{Op: "open", Path: "/dev/kfd", Err: errno}); v != want || !strings.Contains(why, errno.Error()) {
			t.Errorf("%v: %s, %s", errno, v, why)
		}
	}
}

// HIP's "no device" comes with what its nodes say.
func TestNoDeviceNamesTheNode(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(kfdNode); err == nil {
		t.Skip("this system has a /dev/kfd")
	}
	c := among(t, "six").misbehaving("hipInit=100")
	c.env = append(c.env, "ROCR_VISIBLE_DEVICES=3")
	wants(t, c.ask(t, "init"), operation.NoDevice, "hipInit returned 100", "open /dev/kfd: no such file or directory", "ROCR_VISIBLE_DEVICES=3")
}
