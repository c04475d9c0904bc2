package runtime

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func runMixed(in check.Input) []check.Finding {
	m := in.Machine
	files, none := looked(m, "whether libraries of two ROCm releases meet")
	if none != nil {
		return none
	}
	var out []check.Finding
	for _, f := range files {
		if len(f.Gets) > 0 {
			out = append(out, judgeMixed(m, f))
		}
	}
	if len(out) == 0 {
		return []check.Finding{check.NotHere("ROCm", "none of the files that were found gets a library of ROCm")}
	}
	return out
}

func judgeMixed(m *machine.Machine, f machine.Linked) check.Finding {
	out := check.Finding{Subject: f.Path, Verdict: check.OK, Cause: "symbol-abi-mismatch", Evidence: gets(m, f)}
	releases := releasesOf(m, f)
	a, b, twice := doubled(f)
	switch {
	case len(f.Words) > 0:
		out.Verdict = check.Fail
		out.Message = fmt.Sprintf("%s does not fit what it would be loaded with. The loader would say \"%s\": the two come from different releases.", path.Base(f.Words[0].By), f.Words[0].Text)
		out.Evidence = slices.Concat(words(f), out.Evidence)
	case twice:
		out.Verdict = check.Fail
		out.Message = fmt.Sprintf("%s would load %s and %s into one process. Each keeps its own devices and memory, and calls end in the wrong one.", label(f), a.Name, b.Name)
	case len(majors(releases)) > 1:
		out.Verdict = check.Warn
		out.Message = fmt.Sprintf("%s would get libraries of two ROCm releases, %s. They are built to be used with their own release; mixed they may fail, or compute wrong results.", label(f), strings.Join(releases, " and "))
	default:
		out.Cause, out.Message = "", calm(f, releases)
		return out
	}
	if foreign(f) != "" {
		out.Message += " LD_LIBRARY_PATH is searched before the folders that the software names itself."
	}
	out.Remedies = unmix(m, f)
	return out
}

// words are the complaints by the library that they are about.
func words(f machine.Linked) []machine.Evidence {
	var out []machine.Evidence
	for _, w := range f.Words[:min(len(f.Words), 4)] {
		out = append(out, machine.Evidence{From: machine.Source(w.Path), Text: w.Text})
	}
	return out
}

func calm(f machine.Linked, releases []string) string {
	switch len(releases) {
	case 0:
		return label(f) + " gets its ROCm libraries from one place"
	case 1:
		return fmt.Sprintf("%s gets its ROCm libraries from one release, %s", label(f), releases[0])
	}
	return fmt.Sprintf("%s gets libraries of ROCm %s, which go together", label(f), strings.Join(releases, " and "))
}

// releasesOf are those of the libraries that a file gets, each once.
func releasesOf(m *machine.Machine, f machine.Linked) []string {
	var out []string
	for _, l := range f.Gets {
		if r := release(m, l); r != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return out
}

func majors(releases []string) []string {
	var out []string
	for _, r := range releases {
		out = append(out, major(r))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// doubled finds one library with two numbers.
func doubled(f machine.Linked) (a, b machine.LinkedLibrary, twice bool) {
	for i, a := range f.Gets {
		for _, b := range f.Gets[i+1:] {
			if stem(a.Name) == stem(b.Name) && a.Name != b.Name {
				return a, b, true
			}
		}
	}
	return a, b, false
}

func gets(m *machine.Machine, f machine.Linked) []machine.Evidence {
	var out []machine.Evidence
	for _, l := range f.Gets {
		text := l.Name + ", found by " + l.How
		if r := release(m, l); r != "" {
			text += ", ROCm " + r
		}
		out = append(out, machine.Evidence{From: machine.Source(l.Path), Text: text})
	}
	return append(out, variable(m, "LD_LIBRARY_PATH")...)
}

// foreign is the folder from which LD_LIBRARY_PATH brings a library that is not
// the software's own, or "".
func foreign(f machine.Linked) string {
	for _, l := range f.Gets {
		if l.How == "LD_LIBRARY_PATH" && !below(l.Real, f.Root) {
			return path.Dir(l.Path)
		}
	}
	return ""
}

// unmix takes the folder out of LD_LIBRARY_PATH that a foreign library came from;
// where there is none, the software has to be changed.
func unmix(m *machine.Machine, f machine.Linked) []remedy.Remedy {
	if folder := foreign(f); folder != "" {
		return []remedy.Remedy{leaveOut(m, folder)}
	}
	want := fmt.Sprintf("use a build of %s for the ROCm and the distribution that are installed here, in an environment of its own", f.Software)
	return []remedy.Remedy{cure.For(m, "match-release", cure.Values{"want": want})}
}

// leaveOut takes one folder out of LD_LIBRARY_PATH.
func leaveOut(m *machine.Machine, folder string) remedy.Remedy {
	value, _ := m.Variable("LD_LIBRARY_PATH")
	var rest []string
	for part := range strings.SplitSeq(strings.ReplaceAll(value, ";", ":"), ":") {
		if part != "" && path.Clean(part) != folder {
			rest = append(rest, part)
		}
	}
	if len(rest) == 0 {
		return cure.For(m, "no-library-path", nil)
	}
	return cure.For(m, "shorter-library-path", cure.Values{"folder": folder, "rest": strings.Join(rest, ":")})
}
