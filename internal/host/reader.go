// Package host is the only door to the examined machine: files, devices, the process, the kernel log, and a few read-only tools.
package host

import (
	"context"
	"io/fs"
	"time"
)

// A Reader answers questions about one machine and cannot change it. The live
// machine, a snapshot of one, and another root directory are Readers.
//
// Every method is bounded in time and in bytes: a FUSE mount, a named pipe or a
// driver can hang, and a doctor that hangs is worse than one that says "I could
// not look". Errors are *fs.PathError where a path was asked for; the cause is
// an Errno wherever the system gave one, so that a snapshot taken on Linux can
// be judged on Windows.
type Reader interface {
	// OS names the operating system of the machine: "linux" or "windows".
	OS() string

	// ReadFile reads a whole regular file of at most MaxFile bytes.
	ReadFile(path string) ([]byte, error)
	// ReadAt reads up to n bytes at an offset; fewer at the end of the file.
	// A snapshot keeps only the ranges that were asked for.
	ReadAt(path string, off int64, n int) ([]byte, error)
	// ReadDir lists a directory, in any order.
	ReadDir(path string) ([]Entry, error)
	// ReadLink returns the target of a symbolic link as it is written.
	ReadLink(path string) (string, error)
	// Lstat describes a path without following a final symbolic link.
	Lstat(path string) (Stat, error)
	// Statfs describes the file system a path lives on.
	Statfs(path string) (FileSystem, error)
	// Getxattr returns one extended attribute (ACL, SELinux label).
	Getxattr(path, name string) ([]byte, error)
	// Access asks whether this process may read (want == 'r') or write
	// (want == 'w') the path.
	Access(path string, want byte) error
	// TryOpen opens a path read-write and closes it at once, without any ioctl.
	// The errno is the diagnosis.
	TryOpen(path string) error

	// Getenv returns a variable of this process. Unset and empty differ.
	Getenv(name string) (value string, set bool, err error)
	// Environ returns the set variables whose names begin with the prefix,
	// sorted by name.
	Environ(prefix string) ([]Variable, error)
	// Process describes the running process.
	Process() (Process, error)
	// KernelLog returns the lines of the kernel log that speak of the GPU, its
	// driver, or a denial by a security module; nothing else is let through.
	KernelLog() ([]string, error)

	// Registry returns one value of the Windows registry as text. An empty
	// value name asks for the names of the sub-keys, one a line.
	Registry(key, value string) (string, error)
	// FileVersion returns the version resource of a Windows file.
	FileVersion(path string) (string, error)

	// Ask runs one of the read-only tools and returns its standard output.
	Ask(ctx context.Context, tool Tool, args ...string) ([]byte, error)
}

// MaxFile is the largest file ReadFile returns. Everything read whole is a
// sysfs attribute, a table of the system or a configuration file.
const MaxFile = 4 << 20

// Patience is how long a single question may take.
const Patience = 2 * time.Second

// An Entry is one name in a directory.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only
}

// A Stat is what the system says of one path.
type Stat struct {
	Mode     fs.FileMode // type, permission, setuid, setgid and sticky bits
	UID, GID uint32
	Size     int64
	// Device numbers of a device node. The major number of /dev/kfd is handed
	// out at boot, so it is shown to people and never judged.
	Major, Minor uint32
}

// A FileSystem is what the system says of the file system behind a path.
type FileSystem struct {
	Type     string // "ext", "nfs", "tmpfs", or the magic number in hex
	ReadOnly bool
	Free     int64 // bytes an ordinary user may still write
	Size     int64 // bytes in all
}

// A Variable is one environment variable that is set.
type Variable struct{ Name, Value string }

// A Process is who is asking: ids from /proc/self/status, because that file
// shows what the kernel enforces, not what a name service believes.
type Process struct {
	UID, EUID uint32
	GID, EGID uint32
	Groups    []uint32 // supplementary groups
	CapEff    uint64   // effective capabilities
	UIDMap    []IDRange
	GIDMap    []IDRange
}

// An IDRange maps Count ids from Inside, in this user namespace, to Outside, in
// the parent.
type IDRange struct{ Inside, Outside, Count uint32 }

// A Tool is a program that Ask may run: each only reads.
type Tool string

// The closed list of tools.
const (
	Getent  Tool = "getent"  // users and groups that live in a directory service
	Modinfo Tool = "modinfo" // what a kernel module file says of itself
	Docker  Tool = "docker"  // its version, and nothing else
	Podman  Tool = "podman"  // likewise
)
