package host

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// The standard library's own test of a file system.
func TestFilesKeepTheRulesOfGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "usr/lib"), 0o700),
		os.WriteFile(filepath.Join(dir, "usr/lib/plain"), []byte("0123456789"), 0o600),
		os.Symlink("plain", filepath.Join(dir, "usr/lib/link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := fstest.TestFS(Files(Root(Live(), dir)), "usr/lib/plain", "usr/lib/link"); err != nil {
		t.Error(err)
	}
}
