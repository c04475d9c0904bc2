package yamltext

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Content is what is to be written in a new place.
type Content struct {
	kind    Kind
	value   string
	style   yaml.Style
	items   []Content
	entries []NewEntry
	nothing bool
}

// A NewEntry is a key with its value.
type NewEntry struct {
	Key   string
	Value Content
}

// Text is a scalar; quotes are added where it needs them.
func Text(value string) Content { return Content{kind: Scalar, value: value} }

// Nothing is the value of a key that stands alone.
func Nothing() Content { return Content{kind: Scalar, nothing: true} }

// Quoted is a scalar in double quotes.
func Quoted(value string) Content {
	return Content{kind: Scalar, value: value, style: yaml.DoubleQuotedStyle}
}

// List is a sequence of scalars.
func List(values ...string) Content {
	c := Content{kind: Sequence}
	for _, v := range values {
		c.items = append(c.items, Text(v))
	}
	return c
}

// ListOf is a sequence.
func ListOf(items ...Content) Content { return Content{kind: Sequence, items: items} }

// Map is a mapping.
func Map(entries ...NewEntry) Content { return Content{kind: Mapping, entries: entries} }

// flow writes it in brackets.
func (c Content) flow() string {
	var parts []string
	switch c.kind {
	case Sequence:
		for _, item := range c.items {
			parts = append(parts, item.flow())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Mapping:
		for _, e := range c.entries {
			parts = append(parts, write(e.Key, 0, true)+": "+e.Value.flow())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if c.nothing {
		return ""
	}
	return write(c.value, c.style, true)
}

// A layout is how a file is laid out where something is to be added.
type layout struct {
	eol  string
	step int // spaces for each level
	list int // spaces that a sequence stands deeper than its key
}

// block writes what follows the colon of a key at an indentation.
func (c Content) block(indent int, l layout) string {
	switch c.kind {
	case Sequence:
		var b strings.Builder
		for _, item := range c.items {
			b.WriteString(l.eol + strings.Repeat(" ", indent+l.list) + "- " + item.inline(indent+l.list+2, l))
		}
		return b.String()
	case Mapping:
		return l.eol + strings.Repeat(" ", indent+l.step) + c.inline(indent+l.step, l)
	}
	if c.nothing {
		return ""
	}
	return " " + write(c.value, c.style, false)
}

// inline writes what stands behind a dash, at the column of its first letter.
func (c Content) inline(column int, l layout) string {
	switch c.kind {
	case Sequence:
		return c.flow()
	case Mapping:
		var lines []string
		for _, e := range c.entries {
			lines = append(lines, write(e.Key, 0, false)+":"+e.Value.block(column, l))
		}
		return strings.Join(lines, l.eol+strings.Repeat(" ", column))
	}
	return write(c.value, c.style, false)
}

// write writes a scalar in a style, or in quotes where the style cannot hold it.
func write(value string, style yaml.Style, flow bool) string {
	control := strings.IndexFunc(value, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || isSpace(r) && r != ' ' || r == 0xfeff || r == 0xfffd || r > 0xffff && r >= 0xe0000
	}) >= 0
	switch {
	case control || style&yaml.DoubleQuotedStyle != 0:
		return doubleQuoted(value)
	case style&yaml.SingleQuotedStyle != 0 || !plain(value, flow):
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return value
}

// plain asks the parser whether a value is read as itself without quotes.
func plain(value string, flow bool) bool {
	text := "k: " + value + "\n"
	if flow {
		text = "k: [" + value + " ]\n" // a blank behind a colon makes a key of what is before it
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) != 1 || len(doc.Content[0].Content) != 2 {
		return false
	}
	n := doc.Content[0].Content[1]
	if flow {
		if len(n.Content) != 1 {
			return false
		}
		n = n.Content[0]
	}
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == value && value != ""
}

func doubleQuoted(value string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= ' ' && r < 0x7f, r >= 0xa0 && r < 0x2000, r >= 0x2100 && r < 0xd800:
			b.WriteRune(r)
		default:
			b.WriteString(`\U`)
			for shift := 28; shift >= 0; shift -= 4 {
				b.WriteByte(hex[r>>shift&15])
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}
