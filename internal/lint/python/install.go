package python

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// A requirement is what a file or a command asks for.
type requirement struct {
	pydist.Requirement
	file       *lint.File
	line       int
	text       string // as it stands, with quotes
	start, end int    // bytes of the file; both 0 where it is not edited
}

// pinned is the one version that a requirement allows.
func (r requirement) pinned() (string, bool) {
	version, ok := strings.CutPrefix(r.Specifier.String(), "==")
	return strings.TrimPrefix(version, "="), ok && !strings.ContainsAny(version, ",*")
}

// editable tells that the requirement stands in the file as it is.
func (r requirement) editable() bool {
	return r.end > r.start && r.end <= len(r.file.Data) && string(r.file.Data[r.start:r.end]) == r.text
}

// An option is one that takes an address.
type option struct {
	name, value string
	file        *lint.File
	line        int
	start, end  int // of its name; both 0 where it is not edited
}

// An install is one call of pip, or of uv in pip's place.
type install struct {
	file         *lint.File
	line         int
	uv           bool
	conda        bool
	tool         string // Poetry, PDM or uv, where a pyproject.toml is meant
	program      string // as it was called, with its folder
	requirements []requirement
	constraints  []requirement
	index        *option
	extra, find  []option
	backend      string // uv's --torch-backend
	noDeps       bool
	upgrade      bool
	eager        bool // upgrades what is required, too
	force        bool // installs again what is there
	system       bool // uv's --system
	partly       bool // something in it could not be read
	opaque       bool // it installs files, addresses or variables, which may be torch
	blind        bool // it is told more of where packages come from than is known here
	branch       bool // it is run where a condition holds
	// listed are the files of requirements and constraints that it names, as written.
	listed, constrained []string
	unread              []*lint.File // lists that the build changed before
}

// parseInstall reads a command. It is not ok for one that installs nothing.
func parseInstall(f *lint.File, c shelltext.Command, exact bool) (install, bool) {
	i := install{file: f, line: c.Line, branch: c.Conditional}
	words, ok := i.caller(c.Words)
	if !ok {
		return i, false
	}
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if !strings.HasPrefix(w.Text, "-") || w.Text == "-" {
			i.wants(f, w, exact)
			continue
		}
		name, value, joined := strings.Cut(w.Text, "=")
		if !joined && takesValue(name) && len(words) > 0 {
			value, words = words[0].Text, words[1:]
		}
		o := option{name: name, value: value, file: f, line: w.Line}
		if exact {
			o.start, o.end = w.Start, w.Start+len(name)
		}
		i.option(o)
	}
	return i, true
}

// installer is who installs.
func (i install) installer() string {
	switch {
	case i.tool != "":
		return i.tool
	case i.uv:
		return "uv"
	}
	return "pip"
}

// caller takes the program off the front: pip install, python -m pip install, uv
// pip install, each perhaps behind sudo or env.
func (i *install) caller(words []shelltext.Word) ([]shelltext.Word, bool) {
	for len(words) > 0 && (words[0].Text == "sudo" || words[0].Text == "env" || words[0].Text == "-E" || words[0].Text == "-H" || strings.Contains(words[0].Text, "=")) {
		words = words[1:]
	}
	if len(words) < 2 {
		return nil, false
	}
	i.program = words[0].Text
	base := i.program[strings.LastIndexByte(i.program, '/')+1:]
	switch {
	case strings.HasPrefix(base, "python") && len(words) > 3 && words[1].Text == "-m" && words[2].Text == "pip":
		words = words[2:]
	case base == "uv" && words[1].Text == "pip":
		i.uv = true
		words = words[1:]
	case base == "pip" || strings.HasPrefix(base, "pip3"):
	default:
		return nil, false
	}
	words = words[1:]
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") { // pip --no-cache-dir install
		words = words[1:]
	}
	if len(words) == 0 || words[0].Text != "install" {
		return nil, false
	}
	return words[1:], true
}

// parseConda reads a command of conda that asks for builds for CUDA by name;
// what else conda installs is not known here.
func parseConda(f *lint.File, c shelltext.Command, exact bool) (install, bool) {
	switch c.Name() {
	case "conda", "mamba", "micromamba":
	default:
		return install{}, false
	}
	if len(c.Words) < 3 || c.Words[1].Text != "install" {
		return install{}, false
	}
	for _, w := range c.Words[2:] {
		name, _, _ := strings.Cut(w.Text, "=")
		if name == "pytorch-cuda" {
			i := install{file: f, line: c.Line, branch: c.Conditional, conda: true, upgrade: true}
			i.wants(f, shelltext.Word{Text: "torch", Raw: w.Raw, Start: w.Start, End: w.End, Line: w.Line}, exact)
			return i, true
		}
	}
	return install{}, false
}

// takesValue tells the options of pip and uv that are followed by a value.
func takesValue(name string) bool {
	switch name {
	case "-r", "--requirement", "--requirements", "-c", "--constraint", "--constraints", "-i", "--index-url", "--extra-index-url", "-f", "--find-links",
		"-t", "--target", "--prefix", "--root", "--platform", "--python-version", "--implementation", "--abi", "--python", "-p",
		"--cache-dir", "--timeout", "--retries", "--proxy", "--trusted-host", "--progress-bar", "--log", "--src", "-C", "--config-settings",
		"--global-option", "--upgrade-strategy", "--report", "--no-binary", "--only-binary", "--torch-backend", "--index", "--default-index",
		"--index-strategy", "-e", "--editable", "--group", "--exists-action", "--root-user-action", "--use-feature", "--use-deprecated",
		"--cert", "--client-cert", "--keyring-provider", "--link-mode", "--resolution", "--prerelease", "--override", "--overrides":
		return true
	}
	return false
}

func (i *install) option(o option) {
	switch o.name {
	case "-r", "--requirement", "--requirements":
		i.listed = append(i.listed, o.value)
	case "-c", "--constraint", "--constraints", "--override", "--overrides":
		i.constrained = append(i.constrained, o.value)
	case "-i", "--index-url", "--default-index":
		i.index = &o
	case "--extra-index-url", "--index":
		i.extra = append(i.extra, o)
	case "-f", "--find-links":
		i.find = append(i.find, o)
	case "--torch-backend":
		i.backend = o.value
	case "--no-deps":
		i.noDeps = true
	case "-U", "--upgrade":
		i.upgrade = true
	case "--upgrade-strategy":
		i.eager = o.value == "eager"
	case "--force-reinstall", "-I", "--ignore-installed", "--reinstall":
		i.force = true
	case "--system":
		i.system = true
	case "-t", "--target", "--prefix", "--root", "-e", "--editable":
		i.partly = true // elsewhere, or of requirements of its own
	}
}

// wants takes a requirement. Paths and addresses are not known by name.
func (i *install) wants(f *lint.File, w shelltext.Word, exact bool) {
	r, err := pydist.ParseRequirement(w.Text)
	if err != nil || w.Computed && strings.Contains(w.Raw, "$") || strings.ContainsAny(w.Text, "/\\") && r.URL == "" || isArchive(w.Text) {
		i.partly, i.opaque = true, true
		return
	}
	if elsewhere(r) {
		return
	}
	req := requirement{Requirement: r, file: f, line: w.Line, text: w.Raw}
	if exact {
		req.start, req.end = w.Start, w.End
	}
	i.requirements = append(i.requirements, req)
}

// isArchive tells a package by the name of its file.
func isArchive(text string) bool {
	return strings.HasSuffix(text, ".whl") || strings.HasSuffix(text, ".tar.gz") || strings.HasSuffix(text, ".zip")
}
