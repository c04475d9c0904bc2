package python

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// maxGroups bounds the installs that one file stands for. The longest lists of
// extras have some dozens.
const maxGroups = 100

// manifests are the installs of the pyproject files: what each project needs, and
// that together with each of its groups.
func manifests(p *lint.Project) []build {
	var out []build
	for _, f := range p.Of(lint.PyProject) {
		m := parseManifest(f)
		groups := m.groups[:min(len(m.groups), maxGroups)]
		for _, g := range append([]group{{}}, groups...) {
			if forOthers(g.name) {
				continue
			}
			i := install{file: f, line: 1, requirements: slices.Concat(m.base, g.requirements)}
			m.from(&i)
			at := site{rocm: m.namesROCm() || i.namesROCm()}
			out = append(out, build{file: f, steps: []step{{i, at}}, rocm: at.rocm, final: at.after(i), manifest: &m})
		}
	}
	return out
}

// forOthers tells a group that is named after what is no AMD GPU: cuda, torch-cu128.
func forOthers(name string) bool {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
	return speaksOfOthers(name) || slices.ContainsFunc(words, func(word string) bool {
		release, cu := strings.CutPrefix(word, "cu")
		return word == "mps" || word == "xpu" || cu && release != "" && strings.Trim(release, "0123456789") == ""
	})
}

// namesROCm tells whether any address is of AMD's builds.
func (m manifest) namesROCm() bool {
	return slices.ContainsFunc(m.sources, packages.rocm) || install{extra: m.older, find: m.find}.namesROCm()
}

func (p packages) rocm() bool {
	index, ok := rocm.LookupIndex(p.value)
	return ok && index.Kind == rocm.BuildROCm
}

// from gives an install the addresses from which it gets torch: those that torch is
// said to come from, else those that are asked for everything.
func (m manifest) from(i *install) {
	i.find, i.backend = m.find, m.backend
	i.uv = m.inOrder || len(m.older) > 0 || len(m.sources) == 0
	asked := slices.DeleteFunc(slices.Clone(m.sources), func(p packages) bool { return p.explicit || p.late || p.value == "" })
	named := slices.DeleteFunc(slices.Clone(m.sources), func(p packages) bool { return !p.forTorch && !slices.Contains(m.taken, p.source) })
	if len(named) > 0 {
		// Of several the one for AMD GPUs is meant here.
		slices.SortStableFunc(named, func(a, b packages) int { return btoi(b.rocm()) - btoi(a.rocm()) })
		i.index = &named[0].option
		i.tool = named[0].tool
		return
	}
	pypi := slices.ContainsFunc(m.sources, func(p packages) bool { return p.tool == "Poetry" && strings.EqualFold(p.source, "pypi") })
	for n, p := range asked {
		i.tool, i.uv = p.tool, i.uv || p.tool == "uv"
		switch {
		case p.tool == "PDM" && p.flat:
			p.name = "--find-links" // which it is
			i.find = append(i.find, p.option)
		case p.only && !pypi && i.index == nil:
			i.index = &asked[n].option
		default:
			i.extra = append(i.extra, p.option)
		}
	}
	i.extra = append(i.extra, m.older...)
	if i.tool == "" && len(m.sources) > 0 {
		i.tool = m.sources[0].tool
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// strayTorch finds projects that name builds for ROCm and take torch from PyPI.
func strayTorch(p *lint.Pass, report func(lint.Finding)) {
	for _, b := range builds(p) {
		if b.manifest == nil || !b.rocm {
			continue
		}
		s, m := b.steps[0], b.manifest
		wants := s.wantsTorch()
		i := slices.IndexFunc(m.sources, packages.rocm)
		if i < 0 || len(wants) == 0 || len(m.taken) > 0 || !foreign(s.source().kind) || wants[0].URL != "" || strings.Contains(wants[0].Specifier.String(), "+rocm") {
			continue
		}
		report(m.stray(m.sources[i], wants[0]))
	}
}

func (m manifest) stray(src packages, w want) lint.Finding {
	f := lint.Finding{
		File: w.file, Line: w.line, Verdict: check.Fail, Cause: "wrong-torch-build-cuda",
		Message:  fmt.Sprintf("torch comes from PyPI here, as a build for CUDA. %s %s.", src.value, src.unasked()),
		Evidence: []machine.Evidence{{From: machine.Source(fmt.Sprintf("%s:%d", src.file.Path, src.line)), Text: src.value}},
	}
	if w.via != "" {
		f.Verdict = check.Warn
		f.Evidence = append(f.Evidence, provenance(w.from))
	}
	switch src.tool {
	case "uv":
		f.Advice = []remedy.Remedy{cure("python-take-from", "Take torch from it", manual(fmt.Sprintf("Write torch = { index = %q } below [tool.uv.sources], and torch among the dependencies", src.source)))}
		f.Mend = m.takeTorch(src)
	case "Poetry":
		f.Advice = []remedy.Remedy{cure("python-take-from", "Take torch from it", manual(fmt.Sprintf("Write torch = { version = \"…\", source = %q }, and the same for torchvision and torchaudio", src.source)))}
	default:
		f.Advice = []remedy.Remedy{cure("python-take-from", "Take torch from it", manual(`Write include_packages = ["torch", "torchvision", "torchaudio"] below its url`))}
	}
	return f
}

// unasked tells why a source is not asked for torch.
func (p packages) unasked() string {
	switch {
	case p.explicit && p.tool == "uv":
		return "is explicit: uv takes from it what [tool.uv.sources] names, and torch is not named there"
	case p.explicit:
		return "is explicit: Poetry takes from it what names it as its source, and torch does not"
	case p.late:
		return "is supplemental: Poetry asks it for what PyPI does not have, and PyPI has torch"
	}
	return "is not asked before PyPI"
}

// takeTorch writes down that torch, and what belongs to it, comes from an index.
func (m manifest) takeTorch(src packages) *lint.Mend {
	if m.uvInline || src.source == "" || strings.ContainsAny(src.source, "\"\\\n") {
		return nil
	}
	end := "\n"
	text := string(m.file.Data)
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	var lines strings.Builder
	for _, name := range []string{"torch", "torchvision", "torchaudio"} {
		if !m.uvTaken[name] && slices.ContainsFunc(m.base, func(r requirement) bool { return r.Name == name }) {
			fmt.Fprintf(&lines, "%s = { index = %q }%s", name, src.source, end)
		}
	}
	if lines.Len() == 0 {
		return nil // it is in a group, or comes along
	}
	edit := lint.Edit{File: m.file, Start: len(text), End: len(text), New: end + "[tool.uv.sources]" + end + lines.String()}
	if m.uvSources > 0 {
		edit.Start = lineEnd(text, m.uvSources)
		edit.End, edit.New = edit.Start, lines.String()
	} else if text != "" && !strings.HasSuffix(text, "\n") {
		edit.New = end + edit.New
	}
	if edit.Start == 0 || edit.Start == len(text) && m.uvSources > 0 && !strings.HasSuffix(text, "\n") {
		return nil
	}
	return &lint.Mend{Title: "Take torch from " + src.source, Edits: []lint.Edit{edit}}
}

// lineEnd is the byte behind a line.
func lineEnd(text string, line int) int {
	at := 0
	for range line {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
	}
	return at
}
