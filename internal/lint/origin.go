package lint

import (
	"bytes"
	"cmp"
	"slices"
)

// An origin leads from the lines of mended files back to those of the files as
// they are, which a person has before them.
type origin struct {
	project *Project            // as it is
	rounds  map[string][]spread // of a file, by its path, in their order
}

// A spread is what one round of mends made of a file.
type spread struct {
	before, after []byte
	edits         []Edit // by where they begin
}

// add takes the edits of one round and what became of the files by them.
func (o *origin) add(edits map[*File][]Edit, changes []Change) {
	for _, c := range changes {
		list := slices.Clone(edits[c.File])
		slices.SortStableFunc(list, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
		o.rounds[c.File.Path] = append(o.rounds[c.File.Path], spread{c.File.Data, c.After, list})
	}
}

// back is a finding of a mended project at its place in the project as it is.
func (o *origin) back(f Found) Found {
	rounds := o.rounds[f.File.Path]
	if len(rounds) == 0 || f.Line == 0 {
		return f
	}
	file, err := o.project.File(f.File.Path, f.File.Kind)
	if err != nil {
		return f
	}
	for _, round := range slices.Backward(rounds) {
		f.Line = round.line(f.Line)
	}
	f.File = file
	return f
}

// line is that of the text before which became a line after. What was inserted
// stands where it went in.
func (s spread) line(after int) int {
	at, moved := startOf(s.after, after), 0
	for _, e := range s.edits {
		switch start := e.Start + moved; {
		case at < start:
			return lineAt(s.before, at-moved)
		case at < start+len(e.New):
			return lineAt(s.before, e.Start)
		}
		moved += len(e.New) - (e.End - e.Start)
	}
	return lineAt(s.before, at-moved)
}

// startOf is where a line begins, counted from 1.
func startOf(data []byte, line int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}
