package survey

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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

	listed    map[string][]string // names by folder
	libraries []string
	faults    []machine.PythonFault
}

func (b *buildReader) read() machine.Fact[machine.PythonBuild] {
	metadata := machine.Source(b.files.join(b.site, path.Base(b.dist.Path)))
	build := b.told(metadata)
	if b.row.Says == "" {
		return b.otherwise(build, metadata)
	}
	said, err := b.said()
	switch {
	case err == nil:
		return b.agreed(said, build)
	case errors.Is(err, fs.ErrNotExist) && b.dist.Origin.Editable:
		return machine.Unknown[machine.PythonBuild](metadata, "its code lies in another folder, where somebody works on it")
	case errors.Is(err, fs.ErrNotExist):
		b.faults = append(b.faults, machine.PythonFault{Path: b.files.join(b.site, b.row.Says), What: "is missing: only the metadata of the package is left"})
	}
	return machine.Unknown[machine.PythonBuild](machine.Source(b.files.join(b.site, b.row.Says)), reason(err))
}

// told is what name and version tell; not known where they tell nothing.
func (b *buildReader) told(from machine.Source) machine.Fact[machine.PythonBuild] {
	if b.named != "" {
		return machine.Know(machine.PythonBuild{Kind: b.named}, from)
	}
	kind, release, ok := rocm.LocalBuild(b.dist.Version)
	if !ok {
		return machine.Fact[machine.PythonBuild]{}
	}
	build := machine.PythonBuild{Kind: kind}
	switch kind {
	case rocm.BuildROCm:
		build.ROCm = release
	case rocm.BuildCUDA:
		build.CUDA = release
	}
	return machine.Know(build, from)
}

// otherwise is for a package that has no file to say it: its libraries, and last
// what PyPI serves under such a version.
func (b *buildReader) otherwise(told machine.Fact[machine.PythonBuild], metadata machine.Source) machine.Fact[machine.PythonBuild] {
	byFile, from := b.byFiles()
	switch {
	case told.Known():
		return told
	case byFile != "":
		return know(byFile, from, "is there")
	}
	if kind, from, library := b.byNeeds(); kind != "" {
		return know(kind, from, "asks for "+library)
	}
	if plain := b.row.Plain[b.r.OS()]; plain != "" && !strings.Contains(b.dist.Version, "+") && !b.dist.Origin.Editable {
		build := know(plain, metadata, b.dist.Version+" without a local part, as on PyPI")
		build.Value.Inferred = true
		return build
	}
	return machine.Unknown[machine.PythonBuild](metadata, "neither its version nor its files tell which GPUs it is built for")
}

// agreed takes the word of the build, and notes where the version in the metadata
// or the libraries beside it are of another one.
func (b *buildReader) agreed(said said, told machine.Fact[machine.PythonBuild]) machine.Fact[machine.PythonBuild] {
	build := said.build
	if told.Known() && told.Value.Kind == build.Kind {
		build.ROCm = told.Value.ROCm
	}
	if build.Kind == rocm.BuildROCm {
		build.ROCm = cmp.Or(build.ROCm, shortVersion(build.HIP))
	}
	byFile, from := b.byFiles()
	release, _, _ := strings.Cut(b.dist.Version, "+")
	saidRelease, _, _ := strings.Cut(said.version, "+")
	switch {
	case told.Known() && told.Value.Kind != build.Kind:
		build.Mixed = fmt.Sprintf("%s is of a build for %s, and the metadata says %s", b.row.Says, build.Kind, b.dist.Version)
	case byFile != "" && byFile != build.Kind:
		build.Mixed = fmt.Sprintf("%s is of a build for %s, and the libraries are of one for %s", b.row.Says, build.Kind, byFile)
		build.Evidence = append(build.Evidence, machine.Evidence{From: from, Text: "is there"})
	case said.version != "" && saidRelease != release:
		build.Mixed = fmt.Sprintf("%s is of version %s, and the metadata says %s", b.row.Says, said.version, b.dist.Version)
	}
	return machine.Know(build, said.from)
}

func know(kind rocm.BuildKind, from machine.Source, text string) machine.Fact[machine.PythonBuild] {
	return machine.Know(machine.PythonBuild{Kind: kind, Evidence: []machine.Evidence{{From: from, Text: text}}}, from)
}

// said is what a build says of itself.
type said struct {
	build   machine.PythonBuild
	version string
	from    machine.Source
}

