package image

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/tomltext"
)

// Stores are the folders in which Docker, Podman and containerd keep images: those
// that they are told of, and those that they take by themselves, root's and those of
// whoever has the home.
func Stores(files fs.FS, getenv func(string) string) []string {
	u := user{files, getenv}
	all := slices.Concat(u.containers(), u.docker(), u.containerd())
	var out []string
	for _, folder := range all {
		if folder = path.Clean(folder); path.IsAbs(folder) && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// A user is who asks, with their variables.
type user struct {
	files  fs.FS
	getenv func(string) string
}

// below is a folder of the user's, by the variable that moves it, else in the home;
// "" where there is no home.
func (u user) below(variable, folder, rest string) string {
	if at := u.getenv(variable); path.IsAbs(at) {
		return path.Join(at, rest)
	}
	if home := u.getenv("HOME"); path.IsAbs(home) {
		return path.Join(home, folder, rest)
	}
	return ""
}

func (u user) data(rest string) string   { return u.below("XDG_DATA_HOME", ".local/share", rest) }
func (u user) config(rest string) string { return u.below("XDG_CONFIG_HOME", ".config", rest) }

// read returns a file, or nothing.
func (u user) read(name string) []byte {
	if name == "" {
		return nil
	}
	data, err := fs.ReadFile(u.files, within(name))
	if err != nil {
		return nil
	}
	return data
}

// containers are the stores of containers-storage.conf(5): of the file that a
// variable names and of no other, else of the user's, root's and the vendor's.
func (u user) containers() []string {
	settings := []string{u.config("containers/storage.conf"), "/etc/containers/storage.conf", "/usr/share/containers/storage.conf"}
	if named := u.getenv("CONTAINERS_STORAGE_CONF"); named != "" {
		settings = []string{named}
	}
	var out []string
	for _, name := range settings {
		sections, _ := tomltext.Parse(string(u.read(name)))
		for _, s := range sections {
			for _, key := range []string{"graphroot", "rootless_storage_path", "additionalimagestores"} {
				p, _ := s.Get(key)
				for _, v := range p.Value.Strings() {
					out = append(out, strings.ReplaceAll(v.Text, "$HOME", u.getenv("HOME")))
				}
			}
		}
	}
	return append(out, u.data("containers/storage"), "/var/lib/containers/storage")
}

// docker are the folders of dockerd(8), with data-root or without.
func (u user) docker() []string {
	var out []string
	for _, name := range []string{u.config("docker/daemon.json"), "/etc/docker/daemon.json"} {
		var told struct {
			Root string `json:"data-root"`
		}
		if json.Unmarshal(u.read(name), &told) == nil {
			out = append(out, told.Root)
		}
	}
	return append(out, u.data("docker"), "/var/lib/docker")
}

// containerd are the folders of containerd, and of those that Docker starts itself.
func (u user) containerd() []string {
	var out []string
	if sections, _ := tomltext.Parse(string(u.read("/etc/containerd/config.toml"))); len(sections) > 0 {
		p, _ := sections[0].Get("root")
		out = append(out, p.Value.Text)
	}
	for _, docker := range u.docker() {
		out = append(out, path.Join(docker, "containerd/daemon"))
	}
	return append(out, u.data("containerd"), "/var/lib/containerd")
}
