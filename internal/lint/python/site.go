package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// A torch is a build of it that is in a site.
type torch struct {
	version string // with its local part; "" where it is not known
	kind    rocm.BuildKind
	from    string // who brought it: "rocm/pytorch:…", "line 3"
}

// A site is a folder of packages, before an install.
type site struct {
	name  string // of a virtual environment; "" for the image's own
	rocm  bool   // it is for AMD GPUs
	torch *torch
	empty bool // nothing is in it but what was seen
	// brought are the packages that came with the image.
	brought []string
}

// A step is an install, and the site that it finds.
type step struct {
	install
	before site
}

// A build is what one stage of a Dockerfile, or one script, installs, in its
// order; steps of stages that it builds on are among them.
type build struct {
	file  *lint.File
	steps []step
	own   int // steps before it are of another stage
	rocm  bool
	final site
	// manifest is what was read of a pyproject.toml; nil of other files.
	manifest *manifest
}

// builds reads the Dockerfiles and scripts of a project, once.
func builds(p *lint.Pass) []build {
	return lint.Shared(p.Project, "python/builds", func() []build {
		var out []build
		for _, f := range p.Files {
			switch f.Kind {
			case lint.Dockerfile:
				out = append(out, stages(p.Project, f)...)
			case lint.Script:
				out = append(out, script(p.Project, f))
			}
		}
		return slices.Concat(out, unclaimed(p.Project, out), manifests(p.Project))
	})
}

// unclaimed are the lists of requirements that no command names. Those with
// addresses of AMD's builds are for AMD GPUs; of the others nothing is known.
func unclaimed(p *lint.Project, named []build) []build {
	claimed := map[string]bool{}
	for _, b := range named {
		for _, s := range b.steps {
			for _, r := range s.requirements {
				claimed[r.file.Path] = true
			}
			for _, f := range s.unread {
				claimed[f.Path] = true
			}
		}
	}
	var out []build
	for _, f := range p.Of(lint.Requirements) {
		if claimed[f.Path] {
			continue
		}
		l := parseList(f)
		i := install{file: f, line: 1, requirements: l.requirements, index: l.index, extra: l.extra, find: l.find, listed: l.listed, constrained: l.constrained}
		i.lists(p, nil)
		at := site{rocm: i.namesROCm()}
		out = append(out, build{file: f, steps: []step{{i, at}}, rocm: at.rocm, final: at.after(i)})
	}
	return out
}

// namesROCm tells whether any address or pin is of AMD's builds.
func (i install) namesROCm() bool {
	for _, o := range i.addresses() {
		if index, ok := rocm.LookupIndex(o.value); ok && index.Kind == rocm.BuildROCm {
			return true
		}
	}
	return slices.ContainsFunc(i.requirements, func(r requirement) bool { return strings.Contains(r.Specifier.String(), "+rocm") })
}

// addresses are all that an install is given.
func (i install) addresses() []option {
	out := slices.Concat(i.extra, i.find)
	if i.index != nil {
		out = append(out, *i.index)
	}
	return out
}

// maxStages bounds how often what one stage installed is handed on to the next. The
// longest Dockerfiles have some dozens.
const maxStages = 200

func stages(p *lint.Project, f *lint.File) []build {
	file, err := dockerfile.Parse(f.Data)
	if err != nil {
		return nil // said by project/readable
	}
	var out []build
	globals := defaults(file)
	after := map[*dockerfile.Stage]*walker{}
	all := file.Stages()
	for _, s := range all[:min(len(all), maxStages)] {
		w := newWalker(p, f, file, imageSite(s.Base))
		w.globals = globals
		if earlier := after[s.On]; s.On != nil && earlier != nil {
			w = earlier.copy()
		}
		own := len(w.steps)
		for _, in := range s.Instructions {
			w.instruction(in)
		}
		after[s] = w
		out = append(out, build{file: f, steps: w.steps, own: own, rocm: w.sites[""].rocm, final: w.sites[w.active]})
	}
	return out
}

