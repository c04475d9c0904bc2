package linkage

import (
	"io/fs"
	"path"
	"strings"
)

// parseConf reads a file like /etc/ld.so.conf: the folders it lists, and the
// patterns of files that it includes, each in the order of the file.
func parseConf(data []byte) []confLine {
	var out []confLine
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "hwcap":
			continue // hwcap lines are ignored by ldconfig too, since glibc 2.33
		case words[0] == "include":
			for _, pattern := range words[1:] {
				out = append(out, confLine{include: pattern})
			}
		default:
			// ldconfig takes blanks, commas and colons as separators, and a kind of
			// library behind an equals sign.
			for folder := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,:", r) }) {
				folder, _, _ = strings.Cut(folder, "=")
				if strings.HasPrefix(folder, "/") {
					out = append(out, confLine{folder: path.Clean(folder)})
				}
			}
		}
	}
	return out
}

// A confLine is a folder or an include.
type confLine struct{ folder, include string }

const (
	confFile     = "/etc/ld.so.conf"
	maxConfFiles = 200
	maxConfDepth = 8
)

// confFolders lists the folders that ldconfig would look into, besides its
// defaults.
func confFolders(fsys fs.FS) []string {
	c := confReader{fsys: fsys}
	c.read(confFile, 0)
	return c.folders
}

type confReader struct {
	fsys    fs.FS
	files   int
	folders []string
}

func (c *confReader) read(file string, depth int) {
	c.files++
	if c.files > maxConfFiles || depth > maxConfDepth {
		return
	}
	data, err := fs.ReadFile(c.fsys, fsName(file))
	if err != nil {
		return // ldconfig goes on without it
	}
	for _, line := range parseConf(data) {
		if line.include == "" {
			c.folders = append(c.folders, line.folder)
			continue
		}
		pattern := line.include
		if !path.IsAbs(pattern) {
			pattern = path.Join(path.Dir(file), pattern)
		}
		included, err := fs.Glob(c.fsys, fsName(path.Clean(pattern)))
		if err != nil {
			continue // a bad pattern includes nothing
		}
		for _, name := range included {
			c.read("/"+name, depth+1)
		}
	}
}
