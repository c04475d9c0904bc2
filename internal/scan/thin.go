package scan

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// maxOutside bounds the members of one thin archive: the largest libraries are
// made of some thousand object files.
const maxOutside = 20_000

var errNoPlainFile = errors.New("it is no plain file")

// outside looks at the members of a thin archive, which holds their names only.
// They are relative to the archive's folder, and may lead out of it, as in
// ../obj/a.o. Those of an archive within another one cannot be found.
func (s *scanner) outside(archive string, members []string) {
	if len(members) > 0 && strings.Contains(archive, "!") {
		s.problem(archive, "it is a thin archive, which holds names of files only, and those are not looked for from within an archive")
		return
	}
	for n, member := range members {
		if n >= maxOutside || s.files >= maxFiles {
			s.problem(archive, "it has too many members; the rest was not looked at")
			return
		}
		if err := s.member(archive, member); err != nil {
			s.problem(archive+"!"+member, "it is a member of a thin archive, and cannot be read: "+why(err))
		}
	}
}

// member looks at one file, under the name that it has as a part of the archive.
func (s *scanner) member(archive, member string) error {
	name := path.Join(path.Dir(archive), member)
	if path.IsAbs(member) {
		name = strings.TrimPrefix(path.Clean(member), "/")
	}
	if s.seen[name] && name != archive {
		return nil // by itself, or through another archive
	}
	info, err := fs.Stat(s.fsys, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNoPlainFile // a pipe or a device would make us wait
	}
	s.seen[name] = true
	s.files++
	f, src, err := s.open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	s.codes(archive+"!"+member, src)
	return nil
}
