package rocm

// Confidence says what kind of source a fact rests on.
type Confidence string

// The grades of knowledge, best first.
const (
	Documented Confidence = "documented"  // vendor or upstream documentation, or a maintainer's statement
	SourceCode Confidence = "source-code" // read in source code or a build script
	Community  Confidence = "community"   // reports, logs, third parties, or inferred from several sources
)

// Provenance is where a row comes from. Every row of every table embeds one, and so prints as it.
type Provenance struct {
	Source     string
	Confidence Confidence
	Unverified bool // not re-read in a source: a hint to show, never a reason to act
}

// Grade says how well the row is known, in a word.
func (p Provenance) Grade() string {
	if p.Unverified {
		return "unverified"
	}
	return string(p.Confidence)
}

// String is the form for people: "documented: ROCm/rocm-docs docs/release/versions.rst".
func (p Provenance) String() string {
	s := string(p.Confidence) + ": " + p.Source
	if p.Unverified {
		s += " (not verified)"
	}
	return s
}
