package launch

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/grant"
)

// Kept is what outlives a container: a home folder, and the caches of programs
// on the GPU.
type Kept struct {
	Variables []string // NAME=VALUE
	Mounts    []Mount
}

// Keep makes the folders that a container of one version of the software is
// given, before it starts: an engine would make them as root. A variable that the
// caller has set keeps its folder.
func Keep(caches []grant.Cache, version string, env []string) (Kept, error) {
	base, err := cacheBase(env)
	if err != nil {
		return Kept{}, err
	}
	home := path.Join(base, "shared", "home")
	kept := Kept{Variables: []string{"HOME=" + home, "USER=" + userName(env), "LOGNAME=" + userName(env)}}
	for _, dir := range []string{path.Join(base, "shared"), path.Join(base, version)} {
		if err := kept.folder(dir); err != nil {
			return Kept{}, err
		}
	}
	if err := kept.folder(home); err != nil {
		return Kept{}, err
	}
	for _, c := range caches {
		dir := value(env, c.Variable)
		if !path.IsAbs(dir) {
			dir = c.Below(base, version)
		}
		if err := kept.folder(path.Clean(dir)); err != nil {
			return Kept{}, err
		}
		kept.Variables = append(kept.Variables, c.Variable+"="+dir)
	}
	return kept, nil
}

// cacheBase is where caches are kept (XDG Base Directory Specification).
func cacheBase(env []string) (string, error) {
	if dir := value(env, "XDG_CACHE_HOME"); path.IsAbs(dir) {
		return path.Join(dir, "rocsmith", "run"), nil
	}
	if home := value(env, "HOME"); path.IsAbs(home) {
		return path.Join(home, ".cache", "rocsmith", "run"), nil
	}
	return "", errors.New("neither XDG_CACHE_HOME nor HOME says where caches can be kept")
}

// userName is what programs ask for that find no account of their number in the
// image: getpass.getuser() of Python fails without it.
func userName(env []string) string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if v := value(env, name); v != "" && !strings.ContainsAny(v, "\n\x00") {
			return v
		}
	}
	uid, _ := Caller()
	return fmt.Sprint(uid)
}

// folder makes a folder that the caller can write, and mounts it.
func (k *Kept) folder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder that outlives the container: %w", err)
	}
	f, err := os.CreateTemp(dir, ".rocsmith-*")
	if err != nil {
		return fmt.Errorf("the container could not keep its files in %s: %w; an earlier container may have made it as root", dir, bare(err))
	}
	name := f.Name()
	if err := errors.Join(f.Close(), os.Remove(name)); err != nil {
		return fmt.Errorf("try to write in %s: %w", dir, err)
	}
	if _, mounted := within(k.Mounts, dir); !mounted {
		k.Mounts = append(k.Mounts, Mount{Source: dir, Target: dir})
	}
	return nil
}