// defaults are the values of ARG before the first FROM, as they are written.
func defaults(file *dockerfile.File) map[string]string {
	out := map[string]string{}
	for _, in := range file.Instructions {
		if in.Name == "FROM" {
			break
		}
		for _, pair := range in.Pairs {
			if in.Name == "ARG" && !pair.Bare {
				out[pair.Name.Text] = pair.Value.Text
			}
		}
	}
	return out
}

// imageSite is what the name of a base image tells.
func imageSite(base string) site {
	repository, tag, _ := rocm.SplitImage(base)
	known, ok := rocm.LookupImage(repository, tag)
	s := site{rocm: rocm.ForROCm(repository, tag), empty: ok && !known.Torch, brought: known.Brings}
	if ok && known.Torch {
		version, release := known.Versions(tag)
		if version != "" && release != "" {
			version += "+rocm" + release
		}
		s.torch = &torch{version: version, kind: rocm.BuildROCm, from: base}
	}
	return s
}

// script reads one as if it were a stage on an unknown machine. It is for AMD GPUs
// where it says so itself: projects have scripts for others, and for none.
func script(p *lint.Project, f *lint.File) build {
	w := newWalker(p, f, &dockerfile.File{Escape: '\\'}, site{rocm: f.ForAMD() && !speaksOfNVIDIA(string(f.Data))})
	w.commands(shelltext.Parse(string(f.Data), nil), true)
	return build{file: f, steps: w.steps, rocm: w.sites[""].rocm, final: w.sites[w.active]}
}

// speaksOfNVIDIA tells a script that installs for both, in branches that are not
// told apart here.
func speaksOfNVIDIA(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "nvidia") || strings.Contains(text, "cuda") || strings.Contains(text, "whl/cu")
}

// A walker follows a build and keeps what is in each site.
type walker struct {
	project *lint.Project
	file    *lint.File
	sites   map[string]site  // by the folder of a virtual environment
	active  string           // of which one is on the path
	edited  map[string]bool  // lists that a command changed, by their names without folder
	syntax  *dockerfile.File // by which variables are put in
	vars    map[string]option
	globals map[string]string // defaults of ARG before the first FROM
	// configured tells that a file says where packages come from, which is not read.
	configured bool
	steps      []step
}

func newWalker(p *lint.Project, f *lint.File, syntax *dockerfile.File, image site) *walker {
	return &walker{project: p, file: f, syntax: syntax, edited: map[string]bool{}, vars: map[string]option{}, sites: map[string]site{"": image}}
}

func (w *walker) copy() *walker {
	next := *w
	next.sites, next.edited, next.vars = maps.Clone(w.sites), maps.Clone(w.edited), maps.Clone(w.vars)
	next.steps = slices.Clone(w.steps)
	return &next
}

func (w *walker) instruction(in *dockerfile.Instruction) {
	switch in.Name {
	case "ENV":
		for _, pair := range in.Pairs {
			name := pair.Name
			w.set(option{name: name.Text, value: pair.Value.Text, file: w.file, line: name.Line, start: name.Start, end: name.End})
			w.activate(name.Text, strings.Trim(pair.Value.Text, `"'`))
		}
	case "ARG":
		w.arguments(in)
	case "COPY", "ADD":
		w.copies(in)
	case "RUN":
		s := in.Script(w.file.Data)
		if speaksOfOthers(w.text(in)) {
			s.Commands = slices.DeleteFunc(s.Commands, func(c shelltext.Command) bool { return w.forOthers(c, s.Exact) })
		}
		active, vars, configured := w.active, maps.Clone(w.vars), w.configured
		mounted := slices.ContainsFunc(in.Flags, func(f dockerfile.Word) bool { return strings.Contains(f.Text, "pip.conf") })
		w.configured = w.configured || mounted
		w.commands(s.Commands, s.Exact)
		w.active, w.vars = active, vars // what a shell activates and sets ends with it
		w.configured = w.configured && !mounted || configured
	}
}

// text is an instruction with its heredocs.
func (w *walker) text(in *dockerfile.Instruction) string {
	out := string(w.file.Data[in.Start:in.End])
	for _, h := range in.Heredocs {
		out += string(w.file.Data[h.Start:h.End])
	}
	return out
}

