package rocm

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Release is one release of ROCm for Linux.
type Release struct {
	Version       string
	Date          string
	Stream        string   // legacy, a preview of TheRock, or the ROCm Core SDK built by it
	Gfx           []string // AMD's list of supported GPUs; empty where none was published
	Deprecated    []string
	Sonames       map[string]int // the number after .so by library
	InstallPrefix string         `json:"prefix"`
	Driver        string         // the amdgpu-dkms versions it is tested with
	Libraries     map[string]string
	Notes         []string
	Provenance
}

// lists reports whether AMD's list has the GPU, deprecated or not.
func (r Release) lists(gfx string) bool {
	return slices.Contains(r.Gfx, gfx) || slices.Contains(r.Deprecated, gfx)
}

// Soname says which number a library carries after .so, by ROCm version ("6.x", ">=6.4").
type Soname struct {
	Library string
	Majors  map[string]int
	Provenance
}

// DriverVersion is a version of AMD's own driver package, amdgpu-dkms. A driver that came with the kernel has no such
// number and is judged by the kernel's version.
type DriverVersion struct {
	Driver     string
	ROCm       string // the release it was published with, not a limit
	Inferred   bool   // ROCm is deduced from neighbouring rows
	Compatible string // the releases stated as compatible at that time
	Provenance
}

type releaseTable struct {
	newest      string
	releases    []Release
	coverage    []coverageRow
	regressions []Regression
	drivers     []DriverVersion
	pairing     statement
}

// releaseFile is the embedded table.
type releaseFile struct {
	Newest      string
	Pairing     statement `json:"driver_pairing"`
	Releases    []Release
	Coverage    []coverageRow
	Regressions []Regression
	Drivers     []DriverVersion
}

// sonameFile is the embedded table.
type sonameFile struct {
	Sonames []Soname
}

var knownSonames = sync.OnceValue(func() []Soname { return load[sonameFile]("sonames").Sonames })

var knownReleases = sync.OnceValue(loadReleases)

func loadReleases() releaseTable {
	file := load[releaseFile]("releases")
	return releaseTable{
		newest:      file.Newest,
		releases:    file.Releases,
		coverage:    file.Coverage,
		regressions: file.Regressions,
		drivers:     file.Drivers,
		pairing:     file.Pairing,
	}
}

// Releases are all known releases, oldest version first. Dates do not follow versions: 7.14.1 came after 10.0.0.
func Releases() []Release { return slices.Clone(knownReleases().releases) }

// NewestRelease is the newest release known.
func NewestRelease() Release {
	r, _ := LookupRelease(knownReleases().newest)
	return r
}

// LookupRelease finds a release: "7.2.1" exactly, "7.2" means 7.2.0. A build number as in /opt/rocm/.info/version
// ("6.2.0-66") is ignored.
func LookupRelease(version string) (Release, bool) {
	version, ok := fullVersion(version)
	if !ok {
		return Release{}, false
	}
	return find(knownReleases().releases, func(r Release) bool { return r.Version == version })
}

// fullVersion brings a ROCm version into the form of the tables, three numbers.
func fullVersion(version string) (string, bool) {
	version, _, _ = strings.Cut(strings.TrimSpace(version), "-")
	parts := strings.Split(version, ".")
	if len(parts) == 2 {
		parts = append(parts, "0")
	}
	if len(parts) != 3 {
		return "", false
	}
	for _, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 16); err != nil {
			return "", false
		}
	}
	return strings.Join(parts, "."), true
}

// SonameMajor is the number that a library carries in a release: "6.4" or "6.4.43484" is one.
func SonameMajor(library, version string) (int, bool) {
	for _, s := range knownSonames() {
		if s.Library != library {
			continue
		}
		for span, major := range s.Majors {
			if inSpan(version, span) {
				return major, true
			}
		}
	}
	return 0, false
}

// inSpan compares the first two numbers of a version with a span of the table: "5.7", "6.x", "<=6.3", ">=6.4", "10.0+".
func inSpan(version, span string) bool {
	have, ok := twoNumbers(version)
	bound, exact := twoNumbers(strings.Trim(span, "<=>+"))
	switch {
	case !ok:
		return false
	case strings.HasSuffix(span, ".x"):
		want, _ := twoNumbers(strings.Replace(span, ".x", ".0", 1))
		return have/1000 == want/1000
	case !exact:
		return false
	case strings.HasPrefix(span, "<="):
		return have <= bound
	case strings.HasPrefix(span, ">="), strings.HasSuffix(span, "+"):
		return have >= bound
	}
	return have == bound
}

func twoNumbers(version string) (int, bool) {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	return a*1000 + b, errA == nil && errB == nil
}

// Sonames are the numbers that ROCm's libraries carry after .so.
func Sonames() []Soname { return slices.Clone(knownSonames()) }

// DriverVersions are the known versions of amdgpu-dkms, oldest first.
func DriverVersions() []DriverVersion { return slices.Clone(knownReleases().drivers) }

// DriverPairing is AMD's rule which driver and user space work together.
func DriverPairing() (rule string, from Provenance) {
	return knownReleases().pairing.Text, knownReleases().pairing.Provenance
}
