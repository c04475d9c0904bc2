package state

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// list names what is in a folder.
func (d disk) list(folder string) ([]string, error) {
	at, err := d.folder(folder)
	if err != nil {
		return nil, err
	}
	defer d.release(at)
	fd, err := d.openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", folder, err)
	}
	defer d.release(fd)
	names, err := d.names(fd)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return names, nil
}

// packages are the distributions of a Python environment with their versions, as
// the names of their metadata tell.
func (d disk) packages(prefix string) (map[string]string, error) {
	lib := path.Join(prefix, "lib")
	pythons, err := d.list(lib)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, python := range pythons {
		if !strings.HasPrefix(python, "python3") {
			continue
		}
		names, err := d.list(path.Join(lib, python, "site-packages"))
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if name, version, ok := distribution(n); ok {
				out[name] = version
			}
		}
	}
	return out, nil
}

// install lets pip or uv work, after it was asked whether what is to follow can be
// had at all.
func (d disk) install(s *Step) error {
	if len(s.First) > 0 {
		if _, err := d.run(s.First); err != nil {
			return fmt.Errorf("nothing was removed, because what is to take its place cannot be had: %w", err)
		}
	}
	said, err := d.run(s.Argv)
	s.Note = said
	if err != nil {
		return err
	}
	s.Has, err = d.packages(s.Path)
	return err
}

// undoInstall brings the versions back that were there, by the same installer.
// They come from an index, so it can fail, and then says what is left to do.
func (d disk) undoInstall(s *Step) error {
	now, err := d.packages(s.Path)
	if err != nil {
		return err
	}
	back, away, others := s.difference(now)
	var failed []error
	if len(away) > 0 {
		_, err := d.run(slices.Concat(s.installer("uninstall"), away))
		failed = append(failed, err)
	}
	byHand := make([]string, 0, 2) // most have one index, and PyPI
	for _, argv := range s.installAgain(back) {
		_, err := d.run(argv)
		failed = append(failed, err)
		byHand = append(byHand, strings.Join(argv, " "))
	}
	switch err := errors.Join(failed...); {
	case err != nil:
		return Conflict{Path: s.Path, Why: fmt.Sprintf("the packages that were there could not be installed again: %v. By hand: %s", err, strings.Join(byHand, " && "))}
	case len(others) > 0:
		return Conflict{Path: s.Path, Why: "somebody changed these packages since: " + strings.Join(others, ", ")}
	}
	return nil
}

// difference is what undo has to do: install again, remove, and leave because
// somebody else changed it. Of a step that was interrupted all that differs is its
// own doing.
func (s *Step) difference(now map[string]string) (back, away, others []string) {
	names := slices.Sorted(maps.Keys(now))
	for name := range s.Had {
		if _, still := now[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		had, was := s.Had[name]
		is, there := now[name]
		ours := s.Has == nil || s.Has[name] == is
		changed := s.Has == nil || s.Has[name] != had
		switch {
		case had == is && was == there, !changed:
		case !ours:
			others = append(others, name)
		case was:
			back = append(back, name+"=="+had)
		case there:
			away = append(away, name)
		}
	}
	return back, away, others
}
