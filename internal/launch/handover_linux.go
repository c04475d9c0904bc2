package launch

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// handOver leaves a stream to a process that goes on carrying, in a session of its
// own, so that it lives as long as whoever writes.
func (o *outputs) handOver(r *relay) {
	if len(o.passOn) == 0 {
		return
	}
	to := r.to
	if r.screen != nil {
		_ = unix.IoctlSetPointerInt(r.from, unix.TIOCPKT, 0)
		to = r.screen.real
	}
	if err := unix.SetNonblock(r.from, false); err != nil {
		return
	}
	argv := append([]string{"rocsmith"}, o.passOn[1:]...) // its name in ps, and not /proc/self/exe
	files, err := duplicates(r.from, to)
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	if err != nil {
		return
	}
	given := []*os.File{files[0], files[1], nil}
	if len(r.rest) > 0 {
		rest, err := restOf(r.rest)
		if err != nil {
			return
		}
		defer func() { _ = rest.Close() }()
		given, argv = append(given, rest), append(argv, restWord)
	}
	p, err := os.StartProcess(o.passOn[0], argv, &os.ProcAttr{Dir: "/", Files: given, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return // they lose their output, as they would where rocsmith was killed
	}
	_ = p.Release()
}

// restOf is a file that holds some bytes, and is nowhere on a disk.
func restOf(b []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("rest", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("keep what was not written: %w", err)
	}
	f := os.NewFile(uintptr(fd), "rest")
	if _, err = f.Write(b); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("keep what was not written: %w", err)
	}
	return f, nil
}

// duplicates are files that may be closed, while the descriptors stay.
func duplicates(fds ...int) (files []*os.File, err error) {
	for _, fd := range fds {
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return files, err
		}
		files = append(files, os.NewFile(uintptr(own), "stream"))
	}
	return files, nil
}
