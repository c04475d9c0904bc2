package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestInFull(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ubuntu":                       "docker.io/library/ubuntu:latest",
		"rocm/pytorch:7.2":             "docker.io/rocm/pytorch:7.2",
		"docker.io/rocm/pytorch":       "docker.io/rocm/pytorch:latest",
		"index.docker.io/rocm/pytorch": "docker.io/rocm/pytorch:latest",
		"ghcr.io/me/app:1":             "ghcr.io/me/app:1",
		"registry:5000/app":            "registry:5000/app:latest",
		"localhost/app":                "localhost/app:latest",
		"rocm/pytorch:7.2@sha256:00ff": "docker.io/rocm/pytorch@sha256:00ff",
	} {
		if got := inFull(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// A made store holds an image of two layers. The upper one takes away the file
// "lost" and all of the folder "old", and has another "same".
func layersAt(lower, upper string) fstest.MapFS {
	plain := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	return fstest.MapFS{
		path.Join(lower, "same"):             plain("lower"),
		path.Join(lower, "lost"):             plain("lower"),
		path.Join(lower, "lib/a.so"):         plain("a"),
		path.Join(lower, "old/x"):            plain("x"),
		path.Join(lower, "marked"):           plain("m"),
		path.Join(upper, "same"):             plain("upper"),
		path.Join(upper, "lost"):             &fstest.MapFile{Mode: fs.ModeDevice | fs.ModeCharDevice},
		path.Join(upper, "lib/b.so"):         plain("b"),
		path.Join(upper, "lib/link"):         &fstest.MapFile{Data: []byte("b.so"), Mode: fs.ModeSymlink},
		path.Join(upper, "old/.wh..wh..opq"): plain(""),
		path.Join(upper, "old/y"):            plain("y"),
		path.Join(upper, ".wh.marked"):       plain(""),
	}
}

func with(files fstest.MapFS, more map[string]string) fstest.MapFS {
	for name, text := range more {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return files
}

func containersStorage() fstest.MapFS {
	const root = "home/ada/.local/share/containers/storage"
	return with(layersAt(root+"/overlay/aa/diff", root+"/overlay/bb/diff"), map[string]string{
		root + "/overlay-images/images.json": `[{"id":"1","layer":"bb","names":["localhost/app:latest","localhost/me/app:2","ghcr.io/me/app:1"]},{"id":"2","layer":"zz","names":["odd:1"]},{"id":"3","layer":"../../up","names":["odd:2"]}]`,
		root + "/overlay-layers/layers.json": `[{"id":"aa"},{"id":"bb","parent":"aa"},{"id":"../../up"}]`,
	})
}

// kept gives a store the folders of another driver.
func kept(overlay fstest.MapFS, replace ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range overlay {
		out[strings.NewReplacer(replace...).Replace(name)] = f
	}
	return out
}

// whole are the folders of a driver whose layers hold what lies below them, and no
// marks: the upper one is all that the image has.
func whole(overlay fstest.MapFS, upper string, replace ...string) fstest.MapFS {
	out := kept(overlay, replace...)
	for name, f := range out {
		if strings.Contains(path.Base(name), gone) || f.Mode&fs.ModeCharDevice != 0 {
			delete(out, name)
		}
	}
	out[path.Join(upper, "lib/a.so")] = &fstest.MapFile{Data: []byte("a"), Mode: 0o644}
	return out
}

func docker() fstest.MapFS {
	const root = "var/lib/docker"
	lower, upper := "sha256:"+strings.Repeat("1", 64), "sha256:"+strings.Repeat("2", 64)
	sum := sha256.Sum256([]byte(lower + " " + upper))
	return with(layersAt(root+"/overlay2/c0/diff", root+"/overlay2/c1/diff"), map[string]string{
		root + "/image/overlay2/repositories.json":                                          `{"Repositories":{"app":{"app:latest":"sha256:abc","app@sha256:77":"sha256:abc"},"odd":{"odd:1":"sha256:../x","odd:2":"sha256:none"}}}`,
		root + "/image/overlay2/imagedb/content/sha256/abc":                                 `{"rootfs":{"type":"layers","diff_ids":["` + lower + `","` + upper + `"]}}`,
		root + "/image/overlay2/layerdb/sha256/" + strings.Repeat("1", 64) + "/cache-id":    "c0",
		root + "/image/overlay2/layerdb/sha256/" + hex.EncodeToString(sum[:]) + "/cache-id": "c1",
	})
}

// ada has a home and nothing else.
func ada(name string) string {
	if name == "HOME" {
		return "/home/ada"
	}
	return ""
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for engine, tt := range map[string]struct {
		files fstest.MapFS
		names []string
		store string
	}{
		"podman":                 {containersStorage(), []string{"app", "me/app:2", "ghcr.io/me/app:1"}, "/home/ada/.local/share/containers/storage"},
		"podman, vfs":            {whole(containersStorage(), "home/ada/.local/share/containers/storage/vfs/dir/bb", "overlay/", "vfs/dir/", "/diff/", "/", "overlay-", "vfs-"), []string{"app", "me/app:2"}, "/home/ada/.local/share/containers/storage"},
		"podman, btrfs":          {whole(containersStorage(), "home/ada/.local/share/containers/storage/btrfs/subvolumes/bb", "overlay/", "btrfs/subvolumes/", "/diff/", "/", "overlay-", "btrfs-"), []string{"app"}, "/home/ada/.local/share/containers/storage"},
		"docker, vfs":            {whole(docker(), "var/lib/docker/vfs/dir/c1", "image/overlay2/", "image/vfs/", "docker/overlay2/", "docker/vfs/dir/", "/diff/", "/"), []string{"app"}, "/var/lib/docker"},
		"docker, btrfs":          {whole(docker(), "var/lib/docker/btrfs/subvolumes/c1", "image/overlay2/", "image/btrfs/", "docker/overlay2/", "docker/btrfs/subvolumes/", "/diff/", "/"), []string{"app"}, "/var/lib/docker"},
		"docker, fuse-overlayfs": {kept(docker(), "overlay2", "fuse-overlayfs"), []string{"app"}, "/var/lib/docker"},
		"docker":                 {docker(), []string{"app", "docker.io/library/app:latest", "app:9@sha256:77"}, "/var/lib/docker"},
	} {
		for _, name := range tt.names {
			img, ok := Local(tt.files, Stores(tt.files, ada), name)
			if !ok || img.Store != tt.store {
				t.Fatalf("%s: %s is not found: %q", engine, name, img.Store)
			}
			var got []string
			err := fs.WalkDir(img, ".", func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					data, _ := fs.ReadFile(img, p)
					got = append(got, p+"="+string(data))
				}
				return err
			})
			if want := []string{"lib/a.so=a", "lib/b.so=b", "old/y=y", "same=upper"}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v; want %q", engine, got, err, want)
			}
			for _, name := range []string{"lost", "lib/link", "../x", "none"} {
				if _, err := fs.Stat(img, name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s: %s: %v", engine, name, err)
				}
			}
		}
		for _, name := range []string{"odd:1", "odd:2", "app:2", "nobody/app", ""} {
			if _, ok := Local(tt.files, Stores(tt.files, ada), name); ok {
				t.Errorf("%s: %q is found", engine, name)
			}
		}
	}
}

