package rocm

import (
	"regexp"
	"slices"
)

// LogPattern recognises a line of the kernel log.
type LogPattern struct {
	ID      string
	Pattern *regexp.Regexp
	Level   string // error, warn or info
	Meaning string
	Causes  string // what may be behind it, for people
	Action  string
	Cause   string // id in the catalogue of causes, where the line alone names one
	Provenance
}

// LogPatterns are the kernel log lines that are understood. Each is meant for a single line.
func LogPatterns() []LogPattern { return slices.Clone(knownLinux().logPatterns) }
