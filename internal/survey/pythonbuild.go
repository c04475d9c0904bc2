package survey

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/linkage"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// files joins paths as the system of the machine does.
type files struct{ r host.Reader }

func (f files) join(dir, name string) string {
	if f.r.OS() == "windows" {
		return dir + `\` + strings.ReplaceAll(name, "/", `\`)
	}
	return path.Join(dir, name)
}

// A buildReader finds out what a build of a package is made for. What the build
// says of itself counts before its version, and that before its files: the first
// is what is imported.
type buildReader struct {
	r     host.Reader
	files files
	site  string
	dist  pydist.Distribution
	row   rocm.PythonPackage
	named rocm.BuildKind // where the name of the distribution tells

	libraries []string
	faults    []machine.PythonFault
}

func (b *buildReader) read() machine.Fact[machine.PythonBuild] {
	metadata := machine.Source(b.files.join(b.site, path.Base(b.dist.Path)))
	local, release, hasLocal := rocm.LocalBuild(b.dist.Version)
	byFile, fileSource := b.byFiles()
	if said, from, ok := b.said(); ok {
		if hasLocal && local != said.Kind {
			b.faults = append(b.faults, machine.PythonFault{Path: string(from), What: fmt.Sprintf("is of a build for %s, and the metadata says %s: one build was written over another", said.Kind, b.dist.Version)})
		}
		said.ROCm = cmp.Or(said.ROCm, shortVersion(said.HIP))
		if local == rocm.BuildROCm {
			said.ROCm = release
		}
		return machine.Know(said, from)
	}
	switch {
	case b.named != "":
		return machine.Know(machine.PythonBuild{Kind: b.named}, metadata)
	case hasLocal:
		build := machine.Know(machine.PythonBuild{Kind: local}, metadata)
		if local == rocm.BuildROCm {
			build.Value.ROCm = release
		}
		if local == rocm.BuildCUDA {
			build.Value.CUDA = release
		}
		return build
	case byFile != "":
		return know(byFile, fileSource, "is there")
	}
	if kind, from, library := b.byNeeds(); kind != "" {
		return know(kind, from, "asks for "+library)
	}
	if plain := b.row.Plain[b.r.OS()]; plain != "" && !strings.Contains(b.dist.Version, "+") {
		build := know(plain, metadata, b.dist.Version+" without a local part, as on PyPI")
		build.Why = "inferred from its version"
		return build
	}
	return machine.Unknown[machine.PythonBuild](metadata, "neither its version nor its files tell which GPUs it is built for")
}

func know(kind rocm.BuildKind, from machine.Source, text string) machine.Fact[machine.PythonBuild] {
	return machine.Know(machine.PythonBuild{Kind: kind, Evidence: []machine.Evidence{{From: from, Text: text}}}, from)
}

// said reads the file in which the build says what it is made for, and compares
// its size with the one in the list of installed files.
func (b *buildReader) said() (machine.PythonBuild, machine.Source, bool) {
	if b.row.Says == "" {
		return machine.PythonBuild{}, "", false
	}
	file := b.files.join(b.site, b.row.Says)
	data, err := b.r.ReadFile(file)
	if err != nil {
		return machine.PythonBuild{}, "", false
	}
	b.compareSize(file, len(data))
	build, ok := parseVersionFile(string(data))
	build.Evidence = []machine.Evidence{{From: machine.Source(file), Text: fmt.Sprintf("cuda = %s, hip = %s", cmp.Or(build.CUDA, "None"), cmp.Or(build.HIP, "None"))}}
	return build, machine.Source(file), ok
}

func (b *buildReader) compareSize(file string, size int) {
	record := b.files.join(b.files.join(b.site, path.Base(b.dist.Path)), "RECORD")
	data, err := b.r.ReadFile(record)
	if err != nil {
		return
	}
	if want, ok := recordedSize(string(data), b.row.Says); ok && want != size {
		b.faults = append(b.faults, machine.PythonFault{Path: file, What: fmt.Sprintf("has %d bytes, and %d when it was installed: another package was written over it", size, want)})
	}
}

// recordedSize finds the size of a file in RECORD, lines of "path,hash,size".
func recordedSize(record, file string) (int, bool) {
	for line := range strings.Lines(record) {
		rest, ok := strings.CutPrefix(line, file+",")
		if !ok {
			continue
		}
		size, err := strconv.Atoi(strings.TrimSpace(rest[strings.LastIndex(rest, ",")+1:]))
		return size, err == nil && size >= 0
	}
	return 0, false
}

// parseVersionFile reads torch/version.py: "hip: Optional[str] = '6.4.43482'",
// "cuda = None". A file that names neither tells nothing.
func parseVersionFile(s string) (machine.PythonBuild, bool) {
	build := machine.PythonBuild{Kind: rocm.BuildCPU}
	seen := false
	for line := range strings.Lines(s) {
		name, value, ok := strings.Cut(line, "=")
		name, _, _ = strings.Cut(name, ":")
		name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `'"`)
		if !ok || name != "hip" && name != "cuda" || !readable(value) || len(value) > 64 {
			continue
		}
		seen = true
		switch {
		case value == "None" || value == "":
		case name == "hip":
			build.Kind, build.HIP = rocm.BuildROCm, value
		case build.Kind != rocm.BuildROCm:
			build.Kind, build.CUDA = rocm.BuildCUDA, value
		}
	}
	return build, seen
}

