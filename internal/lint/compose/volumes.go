package compose

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// cacheFolders finds folders that Docker makes when it mounts them, and makes as
// root, for a service that runs as somebody else.
func cacheFolders(p *lint.Pass) {
	if p.Engine.Kind == grant.Podman || p.Engine.Rootless {
		return // podman makes none, and a rootless engine is nobody's root
	}
	r := reporting(p)
	for _, s := range look(p).gpus {
		user := s.Get("user")
		if user.String() == "" || !user.Known() || root(s) {
			continue
		}
		for _, v := range s.Volumes() {
			folder, name := absent(p, v)
			if folder == "" {
				continue
			}
			f := at(p, v.Value)
			f.Verdict, f.Cause = check.Fail, "miopen-db-readonly"
			if !cache(p, s, v.Target) {
				f.Verdict, f.Cause = check.Warn, ""
			}
			f.Message = fmt.Sprintf("%s does not exist, so Docker makes it as root when it mounts it, and service %s as user %s cannot write to %s.", name, s.Name, user.Text, v.Target)
			f.Mend = makeFolder(p, user.Text, folder, name)
			if f.Mend == nil {
				f.Advice = folderAdvice(p, user.Text, folder, name)
			}
			r.report(f)
		}
	}
}

// absent is the folder of a bind mount that the engine would have to make, and how
// a person names it; "" where it is there, or is neither the project's nor in the
// home of whoever asks.
func absent(p *lint.Pass, v composefile.Volume) (folder, name string) {
	if v.Type != "bind" || !v.Creates || v.ReadOnly || !v.Value.Known() {
		return "", ""
	}
	if v.Inside {
		if _, err := fs.Stat(p.FS, v.Source); !errors.Is(err, fs.ErrNotExist) || p.Made(v.Source) {
			return "", ""
		}
		return v.Source, shown(p, v.Source)
	}
	if p.Getenv == nil || p.Owner == nil {
		return "", ""
	}
	home, _ := p.Getenv("HOME")
	full := v.Source
	if rest, ok := strings.CutPrefix(full, "~/"); ok {
		full = home + "/" + rest
	}
	if full = path.Clean(full); !path.IsAbs(home) || !strings.HasPrefix(full, path.Clean(home)+"/") || p.Made(full) {
		return "", ""
	}
	if _, there, err := p.Owner(full); there || err != nil {
		return "", ""
	}
	return full, full
}

// folderAdvice is a line to paste: where the folder would be somebody else's than the
// user's, it takes root to hand it over.
func folderAdvice(p *lint.Pass, user, folder, name string) []remedy.Remedy {
	const title = "Make the folder before the first start"
	uid, gid, both := strings.Cut(user, ":")
	number, err := strconv.ParseUint(uid, 10, 32)
	if err == nil && p.Owner != nil {
		if owner, _, err := p.Owner(folder); err == nil && uint64(owner) != number {
			words := []string{"sudo", "install", "-d", "-o", uid}
			if both {
				words = append(words, "-g", gid)
			}
			return paste("compose-folder", title, "For the user that the service runs as", remedy.Paste(append(words, name)...))
		}
	}
	return paste("compose-folder", title, "As the user that the service runs as", remedy.Paste("mkdir", "-p", name))
}

// makeFolder makes a folder for a service whose user owns what the folder is to be
// in: whoever else it would be made for could not write to it either. What is named
// like a file is left to a person.
func makeFolder(p *lint.Pass, user, folder, name string) *lint.Mend {
	number, _, _ := strings.Cut(user, ":")
	uid, err := strconv.ParseUint(number, 10, 32)
	if err != nil || p.Owner == nil || strings.Contains(strings.TrimLeft(path.Base(folder), "."), ".") {
		return nil
	}
	if owner, there, err := p.Owner(folder); err != nil || there || uint64(owner) != uid {
		return nil
	}
	return &lint.Mend{Title: "Make the folder " + name, Folders: []string{folder}}
}

// cache reports a target that programs on the GPU keep what they compile in.
func cache(p *lint.Pass, s *composefile.Service, target string) bool {
	vars, _ := s.Environment()
	return slices.ContainsFunc(p.Needs.Caches, func(c grant.Cache) bool {
		if c.Default != "" && strings.HasSuffix(target, "/"+c.Default) || strings.HasSuffix(target, "/.cache") {
			return true
		}
		return slices.ContainsFunc(vars, func(v composefile.Variable) bool {
			return v.Name == c.Variable && (v.Text == target || strings.HasPrefix(v.Text, target+"/"))
		})
	})
}

// labels finds folders that SELinux keeps from containers.
func labels(p *lint.Pass) {
	if !p.Engine.SELinux {
		return
	}
	v := look(p)
	found := gather(v, func(s *composefile.Service) []*composefile.Value { return s.List("volumes") })
	mounts := map[*place]composefile.Volume{}
	for _, s := range v.gpus {
		if privileged(s) || unlabelled(s) {
			continue
		}
		for _, volume := range s.Volumes() {
			if volume.Type == "bind" && volume.SELinux == "" && volume.Value.Known() {
				mounts[found.add(s, volume.Value)] = volume
			}
		}
	}
	r := reporting(p)
	for _, place := range found.order {
		volume := mounts[place]
		f := at(p, place.value)
		f.Verdict, f.Cause = check.Fail, "selinux-denied"
		f.Message = fmt.Sprintf("SELinux denies %s the folder %s: it is mounted without a label for containers.", place.who(), volume.Source)
		f.Mend = label(p, place, volume)
		if f.Mend == nil {
			f.Advice = labelAdvice(volume, place)
		}
		r.report(f)
	}
}

func unlabelled(s *composefile.Service) bool {
	return slices.ContainsFunc(s.List("security_opt"), func(v *composefile.Value) bool {
		return v.Text == "label=disable" || v.Text == "label:disable"
	})
}

// label adds :z to the short form. Folders outside of the project may be
// anybody's, a home say, and are not labelled anew.
func label(p *lint.Pass, place *place, volume composefile.Volume) *lint.Mend {
	v := place.value
	if !volume.Inside || v.Kind != yamltext.Scalar || len(v.Vars) > 0 {
		return nil
	}
	text := v.Node.Value() + ":z"
	if strings.Count(v.Node.Value(), ":") > 1 {
		text = v.Node.Value() + ",z"
	}
	edit, err := place.replace(text)
	return mend(p, v, "Let containers share "+volume.Source+" (:z)", edit, err)
}

func labelAdvice(volume composefile.Volume, place *place) []remedy.Remedy {
	if volume.Inside {
		return advice("compose-label", "Label the folder for containers", "In the long form, write \"bind: {selinux: z}\" into this mount")
	}
	return advice("compose-label-disable", "Let the container keep the labels", "Write \"security_opt: [label=disable]\" into "+place.who()+": z would label "+volume.Source+" anew, with all that is in it")
}
