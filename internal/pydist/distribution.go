// Package pydist reads Python environments and distributions from their files,
// without starting Python.
//
// All files are read through io/fs, so a live machine, a snapshot, a wheel and
// a map of a test are alike. Names are those of io/fs: "usr/lib/python3".
package pydist

// A Distribution is one installed package as its metadata describes it.
type Distribution struct {
	Name      string // normalised
	Version   string // as written: "2.9.1+rocm6.4"
	Path      string // of its .dist-info, .egg-info, .egg or .egg-link
	Requires  []Requirement
	Provides  []string  // extras, normalised
	Python    Specifier // Requires-Python
	Origin    Origin    // complete only after ReadOrigin
	Installer string    // pip, uv, conda, debian; only after ReadOrigin
}

// An Origin says where a distribution came from, if not from an index.
type Origin struct {
	URL      string
	Editable bool   // its code stands in a folder that somebody works in
	Commit   string // of its version control
}

// A Fault is something in a site that is not as it should be. What it is about
// is skipped unless the kind says otherwise.
type Fault struct {
	Path string
	What string // a clause without a subject: "has no METADATA"
	Kind FaultKind
}

// A FaultKind says what sort of fault it is.
type FaultKind string

// The kinds of faults.
const (
	HalfRemoved    FaultKind = "half-removed"     // a .dist-info without METADATA
	Leftover       FaultKind = "leftover"         // pip's name for what it was about to delete
	NotAFolder     FaultKind = "not-a-folder"     // a .dist-info that is a file
	BrokenLink     FaultKind = "broken-link"      // a link to nothing, or in a circle
	Unreadable     FaultKind = "unreadable"       // metadata that the system does not give out
	Binary         FaultKind = "binary"           // metadata that is no text
	Oversized      FaultKind = "oversized"        // more than is sensible, or read
	CutShort       FaultKind = "cut-short"        // metadata without an end; its last line is not used, the rest is
	Incomplete     FaultKind = "incomplete"       // metadata without a name or a version
	Disagreement   FaultKind = "disagreement"     // folder and metadata name two things; the metadata counts
	Duplicate      FaultKind = "duplicate"        // two of one package; both are listed
	ZippedEgg      FaultKind = "zipped-egg"       // a package that was never unpacked; not opened
	BadVersion     FaultKind = "bad-version"      // no version of PEP 440; listed, and never compared
	BadRequirement FaultKind = "bad-requirement"  // it does not apply; the distribution is listed
	TooMany        FaultKind = "too-many-entries" // the rest of the site was not read
)
