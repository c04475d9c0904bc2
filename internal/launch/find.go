package launch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// find finds a program as a shell would that has the command's environment, not
// rocsmith's: a Python environment has its programs before those of the system.
func find(program string, env []string, dir string) (string, error) {
	if program == "" {
		return "", fs.ErrNotExist
	}
	if strings.ContainsAny(program, pathSeparators) {
		return executable(program, env, dir)
	}
	found := fs.ErrNotExist
	for _, folder := range folders(env) {
		if folder == "" {
			folder = "."
		}
		// With the separator, so that a file of the working folder stays one.
		file, err := executable(folder+string(filepath.Separator)+program, env, dir)
		if err == nil {
			return file, nil
		}
		if !missing(err) {
			found = err // it is there, and nobody may run it: more than "not found"
		}
	}
	return "", found
}

// executable is the file that a path stands for: on Windows one of its endings
// may be left out.
func executable(file string, env []string, dir string) (string, error) {
	result := fs.ErrNotExist
	for _, ending := range endings(file, env) {
		err := mayRun(file+ending, dir)
		if err == nil {
			return file + ending, nil
		}
		if !missing(err) {
			result = err
		}
	}
	return "", result
}

func mayRun(file, dir string) error {
	seen := file
	if !filepath.IsAbs(file) && dir != "" {
		seen = filepath.Join(dir, file)
	}
	st, err := os.Stat(seen)
	switch {
	case err != nil:
		return bare(err)
	case st.IsDir():
		return errIsFolder
	case !hasRight(st):
		return errNotMarked
	}
	return nil
}

// folders are those that programs lie in. Where PATH is not set at all, it is what
// execvp(3) takes it for.
func folders(env []string) []string {
	if !slices.ContainsFunc(env, func(pair string) bool { n, _, _ := strings.Cut(pair, "="); return sameName(n, "PATH") }) {
		return defaultFolders()
	}
	return filepath.SplitList(value(env, "PATH"))
}

// value is the last of a variable in an environment.
func value(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		n, v, _ := strings.Cut(pair, "=")
		if sameName(n, name) {
			return v
		}
	}
	return ""
}
