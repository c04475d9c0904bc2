package host

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Redaction replaces names of people and hosts, serial numbers, unique ids,
// UUIDs, MAC addresses and container ids by aliases: user1, User 1, host1, 1.
//
// Names go by whole field, token or path segment and never by substring: the
// user "max" must not damage max_waves_per_simd. The same name has the same
// alias in questions and in answers, so that a replay which builds its
// questions from redacted answers finds what was recorded.

// redact returns a copy of a recorded snapshot with aliases for names.
func redact(raw *Snapshot) *Snapshot {
	a := gather(raw)
	s := newSnapshot(raw.system)
	w := workdirOf(raw)
	for _, r := range sorted(raw.records) {
		if w.hides(r) {
			continue
		}
		r = a.record(w.listed(r))
		if _, ok := s.records[r.heading()]; !ok {
			s.records[r.heading()] = r
		}
	}
	for _, p := range slices.Sorted(maps.Keys(raw.env.prefixes)) {
		s.env.prefixes[p] = a.fault(raw.env.prefixes[p])
	}
	for _, name := range slices.Sorted(maps.Keys(raw.env.vars)) {
		v := raw.env.vars[name]
		s.env.vars[name] = variable{value: a.variable(name, v.value), set: v.set, fault: a.fault(v.fault)}
	}
	return s
}

func (a *aliases) record(r record) record {
	redacted := record{verb: r.verb, args: slices.Clone(r.args), fault: a.fault(r.fault)}
	switch {
	case shapes[r.verb].path && strings.HasPrefix(r.args[0], "/sys/firmware/efi/"):
		// The UUIDs of firmware variables name their kind, the same everywhere.
		redacted.args[0] = a.names(r.args[0])
	case shapes[r.verb].path:
		redacted.args[0] = a.text(r.args[0])
	case r.verb == verbAsk:
		redacted.args = a.askArgs(r.args)
	case r.verb == verbRegistry:
		redacted.args[0] = a.names(r.args[0])
	}
	if r.fault == "" {
		redacted.body = a.body(r)
	}
	return redacted
}

func (a *aliases) fault(f fault) fault {
	if text, ok := f.text(); ok {
		return fault(strconv.Quote(a.text(text)))
	}
	return f
}

// askArgs redacts the arguments of a tool. The key of a look-up among users is
// a name whatever it looks like; among groups it may be a well-known group.
func (a *aliases) askArgs(args []string) []string {
	redacted := slices.Clone(args)
	for i, arg := range args {
		if i == 0 {
			continue
		}
		redacted[i] = a.text(arg)
		if _, ok := a.people[arg]; ok && i > 1 && isTable(args, "passwd") {
			redacted[i] = a.person(arg)
		}
	}
	return redacted
}

// isTable says that a question was "getent TABLE …".
func isTable(args []string, table string) bool {
	return len(args) > 1 && args[0] == string(Getent) && args[1] == table
}

func (a *aliases) body(r record) []byte {
	switch r.verb {
	case verbFile:
		return a.file(r.args[0], r.body)
	case verbRange:
		return a.binary(r.body)
	case verbDir:
		return a.listing(r.args[0], r.body)
	case verbAsk:
		switch {
		case isTable(r.args, "passwd"):
			return a.passwd(r.body)
		case isTable(r.args, "group"):
			return a.group(r.body)
		}
		return []byte(a.text(string(r.body)))
	case verbLink:
		if isOpenFile(r.args[0]) && !isRemovedCache(string(r.body)) {
			return []byte("redacted")
		}
		return []byte(a.text(string(r.body)))
	case verbLog:
		return []byte(a.text(string(r.body)))
	case verbXattr:
		return a.anyBytes(r.body)
	case verbRegistry:
		// The UUIDs of the registry are classes of devices, the same everywhere.
		return []byte(a.names(string(r.body)))
	}
	return r.body
}

// listing redacts the names in a directory as the paths that they are.
func (a *aliases) listing(dir string, body []byte) []byte {
	entries, err := parseEntries(body)
	if err != nil {
		return nil
	}
	above := strings.TrimSuffix(a.text(dir), "/") + "/"
	for i, e := range entries {
		full := a.text(strings.TrimSuffix(dir, "/") + "/" + e.Name)
		name, ok := strings.CutPrefix(full, above)
		if !ok {
			name = a.text(e.Name)
		}
		entries[i].Name = name
	}
	slices.SortFunc(entries, func(x, y Entry) int { return strings.Compare(x.Name, y.Name) })
	return formatEntries(entries)
}

