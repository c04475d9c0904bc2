package python

import (
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A uvIndex is an address that pyproject.toml gives to uv.
type uvIndex struct {
	option
	flat    bool // it says that it is a list of files
	lineEnd int  // the byte after the line of its address
}

// A manifest is what is read of a pyproject.toml: the requirements of the project
// and uv's indices, line by line, and nothing else of TOML.
type manifest struct {
	requirements []requirement
	indices      []uvIndex
	older        []option // addresses by the keys that uv took over from pip

	file  *lint.File
	table string // the one that a line stands in
	open  bool   // the list of dependencies goes on
	key   string // of older, whose list goes on
}

func parseManifest(f *lint.File) manifest {
	m := manifest{file: f}
	line, at := 0, 0
	for text := range strings.Lines(string(f.Data)) {
		line++
		m.line(strings.TrimRight(text, "\r\n"), line, at, at+len(text))
		at += len(text)
	}
	return m
}

func (m *manifest) line(text string, line, start, end int) {
	body := strings.TrimSpace(text)
	key, value, isPair := strings.Cut(body, "=")
	key = strings.TrimSpace(key)
	switch {
	case m.open:
		m.depends(text, line, start)
	case m.key != "":
		m.addresses(text, line)
	case strings.HasPrefix(body, "["):
		m.table = strings.Trim(strings.TrimSpace(strings.SplitN(body, "#", 2)[0]), "[] ")
		if m.table == "tool.uv.index" {
			m.indices = append(m.indices, uvIndex{})
		}
	case !isPair:
	case m.table == "project" && key == "dependencies":
		m.open = true
		skipped := strings.IndexByte(text, '=') + 1
		m.depends(text[skipped:], line, start+skipped)
	case (m.table == "tool.uv" || m.table == "tool.uv.pip") && (key == "index-url" || key == "extra-index-url"):
		m.key = key
		m.addresses(value, line)
		if !strings.Contains(value, "[") {
			m.key = "" // one address, and no list
		}
	case m.table == "tool.uv.index" && len(m.indices) > 0:
		i := &m.indices[len(m.indices)-1]
		found := quotedIn(value)
		switch {
		case len(found) == 0:
		case key == "url":
			i.option, i.lineEnd = option{name: "url", value: found[0].text, file: m.file, line: line}, end
		case key == "format":
			i.flat = found[0].text == "flat"
		}
	}
}

// depends takes the strings of a line of the list, and sees whether it ends.
func (m *manifest) depends(text string, line, start int) {
	for _, q := range quotedIn(text) {
		r, err := pydist.ParseRequirement(q.text)
		if err == nil && !elsewhere(r) {
			m.requirements = append(m.requirements, requirement{Requirement: r, file: m.file, line: line, text: q.text, start: start + q.at, end: start + q.at + len(q.text)})
		}
	}
	m.open = !endsList(text)
}

// addresses takes those of a line, and sees whether their list ends.
func (m *manifest) addresses(text string, line int) {
	for _, q := range quotedIn(text) {
		m.older = append(m.older, option{name: m.key, value: q.text, file: m.file, line: line})
	}
	if endsList(text) {
		m.key = ""
	}
}

type quote struct {
	text string
	at   int
}

// quotedIn finds the strings of a line, up to a comment. Escapes, which no
// requirement holds, end the line.
func quotedIn(text string) []quote {
	var out []quote
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#', '\\':
			return out
		case '"', '\'':
			n := strings.IndexByte(text[i+1:], c)
			if n < 0 {
				return out
			}
			out = append(out, quote{text[i+1 : i+1+n], i + 1})
			i += n + 1
		}
	}
	return out
}

// endsList tells whether a line holds the bracket that closes a list.
func endsList(text string) bool {
	rest := text
	for _, q := range quotedIn(text) {
		rest = strings.Replace(rest, q.text, "", 1)
	}
	rest, _, _ = strings.Cut(rest, "#")
	return strings.Contains(rest, "]")
}

// manifests are the pyproject files as installs by uv, which asks its indices in
// order.
func manifests(p *lint.Project) []build {
	var out []build
	for _, f := range p.Of(lint.PyProject) {
		m := parseManifest(f)
		i := install{file: f, line: 1, uv: true, requirements: m.requirements}
		for _, index := range m.indices {
			i.extra = append(i.extra, index.option)
		}
		i.extra = append(i.extra, m.older...)
		at := site{rocm: i.namesROCm()}
		out = append(out, build{file: f, steps: []step{{i, at}}, rocm: at.rocm, final: at.after(i)})
	}
	return out
}

func uvIndexForm(p *lint.Pass, report func(lint.Finding)) {
	for _, f := range p.Of(lint.PyProject) {
		m := parseManifest(f)
		for _, o := range m.older {
			if finding, wrong := judgeForm(o); wrong {
				finding.Advice = []remedy.Remedy{cure("python-find-links", "Give it as a list of files", manual("Write it into find-links of [tool.uv], instead of "+o.name))}
				report(finding)
			}
		}
		for _, i := range m.indices {
			index, ok := rocm.LookupIndex(i.value)
			if !ok || !index.Flat || i.flat {
				continue
			}
			end := "\n"
			if strings.HasSuffix(string(f.Data[:i.lineEnd]), "\r\n") {
				end = "\r\n"
			}
			finding := lint.Finding{
				File: f, Line: i.line, Verdict: check.Fail, Cause: "wrong-torch-build-cuda",
				Message:  fmt.Sprintf("%s is a list of files and no index. uv asks below it for a page of each package, finds none, and takes torch from PyPI, which has builds for CUDA.", i.value),
				Evidence: []machine.Evidence{provenance(index.Provenance)},
				Advice:   []remedy.Remedy{cure("python-flat-index", "Say that it is a list", manual(`Add format = "flat" below its url`))},
			}
			if strings.HasSuffix(string(f.Data[:i.lineEnd]), "\n") {
				finding.Mend = &lint.Mend{Title: `Add format = "flat"`, Edits: []lint.Edit{{File: f, Start: i.lineEnd, End: i.lineEnd, New: `format = "flat"` + end}}}
			}
			report(finding)
		}
	}
}
