package machine

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// Caches are the folders in which libraries keep what they compiled or measured
// on this machine, for the calling user.
type Caches struct {
	MIOpen MIOpen        `json:"miopen"`
	Others []CacheFolder `json:"others,omitempty"` // those that exist
}

// MIOpen is where MIOpen would look, and the folders of it that exist. Absent:
// none of them does.
type MIOpen struct {
	Kernels Fact[string] `json:"kernels"` // compiled kernels, SQLite; by default a folder for each version below it
	Tuning  Fact[string] `json:"tuning"`  // find results and tuning, text
	Locks   Fact[string] `json:"locks"`
	// Shared is the file system of the default folder where MIOpen takes it for
	// one of the network, and uses the temporary folder instead.
	Shared Fact[CacheFileSystem] `json:"shared"`
	Home   Fact[CacheStat]       `json:"home"` // the home directory itself
	// Above is the folder that the kernel cache would be made in, where there is
	// no cache yet.
	Above   Fact[CacheFolder]   `json:"above"`
	Removed []RemovedCache      `json:"removed,omitempty"`
	Folders Fact[[]CacheFolder] `json:"folders"`
}

// A RemovedCache is a database that a process on the GPU has open, and that was
// deleted since: nobody else finds what it writes.
type RemovedCache struct {
	Process string `json:"process"` // its number
	Path    string `json:"path"`    // where it was
	From    Source `json:"from"`
}

// A CacheUse says what a folder is for.
type CacheUse string

// Uses of cache folders.
const (
	KernelCache CacheUse = "kernels" // compiled kernels of the user
	TuningCache CacheUse = "tuning"  // tuning of the user
	SystemCache CacheUse = "system"  // shipped with MIOpen
	LockFolder  CacheUse = "locks"
	ComgrCache  CacheUse = "comgr"
	TritonCache CacheUse = "Triton"
	Inductor    CacheUse = "torch-inductor"
	BLASTuning  CacheUse = "hipBLASLt" // a file, not a folder
)

// A CacheFolder is one folder that exists, and the databases in it.
type CacheFolder struct {
	Path     string   `json:"path"`
	Use      CacheUse `json:"use"`
	Variable string   `json:"variable,omitempty"` // that named it; "" for the default
	// State of the folder: unread where a folder above it is closed to us.
	Stat       Fact[CacheStat]       `json:"stat"`
	Write      Fact[string]          `json:"write"` // errno of access(2) by name; "" means we may write
	FileSystem Fact[CacheFileSystem] `json:"file_system"`
	Listed     Fact[int]             `json:"listed"` // how many names it holds
	Files      []CacheFile           `json:"files,omitempty"`
	Left       int                   `json:"left,omitempty"` // databases beyond those looked at
}

// File finds a file by its path.
func (f CacheFolder) File(path string) (CacheFile, bool) {
	for _, file := range f.Files {
		if file.Path == path {
			return file, true
		}
	}
	return CacheFile{}, false
}

// A CacheFile is one database, or a file beside it that SQLite made.
type CacheFile struct {
	Path   string            `json:"path"`
	Stat   Fact[CacheStat]   `json:"stat"`
	Write  Fact[string]      `json:"write"`
	Header Fact[CacheHeader] `json:"header"`
	// Lacks are the columns that its table of kernels should have and has not.
	Lacks Fact[[]string] `json:"lacks_columns"`
}

// A CacheStat is what the system says of a file or folder.
type CacheStat struct {
	Mode fs.FileMode `json:"mode"`
	UID  uint32      `json:"uid"`
	GID  uint32      `json:"gid"`
	Size int64       `json:"size"`
}

// String writes it as ls would, with numbers instead of names.
func (s CacheStat) String() string {
	kind := "-"
	if s.Mode.IsDir() {
		kind = "d"
	}
	return fmt.Sprintf("%s%s uid %d gid %d, %d bytes", kind, s.Mode.Perm().String()[1:], s.UID, s.GID, s.Size)
}

