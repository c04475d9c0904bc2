package survey

import (
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// loginFiles returns the files from which shells, logins and services take
// variables, the system's before the user's own.
func loginFiles(r host.Reader) []string {
	files := []string{"/etc/environment", "/etc/profile"}
	files = append(files, matching(r, "/etc/profile.d", "*.sh")...)
	files = append(files, "/etc/bash.bashrc")
	files = append(files, unitFiles(r, "/etc/systemd/system")...)
	// Compose and many programs take variables from the folder they are called in.
	if dir, set, err := r.Getenv("PWD"); err == nil && set && path.IsAbs(dir) {
		files = append(files, path.Join(dir, ".env"))
	}
	home, set, err := r.Getenv("HOME")
	if err != nil || !set || !path.IsAbs(home) {
		return files
	}
	for _, name := range []string{".profile", ".bash_profile", ".bashrc", ".zshenv"} {
		files = append(files, path.Join(home, name))
	}
	zsh, config := namedFolder(r, "ZDOTDIR", home), namedFolder(r, "XDG_CONFIG_HOME", path.Join(home, ".config"))
	files = append(files, path.Join(zsh, ".zprofile"), path.Join(zsh, ".zshrc"), path.Join(config, "fish/config.fish"))
	files = append(files, matching(r, path.Join(config, "environment.d"), "*.conf")...)
	return append(files, unitFiles(r, path.Join(config, "systemd/user"))...)
}

// namedFolder is the one that a variable names, or the usual one.
func namedFolder(r host.Reader, name, usual string) string {
	if dir, set, err := r.Getenv(name); err == nil && set && path.IsAbs(dir) {
		return dir
	}
	return usual
}

// unitFiles returns the services that somebody wrote, and what was added to
// others; those of packages set no variables of ROCm.
func unitFiles(r host.Reader, dir string) []string {
	files := matching(r, dir, "*.service")
	for _, added := range matching(r, dir, "*.service.d") {
		files = append(files, matching(r, added, "*.conf")...)
	}
	return files
}

// variableSources only adds to what is set: a file that is closed or was not
// recorded takes nothing away from the other answers.
func variableSources(r host.Reader) machine.Fact[[]machine.VariableSource] {
	found := []machine.VariableSource{}
	for _, file := range loginFiles(r) {
		data, err := r.ReadFile(file)
		if err == nil {
			found = append(found, parseShell(file, string(data))...)
		}
	}
	return machine.Know(found, "files that shells, logins and services read")
}

// maxSources bounds what one file can add.
const maxSources = 200

// parseShell keeps the lines that set a variable of ROCm and no others: these
// files hold people's keys. Nothing is evaluated.
func parseShell(file, s string) []machine.VariableSource {
	var out []machine.VariableSource
	number := 0
	for line := range strings.Lines(s) {
		number++
		if len(out) >= maxSources {
			break
		}
		for _, a := range host.StackAssignments(line) {
			if readable(a.Value) && (hasPrefix(stackPrefixes, a.Name) || rocm.Concerns(a.Name)) {
				out = append(out, machine.VariableSource{Name: a.Name, Value: a.Value, File: file, Line: number})
			}
		}
	}
	return out
}

// variablePaths looks at what the variables that hold a path point to. A
// relative path depends on where a program is started, and is left alone.
func variablePaths(r host.Reader, vars machine.Fact[[]machine.Variable]) machine.Fact[[]machine.VariablePath] {
	if !vars.Known() {
		return machine.Unknown[[]machine.VariablePath](vars.From, vars.Why)
	}
	found := []machine.VariablePath{}
	for _, v := range vars.Value {
		rule, ok := rocm.PathRuleFor(v.Name)
		if !ok || v.Value == "" {
			continue
		}
		p := v.Value
		if home, set, _ := r.Getenv("HOME"); rule.Home && set && r.OS() != "windows" {
			p = strings.ReplaceAll(p, "~", home)
		}
		if isAbsolute(r.OS(), p) {
			found = append(found, variablePath(r, rule, v.Name, p))
		}
	}
	return machine.Know(found, vars.From)
}

// isAbsolute leaves a path of Windows without a drive alone as well.
func isAbsolute(system, p string) bool {
	if system == "windows" {
		return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	}
	return path.IsAbs(p)
}

func variablePath(r host.Reader, rule rocm.PathRule, name, p string) machine.VariablePath {
	v := machine.VariablePath{Name: name, Path: p, Kind: pathKind(r, p)}
	// What is missing is made by its reader, below what is there.
	if rule.Written && (v.Kind.Value == machine.PathDirectory || v.Kind.Value == machine.PathFile) {
		v.Writable = mayWrite(r, p)
	}
	return v
}

// pathKind follows one link, which is what /opt/rocm is. Links of Windows have
// rules of their own and are taken as they are.
func pathKind(r host.Reader, p string) machine.Fact[machine.PathKind] {
	kind, err := kindOf(r, p)
	if err == nil && kind == machine.PathOther && r.OS() != "windows" {
		if target, linkErr := r.ReadLink(p); linkErr == nil {
			if !path.IsAbs(target) {
				target = path.Join(path.Dir(p), target)
			}
			kind, err = kindOf(r, target)
		}
	}
	if err != nil {
		f := failed[machine.PathKind](p, err)
		if f.Absent() {
			return machine.Know(machine.PathMissing, f.From)
		}
		return f
	}
	return machine.Know(kind, machine.Source(p))
}

func kindOf(r host.Reader, p string) (machine.PathKind, error) {
	stat, err := r.Lstat(p)
	switch {
	case err != nil:
		return "", err
	case stat.Mode.IsDir():
		return machine.PathDirectory, nil
	case stat.Mode.IsRegular():
		return machine.PathFile, nil
	}
	return machine.PathOther, nil
}

// mayWrite turns the system's answer into yes or no; other errors than a refusal
// say nothing about rights.
func mayWrite(r host.Reader, p string) machine.Fact[bool] {
	f := writable(r, p)
	switch host.Errno(f.Value) {
	case "":
		return machine.Fact[bool]{Value: f.Known(), State: f.State, From: machine.Source(p), Why: f.Why}
	case host.EACCES, host.EPERM, "EROFS":
		return machine.Fact[bool]{State: machine.Known, From: machine.Source(p), Why: host.Errno(f.Value).Error()}
	}
	return machine.Unknown[bool](machine.Source(p), host.Errno(f.Value).Error())
}
