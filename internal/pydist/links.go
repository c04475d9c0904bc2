package pydist

import (
	"io/fs"
	"path"
	"strings"
)

// maxLinks is how many links one name may lead through, as on Linux.
const maxLinks = 40

// resolve follows all links in a name, so that one folder has one name. It is
// "" where links go in a circle. What is no link, or cannot be asked about, is
// taken as it is; so is everything on Windows, whose links have other rules.
func (f *finder) resolve(name string) string {
	if f.reach.windows() || name == "" || name == "." {
		return name
	}
	if known, ok := f.resolved[name]; ok {
		return known
	}
	at, rest := ".", name
	links := 0
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		next := path.Join(at, part)
		target := f.readLink(next)
		if target == "" {
			at = next
			continue
		}
		if links++; links > maxLinks {
			at = ""
			break
		}
		at, rest = ".", strings.Trim(path.Join("/", linkBase(at, target), target, rest), "/")
	}
	f.resolved[name] = at
	return at
}

// readLink is the target of a link, "" for everything else. The folders above
// are the same for many names, so answers are kept.
func (f *finder) readLink(name string) string {
	target, known := f.links[name]
	if !known {
		if text, err := fs.ReadLink(f.fsys, name); err == nil {
			target = text
		}
		f.links[name] = target
	}
	return target
}

// linkBase is where a link's target is counted from.
func linkBase(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return ""
	}
	return dir
}
