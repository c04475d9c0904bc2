package pydist

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Site is one folder of packages (site-packages, dist-packages).
type Site struct {
	Path          string
	Distributions []Distribution // sorted by name, then by path
	Faults        []Fault        // sorted by path
}

// maxEntries bounds what is taken from one folder.
const maxEntries = 100_000

// List reads a site from the names in its folder alone, so names and versions
// are those of the folders. It asks once for the folder, and once more for each
// entry that is a link.
func List(fsys fs.FS, dir string) (Site, error) {
	s := Site{Path: dir}
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return s, fmt.Errorf("read %s: %w", dir, err)
	}
	if len(entries) > maxEntries {
		s.fault(dir, TooMany, fmt.Sprintf("has %d entries; %d were read", len(entries), maxEntries))
		entries = entries[:maxEntries]
	}
	editable := map[string]bool{}
	for _, e := range entries {
		if name, ok := editableName(e.Name()); ok {
			editable[name] = true
			continue
		}
		s.take(fsys, e)
	}
	for i := range s.Distributions {
		d := &s.Distributions[i]
		d.Origin.Editable = d.Origin.Editable || editable[d.Name]
	}
	s.settle()
	return s, nil
}

// editableName reads "__editable__.foo-1.0.pth", which setuptools writes beside
// an editable install.
func editableName(file string) (string, bool) {
	stem, found := strings.CutPrefix(file, "__editable__.")
	if !found {
		return "", false
	}
	stem, found = strings.CutSuffix(stem, ".pth")
	name, _ := splitDistInfo(stem)
	return Normalize(name), found
}

// take files one entry of the folder; most are no distributions.
func (s *Site) take(fsys fs.FS, e fs.DirEntry) {
	name := e.Name()
	at := path.Join(s.Path, name)
	if strings.HasPrefix(name, "~") {
		s.fault(at, Leftover, "was left over by an uninstall that was interrupted")
		return
	}
	stem, ext := cutExt(name)
	if ext == "" {
		return
	}
	isDir := e.IsDir()
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := fs.Stat(fsys, at)
		if err != nil {
			s.fault(at, BrokenLink, "is a link that leads nowhere")
			return
		}
		isDir = info.IsDir()
	}
	s.add(at, stem, ext, isDir)
}

const (
	distInfo = ".dist-info"
	eggInfo  = ".egg-info"
	egg      = ".egg"
	eggLink  = ".egg-link"
)

// cutExt separates the ending that makes an entry a distribution, if any.
func cutExt(name string) (stem, ext string) {
	for _, ext := range []string{distInfo, eggInfo, egg, eggLink} {
		if stem, found := strings.CutSuffix(name, ext); found && stem != "" {
			return stem, ext
		}
	}
	return name, ""
}

// add files what looks like a distribution.
func (s *Site) add(at, stem, ext string, isDir bool) {
	d := Distribution{Path: at}
	switch {
	case ext == distInfo && !isDir:
		s.fault(at, NotAFolder, "is a file; it should be a folder")
		return
	case ext == egg && !isDir:
		s.fault(at, ZippedEgg, "is a zipped egg, which is not opened")
		return
	case ext == eggLink && isDir:
		return
	case ext == distInfo:
		d.Name, d.Version = splitDistInfo(stem)
	case ext == eggLink:
		d.Name, d.Origin.Editable = stem, true
	default:
		d.Name, d.Version = splitEggInfo(stem)
	}
	d.Name = Normalize(d.Name)
	s.Distributions = append(s.Distributions, d)
}

func (s *Site) fault(at string, kind FaultKind, what string) {
	s.Faults = append(s.Faults, Fault{Path: at, What: what, Kind: kind})
}

// settle sorts the site and names packages that are there twice.
func (s *Site) settle() {
	slices.SortFunc(s.Distributions, func(a, b Distribution) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	s.Faults = slices.DeleteFunc(s.Faults, func(f Fault) bool { return f.Kind == Duplicate })
	for i := 1; i < len(s.Distributions); i++ {
		first, second := s.Distributions[i-1], s.Distributions[i]
		if first.Name == second.Name && !sameTwice(first, second) {
			s.fault(second.Path, Duplicate, "is there twice: also as "+path.Base(first.Path))
		}
	}
	slices.SortStableFunc(s.Faults, func(a, b Fault) int { return strings.Compare(a.Path, b.Path) })
}

// sameTwice tells whether two entries mean one installation: Debian leaves an
// .egg-info beside a .dist-info, "pip install -e" of old an .egg-link.
func sameTwice(a, b Distribution) bool {
	if path.Ext(a.Path) == distInfo && path.Ext(b.Path) == distInfo {
		return false
	}
	return a.Version == "" || b.Version == "" || a.Version == b.Version
}