// speaksOfOthers tells a text that asks which GPU it is for, or whether there is
// one.
func speaksOfOthers(text string) bool {
	return speaksOfNVIDIA(text) || strings.Contains(strings.ToLower(text), "cpu")
}

// forOthers tells an install in a branch, of which it cannot be told for what GPU it
// is: what it leaves behind is not known either.
func (w *walker) forOthers(c shelltext.Command, exact bool) bool {
	i, ok := parseInstall(w.file, c, exact)
	if !ok || !c.Conditional {
		return false
	}
	w.told(&i, c)
	i.lists(w.project, w.edited)
	at := w.siteOf(i)
	if len(i.wantsTorch()) > 0 && at.torch == nil {
		at.empty = false
		w.sites[at.name] = at
	}
	return true
}

// activate follows ENV PATH=/venv/bin:$PATH and VIRTUAL_ENV.
func (w *walker) activate(name, value string) {
	for venv := range w.sites {
		if venv != "" && (name == "VIRTUAL_ENV" && value == venv || name == "PATH" && strings.HasPrefix(value, venv+"/bin:")) {
			w.active = venv
		}
	}
}

func (w *walker) commands(all []shelltext.Command, exact bool) {
	for _, c := range all {
		i, ok := parseInstall(w.file, c, exact)
		if !ok {
			i, ok = parseConda(w.file, c, exact)
		}
		if ok {
			w.told(&i, c)
			i.lists(w.project, w.edited)
			at := w.siteOf(i)
			w.steps = append(w.steps, step{i, at})
			if after := at.after(i); !i.branch {
				w.sites[at.name] = after
			} else if at.torch == nil && after.torch != nil { // there, or not
				at.empty = false
				w.sites[at.name] = at
			}
			continue
		}
		if removesTorch(c) {
			at := w.siteOf(install{program: c.Words[0].Text})
			at.torch, at.empty = nil, true
			w.sites[at.name] = at
		}
		written := rewritten(c)
		for _, name := range written {
			w.edited[name] = true
		}
		w.configured = w.configured || configures(c, written)
		if brings(c) {
			w.doubt()
		}
		w.assign(c)
		w.environments(c)
	}
}

// removesTorch tells pip uninstall torch.
func removesTorch(c shelltext.Command) bool {
	has := func(text string) bool {
		return slices.ContainsFunc(c.Words, func(w shelltext.Word) bool { return w.Text == text })
	}
	return has("uninstall") && has("torch")
}

// environments follows what makes and activates virtual environments.
func (w *walker) environments(c shelltext.Command) {
	switch name := c.Name(); {
	case name == "." || name == "source":
		if len(c.Words) == 2 {
			venv := strings.TrimSuffix(c.Words[1].Text, "/bin/activate")
			if _, made := w.sites[venv]; made {
				w.active = venv
			}
		}
	case name == "virtualenv", name == "uv" && len(c.Words) > 1 && c.Words[1].Text == "venv", strings.HasPrefix(name, "python") && len(c.Words) > 3 && c.Words[2].Text == "venv":
		sees := slices.ContainsFunc(c.Words, func(word shelltext.Word) bool { return word.Text == "--system-site-packages" })
		folder := c.Words[len(c.Words)-1].Text
		if name == "uv" && (len(c.Words) == 2 || strings.HasPrefix(folder, "-")) {
			folder = ".venv"
		}
		s := site{name: folder, rocm: w.sites[""].rocm, empty: true}
		if sees {
			s = w.sites[""]
			s.name = folder
		}
		w.sites[folder] = s
		if name == "uv" {
			w.active = folder
		}
	}
}

// siteOf finds where a program installs to.
func (w *walker) siteOf(i install) site {
	for venv, s := range w.sites {
		if venv != "" && strings.HasPrefix(i.program, venv+"/bin/") {
			return s
		}
	}
	if i.system {
		return w.sites[""]
	}
	return w.sites[w.active]
}
