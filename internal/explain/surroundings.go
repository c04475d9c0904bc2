package explain

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// learn adds what the log itself tells of its surroundings. What the user said counts more.
func (s Surroundings) learn(matches []Match) Surroundings {
	named := len(s.GPUs) > 0
	makers := map[string]bool{}
	out := Surroundings{GPUs: slices.Clone(s.GPUs), Env: map[string]string{}, Platform: slices.Clone(s.Platform), Examined: s.Examined, Findings: s.Findings}
	for _, m := range matches {
		for _, tells := range m.Signature.Tells {
			what, value, _ := strings.Cut(tells, "=")
			switch what {
			case "platform":
				if p := cause.Platform(value); !slices.Contains(out.Platform, p) {
					out.Platform = append(out.Platform, p)
				}
			case "maker":
				makers[value] = true
			case "gpu":
				if gfx := m.Values["gfx"]; gfx != "" && !named && !slices.Contains(out.GPUs, gfx) {
					out.GPUs = append(out.GPUs, gfx)
				}
			case "env":
				if name := m.Values["name"]; name != "" {
					out.Env[name] = strings.Trim(m.Values["value"], `"'`)
				}
			}
		}
	}
	for name, value := range s.Env {
		out.Env[name] = value
	}
	out.foreign = makers["other"] && !makers["amd"] && len(out.GPUs) == 0
	return out
}

// fits reports whether a signature counts in these surroundings. present are the names of signatures whose text is in
// the log.
func (s Surroundings) fits(w cause.When, m Match, present map[string]bool) bool {
	has := func(name string) bool { return present[name] }
	switch {
	case len(w.With) > 0 && !slices.ContainsFunc(w.With, has),
		slices.ContainsFunc(w.Without, has),
		len(w.GPU) > 0 && !s.anyGPU(w.GPU),
		len(w.Env) > 0 && !slices.ContainsFunc(w.Env, s.isSet),
		len(w.Override) > 0 && !slices.Contains(w.Override, s.override()),
		len(w.Arch) > 0 && !slices.ContainsFunc(w.Arch, func(kind string) bool { return s.arch(kind, m.Values["gfx"]) }),
		len(w.Platform) > 0 && !slices.ContainsFunc(w.Platform, s.on):
		return false
	}
	return true
}

// on reports whether the log comes from a platform. A container and WSL are Linux; where nothing is known, it may be.
func (s Surroundings) on(p cause.Platform) bool {
	if p == cause.PlatformLinux {
		return !slices.Contains(s.Platform, cause.PlatformWindows)
	}
	return slices.Contains(s.Platform, p)
}

func (s Surroundings) anyGPU(patterns []string) bool {
	for _, gpu := range s.GPUs {
		for _, pattern := range patterns {
			if ok, err := path.Match(pattern, gpu); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// isSet knows NAME, which is not empty, and NAME=value, which may be.
func (s Surroundings) isSet(want string) bool {
	name, value, exact := strings.Cut(want, "=")
	got, set := s.Env[name]
	if exact {
		return set && got == value
	}
	return got != ""
}

// override says what HSA_OVERRIDE_GFX_VERSION does to the GPU, in the words of rocm, or none, or invalid.
func (s Surroundings) override() string {
	value, set := s.Env["HSA_OVERRIDE_GFX_VERSION"]
	if !set || value == "" {
		return "none"
	}
	if len(s.GPUs) == 0 {
		return string(rocm.OverrideUnknown)
	}
	o, err := rocm.JudgeOverride(s.GPUs[0], value)
	if err != nil {
		return "invalid"
	}
	return string(o.Verdict)
}

// arch tells what the gfx in a line is.
func (s Surroundings) arch(kind, gfx string) bool {
	switch kind {
	case "integrated":
		t, known := rocm.LookupTarget(gfx)
		return known && t.Kind == "apu"
	case "other":
		return gfx != "" && len(s.GPUs) > 0 && !slices.Contains(s.GPUs, gfx)
	case "same":
		return gfx != "" && slices.Contains(s.GPUs, gfx)
	}
	return false
}
