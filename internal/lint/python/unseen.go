package python

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// doubt notes that packages may have come into all sites that were not seen: of what
// is in them nothing may be concluded any more from what was not.
func (w *walker) doubt() {
	for name, s := range w.sites {
		s.empty = false
		w.sites[name] = s
	}
}

// copies follows COPY and ADD: packages may come from another stage or image as
// files, and pip be told by a file where to look.
func (w *walker) copies(in *dockerfile.Instruction) {
	if slices.ContainsFunc(in.Words, func(word dockerfile.Word) bool { return isConfiguration(strings.Trim(word.Text, `"'`)) }) {
		w.configured = true
	}
	from := slices.ContainsFunc(in.Flags, func(f dockerfile.Word) bool { return strings.HasPrefix(f.Text, "--from=") })
	if !from || len(in.Words) < 2 {
		return
	}
	to := strings.Trim(in.Words[len(in.Words)-1].Text, `"'`)
	if dir := path.Clean(to); path.Base(dir) != "bin" && path.Base(path.Dir(dir)) != "bin" { // COPY --from=uv /uv /bin/uv
		w.doubt()
	}
}

// brings tells a command that may install torch in a way that is not followed here:
// packages of the distribution, other installers, programs and scripts.
func brings(c shelltext.Command) bool {
	if len(c.Words) == 0 {
		return false
	}
	has := func(test func(string) bool) bool {
		return slices.ContainsFunc(c.Words[1:], func(w shelltext.Word) bool { return test(w.Text) })
	}
	oneOf := func(texts ...string) bool { return has(func(text string) bool { return slices.Contains(texts, text) }) }
	switch name := c.Name(); {
	case name == "":
		return strings.ContainsAny(c.Words[0].Raw, "$`") // whatever it stands for
	case slices.Contains(installers, name):
		return has(func(text string) bool { return strings.Contains(text, "torch") })
	case slices.Contains(managers, name):
		return oneOf("sync", "add", "install", "update", "run")
	case strings.HasPrefix(name, "python"):
		return has(func(text string) bool { return strings.HasSuffix(text, ".py") })
	case name == "make", name == "xargs", name == "eval":
		return oneOf("install") || name == "eval"
	case name == "sh", name == "bash", name == "source", name == ".":
		return has(func(text string) bool { return strings.HasSuffix(text, ".sh") })
	}
	return strings.HasSuffix(c.Words[0].Text, ".sh") || strings.HasPrefix(c.Words[0].Text, "./")
}

// installers are those of distributions, which have torch among others.
var installers = []string{
	"apt", "apt-get", "aptitude", "dnf", "microdnf", "yum", "zypper", "apk", "pacman", "conda", "mamba", "micromamba", "sudo",
}

// managers are those of Python projects, which install what files of their own say.
var managers = []string{"uv", "poetry", "pdm", "pipenv", "pixi", "rye", "hatch"}
