package pydist

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
)

// parseRequiresTxt turns requires.txt of an egg into requirements of PEP 508. A
// section is "[extra]", "[:marker]" or "[extra:marker]" and holds for the lines
// below it.
func parseRequiresTxt(data []byte) []string {
	var out []string
	marker := ""
	for len(data) > 0 && len(out) < maxHeaders {
		var line []byte
		line, data, _ = cutLine(data)
		text := strings.TrimSpace(strings.ToValidUTF8(string(line), "�"))
		section, isSection := strings.CutPrefix(text, "[")
		switch {
		case text == "" || text[0] == '#':
		case isSection:
			marker = sectionMarker(strings.TrimSuffix(section, "]"))
		default:
			out = append(out, text+marker)
		}
	}
	return out
}

// sectionMarker writes the head of a section as a marker.
func sectionMarker(section string) string {
	extra, marker, _ := strings.Cut(section, ":")
	extra, marker = strings.TrimSpace(extra), strings.TrimSpace(marker)
	switch {
	case extra == "" && marker == "":
		return ""
	case extra == "":
		return " ; " + marker
	case marker == "":
		return ` ; extra == "` + extra + `"`
	}
	return " ; (" + marker + `) and extra == "` + extra + `"`
}

// followEggLink finds the .egg-info that an .egg-link leads to. Its first line
// is a folder; the egg-info stands in it, its name with "-" as "_".
func followEggLink(fsys fs.FS, link string) (string, error) {
	data, err := readBounded(fsys, link)
	if err != nil {
		return "", err
	}
	line, _, _ := cutLine(data)
	// Whose the path is does not matter: no file on Linux has a name with \ here.
	dir := strings.Trim(strings.ReplaceAll(string(bytes.TrimSpace(line)), `\`, "/"), "/")
	dir = path.Clean(dir)
	if !fs.ValidPath(dir) || dir == "." {
		return "", errors.New("it names no folder")
	}
	stem, _ := cutExt(path.Base(link))
	return path.Join(dir, strings.ReplaceAll(stem, "-", "_")+eggInfo), nil
}
