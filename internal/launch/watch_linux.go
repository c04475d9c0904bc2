package launch

import (
	"golang.org/x/sys/unix"
)

// A Watch learns whether anybody opens one of some files. It costs nothing while
// nobody does: the kernel tells (inotify(7)), and nothing is asked again and again.
type Watch struct{ fd int }

// WatchOpens begins to watch files. That one of them may not be read is an answer
// too: then nothing is known.
func WatchOpens(paths ...string) *Watch {
	if len(paths) == 0 {
		return &Watch{-1}
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return &Watch{-1}
	}
	for _, path := range paths {
		if _, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN); err != nil {
			_ = unix.Close(fd)
			return &Watch{-1}
		}
	}
	return &Watch{fd}
}

// End ends the watch. Opened counts whoever opened a file, not the command alone;
// that nobody did is certain for processes that see the same files, which those in
// containers do not.
func (w *Watch) End() (opened, known bool) {
	if w.fd < 0 {
		return false, false
	}
	defer func() { _ = unix.Close(w.fd) }()
	var event [unix.SizeofInotifyEvent + unix.NAME_MAX + 1]byte
	n, err := unix.Read(w.fd, event[:])
	return err == nil && n > 0, true
}

// kernelClock is the time that the kernel writes before the lines of its log.
func kernelClock() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}