// said reads the file in which the build says what it is made for, and compares
// its size with the one in the list of installed files. That of a package which
// somebody works on lies in their folder.
func (b *buildReader) said() (said, error) {
	file := b.files.join(b.site, b.row.Says)
	data, err := b.r.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && b.dist.Origin.Editable {
		folder, _ := strings.CutPrefix(b.dist.Origin.URL, "file://")
		if path.IsAbs(folder) {
			file = b.files.join(folder, b.row.Says)
			data, err = b.r.ReadFile(file)
		}
	}
	if err != nil {
		return said{}, err
	}
	b.compareSize(file, len(data))
	out, ok := parseVersionFile(string(data))
	if !ok {
		return said{}, errors.New("it names neither CUDA nor HIP")
	}
	out.from = machine.Source(file)
	out.build.Evidence = []machine.Evidence{{From: out.from, Text: fmt.Sprintf("cuda = %s, hip = %s", cmp.Or(out.build.CUDA, "None"), cmp.Or(out.build.HIP, "None"))}}
	return out, nil
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
func parseVersionFile(s string) (said, bool) {
	out := said{build: machine.PythonBuild{Kind: rocm.BuildCPU}}
	seen := false
	for line := range strings.Lines(s) {
		name, text, ok := strings.Cut(line, "=")
		name, _, _ = strings.Cut(name, ":")
		value, isLiteral := literal(text)
		if !ok || !isLiteral {
			continue
		}
		switch strings.TrimSpace(name) {
		case "__version__":
			out.version = value
		case "hip":
			seen = true
			if value != "" {
				out.build.Kind, out.build.HIP = rocm.BuildROCm, value
			}
		case "cuda":
			seen = true
			if value != "" && out.build.Kind != rocm.BuildROCm {
				out.build.Kind, out.build.CUDA = rocm.BuildCUDA, value
			}
		case "xpu":
			if value != "" && out.build.Kind == rocm.BuildCPU {
				out.build.Kind = rocm.BuildXPU
			}
		}
	}
	return out, seen
}

// literal reads a string or None at the beginning of a text; what follows may be
// a comment. None is "".
func literal(text string) (string, bool) {
	const most = 64
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "None"); ok {
		rest = strings.TrimSpace(rest)
		return "", rest == "" || strings.HasPrefix(rest, "#")
	}
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return "", false
	}
	value, _, ok := strings.Cut(text[1:], text[:1])
	return value, ok && readable(value) && len(value) <= most
}

// byFiles looks for the files that give a build away, a list of each folder at
// most once; libraries for ROCm outweigh those for CUDA beside them.
func (b *buildReader) byFiles() (rocm.BuildKind, machine.Source) {
	for _, kind := range []rocm.BuildKind{rocm.BuildROCm, rocm.BuildCUDA} {
		var found []string
		for _, pattern := range b.row.Files[kind] {
			found = append(found, b.matches(pattern)...)
		}
		if len(found) == 0 {
			continue
		}
		const most = 64
		for _, file := range found[:min(len(found), most)] {
			b.libraries = append(b.libraries, file[strings.LastIndexAny(file, `/\`)+1:])
		}
		return kind, machine.Source(found[0])
	}
	return "", ""
}

// byNeeds asks the package's own binaries for the libraries that they load.
func (b *buildReader) byNeeds() (kind rocm.BuildKind, from machine.Source, library string) {
	for _, pattern := range b.row.Binaries {
		for _, file := range b.matches(pattern) {
			list, err := needs(b.r, file)
			if linkage.Refused(err) {
				b.faults = append(b.faults, machine.PythonFault{Path: file, What: "cannot be loaded: " + reason(err)})
			}
			for _, need := range list {
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
	if _, known := b.listed[dir]; !known {
		b.listed[dir] = list(b.r, dir).Value
	}
	var out []string
	for _, name := range b.listed[dir] {
		if ok, _ := path.Match(path.Base(pattern), name); ok {
			out = append(out, b.files.join(dir, name))
		}
	}
	return out
}

// needs are the libraries that a binary asks the loader for.
func needs(r host.Reader, file string) ([]string, error) {
	f, src, err := inParts(r, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	read := linkage.ReadELF
	if r.OS() == "windows" {
		read = linkage.ReadPE
	}
	binary, err := read(src, file)
	return binary.Needs, err
}

// inParts opens a file of the machine to be read in parts.
func inParts(r host.Reader, file string) (io.Closer, *io.SectionReader, error) {
	f, err := host.Files(r).Open(host.FileName(r.OS(), file))
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	src, ok := f.(io.ReaderAt)
	if err != nil || !ok {
		return nil, nil, errors.Join(err, f.Close(), fs.ErrInvalid)
	}
	return f, io.NewSectionReader(src, 0, info.Size()), nil
}
