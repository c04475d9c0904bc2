package rocm

import (
	"fmt"
	"strings"
)

// Setting is one feature of a target ID. In code, Any means that the code does not care; of a GPU, that it is unknown
// or that the GPU has no such setting.
type Setting int

// The settings of xnack and sramecc.
const (
	Any Setting = iota
	On
	Off
)

func (s Setting) String() string {
	switch s {
	case On:
		return "on"
	case Off:
		return "off"
	default:
		return "any"
	}
}

// suffix is the feature as a target ID writes it; Any is not written.
func (s Setting) suffix(feature string) string {
	switch s {
	case On:
		return ":" + feature + "+"
	case Off:
		return ":" + feature + "-"
	default:
		return ""
	}
}

// TargetID is a processor and its feature settings, such as gfx90a:sramecc+:xnack-.
type TargetID struct {
	Processor      string // gfx1100, gfx11-generic or amdgcnspirv
	SRAMECC, XNACK Setting
}

// SPIRVProcessor is the processor of code that is compiled for the GPU when it is loaded.
const SPIRVProcessor = "amdgcnspirv"

// String writes the ID the way LLVM does, features in alphabetic order.
func (t TargetID) String() string {
	return t.Processor + t.SRAMECC.suffix("sramecc") + t.XNACK.suffix("xnack")
}

// ParseTargetID reads a target ID by itself or at the end of a bundle entry ID or ISA name:
// gfx90a:xnack+, hipv4-amdgcn-amd-amdhsa--gfx1100, hip-spirv64-amd-amdhsa--amdgcnspirv.
func ParseTargetID(s string) (TargetID, error) {
	text := s
	// What comes before the processor names the language, the architecture and the system.
	if _, after, ok := strings.Cut(s, "amdhsa-"); ok {
		text = strings.TrimLeft(after, "-")
	}
	processor, features, hasFeatures := strings.Cut(text, ":")
	if !isProcessor(processor) {
		return TargetID{}, fmt.Errorf("target ID %q names no AMD GPU processor", s)
	}
	id := TargetID{Processor: processor}
	if !hasFeatures {
		return id, nil
	}
	for feature := range strings.SplitSeq(features, ":") {
		if err := id.set(feature); err != nil {
			return TargetID{}, fmt.Errorf("target ID %q: %w", s, err)
		}
	}
	return id, nil
}

func (t *TargetID) set(feature string) error {
	name, setting := feature, Any
	if cut, ok := strings.CutSuffix(feature, "+"); ok {
		name, setting = cut, On
	} else if cut, ok := strings.CutSuffix(feature, "-"); ok {
		name, setting = cut, Off
	}
	field := map[string]*Setting{"sramecc": &t.SRAMECC, "xnack": &t.XNACK}[name]
	switch {
	case field == nil:
		return fmt.Errorf("unknown feature %q", feature)
	case setting == Any:
		return fmt.Errorf("feature %q lacks + or -", feature)
	case *field != Any:
		return fmt.Errorf("feature %q is set twice", name)
	}
	*field = setting
	return nil
}

// isProcessor accepts names that the tables lack: a newer compiler's target is unknown, not malformed.
func isProcessor(name string) bool {
	if name == SPIRVProcessor {
		return true
	}
	if number, ok := strings.CutSuffix(name, "-generic"); ok {
		number, ok = strings.CutPrefix(number, "gfx")
		major, minor, hasMinor := strings.Cut(number, "-")
		return ok && isNumber(major) && (!hasMinor || isNumber(minor))
	}
	_, ok := versionOf(name)
	return ok
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
