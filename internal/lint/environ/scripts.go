package environ

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// commands returns those of a script, read once.
func commands(p *lint.Pass, f *lint.File) []shelltext.Command {
	return lint.Shared(p.Project, "env/commands "+f.Path, func() []shelltext.Command {
		return shelltext.Parse(string(f.Data), nil)
	})
}

func groupFallback(p *lint.Pass) {
	for _, f := range p.Of(lint.Script) {
		all := commands(p, f)
		for i, c := range all {
			if c.Name() != "getent" || !hasWords(c, "group") || pipefail(all[:i]) {
				continue
			}
			filter, fallback, ok := fallsBack(all[i:])
			if !ok {
				continue
			}
			p.Report(lint.Finding{
				File: f, Line: c.Line, Verdict: check.Warn, Cause: "container-gid-mismatch",
				Message: fmt.Sprintf("The fallback to %s never happens, and the number is empty where the group does not exist. A pipeline ends as its last command does, and %s is content with no input; and no number is right on every machine.", fallback.Words[1].Text, filter),
				Mend:    nodeGroup(f, c, fallback),
				Advice:  advice("env-node-group", "Take the group of the node", "Write $(stat -c %g /dev/kfd) for render, and the same of /dev/dri/card0 for video"),
			})
		}
	}
}

// nodeGroup asks the node instead, where the group is that of /dev/kfd and its number
// is wanted.
func nodeGroup(f *lint.File, getent, fallback shelltext.Command) *lint.Mend {
	if len(getent.Words) != 3 || getent.Words[2].Text != "render" || len(getent.Assignments) > 0 {
		return nil
	}
	last := fallback.Words[1]
	text := string(f.Data[getent.Start:fallback.End])
	if !last.Computed && strings.Trim(last.Text, "0123456789") != "" || strings.Contains(text, "#") && strings.Contains(text, "\n") {
		return nil // a name, or a comment between the commands
	}
	return &lint.Mend{
		Title: "Take the group of /dev/kfd",
		Edits: []lint.Edit{{File: f, Start: getent.Start, End: fallback.End, New: "stat -c %g /dev/kfd"}},
	}
}

// fallsBack finds … | cut || echo N behind a command: the filter, and the command
// that never runs.
func fallsBack(all []shelltext.Command) (filter string, fallback shelltext.Command, ok bool) {
	for i, c := range all {
		if c.List != all[0].List || i+1 == len(all) {
			break
		}
		next := all[i+1]
		lenient := slices.Contains([]string{"cut", "awk", "sed", "head", "tail", "tr"}, c.Name())
		if c.Then == "||" && i > 0 && lenient && next.Name() == "echo" && len(next.Words) == 2 {
			return c.Name(), next, true
		}
		if c.Then != "|" {
			break
		}
	}
	return "", shelltext.Command{}, false
}

// pipefail tells whether a script wants pipelines to end as any command of them.
func pipefail(before []shelltext.Command) bool {
	return slices.ContainsFunc(before, func(c shelltext.Command) bool { return c.Name() == "set" && hasWords(c, "pipefail") })
}

func hasWords(c shelltext.Command, words ...string) bool {
	for _, want := range words {
		if !slices.ContainsFunc(c.Words, func(w shelltext.Word) bool { return w.Text == want }) {
			return false
		}
	}
	return true
}

func deletesModels(p *lint.Pass) {
	for _, f := range p.Of(lint.Script) {
		if cleansUp(f.Path) || !p.ForAMD() {
			continue
		}
		all := commands(p, f)
		for i, c := range all {
			if what := deleted(c); what != "" && !asksFirst(all[:i], c) {
				when := "every time it is run"
				if c.Conditional {
					when = "where its condition holds, without asking"
				}
				p.Report(lint.Finding{
					File: f, Line: c.Line, Verdict: check.Warn,
					Message: fmt.Sprintf("%s deletes %s "+when+". Models are gigabytes that somebody waited for, and a set-up is run again whenever something is wrong.", path.Base(f.Path), what),
					Advice:  advice("env-keep-models", "Leave it where it is", "Take the line out, or move it into a clean-up that says what it deletes"),
				})
			}
		}
	}
}

// asksFirst tells that somebody is asked before a command is run.
func asksFirst(before []shelltext.Command, c shelltext.Command) bool {
	return c.Conditional && slices.ContainsFunc(before, func(b shelltext.Command) bool {
		return b.Name() == "read" || b.Name() == "select" || b.Name() == "confirm"
	})
}

// cleansUp tells a script by its name whose purpose is to delete.
func cleansUp(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.ContainsFunc([]string{"clean", "uninstall", "purge", "reset", "remove", "delete", "teardown"}, func(w string) bool {
		return strings.Contains(base, w)
	})
}

// deleted is the folder of models that a command deletes with all that is in it.
func deleted(c shelltext.Command) string {
	if c.Name() == "sudo" {
		c.Words = c.Words[1:]
	}
	if c.Name() != "rm" {
		return ""
	}
	recursive := slices.ContainsFunc(c.Words, func(w shelltext.Word) bool {
		return w.Text == "--recursive" || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "rR")
	})
	if !recursive {
		return ""
	}
	for _, w := range c.Words[1:] {
		if holdsModels(w.Text) {
			return w.Text
		}
	}
	return ""
}

func holdsModels(p string) bool {
	parts := strings.Split(strings.ToLower(p), "/")
	for i, part := range parts {
		switch part {
		case "models", ".ollama", "huggingface", "checkpoints":
			return true
		case "whisper", "torch", "miopen":
			if i > 0 && parts[i-1] == ".cache" {
				return true
			}
		}
	}
	return false
}

func globalPrune(p *lint.Pass) {
	for _, f := range p.Of(lint.Script) {
		if !p.ForAMD() {
			continue
		}
		for _, c := range commands(p, f) {
			if c.Name() == "sudo" {
				c.Words = c.Words[1:]
			}
			engine := c.Name()
			if engine != "docker" && engine != "podman" || !hasWords(c, "prune") || filtered(c) {
				continue
			}
			p.Report(lint.Finding{
				File: f, Line: c.Line, Verdict: check.Warn,
				Message: fmt.Sprintf("This deletes what belongs to other projects of the machine too. %s prune knows no projects; images for GPUs have 15 GB and more, and their caches as much.", engine),
				Advice:  advice("env-own-images", "Delete the project's own images", "Name them: "+engine+" image rm NAME, or "+engine+" compose down --rmi local"),
			})
		}
	}
}

func filtered(c shelltext.Command) bool {
	return slices.ContainsFunc(c.Words, func(w shelltext.Word) bool { return strings.HasPrefix(w.Text, "--filter") })
}
