package image

import (
	"encoding/binary"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// The databases of containerd: one says which images there are and which snapshots
// their layers became, the other in which folder each snapshot lies
// (containerd/core/metadata/buckets.go, core/snapshots/storage/bolt.go).
const (
	containerdMeta      = "/io.containerd.metadata.v1.bolt/meta.db"
	containerdSnapshots = "/io.containerd.snapshotter.v1.overlayfs"
	containerdBlobs     = "/io.containerd.content.v1.content/blobs/sha256/"
)

// namespaces are those of Docker, of nerdctl and ctr, and of Kubernetes.
var namespaces = []string{"moby", "default", "k8s.io"}

// inContainerd finds the layers, the lowest first, in a store of containerd's, which
// Docker 29 and later take for their own (snapshotter overlayfs).
func inContainerd(files fs.ReadLinkFS, store string, wanted []string) ([]string, bool) {
	meta, root, closeMeta, ok := openDatabase(files, store+containerdMeta)
	if !ok {
		return nil, false
	}
	defer closeMeta()
	for _, space := range namespaces {
		for _, name := range wanted {
			target, ok := meta.bucket(root, "v1", space, "images", name, "target")
			if !ok {
				continue
			}
			digest, _ := meta.text(target, "digest")
			snapshots, ok := meta.bucket(root, "v1", space, "snapshots", "overlayfs")
			if !ok {
				continue
			}
			c := containerd{files, store, meta, snapshots}
			if folders, ok := c.layers(digest, 0); ok {
				return folders, true
			}
		}
	}
	return nil, false
}

func openDatabase(files fs.FS, name string) (db *bolt, root bucket, done func(), ok bool) {
	f, err := files.Open(within(name))
	if err != nil {
		return nil, bucket{}, nil, false
	}
	done = func() { _ = f.Close() }
	at, ok := f.(io.ReaderAt)
	if ok {
		db, root, ok = openBolt(at)
	}
	if !ok {
		done()
	}
	return db, root, done, ok
}

// A containerd is a store whose list was opened.
type containerd struct {
	files     fs.ReadLinkFS
	store     string
	meta      *bolt
	snapshots bucket // of one namespace
}

// layers follows an image to the folders of its layers: by its list of platforms, of
// which that one counts whose layers are here, its manifest and its configuration.
func (c containerd) layers(digest string, depth int) ([]string, bool) {
	const maxPlatforms, maxLists = 50, 3
	id, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || !isID(id) || depth > maxLists {
		return nil, false
	}
	type blob struct {
		Digest string `json:"digest"`
	}
	m, ok := read[struct {
		Manifests []blob `json:"manifests"`
		Config    blob   `json:"config"`
	}](c.files, c.store+containerdBlobs+id)
	if !ok || len(m.Manifests) > maxPlatforms {
		return nil, false
	}
	for _, platform := range m.Manifests {
		if folders, ok := c.layers(platform.Digest, depth+1); ok {
			return folders, true
		}
	}
	id, ok = strings.CutPrefix(m.Config.Digest, "sha256:")
	if !ok || !isID(id) {
		return nil, false
	}
	config, ok := read[imageConfig](c.files, c.store+containerdBlobs+id)
	if !ok {
		return nil, false
	}
	return c.folders(config.chain())
}

// folders are those of snapshots, by the digests of all layers up to each.
func (c containerd) folders(chain []string) ([]string, bool) {
	db, root, done, ok := openDatabase(c.files, c.store+containerdSnapshots+"/metadata.db")
	if !ok {
		return nil, false
	}
	defer done()
	var out []string
	for _, digest := range chain {
		of, ok := c.meta.bucket(c.snapshots, digest)
		if !ok {
			return nil, false
		}
		name, _ := c.meta.text(of, "name")
		snapshot, ok := db.bucket(root, "v1", "snapshots", name)
		if !ok {
			return nil, false
		}
		value, _ := db.text(snapshot, "id")
		id, n := binary.Uvarint([]byte(value))
		if n <= 0 {
			return nil, false
		}
		out = append(out, within(c.store+containerdSnapshots+"/snapshots/"+strconv.FormatUint(id, 10)+"/fs"))
	}
	return out, len(out) > 0
}
