package yamltext

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// dash is the place of the dash of an item in a block sequence.
func (n *Node) dash(i int) int {
	from := n.contentStart()
	if i > 0 {
		from = n.items[i-1].End
	}
	return n.file.skipSpace(from)
}

// Append adds an item to a sequence, written as its siblings are.
func (n *Node) Append(c Content) (Edit, error) { return n.Insert(len(n.Items()), c) }

// Insert adds an item to a sequence before the i-th one.
func (n *Node) Insert(i int, c Content) (Edit, error) {
	switch {
	case n.Kind() != Sequence || i < 0 || i > len(n.Items()):
		return Edit{}, fmt.Errorf("add an item to what is no list: %w", ErrForm)
	case n.Alias() || n.Shared():
		return Edit{}, ErrShared
	}
	return n.insert(i, c)
}

// InsertShared is Insert for those who know that all places which share the
// sequence want the item.
func (n *Node) InsertShared(i int, c Content) (Edit, error) {
	if n.Kind() != Sequence || i < 0 || i > len(n.Items()) {
		return Edit{}, fmt.Errorf("add an item to what is no list: %w", ErrForm)
	}
	return n.Resolve().insert(i, c)
}

func (n *Node) insert(i int, c Content) (Edit, error) {
	if c.kind == Scalar && c.style == 0 {
		c.style = n.quotes()
	}
	if n.Flow() {
		return n.insertFlow(i, c.flow()), nil
	}
	f := n.file
	dash := n.dash(0)
	if f.at(dash) != '-' {
		return Edit{}, fmt.Errorf("add an item: %w", ErrForm)
	}
	indent := f.column(dash)
	text := "-" + n.gap() + c.inline(indent+1+len(n.gap()), n.layout())
	eol := f.eol(dash)
	if i == 0 {
		return Edit{dash, dash, text + eol + strings.Repeat(" ", indent)}, nil
	}
	return f.addLine(n.items[i-1].End, strings.Repeat(" ", indent)+text), nil
}

// addLine adds a line after the one in which something ends.
func (f *File) addLine(end int, text string) Edit {
	at := f.nextLine(end)
	if at == len(f.Data) && (at == 0 || f.lineStart(at) != at || f.lineEnd(end) == at) {
		return Edit{at, at, f.eol(0) + text} // no line break at the end, and none after
	}
	return Edit{at, at, text + f.eol(end)}
}

// gap is what stands between the dashes and the items.
func (n *Node) gap() string {
	for i, item := range n.items {
		dash := n.dash(i)
		if item.Start > dash && item.Line == n.file.Line(dash) && !item.empty() {
			if gap := string(n.file.Data[dash+1 : item.Start]); strings.Trim(gap, " ") == "" {
				return gap
			}
		}
	}
	return " "
}

// quotes is the style that all scalars of a sequence have; plain where they
// differ.
func (n *Node) quotes() yaml.Style {
	const mask = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if len(n.items) == 0 {
		return 0
	}
	style := n.items[0].style & mask
	for _, item := range n.items {
		if item.Kind() != Scalar || item.style&mask != style {
			return 0
		}
	}
	return style
}

func (n *Node) insertFlow(i int, text string) Edit {
	f := n.file
	if len(n.items) == 0 {
		open := n.contentStart() + 1
		return Edit{open, open, text}
	}
	if i == 0 {
		first := n.items[0].Start
		return Edit{first, first, text + ", "}
	}
	return f.addFlow(n.items[i-1].End, text, n.newLine(n.items[i-1]))
}

// newLine is how a member of a flow collection begins its line, where each has
// one; "" where they share one.
func (n *Node) newLine(member *Node) string {
	f := n.file
	start := f.lineStart(member.Start)
	if f.skipBlanks(start) != member.Start || f.Line(n.Start) == member.Line {
		return ""
	}
	return f.eol(start) + string(f.Data[start:member.Start])
}

// addFlow adds a member behind one that ends at a place. The comment of a line
// stays in its line.
func (f *File) addFlow(end int, text, newLine string) Edit {
	if newLine == "" {
		return Edit{end, end, ", " + text}
	}
	rest := f.skipBlanks(end)
	comma := ""
	if f.at(rest) == ',' {
		rest = f.skipBlanks(rest + 1)
		comma = ","
	}
	if f.at(rest) != '#' {
		return Edit{end, end, "," + newLine + text}
	}
	stop := f.lineEnd(rest)
	tail := strings.TrimPrefix(string(f.Data[end:stop]), comma)
	return Edit{end, stop, "," + tail + newLine + text + comma}
}

// Remove takes an item out of its sequence, with its line and the comment behind
// it. The last item takes the key of the sequence along.
func (n *Node) Remove() (Edit, error) {
	p := n.parent
	if p == nil {
		return Edit{}, fmt.Errorf("remove a document: %w", ErrForm)
	}
	if p.Shared() {
		return Edit{}, ErrShared
	}
	if p.kind == Mapping {
		return p.removeEntry(n)
	}
	if len(p.items) == 1 {
		return p.Remove()
	}
	i := 0
	for p.items[i] != n {
		i++
	}
	if p.Flow() {
		spans := make([]span, len(p.items))
		for j, item := range p.items {
			spans[j] = span{item.Start, item.End}
		}
		return p.removeFlow(spans, i), nil
	}
	next := -1
	if i+1 < len(p.items) {
		next = p.dash(i + 1)
	}
	return p.file.removeLines(span{p.dash(i), n.End}, next)
}

// A span is a part of the text.
type span struct{ start, end int }

// removeLines removes the lines of something in a block; next is where the thing
// after it begins, or -1.
func (f *File) removeLines(s span, next int) (Edit, error) {
	start := f.lineStart(s.start)
	if f.skipBlanks(start) != s.start { // it shares its line with a dash before it
		if next < 0 {
			return Edit{}, fmt.Errorf("remove the rest of a line: %w", ErrForm)
		}
		return Edit{s.start, next, ""}, nil
	}
	if rest := f.skipBlanks(s.end); rest < f.lineEnd(rest) && f.at(rest) != '#' {
		return Edit{}, fmt.Errorf("remove a part of a line: %w", ErrForm)
	}
	end := f.nextLine(s.end)
	if end == len(f.Data) && f.lineEnd(s.end) == end && start > 0 {
		before := f.lineEnd(f.lines[f.Line(start)-2])
		return Edit{before, end, ""}, nil // the line before becomes the last one
	}
	return Edit{start, end, ""}, nil
}

// removeFlow removes a member of a flow collection with one of its commas.
func (n *Node) removeFlow(members []span, i int) Edit {
	f := n.file
	m := members[i]
	start := f.lineStart(m.start)
	own := f.skipBlanks(start) == m.start
	after := f.skipBlanks(f.afterComma(m.end))
	own = own && (after >= f.lineEnd(m.end) || f.at(after) == '#')
	switch {
	case own && f.Line(m.start) > f.Line(n.Start):
		return Edit{start, f.nextLine(m.end), ""}
	case i > 0:
		return Edit{members[i-1].end, m.end, ""}
	case len(members) > 1:
		return Edit{m.start, members[1].start, ""}
	}
	return Edit{m.start, f.afterComma(m.end), ""}
}

// afterComma is the place behind a comma that follows in the line.
func (f *File) afterComma(at int) int {
	if comma := f.skipBlanks(at); f.at(comma) == ',' {
		return comma + 1
	}
	return at
}