// byFiles looks for the files that give a build away, a list of each folder at
// most once; libraries for ROCm outweigh those for CUDA beside them.
func (b *buildReader) byFiles() (rocm.BuildKind, machine.Source) {
	listed := map[string][]string{}
	for _, kind := range []rocm.BuildKind{rocm.BuildROCm, rocm.BuildCUDA} {
		for _, pattern := range b.row.Files[kind] {
			dir := path.Dir(pattern)
			if _, known := listed[dir]; !known {
				listed[dir] = list(b.r, b.files.join(b.site, dir)).Value
			}
			for _, name := range listed[dir] {
				if ok, _ := path.Match(path.Base(pattern), name); ok {
					b.libraries = append(b.libraries, name)
				}
			}
		}
		if len(b.libraries) > 0 {
			const most = 16
			slices.Sort(b.libraries)
			b.libraries = b.libraries[:min(len(b.libraries), most)]
			dir := path.Dir(b.row.Files[kind][0])
			return kind, machine.Source(b.files.join(b.site, path.Join(dir, b.libraries[0])))
		}
	}
	return "", ""
}

// byNeeds asks the package's own binaries for the libraries that they load.
func (b *buildReader) byNeeds() (kind rocm.BuildKind, from machine.Source, library string) {
	for _, pattern := range b.row.Binaries {
		for _, file := range b.matches(pattern) {
			for _, need := range needs(b.r, file) {
				for _, kind := range []rocm.BuildKind{rocm.BuildROCm, rocm.BuildCUDA} {
					if hasPrefix(b.row.Needs[kind], strings.ToLower(need)) {
						return kind, machine.Source(file), need
					}
				}
			}
		}
	}
	return "", "", ""
}

// matches are the files below the folder of packages that fit a pattern.
func (b *buildReader) matches(pattern string) []string {
	dir := b.files.join(b.site, path.Dir(pattern))
	if path.Dir(pattern) == "." {
		dir = b.site
	}
	var out []string
	for _, name := range list(b.r, dir).Value {
		if ok, _ := path.Match(path.Base(pattern), name); ok {
			out = append(out, b.files.join(dir, name))
		}
	}
	return out
}

// needs are the libraries that a binary asks the loader for; none where it is no
// binary.
func needs(r host.Reader, file string) []string {
	f, err := host.Files(r).Open(host.FileName(r.OS(), file))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil
	}
	binary, err := linkage.ReadELF(at, file)
	if err != nil {
		return nil
	}
	return binary.Needs
}
