package launch

import (
	"io/fs"
	"path/filepath"
	"strings"
)

const pathSeparators = `/\:`

// endings are those that Windows tries: the name as it is where it has one.
func endings(file string, env []string) []string {
	list := value(env, "PATHEXT")
	if list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	var out []string
	if filepath.Ext(file) != "" {
		out = append(out, "")
	}
	for ending := range strings.SplitSeq(list, ";") {
		if ending != "" {
			out = append(out, ending)
		}
	}
	return out
}

func hasRight(fs.FileInfo) bool { return true }

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// defaultFolders are none: Windows sets the variable for everybody.
func defaultFolders() []string { return nil }
