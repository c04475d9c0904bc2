package launch

import (
	"fmt"
	"os"
	"path/filepath"
)

// MakeFolders makes the folders that settings need, for this user alone. One that
// somebody else made, perhaps to see what is put there, is an error.
func MakeFolders(settings []Setting) error {
	for _, s := range settings {
		if s.Folder == "" {
			continue
		}
		if err := makeOwn(s.Folder); err != nil {
			return fmt.Errorf("make the folder for %s: %w", s.Name, err)
		}
	}
	return nil
}

func makeOwn(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		st, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		switch own, sure := ownedBy(st); {
		case dir == folder && st.Mode()&os.ModeSymlink != 0, sure && own == others:
			return fmt.Errorf("%s belongs to somebody else, or leads elsewhere", dir)
		case !sure || own == roots || dir == filepath.Dir(dir):
			return nil // what is above is the system's
		}
	}
}

// An owner is whose a file is.
type owner int

const (
	ours owner = iota
	roots
	others
)
