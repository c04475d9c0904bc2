package host

import (
	"path"
	"strings"
)

// maxLinks is how many symbolic links one path may go through, as in Linux.
const maxLinks = 40

// walk resolves a path component by component from "/", the way a kernel does,
// so that ".." after a link means the parent of the link's target and nothing
// ever leaves the root. readlink returns the target of a path and whether it is
// a symbolic link at all. A final link is followed only if follow is set.
func walk(p string, follow bool, readlink func(string) (string, bool, error)) (string, error) {
	rest := strings.Split(p, "/")
	cur, links := "/", 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			cur = path.Dir(cur)
			continue
		}
		next := path.Join(cur, name)
		if !follow && isLast(rest) {
			return next, nil
		}
		target, isLink, err := readlink(next)
		if err != nil {
			return "", err
		}
		if !isLink {
			cur = next
			continue
		}
		if links++; links > maxLinks {
			return "", ELOOP
		}
		if strings.HasPrefix(target, "/") {
			cur = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return cur, nil
}

// isLast says that no component follows.
func isLast(rest []string) bool {
	for _, name := range rest {
		if name != "" {
			return false
		}
	}
	return true
}
