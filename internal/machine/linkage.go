package machine

// A Linkage is what the loader would do with the files that use ROCm.
type Linkage struct {
	Files []Linked `json:"files"`
	// Plain is what a program without a search path of its own would get: the HIP
	// runtime, by each number that is installed.
	Plain []LinkedLibrary `json:"plain,omitempty"`
	// Pointers are the folders of ROCm that variables name.
	Pointers []Pointer `json:"pointers,omitempty"`
	Left     int       `json:"left,omitempty"` // files that were not looked at
}

// A Linked file is a library or module that uses ROCm.
type Linked struct {
	Path     string           `json:"path"`
	Software string           `json:"software"`           // "ROCm 7.2.0", "torch 2.9.1+rocm6.4", "ctranslate2"
	Root     string           `json:"root"`               // the folder that it came with
	How      string           `json:"how,omitempty"`      // how that ROCm was installed
	Optional bool             `json:"optional,omitempty"` // its software works without it
	Gets     []LinkedLibrary  `json:"gets,omitempty"`     // libraries of ROCm, in the order of loading
	Missing  []MissingLibrary `json:"missing,omitempty"`
	Refused  []RefusedLibrary `json:"refused,omitempty"`
	Words    []LoaderWords    `json:"words,omitempty"`   // what the loader would say of versions and symbols
	Comgr    Fact[string]     `json:"comgr,omitzero"`    // what the HIP runtime among them, its source, finds with dlopen
	NoComgr  MissingLibrary   `json:"no_comgr,omitzero"` // how it was looked for, where it is absent
	Unseen   string           `json:"unseen,omitempty"`  // why not all of it is known
}

// A LinkedLibrary is a library of ROCm that would be loaded.
type LinkedLibrary struct {
	Name string `json:"name"` // the name it goes by, "libamdhip64.so.6"
	Path string `json:"path"` // as it was found
	Real string `json:"real"` // without links, "/opt/rocm-6.4.0/lib/libamdhip64.so.6.4.43484"
	How  string `json:"how"`
}

// A MissingLibrary is one that the loader does not find.
type MissingLibrary struct {
	Name     string   `json:"name"`
	Chain    []string `json:"chain"` // from the file to who asks
	Searched []string `json:"searched,omitempty"`
	Lies     []string `json:"lies,omitempty"`   // in folders that ldconfig knows of, and was not run since
	Beside   []string `json:"beside,omitempty"` // in folders of a ROCm that is installed
}

// A RefusedLibrary is a file that the loader finds and cannot use.
type RefusedLibrary struct {
	Path string `json:"path"`
	By   string `json:"by"`
	Why  string `json:"why"`
}

// LoaderWords are a complaint as the loader would print it.
type LoaderWords struct {
	Text string `json:"text"`
	Path string `json:"path"` // the library that does not have it
	By   string `json:"by"`
}

// A Pointer is a folder of ROCm that a variable names.
type Pointer struct {
	Variable string     `json:"variable"`
	Path     string     `json:"path"` // as written
	Real     string     `json:"real"`
	There    Fact[bool] `json:"there"` // the installation that it is in
}
