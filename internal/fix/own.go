package fix

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// ofTheSystem are folders in which nothing changes hands.
var ofTheSystem = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/opt", "/proc", "/root", "/run", "/sbin", "/sys", "/usr"}

// changeOwner gives a cache back to the one who uses it.
func (b *builder) changeOwner(s remedy.Step) error {
	uid, gid, err := ids(s.Value)
	if err != nil {
		return err
	}
	place, image, err := b.world.Look(s.Path, false)
	switch {
	case err != nil:
		return err
	case image.Absent:
		return fmt.Errorf("%s: %w", place, errGone)
	}
	for _, folder := range ofTheSystem {
		if place == folder || strings.HasPrefix(place, folder+"/") && (folder != "/root" || uid != 0) {
			return fmt.Errorf("%s belongs to the system", place)
		}
	}
	if image.UID != 0 && image.UID != uid {
		return fmt.Errorf("%s belongs to uid %d; only what root left changes hands", place, image.UID)
	}
	if err := b.within(place, image, uid); err != nil {
		return err
	}
	if _, sudo := b.world.Program("sudo"); !sudo && b.who.UID != 0 {
		return fmt.Errorf("%s: to give it to somebody needs root, and there is no sudo here", place)
	}
	covers := func(o Step, p string) bool {
		return o.Act.Kind == state.Own && o.Act.UID == uid && o.Act.GID == gid && (o.Act.Path == p || strings.HasPrefix(p, o.Act.Path+"/"))
	}
	if slices.ContainsFunc(b.others, func(o Step) bool { return covers(o, place) }) {
		return nil
	}
	whole := Step{Act: state.Act{Kind: state.Own, Path: place, UID: uid, GID: gid}}
	b.others = slices.DeleteFunc(b.others, func(o Step) bool { return o.Act.Kind == state.Own && covers(whole, o.Act.Path) })
	s.Path = place
	b.others = append(b.others, Step{
		Title: fmt.Sprintf("give %s to %d:%d", place, uid, gid), Detail: "whatever in it belongs to root; links and other file systems stay", Root: b.who.UID != 0,
		ByHand: backToOwners(place, image),
		Act:    state.Act{Kind: state.Own, Path: place, UID: uid, GID: gid}, Source: []remedy.Step{s},
	})
	return nil
}

// backToOwners says how files go back. In a folder not every file changed hands, and
// the journal that knows which is that of root.
func backToOwners(place string, image state.Image) string {
	if image.Folder {
		return "give each file in " + place + " back that sudo rocsmith case lists, to the owner that it names: sudo chown OWNER FILE"
	}
	return remedy.Paste("sudo", "chown", fmt.Sprintf("%d:%d", image.UID, image.GID), place)
}

// within wants a folder, with all that is in it, to be in the home of its new
// owner, wherever links lead: ~/.cache may be a name for a place of many users.
// A rocsmith of root has another home, and goes by who owns the folders above.
func (b *builder) within(place string, image state.Image, uid uint32) error {
	if !image.Folder {
		return nil
	}
	if b.who.UID == uid {
		home, _, err := b.world.Look(b.who.Home, false)
		if err != nil {
			return err
		}
		if home == "/" || !strings.HasPrefix(place, home+"/") {
			return fmt.Errorf("%s is not in your home %s, so it may hold what others keep there", place, home)
		}
		return nil
	}
	for dir := path.Dir(place); dir != "/"; dir = path.Dir(dir) {
		if _, above, err := b.world.Look(dir, false); err == nil && !above.Absent && above.UID == uid {
			return nil
		}
	}
	return fmt.Errorf("%s is in no folder of uid %d, so it may hold what others keep there", place, uid)
}

func ids(owner string) (uid, gid uint32, err error) {
	u, g, found := strings.Cut(owner, ":")
	user, err1 := strconv.ParseUint(u, 10, 32)
	group, err2 := strconv.ParseUint(g, 10, 32)
	if !found || err1 != nil || err2 != nil {
		return 0, 0, fmt.Errorf("%q names no owner", owner)
	}
	return uint32(user), uint32(group), nil
}
