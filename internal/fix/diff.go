package fix

import (
	"fmt"
	"strings"
)

// Diff writes what changed between two texts, as diff -u does, with two lines
// around each change, and of long lines what differs. It is nothing where nothing changed.
func Diff(name, before, after string) string {
	name = strings.ReplaceAll(name, "\n", `\u000a`) // else a name could look like a change
	a, b := lines(before), lines(after)
	ops := compare(a, b)
	narrow(ops)
	const around = 2
	var out strings.Builder
	last := -1
	for i, op := range ops {
		if op.kind != ' ' && i > last {
			first, end := max(i-around, last+1, 0), hunk(ops, i, around)
			fmt.Fprintf(&out, "@@ %s:%d @@\n", name, ops[first].line)
			for _, o := range ops[first:end] {
				out.WriteString(o.String())
			}
			last = end - 1
		}
	}
	return out.String()
}

func lines(s string) []string {
	var out []string
	for l := range strings.Lines(s) {
		out = append(out, l)
	}
	return out
}

// hunk returns where a run of changes ends, with what stands around it.
func hunk(ops []op, from, around int) int {
	end, quiet := from, 0
	for ; end < len(ops) && quiet <= 2*around; end++ {
		if ops[end].kind == ' ' {
			quiet++
		} else {
			quiet = 0
		}
	}
	return end - max(quiet-around, 0)
}

// An op is a line that stayed, came or went.
type op struct {
	kind byte // ' ', '+' or '-'
	text string
	line int // in the old text, from 1
}

// String is a line of a difference. That a line has no end is said as diff(1) does: else
// a line that only gets one would seem to be replaced by itself.
func (o op) String() string {
	line, ended := strings.CutSuffix(o.text, "\n")
	text := string(o.kind) + line + "\n"
	if !ended {
		text += "\\ No newline at end of file\n"
	}
	return text
}

// compare finds the longest common run of lines. What is the same at both ends
// is set aside first; the files are those of people, and the changes are few.
func compare(a, b []string) []op {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var ops []op
	for i := range head {
		ops = append(ops, op{' ', a[i], i + 1})
	}
	for _, o := range common(a[head:len(a)-tail], b[head:len(b)-tail]) {
		o.line += head
		ops = append(ops, o)
	}
	for i := len(a) - tail; i < len(a); i++ {
		ops = append(ops, op{' ', a[i], i + 1})
	}
	return ops
}

// mostLines bounds the table of the comparison; beyond it all of the middle goes
// and comes.
const mostLines = 2000

func common(a, b []string) []op {
	var ops []op
	i, j := 0, 0
	if len(a) <= mostLines && len(b) <= mostLines {
		table := lengths(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				ops = append(ops, op{' ', a[i], i + 1})
				i, j = i+1, j+1
			case table[i+1][j] >= table[i][j+1]:
				ops = append(ops, op{'-', a[i], i + 1})
				i++
			default:
				ops = append(ops, op{'+', b[j], i + 1})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		ops = append(ops, op{'-', a[i], i + 1})
	}
	for ; j < len(b); j++ {
		ops = append(ops, op{'+', b[j], i + 1})
	}
	return ops
}

// lengths is the table of the longest common subsequences of all ends.
func lengths(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}
