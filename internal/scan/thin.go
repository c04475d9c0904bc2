package scan

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// maxOutside bounds the members of one thin archive: the largest libraries are
// made of some thousand object files.
const maxOutside = 20_000

var errNoPlainFile = errors.New("it is no plain file")

// outside looks at the members of a thin archive, which holds their names only.
// They are relative to the archive's folder, and may lead out of it, as in
// ../obj/a.o. Those of an archive within another one cannot be found.
func (l *looker) outside(archive string, members []string) {
	if len(members) > 0 && strings.Contains(archive, "!") {
		l.problem(archive, "it is a thin archive, which holds names of files only, and those are not looked for from within an archive")
		return
	}
	for n, member := range members {
		if n >= maxOutside {
			l.problem(archive, "it has too many members; the rest was not looked at")
			return
		}
		if err := l.member(archive, member); err != nil {
			l.problem(archive+"!"+member, "it is a member of a thin archive, and cannot be read: "+why(err))
		}
	}
}

// member looks at one file, under the name that it has as a part of the archive.
func (l *looker) member(archive, member string) error {
	name := path.Join(path.Dir(archive), member)
	if path.IsAbs(member) {
		name = strings.TrimPrefix(path.Clean(member), "/")
	}
	if l.seen[name] && name != archive {
		return nil // it is looked at by itself
	}
	info, err := fs.Stat(l.fsys, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errNoPlainFile // a pipe or a device would make us wait
	}
	f, size, err := l.open(name, &watch{})
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	l.found.files++
	l.codes(archive+"!"+member, codeobj.Buffered(f, size))
	return nil
}
