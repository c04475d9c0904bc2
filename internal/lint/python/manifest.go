package python

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/tomltext"
)

// A manifest is what is read of a pyproject.toml: requirements, and the addresses
// that uv, Poetry and PDM take packages from.
type manifest struct {
	file    *lint.File
	base    []requirement // that every install of the project has
	groups  []group
	sources []packages
	// older are addresses by the keys that uv took over from pip; find its lists.
	older, find []option
	// taken are the names of the sources that torch is said to come from.
	taken     []string
	inOrder   bool            // PDM asks the sources one after the other
	backend   string          // uv's torch-backend
	uvSources int             // the line of [tool.uv.sources]; 0 without one
	uvTaken   map[string]bool // the packages that stand there, or in sections of their own
	uvInline  bool            // they stand in [tool.uv] itself
}

// A group is what is installed by its name: an extra, or what developers need.
type group struct {
	name         string
	requirements []requirement
}

// packages is a source of them that a manifest names.
type packages struct {
	option
	tool     string // uv, Poetry, PDM
	source   string // its name
	flat     bool   // it says that it is a list of files
	explicit bool   // it is asked for what names it, and nothing else
	late     bool   // it is asked for what PyPI does not have
	only     bool   // PyPI is not asked beside it
	forTorch bool   // it is said to be the one of torch
	lineEnd  int    // the byte behind the line of its address
}

// parseManifest reads a file that is well formed, or as far as it is.
func parseManifest(f *lint.File) manifest {
	m := manifest{file: f, uvTaken: map[string]bool{}}
	sections, _ := tomltext.Parse(string(f.Data))
	for _, s := range sections {
		m.section(s)
	}
	return m
}

func (m *manifest) section(s tomltext.Section) {
	name := strings.Join(s.Name, ".")
	switch {
	case name == "project":
		if p, there := s.Get("dependencies"); there {
			m.base = append(m.base, m.listed(p.Value)...)
		}
	case name == "project.optional-dependencies", name == "dependency-groups", name == "tool.pdm.dev-dependencies":
		for _, p := range s.Pairs {
			m.groups = append(m.groups, group{strings.Join(p.Key, "."), m.listed(p.Value)})
		}
	case strings.HasPrefix(name, "tool.poetry.") && name != "tool.poetry.source":
		m.poetrySection(s, name)
	case name == "tool.uv", name == "tool.uv.pip":
		m.uv(s)
	case name == "tool.uv.sources":
		m.uvSources = s.Line
		for _, p := range s.Pairs {
			m.uvTaken[pydist.Normalize(p.Key[0])] = true
		}
		if p, there := s.Get("torch"); there {
			m.take(p.Value, "index")
		}
	case strings.HasPrefix(name, "tool.uv.sources."):
		m.uvTaken[pydist.Normalize(s.Name[3])] = true
		if name == "tool.uv.sources.torch" {
			m.take(tomltext.Value{Kind: tomltext.Table, Pairs: s.Pairs}, "index")
		}
	case name == "tool.pdm.resolution":
		p, _ := s.Get("respect-source-order")
		m.inOrder = m.inOrder || p.Value.Text == "true"
	case name == "tool.uv.index", name == "tool.poetry.source", name == "tool.pdm.source":
		m.source(s, map[string]string{"uv": "uv", "poetry": "Poetry", "pdm": "PDM"}[s.Name[1]])
	}
}

// listed are the requirements of a list of strings, as packages write them.
func (m *manifest) listed(list tomltext.Value) []requirement {
	var out []requirement
	for _, v := range list.Strings() {
		if len(out) >= maxRequirements {
			break
		}
		r, err := pydist.ParseRequirement(v.Text)
		if err != nil || elsewhere(r) {
			continue
		}
		req := requirement{Requirement: r, file: m.file, line: v.Line, text: v.Text}
		if v.Exact {
			req.start, req.end = v.Start, v.End
		}
		out = append(out, req)
	}
	return out
}

// uv reads the keys that uv took over from pip.
func (m *manifest) uv(s tomltext.Section) {
	for _, p := range s.Pairs {
		key := strings.Join(p.Key, ".")
		for _, v := range p.Value.Strings() {
			o := option{name: key, value: v.Text, file: m.file, line: v.Line}
			switch key {
			case "index-url", "extra-index-url":
				m.older = append(m.older, o)
			case "find-links":
				m.find = append(m.find, o)
			}
		}
		m.uvInline = m.uvInline || p.Key[0] == "sources"
		switch key {
		case "dev-dependencies":
			m.groups = append(m.groups, group{key, m.listed(p.Value)})
		case "torch-backend":
			m.backend = p.Value.Text
		case "index":
			for _, item := range p.Value.Items {
				m.source(tomltext.Section{Pairs: item.Pairs}, "uv")
			}
		case "sources", "sources.torch":
			torch, there := p.Value.Get("torch")
			if key == "sources.torch" {
				torch, there = p.Value, true
			}
			if there {
				m.take(torch, "index")
			}
		}
	}
}

// take notes the names of sources that a package is taken from: a table with a key,
// or a list of such.
func (m *manifest) take(v tomltext.Value, key string) {
	for _, t := range append(slices.Clone(v.Items), v) {
		for _, key := range []string{key, "url", "path", "file", "git", "workspace"} {
			if where, there := t.Get(key); there {
				m.taken = append(m.taken, where.Text) // one that is no source is found in none
			}
		}
	}
}

func (m *manifest) source(s tomltext.Section, tool string) {
	text := func(key string) string {
		p, _ := s.Get(key)
		return p.Value.Text
	}
	url, _ := s.Get("url")
	src := packages{
		option: option{name: "url", value: url.Value.Text, file: m.file, line: url.Line}, tool: tool, source: text("name"), lineEnd: url.End,
		explicit: text("explicit") == "true" || text("priority") == "explicit",
		late:     text("priority") == "supplemental" || text("priority") == "secondary" || text("secondary") == "true",
		flat:     text("format") == "flat" || text("type") == "find_links",
	}
	switch tool {
	case "uv":
		src.only = text("default") == "true"
	case "Poetry":
		// A primary source takes PyPI's place, unless that is named too (Poetry's
		// documentation, "Repositories").
		src.only = !src.explicit && !src.late
	case "PDM":
		src.only = strings.EqualFold(src.source, "pypi") // which it then stands for
		include, _ := s.Get("include_packages")
		src.forTorch = slices.ContainsFunc(include.Value.Strings(), func(v tomltext.Value) bool { return v.Text == "torch" || v.Text == "torch*" })
	}
	m.sources = append(m.sources, src)
}
