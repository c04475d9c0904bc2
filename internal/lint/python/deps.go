package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func withoutDeps(p *lint.Pass) {
	report := once(p)
	for _, b := range builds(p) {
		if !b.rocm {
			continue
		}
		there := b.installed()
		for _, s := range b.steps[b.own:] {
			if !s.noDeps {
				continue
			}
			for _, r := range s.requirements {
				if f, wrong := holes(r, there); wrong {
					report(f)
				}
			}
		}
	}
}

// installed are the names of all that a build installs, what comes along and
// what the image brings.
func (b build) installed() map[string]bool {
	there := map[string]bool{}
	for _, s := range b.steps {
		for _, name := range s.before.brought {
			there[name] = true
		}
		for _, r := range s.requirements {
			there[r.Name] = true
		}
		if !s.noDeps {
			for _, pulled := range pulls(s.requirements) {
				there[pulled.Name] = true
			}
		}
	}
	return there
}

// holes finds what a package requires that nothing installs.
func holes(r requirement, there map[string]bool) (lint.Finding, bool) {
	version, _ := r.pinned()
	reqs, from := knownRequires(r.Requirement, version)
	var missing, asked []string
	for _, req := range reqs {
		if !there[req.Name] && !slices.Contains(missing, req.Name) {
			missing = append(missing, req.Name)
			asked = append(asked, shellWord(req.Name+req.Specifier.String()))
		}
	}
	if len(missing) == 0 {
		return lint.Finding{}, false
	}
	return lint.Finding{
		File: r.file, Line: r.line, Verdict: check.Warn, Cause: "python-missing-dep",
		Message:  fmt.Sprintf("%s is installed without its requirements, and nothing installs %s. Unless the base image has it, the first import fails.", r.Name, inWords(missing)),
		Evidence: []machine.Evidence{provenance(from)},
		Advice:   []remedy.Remedy{cure("python-close-holes", "Install what is missing", command("Beside it, so that torch stays as it is", "pip install "+strings.Join(asked, " ")))},
	}, true
}

func shellWord(s string) string {
	if strings.ContainsAny(s, "<>*!; ") {
		return `"` + s + `"`
	}
	return s
}

func inWords(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func pinConflict(p *lint.Pass) {
	if !p.ForAMD() {
		return
	}
	report := once(p)
	for _, b := range builds(p) {
		for n, s := range b.steps {
			for _, r := range s.requirements {
				version, pinned := r.pinned()
				if !pinned {
					continue
				}
				b.conflicts(n, r, version, report)
			}
		}
	}
}

// conflicts compares what a pinned package requires with what the build asks for
// otherwise.
func (b build) conflicts(n int, r requirement, version string, report func(lint.Finding)) {
	rows := rocm.RequiresOf(r.Name)
	i := rowOf(rows, version)
	if i < 0 || rows[i].Partly {
		return
	}
	reqs, from := knownRequires(r.Requirement, version)
	for k, s := range b.steps {
		for _, other := range s.requirements {
			for _, req := range reqs {
				if other.Name != req.Name || req.Specifier.IsZero() {
					continue
				}
				c := conflict{r, version, other, req.Specifier.String(), from, k != n || s.noDeps}
				c.judge(req.Specifier, k > n && s.upgrade || k == n && s.noDeps, report)
			}
		}
	}
}

// A conflict is a requirement that another package's metadata excludes.
type conflict struct {
	by      requirement
	version string
	other   requirement
	bound   string
	from    rocm.Provenance
	silent  bool // pip does not notice
}

// judge compares the other requirement with the bound; unbounded tells that its
// newest version is installed whatever the bound says.
func (c conflict) judge(bound pydist.Specifier, unbounded bool, report func(lint.Finding)) {
	version, pinned := c.other.pinned()
	switch {
	case pinned && !bound.Contains(version):
		report(c.certain(version))
	case !pinned && unbounded && c.other.Specifier.IsZero():
		report(c.possible())
	}
}

func (c conflict) finding(message string) lint.Finding {
	f := lint.Finding{
		File: c.other.file, Line: c.other.line, Verdict: check.Fail, Message: message,
		Evidence: []machine.Evidence{{From: machine.Source(fmt.Sprintf("%s:%d", c.by.file.Path, c.by.line)), Text: c.by.text}, provenance(c.from)},
	}
	if c.by.Name == "numba" {
		f.Cause = "python-numpy-numba"
	}
	return f
}

func (c conflict) certain(version string) lint.Finding {
	what := "pip refuses to install both"
	if c.silent {
		what = "pip installs both in two steps, and the import fails"
	}
	f := c.finding(fmt.Sprintf("%s %s excludes %s %s. It wants %s%s; %s.", c.by.Name, c.version, c.other.Name, version, c.other.Name, c.bound, what))
	f.Advice = []remedy.Remedy{cure("python-fit-pin", "Fit the pin to it", manual(fmt.Sprintf("Write %s for %s", quoted(c.other.file, c.other.Name+c.bound), c.other.text)))}
	if n, ok := rocm.NumbaFor(version); ok && c.by.Name == "numba" && c.other.Name == "numpy" {
		f.Advice = append(f.Advice, cure("python-newer-numba", "Take a numba that knows it", manual("Write "+quoted(c.by.file, "numba>="+n.Numba)+" for "+c.by.text+", and drop a pin of llvmlite")))
	}
	return f
}

// possible is the finding for a package without bounds, which a later release
// breaks.
func (c conflict) possible() lint.Finding {
	f := c.finding(fmt.Sprintf("%s is installed here in its newest version, and %s %s excludes some. It wants %s%s, and pip does not look at it in this command.", c.other.Name, c.by.Name, c.version, c.other.Name, c.bound))
	f.Verdict = check.Warn
	upper := c.bound[strings.LastIndexByte(c.bound, ',')+1:]
	f.Advice = []remedy.Remedy{cure("python-bound", "Give it the bound", manual(fmt.Sprintf("Write %s for %s", quoted(c.other.file, c.other.Name+upper), c.other.text)))}
	if c.other.editable() && c.other.text == c.other.Name && strings.HasPrefix(upper, "<") {
		f.Mend = &lint.Mend{
			Title: "Write " + c.other.Name + upper,
			Edits: []lint.Edit{{File: c.other.file, Start: c.other.start, End: c.other.end, New: quoted(c.other.file, c.other.Name+upper)}},
		}
	}
	return f
}

// quoted writes a requirement as its file wants it: shells redirect at "<".
func quoted(f *lint.File, text string) string {
	if f.Kind == lint.Requirements {
		return text
	}
	return `"` + text + `"`
}
