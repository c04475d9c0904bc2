package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// read decodes a file of a store. Files of the machine are bounded where they are
// read.
func read[T any](files fs.FS, name string) (T, bool) {
	var out T
	data, err := fs.ReadFile(files, within(name))
	return out, err == nil && json.Unmarshal(data, &out) == nil
}

// within is the name of a path among the files of a machine.
func within(p string) string { return strings.TrimPrefix(path.Clean(p), "/") }

// A driver is a way in which engines keep layers in folders of their store.
type driver struct {
	name          string
	before, after string // of the name of a layer in the folder of the driver
	// whole layers hold what lies below them, too: one folder is the image.
	whole bool
}

// containersDrivers are those of containers/storage that leave files where they can
// be read without mounting anything (drivers/overlay, vfs, btrfs); dockerDrivers
// those of Docker's own store (moby/daemon/graphdriver).
var (
	containersDrivers = []driver{{"overlay", "", "/diff", false}, {"vfs", "dir/", "", true}, {"btrfs", "subvolumes/", "", true}}
	dockerDrivers     = []driver{{"overlay2", "", "/diff", false}, {"fuse-overlayfs", "", "/diff", false}, {"vfs", "dir/", "", true}, {"btrfs", "subvolumes/", "", true}}
)

// folder is where a driver keeps a layer.
func (d driver) folder(store, id string) string {
	return within(store + "/" + d.name + "/" + d.before + id + d.after)
}

// image leaves of the folders of layers, the lowest first, those that make the image.
func (d driver) image(folders []string) []string {
	if d.whole && len(folders) > 0 {
		return folders[len(folders)-1:]
	}
	return folders
}

// inContainersStorage finds the layers, the lowest first, in a store of Podman's,
// Buildah's and CRI-O's (containers/storage).
func inContainersStorage(files fs.ReadLinkFS, store string, wanted []string) ([]string, bool) {
	for _, d := range containersDrivers {
		if folders, ok := d.inContainersStorage(files, store, wanted); ok {
			return folders, true
		}
	}
	return nil, false
}

func (d driver) inContainersStorage(files fs.ReadLinkFS, store string, wanted []string) ([]string, bool) {
	images, ok := read[[]struct {
		Layer string   `json:"layer"`
		Names []string `json:"names"`
	}](files, store+"/"+d.name+"-images/images.json")
	if !ok {
		return nil, false
	}
	all, ok := read[[]struct {
		ID     string `json:"id"`
		Parent string `json:"parent"`
	}](files, store+"/"+d.name+"-layers/layers.json")
	if !ok {
		return nil, false
	}
	parents := map[string]string{}
	for _, l := range all {
		parents[l.ID] = l.Parent
	}
	for _, i := range images {
		if !slices.ContainsFunc(i.Names, func(name string) bool { return slices.Contains(wanted, inFull(name)) }) {
			continue
		}
		var folders []string
		for id := i.Layer; id != ""; id = parents[id] {
			if _, known := parents[id]; !known || !isID(id) || len(folders) > maxLayers {
				return nil, false
			}
			folders = append(folders, d.folder(store, id))
		}
		slices.Reverse(folders)
		return d.image(folders), true
	}
	return nil, false
}

// inDocker finds the layers, the lowest first, in a store of Docker's own.
func inDocker(files fs.ReadLinkFS, store string, wanted []string) ([]string, bool) {
	for _, d := range dockerDrivers {
		named, ok := read[struct {
			Repositories map[string]map[string]string
		}](files, store+"/image/"+d.name+"/repositories.json")
		if !ok {
			continue
		}
		for _, names := range named.Repositories {
			for name, id := range names {
				if !slices.Contains(wanted, inFull(name)) {
					continue
				}
				if folders, ok := d.dockerLayers(files, store, id); ok {
					return folders, true
				}
			}
		}
	}
	return nil, false
}

// An imageConfig is what an image says of its layers.
type imageConfig struct {
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// chain are the digests under which engines keep layers: of the first one its own, of
// each other that of all up to it.
func (c imageConfig) chain() []string {
	var out []string
	chain := ""
	for _, layer := range c.RootFS.DiffIDs[:min(len(c.RootFS.DiffIDs), maxLayers+1)] {
		if chain == "" {
			chain = layer
		} else {
			sum := sha256.Sum256([]byte(chain + " " + layer))
			chain = "sha256:" + hex.EncodeToString(sum[:])
		}
		out = append(out, chain)
	}
	return out
}

// dockerLayers follows an image to its layers. Each lies in a folder with a name of
// chance, which is found by the digest of all layers up to it.
func (d driver) dockerLayers(files fs.ReadLinkFS, store, image string) ([]string, bool) {
	id, ok := strings.CutPrefix(image, "sha256:")
	if !ok || !isID(id) {
		return nil, false
	}
	config, ok := read[imageConfig](files, store+"/image/"+d.name+"/imagedb/content/sha256/"+id)
	if !ok || len(config.RootFS.DiffIDs) > maxLayers {
		return nil, false
	}
	var folders []string
	for _, chain := range config.chain() {
		digest := strings.TrimPrefix(chain, "sha256:")
		if !isID(digest) {
			return nil, false
		}
		folder, err := fs.ReadFile(files, within(store+"/image/"+d.name+"/layerdb/sha256/"+digest+"/cache-id"))
		if err != nil || !isID(string(folder)) {
			return nil, false
		}
		folders = append(folders, d.folder(store, string(folder)))
	}
	return d.image(folders), true
}

// isID keeps what stores write down from leading anywhere else.
func isID(text string) bool {
	return text != "" && len(text) <= 128 && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}
