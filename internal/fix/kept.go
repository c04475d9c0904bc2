package fix

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

// stores are folders whose files never change: each is named after what it is made
// of, and what is made anew gets another name. Nix has its disk mounted read-only on
// NixOS alone; elsewhere root could write there, and break it for all who use it.
var stores = map[string]string{
	"/nix/store/": "Nix made it: change what it is made from (home-manager, configuration.nix), and let Nix make it anew",
	"/gnu/store/": "Guix made it: change what it is made from, and let Guix make it anew",
}

// ofPackages reports a file that comes with the system: the next update would bring the
// old one back, and on systems that are replaced as a whole nobody can write there.
func ofPackages(place string) bool {
	return !strings.HasPrefix(place, "/usr/local/") && slices.ContainsFunc([]string{"/usr/", "/lib/"}, func(dir string) bool { return strings.HasPrefix(place, dir) })
}

// modprobeOfPackages is where packages leave files for modprobe. One of the same name in
// modprobeFolder is read in place of it, modprobe.d(5).
var modprobeOfPackages = []string{"/usr/lib/modprobe.d", "/lib/modprobe.d"}

const modprobeFolder = "/etc/modprobe.d"

// ours refuses a file that somebody's tools make.
func (f *file) ours() error {
	for dir, why := range stores {
		if strings.HasPrefix(f.path, dir) {
			return fmt.Errorf("%s is not to be edited. %s", f.path, why)
		}
	}
	if ofPackages(f.path) {
		return fmt.Errorf("%s comes with a package, which would bring it back; settings of your own belong into /etc", f.path)
	}
	return nil
}

// byNixOS refuses what NixOS makes from its configuration: a line that is written into
// the result is gone, or without effect, with the next generation of the system. Its
// other files lead to the store.
func (b *builder) byNixOS(place string) error {
	if _, mark, err := b.world.Look("/etc/NIXOS", false); err != nil || mark.Absent || !bootFile(place) && !strings.HasPrefix(place, "/etc/udev/") {
		return nil //nolint:nilerr // what cannot be looked at is no mark
	}
	return fmt.Errorf("%s: NixOS makes this from configuration.nix, so that is the place for it (boot.kernelParams, boot.extraModprobeConfig, services.udev.extraRules)", place)
}

// openToEdit opens a file of somebody's own. For one of a package that modprobe reads,
// that is a copy which is read in its place.
func (b *builder) openToEdit(s remedy.Step) (*file, error) {
	f, err := b.open(s.Path)
	if err != nil {
		return nil, err
	}
	if slices.Contains(modprobeOfPackages, path.Dir(f.path)) {
		return b.inPlaceOf(f, s)
	}
	return f, f.ours()
}

// inPlaceOf opens a file of our own that begins as a copy of one of a package's.
func (b *builder) inPlaceOf(theirs *file, s remedy.Step) (*file, error) {
	f, err := b.open(path.Join(modprobeFolder, path.Base(theirs.path)))
	switch {
	case err != nil:
		return nil, err
	case f.from == theirs.path:
		return f, nil // another cure began it
	case !f.image.Absent:
		return nil, fmt.Errorf("%s is read in place of %s", f.path, theirs.path)
	}
	if err := b.folders(path.Dir(f.path), s); err != nil {
		return nil, err
	}
	f.from, f.lines = theirs.path, slices.Clone(theirs.lines)
	f.why = fmt.Sprintf("%s comes with a package and stays as it is; this copy with the change is read in its place, also when the package is updated", theirs.path)
	return f, nil
}
