package pydist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// maxMetadata is what is read of one file. The largest METADATA with a readme
// in it has some 100 KB.
const maxMetadata = 4 << 20

// ReadMetadata completes the distributions of a site from METADATA, or PKG-INFO
// of eggs. What cannot be used leaves the list and becomes a fault. Reading
// waits for the disk, so several files are read at once.
func (s *Site) ReadMetadata(fsys fs.FS) {
	faults := make([][]Fault, len(s.Distributions))
	usable := make([]bool, len(s.Distributions))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(4*runtime.GOMAXPROCS(0), len(s.Distributions)) {
		readers.Go(func() {
			seen := make(markers)
			for i := int(next.Add(1)) - 1; i < len(faults); i = int(next.Add(1)) - 1 {
				r := reading{fsys: fsys, dist: &s.Distributions[i], seen: seen}
				usable[i] = r.read()
				faults[i] = r.faults
			}
		})
	}
	readers.Wait()
	s.Faults = slices.Concat(append(faults, s.Faults)...)
	kept := s.Distributions[:0]
	for i, d := range s.Distributions {
		if usable[i] {
			kept = append(kept, d)
		}
	}
	s.Distributions = kept
	s.settle()
}

// A reading completes one distribution.
type reading struct {
	fsys   fs.FS
	dist   *Distribution
	seen   markers
	faults []Fault
}

// read tells whether the distribution can be used.
func (r *reading) read() bool {
	file, extra, ok := r.files()
	if !ok {
		return false
	}
	data, err := readBounded(r.fsys, file)
	if err != nil {
		r.unread(file, err)
		return false
	}
	m := parseMetadata(data)
	if !r.judge(file, m) {
		return false
	}
	r.identify(file, m)
	r.requirements(file, m.requires)
	if extra != "" && len(m.requires) == 0 {
		r.requiresTxt(extra)
	}
	for _, extra := range m.provides {
		r.dist.Provides = append(r.dist.Provides, Normalize(extra))
	}
	if r.dist.Python, err = ParseSpecifier(m.python); err != nil {
		r.fault(file, BadRequirement, "has a Requires-Python that cannot be understood: "+err.Error())
	}
	return true
}

// files names the metadata and, for eggs, the file of their requirements.
func (r *reading) files() (metadata, requires string, ok bool) {
	at := r.dist.Path
	switch path.Ext(at) {
	case distInfo:
		return path.Join(at, "METADATA"), "", true
	case egg:
		return path.Join(at, "EGG-INFO/PKG-INFO"), path.Join(at, "EGG-INFO/requires.txt"), true
	case eggLink:
		target, err := followEggLink(r.fsys, at)
		if err != nil {
			r.fault(at, BrokenLink, "leads nowhere: "+err.Error())
			return "", "", false
		}
		at = target
	default:
		// distutils, which Debian used for long, wrote PKG-INFO itself here.
		if info, err := fs.Stat(r.fsys, at); err == nil && !info.IsDir() {
			return at, "", true
		}
	}
	return path.Join(at, "PKG-INFO"), path.Join(at, "requires.txt"), true
}

func (r *reading) fault(at string, kind FaultKind, what string) {
	r.faults = append(r.faults, Fault{Path: at, What: what, Kind: kind})
}

// unread names why a file was not read.
func (r *reading) unread(file string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		r.fault(r.dist.Path, HalfRemoved, "has no "+path.Base(file))
		return
	}
	// Whoever hands us the files may have a bound of their own.
	info, statErr := fs.Stat(r.fsys, file)
	if errors.Is(err, errOversized) || statErr == nil && info.Size() > maxMetadata {
		r.fault(file, Oversized, "is larger than 4 MiB")
		return
	}
	r.fault(file, Unreadable, "cannot be read: "+err.Error())
}

// judge names what is wrong with the file as a whole.
func (r *reading) judge(file string, m metadata) bool {
	switch {
	case m.binary:
		r.fault(file, Binary, "is no text")
		return false
	case !m.ended:
		r.fault(file, CutShort, "ends in the middle of a line")
	case m.tooMuch:
		r.fault(file, Oversized, "has more or longer headers than are read")
	}
	if !isName(m.name) || m.version == "" || len(m.version) > maxVersion {
		r.fault(file, Incomplete, "lacks a name or a version")
		return false
	}
	return true
}

// identify takes name and version from the metadata, as Python does, and
// compares them with the name of the folder.
func (r *reading) identify(file string, m metadata) {
	d := r.dist
	name, version := d.Name, d.Version
	d.Name, d.Version = Normalize(m.name), m.version
	if !sameRelease(name, version, d.Name, d.Version) {
		r.fault(file, Disagreement, fmt.Sprintf("describes %s %s, and its folder is %s", d.Name, d.Version, path.Base(d.Path)))
	}
	if _, ok := parseVersion(d.Version); !ok {
		r.fault(file, BadVersion, fmt.Sprintf("has a version that is none: %q", clip(d.Version)))
	}
}

// sameRelease compares a folder's name with metadata. Tools escape versions in
// different ways; some folders name none.
func sameRelease(name, version, realName, realVersion string) bool {
	const escaped = "-_.+"
	if squeeze(name+"-"+version, escaped) == squeeze(realName+"-"+realVersion, escaped) {
		return true
	}
	if name != realName {
		return false
	}
	a, isVersion := parseVersion(version)
	b, isOther := parseVersion(realVersion)
	return version == "" || isVersion && isOther && a.compare(b) == 0
}

func (r *reading) requirements(file string, texts []string) {
	r.dist.Requires = make([]Requirement, 0, len(texts))
	for _, text := range texts {
		requirement, err := parseRequirement(text, r.seen)
		if err != nil {
			r.fault(file, BadRequirement, fmt.Sprintf("has a requirement that cannot be understood: %q: %v", clip(text), err))
			continue
		}
		r.dist.Requires = append(r.dist.Requires, requirement)
	}
}

// requiresTxt reads what eggs keep in a file of its own; most have none.
func (r *reading) requiresTxt(file string) {
	data, err := readBounded(r.fsys, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		r.fault(file, Unreadable, "cannot be read: "+err.Error())
	default:
		r.requirements(file, parseRequiresTxt(data))
	}
}

var errOversized = errors.New("it is larger than 4 MiB")

// readBounded reads a file of at most maxMetadata bytes. A file system that
// reads whole files is asked for one: a recorder keeps it as such.
func readBounded(fsys fs.FS, name string) ([]byte, error) {
	if whole, ok := fsys.(fs.ReadFileFS); ok {
		data, err := whole.ReadFile(name)
		if err == nil && len(data) > maxMetadata {
			return nil, errOversized
		}
		return data, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMetadata+1))
	if err == nil && len(data) > maxMetadata {
		return nil, errOversized
	}
	return data, err
}
