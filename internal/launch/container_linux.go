package launch

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Self is the owner of what this process starts.
func Self() (Owner, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Owner{}, fmt.Errorf("mark the container as rocsmith's: %w", err)
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return Owner{}, fmt.Errorf("mark the container as rocsmith's: %w", err)
	}
	o := Owner{UID: os.Geteuid(), Boot: strings.TrimSpace(string(boot)), Namespace: namespace, PID: os.Getpid()}
	if o.Start = processStart(o.PID); o.Start == "" {
		return Owner{}, fmt.Errorf("mark the container as rocsmith's: /proc/%d/stat cannot be read", o.PID)
	}
	return o, nil
}

// processStart is when a process began, in ticks since the boot; "" where there
// is none of that number.
func processStart(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The name of the program stands in brackets, and may hold blanks and brackets.
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	const state, startTime = 0, 19 // proc(5): fields 3 and 22
	if len(fields) <= startTime || fields[state] == "Z" {
		return ""
	}
	return fields[startTime]
}

// Caller is who files are to belong to.
func Caller() (uid, gid uint32) {
	return uint32(os.Geteuid()), uint32(os.Getegid()) //nolint:gosec // the system's numbers, of 32 bits
}

func signalNamed(number int) string { return unix.SignalName(syscall.Signal(number)) }
