package host

// The operations that a *fs.PathError of this package names. They are the same
// for every Reader, so that a replayed error reads like the real one.
const (
	opRead     = "read"
	opReadDir  = "list"
	opReadLink = "readlink"
	opLstat    = "lstat"
	opStatfs   = "statfs"
	opGetxattr = "getxattr"
	opAccess   = "access"
	opOpen     = "open"
	opVersion  = "read version of"
)

// maxEntries is how many names of one directory are read.
const maxEntries = 100_000

// maxPath is how long a path may be, as in Linux.
const maxPath = 4096
