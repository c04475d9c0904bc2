// Package image gives a container image's files as a file system, unpacked nowhere.
package image

import (
	"io/fs"
	"slices"
)

// An Image is one that an engine keeps in folders of a machine.
type Image struct {
	layers
	Store string // the folder in which the engine keeps it
}

// Local finds an image by the name that a file gives it. No engine is asked: what is
// closed to us, damaged, or kept in another way is not found.
func Local(files fs.ReadLinkFS, stores []string, name string) (Image, bool) {
	wanted := aliases(name)
	for _, store := range stores {
		for _, find := range []func(fs.ReadLinkFS, string, []string) ([]string, bool){inContainersStorage, inDocker, inContainerd} {
			folders, ok := find(files, store, wanted)
			if !ok || len(folders) == 0 || len(folders) > maxLayers {
				continue
			}
			slices.Reverse(folders)
			return Image{layers{files, folders}, store}, true
		}
	}
	return Image{}, false
}

const maxLayers = 500 // the kernel mounts fewer
