package device

import (
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/operation"
)

//go:embed data/libraries.yaml
var libraryData []byte

// libraryFiles are the names of the files, by backend, library and system.
var libraryFiles = sync.OnceValue(func() map[string]map[string]map[string][]string {
	return mustParse[map[string]map[string]map[string][]string](libraryData)
})

// A search is where libraries are looked for.
type search struct {
	backend string
	folders []string // before the system's own search
}

// A library is a loaded file.
type library struct {
	handle uintptr
	file   string // where the loader found it
}

// open loads a library: from the first folder that has one of its files, else
// from where the system finds it. A file that is there and does not load ends
// the search, because to go on would hide it.
func (s search) open(which string) (library, error) {
	names := libraryFiles()[s.backend][which][system]
	for _, folder := range s.folders {
		if file := first(folder, names); file != "" {
			return s.load(file)
		}
	}
	var errs []error
	for _, name := range names {
		if strings.Contains(name, "*") {
			continue // only a folder can be searched by a pattern
		}
		lib, err := s.load(name)
		if err == nil {
			return lib, nil
		}
		if isBroken(err, name) {
			return library{}, err // found, and it does not load
		}
		errs = append(errs, err)
	}
	return library{}, notFound(names, s.folders, errs)
}

// notFound keeps the loader's words for the newest of the names.
func notFound(names, folders []string, errs []error) error {
	why := "no file " + strings.Join(names, ", ")
	if len(folders) > 0 {
		why += " in " + strings.Join(folders, ", ")
	}
	if len(errs) > 0 {
		why += "; the loader says: " + errs[0].Error()
	}
	return refuse(operation.NoLibrary, "%s", why)
}

// first finds the first of the files in a folder.
func first(folder string, names []string) string {
	for _, name := range names {
		matches, err := filepath.Glob(filepath.Join(escapeGlob(folder), name))
		if err == nil && len(matches) > 0 {
			return matches[len(matches)-1] // the highest version
		}
	}
	return ""
}

func escapeGlob(folder string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(folder)
}

func (s search) load(file string) (library, error) {
	handle, err := dlopen(file)
	if err != nil {
		return library{}, &verdictError{operation.NoLibrary, err.Error() + foreign(file)}
	}
	return library{handle: handle, file: file}, nil
}

// foreign says which machine a file is for, where it is not ours: glibc says of
// such a file only that there is none.
func foreign(file string) string {
	theirs, known := machineOf(file)
	ours, runs := machineOf("/proc/self/exe")
	if !known || !runs || theirs == ours {
		return ""
	}
	return fmt.Sprintf("; the file is built for %s, this process for %s", theirs, ours)
}

// machineOf reads the machine from the head of an ELF file.
func machineOf(file string) (elf.Machine, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var head [20]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return 0, false
	}
	return parseMachine(head)
}

func parseMachine(head [20]byte) (elf.Machine, bool) {
	if string(head[:4]) != elf.ELFMAG {
		return 0, false
	}
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		return elf.Machine(binary.BigEndian.Uint16(head[18:])), true
	}
	return elf.Machine(binary.LittleEndian.Uint16(head[18:])), true
}

// isBroken tells a file that was found and refused from one that is not there.
// The loader says "NAME: cannot open shared object file" of the latter only; a
// library that NAME needs and lacks is named instead of it.
func isBroken(err error, name string) bool {
	return err != nil && !errors.Is(err, os.ErrNotExist) && !strings.HasPrefix(err.Error(), name+": cannot open shared object file")
}

// bind fills the functions of a struct by the names in their symbol tags. One
// that is missing is an error that names it, unless its tag says optional.
func (l *library) bind(functions any) error {
	v := reflect.ValueOf(functions).Elem()
	for i := range v.NumField() {
		name, optional := strings.CutSuffix(v.Type().Field(i).Tag.Get("symbol"), ",optional")
		address, err := dlsym(l.handle, name)
		switch {
		case err == nil:
			register(v.Field(i).Addr().Interface(), address)
			if i == 0 {
				l.file = loadedFrom(l.handle, address, l.file)
			}
		case !optional:
			return refuse(operation.NoLibrary, "%s has no %s, which every release of it that is known has: %v", l.file, name, err)
		}
	}
	return nil
}

// named joins a file and its version.
func named(file, version string) string {
	if version == "" {
		return file
	}
	return fmt.Sprintf("%s (%s)", file, version)
}

// text is the part of a buffer before its first zero.
func text(buffer []byte) string {
	s, _, _ := strings.Cut(string(buffer), "\x00")
	return strings.TrimSpace(s)
}

// once keeps what a library gave when it was first asked for, error included.
type once[T any] struct {
	done  bool
	value T
	err   error
}

func (o *once[T]) get(open func() (T, error)) (T, error) {
	if !o.done {
		o.value, o.err = open()
		o.done = true
	}
	return o.value, o.err
}
