//go:build !windows

package launch

import "io/fs"

const pathSeparators = "/"

func endings(string, []string) []string { return []string{""} }

// hasRight reports whether somebody may run a file. Whether it is this user is the
// kernel's answer at the start.
func hasRight(st fs.FileInfo) bool { return st.Mode().Perm()&0o111 != 0 }

func sameName(a, b string) bool { return a == b }

func defaultFolders() []string { return []string{"/bin", "/usr/bin"} }
