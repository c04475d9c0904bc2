package launch

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Mount gives a container a file or folder of this machine.
type Mount struct {
	Source, Target string // absolute
	ReadOnly       bool
}

// ParseMount reads SRC[:DST][:ro]. The source is taken from a working place, and
// must be there: Docker would make it, and it would belong to root.
func ParseMount(text string, w Workplace) (Mount, error) {
	source, rest, _ := strings.Cut(text, ":")
	target, mode, _ := strings.Cut(rest, ":")
	if mode == "" && (target == "ro" || target == "rw") {
		target, mode = "", target
	}
	if source == "" || mode != "" && mode != "ro" && mode != "rw" {
		return Mount{}, fmt.Errorf("--mount %s: write SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro", text)
	}
	t := translator{Workplace: w}
	abs, ok := t.absolute(source)
	if !ok {
		return Mount{}, fmt.Errorf("--mount %s: %q is no path", text, source)
	}
	place := w.Look(abs)
	if place.Kind == Nothing {
		return Mount{}, fmt.Errorf("--mount %s: there is no %s here", text, abs)
	}
	if target == "" {
		target = abs
	}
	if !path.IsAbs(target) || path.Clean(target) == "/" {
		return Mount{}, fmt.Errorf("--mount %s: the place in the container must be an absolute path, and not /", text)
	}
	return Mount{Source: place.Real, Target: path.Clean(target), ReadOnly: mode == "ro"}, nil
}

// within is the path in a container of something on this machine, by the mount
// that is nearest to it.
func within(mounts []Mount, p string) (string, bool) {
	best := -1
	for i, m := range mounts {
		if below(m.Source, p) && (best < 0 || len(m.Source) > len(mounts[best].Source)) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	return path.Join(mounts[best].Target, strings.TrimPrefix(p, mounts[best].Source)), true
}

// tidy orders mounts, outer ones first, and drops those that another one holds
// already.
func tidy(mounts []Mount) []Mount {
	sorted := slices.Clone(mounts)
	slices.SortStableFunc(sorted, func(a, b Mount) int { return cmp.Compare(a.Target, b.Target) })
	var out []Mount
	for _, m := range sorted {
		outer := Mount{}
		for _, o := range out { // the last one that holds it is the nearest
			if below(o.Target, m.Target) {
				outer = o
			}
		}
		inside, held := within([]Mount{outer}, m.Source)
		if outer.Target == "" || !held || inside != m.Target || outer.ReadOnly != m.ReadOnly {
			out = append(out, m)
		}
	}
	return out
}

// flag writes a mount for an engine. Its fields are those of a CSV record.
func (m Mount) flag() string {
	field := func(name, value string) string {
		if strings.ContainsAny(value, `,"`) {
			return `"` + name + "=" + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		return name + "=" + value
	}
	text := "type=bind," + field("source", m.Source) + "," + field("target", m.Target)
	if m.ReadOnly {
		text += ",readonly"
	}
	return text
}
