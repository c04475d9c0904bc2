package cdi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/host"
)

// MaxSpec bounds what is read as a specification. One of 64 partitions has 50 kB.
const MaxSpec = 1 << 20

// Dirs are where engines look, the last one first: a device of /var/run/cdi hides
// one of the same name in /etc/cdi.
var Dirs = []string{"/etc/cdi", "/var/run/cdi"}

// extensions are those that engines read; they pass over every other file.
var extensions = []string{".json", ".yaml"}

// A File is one specification as it was found.
type File struct {
	Path string
	Spec specs.Spec
	// Err is why it could not be read; Broken tells that its content is the reason,
	// so that engines cannot read it either.
	Err    error
	Broken bool
	// Ours tells that it is about AMD's GPUs, or seems to be.
	Ours bool
}

// Encode writes a specification in the language that the file's name asks for.
func Encode(s specs.Spec, name string) ([]byte, error) {
	if !slices.Contains(extensions, path.Ext(name)) {
		return nil, fmt.Errorf("%s: engines read only files that end in .json or .yaml", name)
	}
	if path.Ext(name) == ".yaml" {
		return asYAML(s)
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the specification: %w", err)
	}
	return append(data, '\n'), nil
}

func asYAML(s specs.Spec) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("write the specification: %w", err)
	}
	return b.Bytes(), nil
}

// Parse reads a specification. Fields that are not known are passed over, as
// engines do.
func Parse(name string, data []byte) (specs.Spec, error) {
	var s specs.Spec
	var err error
	switch {
	case len(data) > MaxSpec:
		return s, fmt.Errorf("it is larger than %d bytes", MaxSpec)
	case path.Ext(name) == ".json":
		err = json.Unmarshal(data, &s)
	default:
		err = yaml.Unmarshal(data, &s)
	}
	if err != nil {
		return specs.Spec{}, err
	}
	if s.Kind == "" {
		return specs.Spec{}, errors.New("it names no kind of device")
	}
	if list := emptyEntry(s); list != "" { // the library of engines goes through them, and panics
		return specs.Spec{Kind: s.Kind}, fmt.Errorf("an entry of %s is empty", list)
	}
	return s, specs.ValidateVersion(&s)
}

// emptyEntry names a list of a specification with an entry that says nothing, null in
// JSON; "" where there is none.
func emptyEntry(s specs.Spec) string {
	for _, e := range everyEdit(s) {
		switch {
		case slices.Contains(e.DeviceNodes, nil):
			return "deviceNodes"
		case slices.Contains(e.Mounts, nil):
			return "mounts"
		case slices.Contains(e.Hooks, nil):
			return "hooks"
		case slices.Contains(e.NetDevices, nil):
			return "netDevices"
		}
	}
	return ""
}

// Find reads the specifications in folders and files of a machine, in the order
// of their names. A folder that is not there holds none; a file that was named has
// to be there.
func Find(files fs.FS, system string, places []string) []File {
	var out []File
	for _, place := range places {
		name := host.FileName(system, place)
		info, err := fs.Stat(files, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && slices.Contains(Dirs, place):
		case err != nil:
			out = append(out, File{Path: place, Err: err, Ours: true})
		case info.IsDir():
			out = append(out, folder(files, system, name)...)
		default:
			f := read(files, system, name)
			f.Ours = true
			out = append(out, f)
		}
	}
	return out
}

func folder(files fs.FS, system, name string) []File {
	entries, err := fs.ReadDir(files, name)
	if err != nil {
		return []File{{Path: host.PathOf(system, name), Err: err, Ours: true}}
	}
	var out []File
	for _, e := range entries {
		if slices.Contains(extensions, path.Ext(e.Name())) && !e.IsDir() {
			out = append(out, read(files, system, path.Join(name, e.Name())))
		}
	}
	return out
}

func read(files fs.FS, system, name string) File {
	f := File{Path: host.PathOf(system, name)}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		f.Err = err
		f.Ours = true // what cannot be read may be about anything
		return f
	}
	f.Spec, f.Err = Parse(name, data)
	f.Broken = f.Err != nil
	f.Ours = f.Spec.Kind == Kind || f.Broken && bytes.Contains(data, []byte(Kind))
	return f
}
