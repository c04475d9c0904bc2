package explain

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// learn adds what the log itself tells of its surroundings. What the user said counts more.
func (s Surroundings) learn(matches []Match) Surroundings {
	out := Surroundings{GPUs: slices.Clone(s.GPUs), Env: map[string]string{}, Platform: slices.Clone(s.Platform), Python: s.Python, Examined: s.Examined, Findings: s.Findings}
	makers := map[string]bool{}
	for _, m := range matches {
		for _, tells := range m.Signature.Tells {
			what, value, _ := strings.Cut(tells, "=")
			if what == "maker" {
				makers[value] = true
			}
			out.told(what, value, m.Values, len(s.GPUs) > 0)
		}
	}
	maps.Copy(out.Env, s.Env)
	out.foreign = makers["other"] && !makers["amd"] && len(out.GPUs) == 0
	return out
}

// told takes in what one line tells.
func (s *Surroundings) told(what, value string, captured map[string]string, named bool) {
	switch what {
	case "platform":
		if p := cause.Platform(value); !slices.Contains(s.Platform, p) {
			s.Platform = append(s.Platform, p)
		}
	case "gpu":
		if gfx := captured["gfx"]; gfx != "" && !named && !slices.Contains(s.GPUs, gfx) {
			s.GPUs = append(s.GPUs, gfx)
		}
	case "env":
		if name := captured["name"]; name != "" {
			s.Env[name] = strings.Trim(captured["value"], `"'`)
		}
	}
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

// firstGPU is the GPU that is meant; "" where none is known.
func (s Surroundings) firstGPU() string {
	if len(s.GPUs) == 0 {
		return ""
	}
	return s.GPUs[0]
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
