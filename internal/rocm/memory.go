package rocm

// PageSize is what the kernel counts memory in on x86-64, the only machines that AMD's APUs are built into.
const PageSize = 4096

const gibibyte = 1 << 30

// PagesFor converts GiB to pages, as the TTM limit wants them.
func PagesFor(gib int64) int64 { return gib * (gibibyte / PageSize) }

// MemoryRule is one thing to know of how the GPU of an APU comes by its memory.
type MemoryRule struct {
	ID          string
	Text        string
	KernelBelow string `json:"kernel_below"` // the first kernel that it is no longer said of
	Provenance
}

// Names of the memory rules.
const (
	MemoryPool        = "pool"           // which pool programs get
	MemoryCarveOut    = "carve-out"      // what AMD advises
	MemoryOldKernel   = "carve-out-only" // kernels that know one pool
	MemoryOfferedLess = "offered-less"   // a carve-out that programs do not get
	MemoryNearRAM     = "near-ram"       // why a limit must leave something
	MemoryPage        = "page"           // what a page is
)

// LookupMemoryRule finds a rule by its name.
func LookupMemoryRule(id string) (MemoryRule, bool) {
	return find(knownLinux().memory, func(r MemoryRule) bool { return r.ID == id })
}

// The modules that hold the TTM limit.
const (
	TTM    = "ttm"    // of the kernel's own driver
	AMDTTM = "amdttm" // of AMD's driver package
)
