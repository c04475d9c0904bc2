package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/all"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A LintRequest says which project files are to be judged, and for which machine.
type LintRequest struct {
	Given  string // the path as somebody wrote it
	Path   string // in full
	Folder string // that they are in, in full
	// For is the machine that the project is to run on; nil is this one.
	For     host.Reader
	Machine string // the snapshot that it is from, as somebody named it
	Strict  bool
}

// A Linter judges project files of this machine.
type Linter struct {
	Host    host.Reader
	Version string
	Now     func() time.Time
	Rules   []lint.Rule // nil is all of them
}

func (l Linter) rules() []lint.Rule {
	if l.Rules == nil {
		return all.Rules()
	}
	return l.Rules
}

// A linted is a judged project, with what it takes to judge it again.
type linted struct {
	report.Lint
	setting lint.Setting
	top     string // of the project, on the machine
}

// Lint judges project files.
func (l Linter) Lint(q LintRequest) (report.Lint, error) {
	out, err := l.lint(q)
	return out.Lint, err
}

func (l Linter) lint(q LintRequest) (linted, error) {
	start := l.Now()
	on := q.For
	if on == nil {
		on = l.Host
	}
	p, top, err := l.project(q)
	if err != nil {
		return linted{}, err
	}
	m := survey.Take(on)
	s := lint.Setting{Machine: m, Needs: grant.For(m), Engine: survey.Engine(on), Strict: q.Strict, Now: l.Now()}
	s.Getenv = func(name string) (string, bool) {
		value, set, err := on.Getenv(name)
		return value, set && err == nil
	}
	if s.Podman = s.Engine; s.Engine.Kind == grant.Docker && len(p.Of(lint.Quadlet)) > 0 {
		s.Podman = survey.Podman(on)
	}
	s.Image = l.images(m)
	if q.For == nil {
		s.Owner = func(folder string) (uint32, bool, error) { return l.owner(top, folder) }
	}
	out := linted{setting: s, top: top}
	rules := l.rules()
	out.Lint = report.Lint{
		Version: l.Version, Target: q.Given, Machine: m, Engine: s.Engine, Elsewhere: q.For != nil, For: q.Machine, Strict: q.Strict,
		Rules: rules, Result: lint.Run(p, s, rules),
	}
	out.Took = l.Now().Sub(start)
	return out, nil
}

// owner is who owns a folder, or the nearest one above it that is there.
func (l Linter) owner(top, folder string) (uid uint32, there bool, err error) {
	there = true
	for full := l.inFull(top, folder); ; full = path.Dir(full) {
		st, err := l.Host.Lstat(full)
		switch {
		case err == nil && !there && st.Mode.IsRegular():
			return 0, false, fmt.Errorf("%s is a file, and no folder can be in it", full)
		case err == nil:
			return st.UID, there, nil
		case !errors.Is(err, fs.ErrNotExist) || full == path.Dir(full):
			return 0, false, fmt.Errorf("see who owns %s: %w", full, err)
		}
		there = false
	}
}

// project reads the files. The file system begins at the top of the project, and
// nothing in it leads out.
func (l Linter) project(q LintRequest) (*lint.Project, string, error) {
	system := l.Host.OS()
	target := host.FileName(system, q.Path)
	top := l.top(target, host.FileName(system, q.Folder))
	at := "."
	if target != top {
		at = strings.TrimPrefix(target, prefixOf(top))
	}
	root := host.PathOf(system, top)
	files, err := l.files(top)
	if err != nil {
		return nil, "", fmt.Errorf("lint %s: %w", q.Given, err)
	}
	p, err := lint.Discover(files, at)
	if err != nil {
		return nil, "", fmt.Errorf("lint %s: %w", q.Given, err)
	}
	folder := host.FileName(system, q.Folder)
	p.Shown = func(name string) string { return seenFrom(folder, path.Join(top, name), system) }
	return p, root, nil
}

// files is the project as a file system. On Windows links are not followed at all.
func (l Linter) files(top string) (fs.FS, error) {
	if l.Host.OS() == "windows" {
		return fs.Sub(host.Files(l.Host), top)
	}
	return host.Files(host.Root(l.Host, host.PathOf(l.Host.OS(), top))), nil
}

func prefixOf(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

// top is the folder above a path that is the top of a repository; without one, the
// folder that somebody is in, or the one that they name.
func (l Linter) top(target, folder string) string {
	dir := target
	if st, err := l.Host.Lstat(host.PathOf(l.Host.OS(), target)); err != nil || !st.Mode.IsDir() {
		dir = path.Dir(target)
	}
	for up := dir; ; up = path.Dir(up) {
		if _, err := l.Host.Lstat(host.PathOf(l.Host.OS(), path.Join(up, ".git"))); err == nil {
			return up
		}
		if up == path.Dir(up) {
			break
		}
	}
	if dir == folder || strings.HasPrefix(dir, prefixOf(folder)) {
		return folder
	}
	return dir
}

// seenFrom names a file as somebody in a folder would.
func seenFrom(folder, name, system string) string {
	if rest, inside := strings.CutPrefix(name, prefixOf(folder)); inside {
		return rest
	}
	up := "../"
	for at := path.Dir(folder); at != "."; at = path.Dir(at) {
		if rest, inside := strings.CutPrefix(name, prefixOf(at)); inside && strings.Count(up, "/") <= 2 {
			return up + rest
		}
		up += "../"
	}
	return host.PathOf(system, name)
}
