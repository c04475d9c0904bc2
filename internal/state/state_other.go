//go:build !linux

package state

import (
	"io"
	"time"
)

// A Journal is the record of what was changed; there is none on this system.
type Journal struct {
	Stopped func() bool
}

// Open refuses.
func Open(string, func() time.Time) (*Journal, error) { return nil, ErrUnsupported }

// Close does nothing.
func (*Journal) Close() error { return nil }

// Read returns nothing: nothing was ever changed.
func Read(string) ([]Entry, error) { return nil, nil }

// Entries returns nothing.
func (*Journal) Entries() ([]Entry, error) { return nil, nil }

// Begin refuses.
func (*Journal) Begin(Entry, []Act) (*Entry, error) { return nil, ErrUnsupported }

// Apply refuses.
func (*Journal) Apply(*Entry) error { return ErrUnsupported }

// Undo refuses.
func (*Journal) Undo(*Entry) ([]Conflict, error) { return nil, ErrUnsupported }

// Record refuses.
func (*Journal) Record(*Entry) error { return ErrUnsupported }

// Forget does nothing.
func (*Journal) Forget(*Entry) {}

// Recover finds nothing.
func (*Journal) Recover() ([]Entry, error) { return nil, nil }

// Holds refuses.
func Holds(string, int64, string) (bool, error) { return false, ErrUnsupported }

// Look refuses.
func Look(file string, _ bool) (string, Image, error) { return file, Image{}, ErrUnsupported }

// ErrNoRoot is that nobody could be asked to do the steps of root.
var ErrNoRoot = ErrUnsupported

// AsRoot refuses.
func AsRoot(bool, []byte, io.Writer, ...string) (string, error) { return "", ErrUnsupported }
