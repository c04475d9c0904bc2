package script

import (
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// A run is a command that starts a container, as far as it is written down.
type run struct {
	file   *lint.File
	engine string // docker or podman
	root   bool   // by sudo
	line   int
	args   []argument
	image  string // "" where it is not known
	partly bool   // variables among its arguments may hold others
}

// An argument is a flag with its value, in one word or in two.
type argument struct {
	flag, value string
	first, last shelltext.Word
}

// runs are those of a project that compute on AMD GPUs, or seem to.
func runs(p *lint.Pass) []run {
	return lint.Shared(p.Project, "script/runs", func() []run {
		var out []run
		for _, f := range p.Of(lint.Script) {
			set := map[string]string{}
			for _, c := range shelltext.Parse(string(f.Data), nil) {
				for _, a := range append(c.Assignments, c.Exports()...) {
					if !a.Value.Computed {
						set[a.Name] = a.Value.Text
					}
				}
				if r, ok := parse(f, c, set); ok && r.computes() {
					out = append(out, r)
				}
			}
		}
		return out
	})
}

// parse reads a command; it is not ok for one that starts no container.
func parse(f *lint.File, c shelltext.Command, set map[string]string) (run, bool) {
	r := run{file: f, line: c.Line}
	words := c.Words
	for len(words) > 0 && (words[0].Text == "sudo" || words[0].Text == "exec" || words[0].Text == "-E") {
		r.root = r.root || words[0].Text == "sudo"
		words = words[1:]
	}
	if len(words) < 2 || words[0].Text != "docker" && words[0].Text != "podman" {
		return r, false
	}
	r.engine = words[0].Text
	words = words[1:]
	if words[0].Text == "container" && len(words) > 1 {
		words = words[1:]
	}
	if words[0].Text != "run" && words[0].Text != "create" {
		return r, false
	}
	r.arguments(words[1:], set)
	return r, true
}

// arguments takes flags up to the image. Where only a variable can be that, those
// behind the last one may be of the program in the container.
func (r *run) arguments(words []shelltext.Word, set map[string]string) {
	certain := 0
	defer func() {
		if r.image == "" && r.partly {
			r.args = r.args[:certain]
		}
	}()
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if !strings.HasPrefix(w.Text, "-") {
			if r.image = w.Text; w.Computed {
				r.image = set[strings.Trim(w.Text, "${}")]
			}
			if r.image != "" {
				return
			}
			r.partly = true // it may hold flags, and the image come later
			certain = len(r.args)
			continue
		}
		flag, value, joined := strings.Cut(w.Text, "=")
		a := argument{flag: flag, value: value, first: w, last: w}
		if !joined && takesValue(flag) && len(words) > 0 {
			a.value, a.last = words[0].Text, words[0]
			words = words[1:]
		}
		r.args = append(r.args, a)
	}
}

// bare are the flags of docker run and podman run that no value follows.
var bare = []string{
	"--detach", "--disable-content-trust", "--env-host", "--help", "--init", "--interactive", "--no-healthcheck", "--no-hosts", "--oom-kill-disable",
	"--privileged", "--publish-all", "--quiet", "--read-only", "--replace", "--rm", "--rmi", "--sig-proxy", "--tls-verify", "--tty",
}

// takesValue tells whether the next word belongs to a flag. Short ones may stand
// together, as in -it, and have their value with them, as in -p8080:80.
func takesValue(flag string) bool {
	if strings.HasPrefix(flag, "--") {
		return !slices.Contains(bare, flag)
	}
	rest := strings.TrimLeft(flag, "-ditPq")
	return len(rest) == 1
}

// of returns the values of a flag.
func (r run) of(flags ...string) []argument {
	return slices.DeleteFunc(slices.Clone(r.args), func(a argument) bool { return !slices.Contains(flags, a.flag) })
}

// passes finds the argument that gives a node, or its folder.
func (r run) passes(node string) (argument, bool) {
	for _, a := range r.of("--device") {
		host, _, _ := strings.Cut(a.value, ":")
		if host == node || strings.HasPrefix(host, node+"/") {
			return a, true
		}
	}
	return argument{}, false
}

// open tells that devices come in another way, or that it cannot be told.
func (r run) open() bool {
	cdi := slices.ContainsFunc(r.of("--device"), func(a argument) bool { return strings.Contains(a.value, "amd.com/gpu=") || a.value == "/dev" })
	return cdi || r.partly || len(r.of("--privileged", "--gpus", "--device-cgroup-rule")) > 0
}

func (r run) computes() bool {
	if _, kfd := r.passes("/dev/kfd"); kfd {
		return true
	}
	repository, tag, _ := rocm.SplitImage(r.image)
	return rocm.ForROCm(repository, tag)
}

// stranger tells that the process is said to be somebody else than root.
func (r run) stranger() bool {
	users := r.of("--user", "-u")
	if len(users) == 0 {
		return false
	}
	user, _, _ := strings.Cut(users[len(users)-1].value, ":")
	return user != "0" && user != "root" && user != ""
}
