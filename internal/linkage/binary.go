// Package linkage says what a binary asks of the loader, and what it would get.
package linkage

import (
	"errors"
	"fmt"
)

// A Binary is what one program or library asks for and offers.
type Binary struct {
	Path    string // the name it was read under
	Format  string // "elf", "pe"
	Machine string // "x86-64", "i386", "aarch64", or the number of another one
	Bits    int    // 32 or 64
	Program bool   // it is started, not loaded

	Soname        string   // the name it goes by
	Needs         []string // names of libraries, in the order in which they are loaded
	RPath         []string // as written; nothing where RunPath is set, as ld.so sees it
	RunPath       []string
	Interpreter   string
	NoDefaultLibs bool          // -z nodefaultlib: neither default folders nor what the cache knows of them
	Wants         []VersionNeed // versions of symbols that it wants of its libraries
	Offers        []string      // versions of symbols that it defines
	Delayed       []string      // PE: libraries that are loaded when first called
}

// A VersionNeed is one version that a binary wants of one library.
type VersionNeed struct {
	Library string // a name in Needs
	Version string
	Weak    bool // its absence is no error
}

// The formats.
const (
	ELF = "elf"
	PE  = "pe"
)

// What can be wrong with a file.
var (
	ErrOtherFormat = errors.New("it has another format")
	ErrCutShort    = errors.New("the file is cut short")
	ErrDamaged     = errors.New("the file contradicts itself")
	ErrNotLoadable = errors.New("it is neither a program nor a library")
	ErrTooMuch     = errors.New("it holds more than is read")
)

// ErrNotJudged says that the loader of this machine is not one that we know.
var ErrNotJudged = errors.New("not judged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}
