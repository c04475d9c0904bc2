package yamltext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// lineStarts finds where lines begin, as the parser counts them: besides the
// usual ends of lines YAML 1.1 knows NEL, LS and PS.
func lineStarts(data []byte) []int {
	starts := []int{0}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		starts[0] = 3 // the parser takes the mark away before it counts
	}
	for i := 0; i < len(data); {
		if width := breakAt(data, i); width > 0 {
			i += width
			starts = append(starts, i)
			continue
		}
		i++
	}
	return starts
}

// breakAt is how many bytes the end of a line takes at i; 0 where there is none.
func breakAt(data []byte, i int) int {
	rest := data[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		return 2
	case rest[0] == '\n', rest[0] == '\r':
		return 1
	case bytes.HasPrefix(rest, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(rest, []byte("\u2028")), bytes.HasPrefix(rest, []byte("\u2029")):
		return 3
	}
	return 0
}

// A reading is a place up to which runes were counted in a line. A file in one line
// would be counted from its beginning for each of its nodes otherwise.
type reading struct{ line, column, at int }

// offset turns a line and a column, both counted from 1 and columns in runes,
// into a place. Nodes come nearly in their order, so it goes on from the last one.
func (f *File) offset(last *reading, line, column int) int {
	if line < 1 || line > len(f.lines) {
		return len(f.Data)
	}
	r := reading{line, 1, f.lines[line-1]}
	if last.line == line && last.column <= column {
		r = *last
	}
	for ; r.column < column && r.at < len(f.Data); r.column++ {
		_, width := utf8.DecodeRune(f.Data[r.at:])
		r.at += width
	}
	*last = r
	return r.at
}

// column is how many runes stand before a place in its line.
func (f *File) column(offset int) int {
	return utf8.RuneCount(f.Data[f.lines[f.Line(offset)-1]:offset])
}

// lineStart is where the line of a place begins.
func (f *File) lineStart(offset int) int { return f.lines[f.Line(offset)-1] }

// lineEnd is the place before the line break of the line.
func (f *File) lineEnd(offset int) int {
	for ; offset < len(f.Data); offset++ {
		if breakAt(f.Data, offset) > 0 {
			break
		}
	}
	return offset
}

// nextLine is where the line after that of a place begins.
func (f *File) nextLine(offset int) int {
	end := f.lineEnd(offset)
	if end < len(f.Data) {
		end += breakAt(f.Data, end)
	}
	return end
}

// eol is how lines end around a place.
func (f *File) eol(offset int) string {
	for _, at := range []int{offset, 0} {
		if end := f.lineEnd(at); end < len(f.Data) {
			return string(f.Data[end : end+breakAt(f.Data, end)])
		}
	}
	return "\n"
}

func (f *File) at(i int) byte {
	if i < 0 || i >= len(f.Data) {
		return 0
	}
	return f.Data[i]
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// skipBlanks passes spaces and tabs.
func (f *File) skipBlanks(i int) int {
	for blank(f.at(i)) {
		i++
	}
	return i
}

// skipSpace passes blanks, comments and line breaks.
func (f *File) skipSpace(i int) int {
	for i < len(f.Data) {
		switch width := breakAt(f.Data, i); {
		case width > 0:
			i += width
		case blank(f.Data[i]):
			i++
		case f.Data[i] == '#':
			i = f.lineEnd(i)
		default:
			return i
		}
	}
	return i
}

// afterIndicator is the place behind an indicator that comes next, or where the
// search began if it does not.
func (f *File) afterIndicator(from int, indicator byte) int {
	if at := f.skipSpace(from); f.at(at) == indicator {
		return at + 1
	}
	return from
}

// loneTag reports "!" with no name, of which the parser keeps no trace: a scalar
// without text that has it looks like one of which nothing is written.
func (f *File) loneTag(i int) bool { return f.at(i) == '!' && f.skipTag(i) == i+1 }

// skipName passes the name of an anchor or alias.
func skipName(data []byte, i int) int {
	for i < len(data) && (data[i] == '_' || data[i] == '-' || data[i] >= '0' && data[i] <= '9' ||
		data[i] >= 'A' && data[i] <= 'Z' || data[i] >= 'a' && data[i] <= 'z') {
		i++
	}
	return i
}

// skipTag passes a tag, which ends at a blank or with its line and nowhere else: to
// the parser commas and square brackets are part of it, between brackets too.
func (f *File) skipTag(i int) int {
	for i < len(f.Data) && !blank(f.Data[i]) && breakAt(f.Data, i) == 0 {
		i++
	}
	return i
}

// contentStart is where a node begins behind its anchor and its tag. Those that
// stand before the first key of a block mapping belong to the key, unless the
// mapping has its own.
func (n *Node) contentStart() int {
	at := n.Start
	if n.kind != Scalar && n.Anchor == "" && n.style&yaml.TaggedStyle == 0 {
		return at
	}
	for {
		switch n.file.at(at) {
		case '&':
			at = n.file.skipSpace(skipName(n.file.Data, at+1))
		case '!':
			at = n.file.skipSpace(n.file.skipTag(at))
		default:
			return at
		}
		if n.bare() {
			return at
		}
	}
}

// bare reports a scalar of which nothing is written, but perhaps an anchor.
func (n *Node) bare() bool {
	return n.kind == Scalar && n.target == nil && n.value == "" && n.style&^yaml.TaggedStyle == 0
}

// empty reports a scalar of which nothing at all is written.
func (n *Node) empty() bool { return n.bare() && n.Anchor == "" && n.style == 0 }

func (n *Node) place(at int) { n.Start, n.End = at, at }

// scalarEnd finds where a scalar ends. The parser gives only its start.
func (n *Node) scalarEnd() int {
	if n.empty() {
		return n.Start
	}
	if n.bare() {
		return n.propertiesEnd()
	}
	at := n.contentStart()
	switch n.style &^ yaml.TaggedStyle {
	case yaml.DoubleQuotedStyle:
		return n.file.quotedEnd(at, '"')
	case yaml.SingleQuotedStyle:
		return n.file.quotedEnd(at, '\'')
	case yaml.LiteralStyle, yaml.FoldedStyle:
		return n.file.blockEnd(at, n.value)
	default:
		return n.file.plainEnd(at, n.value)
	}
}

// propertiesEnd is the end of the anchor and tag of a scalar without text.
func (n *Node) propertiesEnd() int {
	at := n.Start
	for {
		end := at
		switch n.file.at(at) {
		case '&':
			end = skipName(n.file.Data, at+1)
		case '!':
			end = n.file.skipTag(at)
		}
		next := n.file.skipBlanks(end)
		if c := n.file.at(next); end == at || c != '&' && c != '!' {
			return end
		}
		at = next
	}
}

func (f *File) quotedEnd(at int, quote byte) int {
	for i := at + 1; i < len(f.Data); i++ {
		switch {
		case f.Data[i] == '\\' && quote == '"':
			i++
		case f.Data[i] != quote:
		case quote == '\'' && f.at(i+1) == '\'':
			i++
		default:
			return i + 1
		}
	}
	return len(f.Data)
}

// plainEnd counts what is not space: a plain scalar has no escapes and no
// comments inside, only its spaces are folded.
func (f *File) plainEnd(at int, value string) int {
	ink := 0
	for _, r := range value {
		if !isSpace(r) {
			ink++
		}
	}
	for ink > 0 && at < len(f.Data) {
		r, width := utf8.DecodeRune(f.Data[at:])
		if !isSpace(r) {
			ink--
		}
		at += width
	}
	return at
}

func isSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// blockEnd finds the last line of a block scalar with something on it. How deep
// its lines stand is told by the first one and the spaces that its value keeps.
func (f *File) blockEnd(at int, value string) int {
	end := f.lineEnd(at)
	kept := strings.TrimLeft(value, "\n")
	if kept == "" {
		return len(bytes.TrimRight(f.Data[:end], " \t"))
	}
	indent := -1
	for line := f.nextLine(at); line < len(f.Data); line = f.nextLine(line) {
		text := f.Data[line:f.lineEnd(line)]
		depth := len(text) - len(bytes.TrimLeft(text, " "))
		if depth == len(text) {
			continue
		}
		if indent < 0 {
			indent = depth - (len(kept) - len(strings.TrimLeft(kept, " ")))
		}
		if depth < indent {
			break
		}
		end = line + len(text)
	}
	return end
}

// collectionEnd is the end of a collection, given that of its last member.
func (n *Node) collectionEnd(last int) int {
	if n.style&yaml.FlowStyle == 0 {
		return last
	}
	open := n.contentStart()
	if n.unbraced() {
		return last
	}
	at := max(last, open+1)
	for at < len(n.file.Data) {
		at = n.file.skipSpace(at)
		switch n.file.at(at) {
		case ']', '}':
			return at + 1
		}
		at++
	}
	return len(n.file.Data)
}

// unbraced reports one pair in a flow sequence: a mapping without brackets of its
// own.
func (n *Node) unbraced() bool {
	open := n.contentStart()
	return n.kind == Mapping && (n.file.at(open) != '{' || len(n.entries) == 1 && n.entries[0].Key.Start == open)
}
