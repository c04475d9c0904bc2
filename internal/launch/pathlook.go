package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Here is the place that rocsmith was started in.
func Here(env []string) (Workplace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return Workplace{}, fmt.Errorf("the folder you are in cannot be given to a container: %w; go to one that is there", err)
	}
	w := Workplace{Dir: dir, Home: value(env, "HOME"), Look: look}
	for _, p := range []*string{&w.Dir, &w.Home} {
		if target, err := filepath.EvalSymlinks(*p); err == nil {
			*p = target
		}
	}
	if !filepath.IsAbs(w.Dir) {
		return Workplace{}, errors.New("the working folder has no path")
	}
	if !filepath.IsAbs(w.Home) {
		w.Home = ""
	}
	return w, nil
}

// look looks at this machine.
func look(p string) Place {
	target, err := filepath.EvalSymlinks(p)
	if err != nil {
		return Place{}
	}
	st, err := os.Stat(target)
	switch {
	case err != nil:
		return Place{}
	case !st.IsDir():
		return Place{Kind: File, Real: target}
	}
	return Place{Kind: Folder, Real: target, Beyond: linkedFolders(target)}
}

// linkedFolders are those outside of a folder that its links lead to, as the
// snapshots of downloaded models do.
func linkedFolders(dir string) []string {
	const most = 4096 // names; a folder with more is no snapshot
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(most) // what could be read
	var out []string
	for _, entry := range entries {
		if entry.Type()&os.ModeSymlink == 0 {
			continue
		}
		target, err := filepath.EvalSymlinks(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		if st, err := os.Stat(target); err == nil && !st.IsDir() {
			target = filepath.Dir(target)
		}
		if !below(dir, target) && !slices.Contains(out, target) && !strings.HasPrefix(target, "/proc/") {
			out = append(out, target)
		}
	}
	return out
}