// A CacheFileSystem is what a folder lives on.
type CacheFileSystem struct {
	Type     string `json:"type"`
	ReadOnly bool   `json:"read_only"`
	Free     int64  `json:"free"`
	Size     int64  `json:"size"`
}

// Network reports the file systems that MIOpen takes for shared ones: SQLite's
// locks and its shared memory do not work across machines.
func (s CacheFileSystem) Network() bool {
	switch s.Type {
	case "nfs", "cifs", "afs", "lustre", "ceph", "0x73757245" /* Coda */, "0x7461636f" /* OCFS2 */ :
		return true
	}
	return false
}

// String writes it for evidence.
func (s CacheFileSystem) String() string {
	access := "read-write"
	if s.ReadOnly {
		access = "read-only"
	}
	return fmt.Sprintf("file system %s, %s, %d KiB free of %d", s.Type, access, s.Free>>10, s.Size>>10)
}

// A CacheHeader is what the first bytes of a file tell. The name of a file
// tells nothing: text is kept under names that look like databases.
type CacheHeader struct {
	Format   string `json:"format"` // see the constants
	PageSize int    `json:"page_size,omitempty"`
	Pages    uint32 `json:"pages,omitempty"` // 0 where the header does not vouch for it
	Changes  uint32 `json:"changes,omitempty"`
	WAL      bool   `json:"wal,omitempty"` // opened through files beside it
}

// Formats of files, by their first bytes.
const (
	FormatSQLite = "sqlite"
	FormatText   = "text"
	FormatEmpty  = "empty"
	FormatOther  = "other"
)

// Bytes is how long a whole database is; 0 where the header does not say.
func (h CacheHeader) Bytes() int64 { return int64(h.PageSize) * int64(h.Pages) }

// MIOpenName is how MIOpen names the databases of a GPU: the gfx that programs
// see and the number of compute units that HIP counts, in decimal up to 64 and
// in hex above (handle.hpp). It is "" where either is not known.
func (m *Machine) MIOpenName(g GPU) string {
	gfx := m.EffectiveGfx(g)
	if gfx == "" || !g.CUs.Known() {
		return ""
	}
	cus := g.CUs.Value
	// From gfx10 on HIP counts work-group processors: pairs of compute units.
	if v, ok := rocm.TargetVersionOf(g.Gfx.Value); ok && v >= 10_00_00 {
		cus /= 2
	}
	if cus <= 64 {
		return gfx + "_" + strconv.Itoa(cus)
	}
	return gfx + strconv.FormatInt(int64(cus), 16)
}

// MIOpenConcerns reports whether a database belongs to a GPU of this machine, as
// programs see it. Where no gfx is known, every database may.
func (m *Machine) MIOpenConcerns(name string) bool { return m.MIOpenFilter()(name) }

// MIOpenFilter is MIOpenConcerns for many names.
func (m *Machine) MIOpenFilter() func(name string) bool {
	var ours []string
	for _, g := range m.AMDGPUs() {
		ours = append(ours, m.EffectiveGfx(g), g.Gfx.Value)
	}
	ours = slices.DeleteFunc(ours, func(gfx string) bool { return gfx == "" })
	slices.Sort(ours)
	ours = slices.Compact(ours)
	return func(name string) bool {
		return len(ours) == 0 || slices.ContainsFunc(ours, func(gfx string) bool {
			rest, found := strings.CutPrefix(name, gfx)
			return found && (rest == "" || strings.ContainsAny(rest[:1], "_.") || unitsInHex(rest))
		})
	}
}

// unitsInHex reports whether a name goes on with a count of more than 64 compute
// units in hex. The longest gfx names have no digit to spare: gfx90a6e is gfx90a.
func unitsInHex(rest string) bool {
	digits, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(digits, 16, 16)
	return err == nil && n > 64
}