// file redacts a file by what is known of its place.
func (a *aliases) file(p string, body []byte) []byte {
	switch {
	case p == "/etc/passwd":
		return a.passwd(body)
	case p == "/etc/group":
		return a.group(body)
	case isShellFile(p):
		return a.shellFile(body)
	case isEngineFile(p):
		return engineFile(p, body)
	case isHostNameFile(p):
		return a.wholeValue(body, a.hostField)
	case path.Base(p) == "machine-id":
		return []byte(a.marks(string(body)))
	case p == "/proc/cmdline":
		return []byte(a.text(commandLine(string(body))))
	case strings.HasPrefix(p, "/sys/"):
		return a.sysfs(p, body)
	case strings.HasPrefix(p, "/proc/") && !isRunningText(p):
		return body
	case isVendorFile(p):
		return a.binary(body)
	}
	return a.anyBytes(body)
}

// isOpenFile says that a link shows what a process has open, which is nobody's
// business but for the caches that were deleted under it.
func isOpenFile(p string) bool {
	return strings.HasPrefix(p, "/proc/") && path.Base(path.Dir(p)) == "fd"
}

// isRemovedCache finds a database of MIOpen, or a side file, that was deleted.
func isRemovedCache(target string) bool {
	return strings.HasSuffix(target, " (deleted)") && strings.Contains(path.Base(target), "kdb")
}

// anyBytes redacts bytes as text if they are text.
func (a *aliases) anyBytes(body []byte) []byte {
	if utf8.Valid(body) && bytes.IndexFunc(body, isControl) < 0 {
		return []byte(a.text(string(body)))
	}
	return a.binary(body)
}

// isControl finds what no text holds. NUL separates the words in some files of
// /proc.
func isControl(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' && r != 0 }

func isHostNameFile(p string) bool {
	return p == "/etc/hostname" || p == "/proc/sys/kernel/hostname"
}

// isRunningText picks the files of /proc that people and their tools fill.
func isRunningText(p string) bool {
	switch path.Base(p) {
	case "cmdline", "mountinfo", "mounts", "cgroup", "environ":
		return true
	}
	return false
}

// isVendorFile says that a file came with a package and is the same on other
// machines, so that the names in it are nobody's here.
func isVendorFile(p string) bool {
	for _, part := range []string{"/site-packages/", "/dist-packages/"} {
		if strings.Contains(p, part) {
			return true
		}
	}
	if strings.HasPrefix(p, "/usr/local/") {
		return false
	}
	for _, dir := range []string{"/usr/", "/lib/", "/lib64/", "/opt/rocm", "/etc/os-release", "/etc/lsb-release",
		"/var/lib/dpkg/", "/var/lib/rpm/", "/var/lib/pacman/"} {
		if strings.HasPrefix(p, dir) {
			return true
		}
	}
	return false
}

// wholeValue redacts a value that fills a file but for the blanks around it.
func (a *aliases) wholeValue(body []byte, alias func(string) string) []byte {
	value := strings.TrimSpace(string(body))
	if value == "" {
		return body
	}
	before, after, _ := strings.Cut(string(body), value)
	return []byte(before + alias(value) + after)
}

// hostField replaces a value that is a host name whatever it looks like.
func (a *aliases) hostField(value string) string {
	if isNobodysHost(value) {
		return value
	}
	return a.host(value)
}

// variable redacts the value of an environment variable.
func (a *aliases) variable(name, value string) string {
	if value == "" {
		return ""
	}
	switch upper := strings.ToUpper(name); {
	case isUserVariable(upper):
		if a.isPerson(value) {
			return a.person(value)
		}
		return a.text(value)
	case isHostVariable(upper):
		return a.hostField(value)
	case isSecretVariable(upper):
		return "redacted"
	case a.windows && upper == "PATH":
		return a.text(rocmOnPath(value))
	}
	return a.text(value)
}

// rocmOnPath keeps the folders of ROCm: the others tell what somebody has
// installed and where they work.
func rocmOnPath(value string) string {
	var kept []string
	for dir := range strings.SplitSeq(value, ";") {
		if strings.Contains(strings.ToLower(dir), "rocm") {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, ";")
}

func isUserVariable(name string) bool {
	return name == "USER" || name == "LOGNAME" || name == "SUDO_USER" || name == "USERNAME"
}

func isHostVariable(name string) bool {
	return name == "HOSTNAME" || name == "HOST" || name == "COMPUTERNAME" || name == "USERDOMAIN"
}

// isSecretVariable recognises what nobody wants in a bug report.
func isSecretVariable(name string) bool {
	for _, part := range []string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "APIKEY", "_KEY", "CREDENTIAL", "AUTH", "LOGIN", "LICEN", "PRIVATE", "COOKIE", "_URL"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	// Endings only: MIOpen has an MPASS, and a personal access token is no PATH.
	return strings.HasSuffix(name, "_PASS") || strings.HasSuffix(name, "_PAT")
}
