package dockerfile

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/shelltext"
)

// A Script is what RUN, CMD or ENTRYPOINT gives to a shell.
type Script struct {
	Commands []shelltext.Command
	// Exact tells that the words stand in the file as they are, so that they can be
	// edited there.
	Exact bool
}

// Script splits the shell command of an instruction, its heredocs included, given
// the file that was parsed. Of the JSON form it reads what a shell is handed with
// -c, and otherwise takes the list for one command.
func (in *Instruction) Script(data []byte) Script {
	switch {
	case in.JSON:
		return in.listed()
	case len(in.Words) == 0:
		return Script{Exact: true}
	}
	w := in.Words[len(in.Words)-1]
	out := Script{Exact: true}
	// Each mount is a flag, so a first word of << is a script for the shell.
	if len(in.Heredocs) == 0 || !strings.HasPrefix(w.Text, "<<") {
		out.Commands = shelltext.Parse(w.Text, func(i int) (int, int) { return w.Place(i), w.from.find(i).line })
	}
	for _, h := range in.Heredocs {
		if strings.HasPrefix(w.Text, "<<") {
			text := string(data[h.Start:h.End])
			out.Commands = append(out.Commands, shelltext.Parse(text, shelltext.From(text, h.Start, h.Line))...)
		}
	}
	return out
}

// listed reads the JSON form.
func (in *Instruction) listed() Script {
	for i, w := range in.Words {
		if i > 0 && i+1 < len(in.Words) && strings.HasPrefix(w.Text, "-") && strings.HasSuffix(w.Text, "c") && isShell(in.Words[0].Text) {
			script := in.Words[i+1]
			return Script{Commands: shelltext.Parse(script.Text, func(int) (int, int) { return script.Start, script.Line })}
		}
	}
	c := shelltext.Command{Line: in.Line, Start: in.Start, End: in.End}
	for _, w := range in.Words {
		c.Words = append(c.Words, shelltext.Word{Text: w.Text, Raw: w.Text, Start: w.Start, End: w.End, Line: w.Line})
	}
	if len(c.Words) == 0 {
		return Script{}
	}
	return Script{Commands: []shelltext.Command{c}}
}

func isShell(program string) bool {
	switch program[strings.LastIndexByte(program, '/')+1:] {
	case "sh", "bash", "dash", "ash", "zsh":
		return true
	}
	return false
}
