package machine

// Memory is the memory of the machine, and how much of it a GPU may map. A
// page is 4 KiB on every machine that AMD builds an APU for (rocm.PageSize).
type Memory struct {
	Total  Fact[int64] `json:"total"`  // bytes that the system manages; a carve-out is not among them
	TTM    TTM         `json:"ttm"`    // of the kernel's own driver
	AMDTTM TTM         `json:"amdttm"` // of AMD's driver package
}

// TTM is the part of a driver that maps system memory for GPUs: its live
// limits, in pages. Absent: that module is not loaded, or older than its limit.
type TTM struct {
	PagesLimit   Fact[int64] `json:"pages_limit"`
	PagePoolSize Fact[int64] `json:"page_pool_size"`
}
