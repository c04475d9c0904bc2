//go:build !linux

package launch

import "errors"

// Self is the owner of what this process starts.
func Self() (Owner, error) {
	return Owner{}, errors.New("containers on this system run in a virtual machine, which has no /dev/kfd: use Linux")
}

func processStart(int) string { return "" }

// Caller is who files are to belong to.
func Caller() (uid, gid uint32) { return 0, 0 }

func signalNamed(int) string { return "" }
