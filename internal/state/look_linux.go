package state

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// Look takes the image of a file as a plan shows it: the real path, and what is
// there. Content is read where the file is to be rewritten.
func Look(file string, content bool) (string, Image, error) {
	place := realPath(file)
	if !utf8.ValidString(place) {
		return place, Image{}, fmt.Errorf("%q: %w", place, errNoText)
	}
	i, err := disk{kernel{}}.lookAt(place, content)
	if err != nil {
		return place, i, fmt.Errorf("%s: %w", place, err)
	}
	return place, i, nil
}

// realPath follows links once, when the plan is made; the plan shows where they
// lead, and what is done later follows none. A folder that does not exist is made
// where it is named.
func realPath(file string) string {
	if place, err := filepath.EvalSymlinks(file); err == nil {
		return place
	}
	dir := filepath.Dir(file)
	if dir == file {
		return file
	}
	return filepath.Join(realPath(dir), filepath.Base(file))
}
