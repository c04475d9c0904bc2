package host

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Files is the machine as a file system of Go, for rooms that read files
// and need not know whose. Names are those of io/fs: "usr/lib" is /usr/lib, and
// "C:/Windows" is C:\Windows. Every answer is one of the Reader, so it is as
// bounded, and a recorder sees every question.
func Files(r Reader) fs.ReadLinkFS { return files{r} }

// FileName is the name that a path of the machine has among its Files.
func FileName(system, p string) string {
	if system == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	p = strings.Trim(p, "/")
	if p == "" {
		return "."
	}
	return p
}

// PathOf is the path on the machine that a name among its Files stands for.
func PathOf(system, name string) string {
	if system == "windows" {
		return strings.ReplaceAll(name, "/", `\`)
	}
	if name == "." {
		return "/"
	}
	return "/" + name
}

type files struct{ r Reader }

func (f files) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return PathOf(f.r.OS(), name), nil
}

func (f files) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	p, err := f.path(opOpen, name)
	return &openFile{files: f, name: name, at: p, info: info}, err
}

func (f files) ReadFile(name string) ([]byte, error) {
	p, err := f.path(opRead, name)
	if err != nil {
		return nil, err
	}
	return f.r.ReadFile(p)
}

func (f files) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := f.path(opReadDir, name)
	if err != nil {
		return nil, err
	}
	entries, err := f.r.ReadDir(p)
	if err != nil {
		return nil, err
	}
	out := make([]fs.DirEntry, len(entries))
	for i, e := range entries {
		out[i] = dirEntry{files: f, dir: name, entry: e}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

func (f files) ReadLink(name string) (string, error) {
	p, err := f.path(opReadLink, name)
	if err != nil {
		return "", err
	}
	return f.r.ReadLink(p)
}

func (f files) Lstat(name string) (fs.FileInfo, error) {
	p, err := f.path(opLstat, name)
	if err != nil {
		return nil, err
	}
	st, err := f.r.Lstat(p)
	if err != nil {
		return nil, err
	}
	return fileInfo{name: path.Base(name), stat: st}, nil
}

// Stat follows links at the end of a path; the system follows those on the way.
// Links of Windows have rules of their own and are taken as they are.
func (f files) Stat(name string) (fs.FileInfo, error) {
	p, err := f.path(opLstat, name)
	if err != nil {
		return nil, err
	}
	asked := p
	for range maxLinks {
		st, err := f.r.Lstat(p)
		if err != nil {
			return nil, err
		}
		if st.Mode&fs.ModeSymlink == 0 || f.r.OS() == "windows" {
			return fileInfo{name: path.Base(name), stat: st}, nil
		}
		target, err := f.r.ReadLink(p)
		if err != nil {
			return nil, err
		}
		if !path.IsAbs(target) {
			target = p[:strings.LastIndex(p, "/")+1] + target
		}
		p = target
	}
	return nil, &fs.PathError{Op: opLstat, Path: asked, Err: ELOOP}
}

// openFile reads by ranges: nothing is held open between two questions, unless
// Hold was called.
type openFile struct {
	files  files
	name   string
	at     string // its path on the machine
	info   fs.FileInfo
	offset int64
	held   plainFile
}

// plainFile is an open file that holds plain bytes.
type plainFile interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Size() int64 // as the system says, which need not be so
}

// Hold keeps the file open until it is closed, for those who ask a thousand
// times: to open it takes longer than to read. Its reads are bounded in time no
// more, so the caller has to watch them. Where a Reader cannot hold a file
// (a snapshot, a recorder), nothing changes.
func (o *openFile) Hold() error {
	r, ok := o.files.r.(interface {
		hold(path string) (plainFile, error)
	})
	if !ok || o.held != nil {
		return nil
	}
	held, err := r.hold(o.at)
	if err != nil {
		return err
	}
	o.held = held
	return nil
}

// Links tells one file from another, whatever it is called, where it is held and
// has several names; else it is empty.
func (o *openFile) Links() string {
	if l, ok := o.held.(interface{ links() string }); ok {
		return l.links()
	}
	return ""
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.info, nil }

func (o *openFile) Close() error {
	if o.held == nil {
		return nil
	}
	return o.held.Close()
}

func (o *openFile) Read(p []byte) (int, error) {
	n, err := o.ReadAt(p, o.offset)
	o.offset += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

// ReadAt asks for as much as one answer may hold.
func (o *openFile) ReadAt(p []byte, off int64) (int, error) {
	if o.held != nil {
		return o.held.ReadAt(p, off)
	}
	data, err := o.files.r.ReadAt(o.at, off, min(len(p), MaxFile))
	if err != nil {
		return 0, err
	}
	n := copy(p, data)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (o *openFile) ReadDir(n int) ([]fs.DirEntry, error) {
	all, err := o.files.ReadDir(o.name)
	if err != nil {
		return nil, err
	}
	rest := all[min(int(o.offset), len(all)):]
	if len(rest) == 0 && n > 0 {
		return nil, io.EOF
	}
	if n > 0 {
		rest = rest[:min(n, len(rest))]
	}
	o.offset += int64(len(rest))
	return rest, nil
}

type dirEntry struct {
	files files
	dir   string
	entry Entry
}

func (e dirEntry) Name() string      { return e.entry.Name }
func (e dirEntry) IsDir() bool       { return e.entry.Type.IsDir() }
func (e dirEntry) Type() fs.FileMode { return e.entry.Type.Type() }

func (e dirEntry) Info() (fs.FileInfo, error) {
	if e.dir == "." {
		return e.files.Lstat(e.entry.Name)
	}
	return e.files.Lstat(e.dir + "/" + e.entry.Name)
}

type fileInfo struct {
	name string
	stat Stat
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.stat.Size }
func (i fileInfo) Mode() fs.FileMode  { return i.stat.Mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} } // a snapshot keeps no times
func (i fileInfo) IsDir() bool        { return i.stat.Mode.IsDir() }
func (i fileInfo) Sys() any           { return i.stat }
