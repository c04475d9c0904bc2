package machine

// Memory is the memory of the machine, and how much of it a GPU may map. A
// page is 4 KiB on every machine that AMD builds an APU for (rocm.PageSize).
type Memory struct {
	Total Fact[int64] `json:"total"` // bytes that the system manages; a carve-out is not among them
	// TTM and AMDTTM are the live limits, in pages, of the part that maps system
	// memory for GPUs: the kernel's own, and that of AMD's driver package. Absent:
	// that module is not loaded, or older than its limit.
	TTM    Fact[int64] `json:"ttm_pages_limit"`
	AMDTTM Fact[int64] `json:"amdttm_pages_limit"`
}
