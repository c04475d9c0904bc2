package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A source is where an install would take torch from.
type source struct {
	kind rocm.BuildKind // "" where it is not known
	text string         // for people
	// mixed sources hold several builds, of which pip takes the highest version.
	mixed bool
	index rocm.PythonIndex // of AMD's builds in a mixed source
	at    option
}

// source tells which builds of torch an install can get.
func (i install) source() source {
	switch {
	case i.conda:
		return source{kind: rocm.BuildCUDA, text: "conda"}
	case strings.HasPrefix(i.backend, "rocm"):
		return source{kind: rocm.BuildROCm, text: "--torch-backend " + i.backend}
	case i.backend != "":
		return source{}
	}
	unknown := i.blind
	for _, o := range i.addresses() {
		index, ok := rocm.LookupIndex(o.value)
		switch {
		case !ok:
			unknown = unknown || !isPyPI(o.value)
			continue
		case i.uv || !i.mixes():
			return source{kind: index.Kind, text: o.value} // uv takes a package from the first index that has it
		case index.Kind == rocm.BuildROCm:
			return source{kind: index.Kind, text: o.value, mixed: true, index: index, at: o}
		}
		return source{kind: rocm.BuildCUDA, text: "PyPI and " + o.value}
	}
	if i.mixes() && !unknown {
		return source{kind: plainKind(), text: "PyPI"}
	}
	return source{} // a source of their own: who knows what is there
}

// mixes tells whether PyPI is asked beside other addresses.
func (i install) mixes() bool {
	return i.index == nil || isPyPI(i.index.value) || slices.ContainsFunc(i.extra, func(o option) bool { return isPyPI(o.value) })
}

func isPyPI(address string) bool {
	return strings.Contains(address, "pypi.org/") || strings.Contains(address, "pypi.python.org/")
}

// plainKind is what PyPI serves on Linux.
func plainKind() rocm.BuildKind {
	p, _, _ := rocm.PythonPackageOf("torch")
	return p.Plain["linux"]
}

// A want is a requirement of torch, by the install itself or by what it pulls.
type want struct {
	requirement
	via  string // the package whose metadata wants it; "" where it is named
	from rocm.Provenance
}

// named tells that a build or a file of torch is asked for, which PyPI has not.
func (w want) named() bool {
	return w.URL != "" || strings.Contains(w.Specifier.String(), "+rocm")
}

// wantsTorch are the requirements of torch.
func (i install) wantsTorch() []want {
	var out []want
	for _, r := range i.requirements {
		if r.Name == "torch" {
			out = append(out, want{requirement: r})
		}
	}
	if i.noDeps {
		return out
	}
	for _, p := range pulls(i.requirements) {
		if p.Name == "torch" {
			w := want{requirement: p.by, via: p.via, from: p.from}
			w.Specifier, w.URL = p.Specifier, ""
			out = append(out, w)
		}
	}
	return out
}

// keeps tells that constraints let no other build in.
func (i install) keeps() bool {
	return slices.ContainsFunc(i.constraints, func(r requirement) bool {
		return r.Name == "torch" && strings.Contains(strings.ToLower(r.Specifier.String()), "+rocm")
	})
}

// replaces tells which requirement would put another torch in the place of the
// one that is there, and why.
func (i install) replaces(t torch) (w want, why string, ok bool) {
	if i.keeps() {
		return want{}, "", false
	}
	for _, w := range i.wantsTorch() {
		named := w.via == "" && w.Name == "torch"
		switch {
		case i.force && !i.noDeps, i.force && named:
			return w, "It installs again what is there", true
		case i.upgrade && named:
			return w, "It upgrades torch to the newest version", true
		case i.upgrade && i.eager:
			return w, "It upgrades what is required, too", true
		case t.version != "" && w.URL == "" && !w.Specifier.Contains(t.version):
			return w, fmt.Sprintf("%s does not satisfy %s", t.version, wanted(w)), true
		}
	}
	return want{}, "", false
}

// wanted writes what is asked of torch.
func wanted(w want) string {
	if w.via == "" {
		return "torch" + w.Specifier.String()
	}
	return fmt.Sprintf("torch%s, which %s requires", w.Specifier, w.via)
}

// after is a site with what an install makes of its torch.
func (s site) after(i install) site {
	s.empty = s.empty && !i.partly
	if i.opaque && s.torch != nil {
		s.torch = &torch{kind: s.torch.kind, from: s.torch.from} // perhaps another one now
	}
	wants := i.wantsTorch()
	if len(wants) == 0 {
		return s
	}
	src := i.source()
	next := &torch{kind: src.kind, from: fmt.Sprintf("line %d", i.line)}
	if v, ok := wants[0].pinned(); ok && wants[0].via == "" {
		next.version = v
	}
	if wants[0].named() && foreign(next.kind) {
		next.kind = rocm.BuildROCm // or a file, which was chosen
	}
	if s.torch == nil {
		s.torch = next
		if src.kind == "" {
			s.torch, s.empty = nil, false
		}
		return s
	}
	if _, _, replaced := i.replaces(*s.torch); replaced {
		s.torch = next
	}
	return s
}
