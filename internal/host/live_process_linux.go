package host

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

func (l live) Process() (Process, error) {
	var p Process
	status, err := l.ReadFile("/proc/self/status")
	if err != nil {
		return Process{}, err
	}
	if p, err = parseStatus(status); err != nil {
		return Process{}, fmt.Errorf("parse /proc/self/status: %w", err)
	}
	if p.UIDMap, err = l.idMap("/proc/self/uid_map"); err != nil {
		return Process{}, err
	}
	if p.GIDMap, err = l.idMap("/proc/self/gid_map"); err != nil {
		return Process{}, err
	}
	return p, nil
}

func (l live) idMap(path string) ([]IDRange, error) {
	data, err := l.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ranges, err := parseIDMap(data)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", path, err)
	}
	return ranges, nil
}

// KernelLog asks syslog(2) first, which needs CAP_SYSLOG where dmesg_restrict
// is set; /dev/kmsg has rules of its own and may still be readable.
func (l live) KernelLog() ([]string, error) {
	log, err := bounded(l, readSyslog)
	if err == nil {
		return filterKernelLog(log), nil
	}
	log, second := bounded(l, readKmsg)
	if second == nil {
		return filterKernelLog(log), nil
	}
	return nil, fmt.Errorf("read kernel log: %w", named(err))
}

// maxLog is far more than any kernel's ring buffer in the field.
const maxLog = 32 << 20

func readSyslog() ([]byte, error) {
	size, err := unix.Klogctl(unix.SYSLOG_ACTION_SIZE_BUFFER, nil)
	if err != nil {
		return nil, err
	}
	log := make([]byte, min(max(size, 1<<16), maxLog))
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, log)
	if err != nil {
		return nil, err
	}
	return log[:n], nil
}

// readKmsg reads record by record until the kernel says that no more are there.
func readKmsg() ([]byte, error) {
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	var log []byte
	record := make([]byte, 16<<10)
	for len(log) < maxLog {
		n, err := retried(func() (int, error) { return unix.Read(fd, record) })
		switch {
		case errors.Is(err, unix.EPIPE): // records were overwritten meanwhile
			continue
		case errors.Is(err, unix.EAGAIN):
			return log, nil
		case err != nil:
			return nil, err
		case n == 0:
			return log, nil
		}
		if line, ok := kmsgLine(record[:n]); ok {
			log = append(append(log, line...), '\n')
		}
	}
	return log, nil
}
