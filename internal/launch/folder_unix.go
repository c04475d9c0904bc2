//go:build !windows

package launch

import (
	"io/fs"
	"os"
	"syscall"
)

func ownedBy(st fs.FileInfo) (owner, bool) {
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return others, false
	case int(sys.Uid) == os.Geteuid():
		return ours, true
	case sys.Uid == 0:
		return roots, true
	}
	return others, true
}
