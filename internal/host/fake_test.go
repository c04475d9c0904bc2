package host

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// fake answers from a map: "file /x" → []byte, "dir /x" → []Entry, and so on,
// or an error. What is not in the map does not exist.
type fake map[string]any

func told[T any](f fake, key string) (T, error) {
	var none T
	switch v := f[key].(type) {
	case T:
		return v, nil
	case error:
		return none, v
	}
	verb, path, _ := strings.Cut(key, " ")
	return none, &fs.PathError{Op: verb, Path: path, Err: ENOENT}
}

func (f fake) OS() string {
	if system, err := told[string](f, "os"); err == nil {
		return system
	}
	return "linux"
}
func (f fake) ReadFile(p string) ([]byte, error) { return told[[]byte](f, "file "+p) }
func (f fake) ReadAt(p string, off int64, n int) ([]byte, error) {
	return told[[]byte](f, fmt.Sprintf("range %s %d %d", p, off, n))
}
func (f fake) ReadDir(p string) ([]Entry, error)       { return told[[]Entry](f, "dir "+p) }
func (f fake) ReadLink(p string) (string, error)       { return told[string](f, "link "+p) }
func (f fake) Lstat(p string) (Stat, error)            { return told[Stat](f, "stat "+p) }
func (f fake) Statfs(p string) (FileSystem, error)     { return told[FileSystem](f, "statfs "+p) }
func (f fake) Getxattr(p, name string) ([]byte, error) { return told[[]byte](f, "xattr "+p+" "+name) }
func (f fake) Access(p string, want byte) error        { return f.yes(fmt.Sprintf("access %s %c", p, want)) }
func (f fake) TryOpen(p string) error                  { return f.yes("open " + p) }
func (f fake) Process() (Process, error)               { return told[Process](f, "process") }
func (f fake) KernelLog() ([]string, error)            { return told[[]string](f, "log") }
func (f fake) Registry(key, value string) (string, error) {
	return told[string](f, "registry "+key+" "+value)
}
func (f fake) FileVersion(p string) (string, error) { return told[string](f, "version "+p) }

func (f fake) Ask(_ context.Context, tool Tool, args ...string) ([]byte, error) {
	return told[[]byte](f, "ask "+string(tool)+" "+strings.Join(args, " "))
}

func (f fake) yes(key string) error {
	_, err := told[bool](f, key)
	return err
}

func (f fake) Getenv(name string) (string, bool, error) {
	if err, ok := f["env "+name].(error); ok {
		return "", false, err
	}
	value, ok := f["env "+name].(string)
	return value, ok, nil
}

func (f fake) Environ(prefix string) ([]Variable, error) {
	if err, ok := f["environ "+prefix].(error); ok {
		return nil, err
	}
	var environ []string
	for key, value := range f {
		if name, ok := strings.CutPrefix(key, "env "); ok {
			environ = append(environ, fmt.Sprintf("%s=%v", name, value))
		}
	}
	return environWith(prefix, environ), nil
}