// FuzzStores holds what stores write down to folders below them.
func FuzzStores(f *testing.F) {
	f.Add([]byte(`[{"id":"1","layer":"bb","names":["app"]}]`), []byte(`[{"id":"aa"},{"id":"bb","parent":"aa"}]`))
	f.Add([]byte(`[{"layer":"bb","names":["app"]}]`), []byte(`[{"id":"bb","parent":"bb"}]`))
	f.Add([]byte(`[{"id":"aa"},{"id":"bb","parent":"aa"}]`), []byte(`[{"id":"1","layer":"bb","names":["app"]}]`))
	f.Add([]byte(`{"Repositories":{"a":{"app:latest":"sha256:ab"}}}`), []byte(`{"rootfs":{"diff_ids":["sha256:ab","sha256:ab"]}}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		files := fstest.MapFS{}
		for name, data := range map[string][]byte{
			"s/overlay-images/images.json": first, "s/overlay-layers/layers.json": second, "s/vfs-images/images.json": second, "s/vfs-layers/layers.json": first,
			"s/image/overlay2/repositories.json": first, "s/image/overlay2/imagedb/content/sha256/ab": second, "s/image/overlay2/layerdb/sha256/ab/cache-id": second,
		} {
			files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		}
		for _, find := range []func(fs.ReadLinkFS, string, []string) ([]string, bool){inContainersStorage, inDocker} {
			folders, ok := find(files, "/s", aliases("app"))
			for _, folder := range folders {
				layered := strings.HasPrefix(folder, "s/overlay") && path.Base(folder) == "diff"
				if ok && (!layered && path.Dir(folder) != "s/vfs/dir" || strings.Contains(folder, "..")) {
					t.Errorf("a layer lies in %s", folder)
				}
			}
		}
	})
}
