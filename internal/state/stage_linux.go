package state

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// settled is how old a stage must be before it is looked at: one that is being
// made has its lock a moment later.
const settled = time.Minute

// hold takes the lock of a stage, for as long as the process lives: however it
// ends, the kernel lets go of it.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, stageLock), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return f, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// abandoned reports a stage of this user whose process is no more. In a folder
// that everybody may write to, names prove nothing.
func abandoned(dir string, now time.Time) bool {
	var st unix.Stat_t
	if unix.Lstat(dir, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() {
		return false
	}
	fd, err := unix.Open(filepath.Join(dir, stageLock), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	if unix.Fstat(fd, &st) != nil || now.Sub(time.Unix(st.Mtim.Unix())) < settled {
		return false
	}
	return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil
}
