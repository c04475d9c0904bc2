package linkage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// A disk asks a file system each question once.
type disk struct {
	fsys     fs.FS
	folders  map[string]error
	links    map[string]string // what a link points to, "" for what is none
	binaries map[string]opened
}

type opened struct {
	binary Binary
	err    error
}

func newDisk(fsys fs.FS) *disk {
	return &disk{fsys: fsys, folders: map[string]error{}, links: map[string]string{}, binaries: map[string]opened{}}
}

// fsName is the name among the files of io/fs that an absolute path has.
func fsName(p string) string {
	p = strings.Trim(p, "/")
	if p == "" {
		return "."
	}
	return p
}

// folder says why a folder cannot be looked into; nil where it can.
func (d *disk) folder(p string) error {
	err, known := d.folders[p]
	if !known {
		var info fs.FileInfo
		info, err = fs.Stat(d.fsys, fsName(p))
		if err == nil && !info.IsDir() {
			err = fs.ErrNotExist
		}
		d.folders[p] = err
	}
	return err
}

// maxLinks is where Linux gives up.
const maxLinks = 40

// link returns what a link points to, as an absolute path that may hold "..", or
// "" for what is no link.
func (d *disk) link(p string) string {
	target, known := d.links[p]
	if !known {
		target, _ = fs.ReadLink(d.fsys, fsName(p))
		if target != "" && !path.IsAbs(target) {
			target = path.Dir(p) + "/" + target
		}
		d.links[p] = target
	}
	return target
}

// clean takes "." and ".." out of an absolute path as the kernel understands
// them: ".." behind a link leaves the folder that the link points to. Nothing is
// asked where there is no "..".
func (d *disk) clean(p string) string {
	if !strings.Contains(p, "..") {
		return path.Clean(p)
	}
	at := "/"
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", ".":
		case "..":
			if d.link(at) != "" {
				at = d.real(at)
			}
			at = path.Dir(at)
		default:
			at = path.Join(at, part)
		}
	}
	return at
}

// follow follows the links at the end of a path, not those on the way.
func (d *disk) follow(p string) string {
	for range maxLinks {
		target := d.link(p)
		if target == "" {
			break
		}
		p = d.clean(target)
	}
	return p
}

// real follows all links of a path.
func (d *disk) real(p string) string {
	at, rest := "/", strings.Split(p, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		next := path.Join(at, part) // also right for "", "." and "..": at holds no links
		target := ""
		if next != at && part != ".." {
			target = d.link(next)
		}
		if target == "" {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return p
		}
		at, rest = "/", append(strings.Split(target, "/"), rest...)
	}
	return at
}

// same tells whether two paths lead to one file. Names are compared first, so
// that the folders on the way are asked about only where it matters.
func (d *disk) same(a, b string) bool {
	if a == b {
		return true
	}
	return path.Base(d.follow(a)) == path.Base(d.follow(b)) && d.real(a) == d.real(b)
}

// open reads the binary at a path.
func (d *disk) open(p string, read func(io.ReaderAt, string) (Binary, error)) (Binary, error) {
	if done, known := d.binaries[p]; known {
		return done.binary, done.err
	}
	b, err := d.read(p, read)
	d.binaries[p] = opened{b, err}
	return b, err
}

func (d *disk) read(p string, read func(io.ReaderAt, string) (Binary, error)) (Binary, error) {
	var b Binary
	err := d.withFile(p, func(r io.ReaderAt) (err error) {
		b, err = read(r, p)
		return err
	})
	return b, err
}

// withFile hands a file over for reading by ranges.
func (d *disk) withFile(p string, use func(io.ReaderAt) error) error {
	file, err := d.fsys.Open(fsName(p))
	if err != nil {
		return err
	}
	defer file.Close()
	r, ok := file.(io.ReaderAt)
	if !ok {
		return fmt.Errorf("read %s: this file system has no ranges: %w", p, errors.ErrUnsupported)
	}
	return use(r)
}
