//go:build !linux

package device

import "os"

// OwnOutput is standard output itself: here libraries write to files of their
// own C library, not to ours.
func OwnOutput() (*os.File, error) { return os.Stdout, nil }
