package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// unpackStore gives the files of a store that containerd 1.6.20 wrote: an image of two
// layers in the namespace of Docker, under 121 names, so that the list of images
// takes several pages.
func unpackStore(t testing.TB, at string) fstest.MapFS {
	t.Helper()
	packed, err := os.ReadFile("testdata/containerd.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			data, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			out[path.Join(at, h.Name)] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
	}
}

func TestContainerd(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"var/lib/containerd", "var/lib/docker/containerd/daemon", "home/ada/.local/share/containerd"} {
		files := unpackStore(t, at)
		for _, name := range []string{"me/app-rocm:1", "docker.io/me/other-1", "me/other-77:latest", "me/other-120"} {
			img, ok := Local(files, Stores(files, ada), name)
			if !ok || img.Store != "/"+at {
				t.Fatalf("%s is not found in %s: %q", name, at, img.Store)
			}
			one, err := fs.ReadFile(img, "opt/app/kernel.co")
			two, err2 := fs.ReadFile(img, "opt/two")
			if err := errors.Join(err, err2); err != nil || string(one) != "one\n" || string(two) != "two\n" {
				t.Errorf("%s holds %q and %q: %v", name, one, two, err)
			}
		}
		for _, name := range []string{"me/other-121", "me/app-rocm", "a", "zz", ""} {
			if _, ok := Local(files, Stores(files, ada), name); ok {
				t.Errorf("%q is found", name)
			}
		}
	}
}

// Engines may be told to keep images elsewhere.
func TestStores(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"etc/docker/daemon.json":                   `{"data-root": "/srv/docker/"}`,
		"home/ada/.config/docker/daemon.json":      `{"data-root": 7}`,
		"etc/containers/storage.conf":              "[storage]\ndriver = \"overlay\"\ngraphroot = \"/srv/podman\" # more room\nrootless_storage_path = \"$HOME/images\"\n[storage.options]\nadditionalimagestores = [\n  \"/srv/shared\",\n]\n",
		"home/ada/.config/containers/storage.conf": "[storage]\ngraphroot = \"/srv/ada\"\n",
		"etc/containerd/config.toml":               "version = 2\nroot = \"/srv/containerd\"\n[plugins]\nroot = \"/no\"\n",
		"opt/storage.conf":                         "[storage]\ngraphroot = \"/opt/store\"\nrunroot = \"relative\"\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, tt := range map[string]struct {
		set       map[string]string
		have, not []string
	}{
		"a user": {
			map[string]string{"HOME": "/home/ada"},
			[]string{"/srv/docker", "/srv/podman", "/home/ada/images", "/srv/shared", "/srv/ada", "/srv/containerd", "/srv/docker/containerd/daemon", "/var/lib/docker", "/var/lib/containers/storage", "/home/ada/.local/share/containers/storage"},
			[]string{"/no", "/opt/store", "/", "."},
		},
		"another file":   {map[string]string{"HOME": "/home/ada", "CONTAINERS_STORAGE_CONF": "/opt/storage.conf"}, []string{"/opt/store", "/var/lib/containers/storage"}, []string{"/srv/podman", "relative"}},
		"moved":          {map[string]string{"HOME": "/home/ada", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/none"}, []string{"/data/containers/storage", "/data/docker", "/data/containerd"}, []string{"/srv/ada", "/home/ada/.local/share/docker"}},
		"without a home": {nil, []string{"/var/lib/docker", "/var/lib/containerd"}, []string{"/.local/share/docker", ""}},
	} {
		got := Stores(files, func(name string) string { return tt.set[name] })
		for _, want := range tt.have {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s is not among %q", name, want, got)
			}
		}
		for _, not := range tt.not {
			if slices.Contains(got, not) {
				t.Errorf("%s: %q is among %q", name, not, got)
			}
		}
	}
}

// FuzzBolt looks into damaged databases: whatever is found lies in the store.
func FuzzBolt(f *testing.F) {
	store := unpackStore(f, "s")
	meta, snapshots := store["s"+containerdMeta].Data, store["s"+containerdSnapshots+"/metadata.db"].Data
	f.Add(uint32(0), byte(0), uint32(0), byte(0))
	for _, at := range []uint32{16, 40, 4096 + 10, 4096 + 64, 8192 + 8, 3*4096 + 12} {
		f.Add(at, byte(0xff), at, byte(1))
	}
	f.Fuzz(func(t *testing.T, at uint32, change byte, at2 uint32, change2 byte) {
		files := fstest.MapFS{}
		for name, file := range store {
			files[name] = file
		}
		for name, data := range map[string][]byte{"s" + containerdMeta: meta, "s" + containerdSnapshots + "/metadata.db": snapshots} {
			data = bytes.Clone(data)
			data[int(at)%len(data)] ^= change
			data[int(at2)%len(data)] ^= change2
			files[name] = &fstest.MapFile{Data: data}
		}
		folders, _ := inContainerd(files, "/s", aliases("me/app-rocm:1"))
		for _, folder := range folders {
			if !strings.HasPrefix(folder, "s"+containerdSnapshots+"/snapshots/") || strings.Contains(folder, "..") {
				t.Errorf("a layer lies in %s", folder)
			}
		}
	})
}
