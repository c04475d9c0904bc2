// Package shelltext splits shell scripts into simple commands and words, and keeps the place of each.
//
// It reads far enough to tell which programs are called with which words. What
// a shell would work out, variables and substitutions, it leaves as it stands.
package shelltext

import (
	"sort"
	"strings"
)

// A Command is a simple command.
type Command struct {
	Words       []Word // the first is the program's name; redirections are left out
	Assignments []Assignment
	Writes      []Word // the files that > and >> lead to
	// Then is the operator that follows: && || | ; & or a line's end; "" at the end
	// of a list.
	Then string
	// List tells which commands stand in one list: each substitution and each pair
	// of parentheses is a list of its own.
	List int
	// Conditional commands stand in a branch of if or case, or behind a test.
	Conditional bool

	Line  int
	Start int // of its first word
	End   int // of its last one
}

// A Word is a word of a command.
type Word struct {
	Text       string // quotes and escapes taken away
	Raw        string // as it stands
	Start, End int
	Line       int
	// Computed words hold variables, substitutions or patterns, which stand in Text
	// as they are.
	Computed bool
}

// An Assignment stands before a command, or alone.
type Assignment struct {
	Name  string
	Value Word
}

// An Origin tells where a byte of the text stands in its file.
type Origin func(i int) (place, line int)

const (
	maxText     = 1 << 20
	maxCommands = 20000
	maxDepth    = 16
)

// Parse splits a text. With an origin, the places of words are those of the file
// that the text was taken from. A text over a mebibyte gives nothing.
func Parse(text string, origin Origin) []Command {
	if len(text) > maxText {
		return nil
	}
	if origin == nil {
		origin = From(text, 0, 1)
	}
	p := &parser{text: text, origin: origin, last: map[int]int{}}
	p.list(0, 0)
	return p.commands
}

// From is the origin of a text that stands at a byte and a line of its file, as
// it is.
func From(text string, place, line int) Origin {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return func(i int) (int, int) {
		return place + i, line - 1 + sort.SearchInts(starts, i+1)
	}
}

type parser struct {
	text     string
	at       int
	origin   Origin
	commands []Command
	lists    int
	awaited  []heredoc   // whose bodies follow the line
	branches int         // of if and case that are open
	last     map[int]int // of each list, its last command so far
}

type heredoc struct {
	name string
	tabs bool
}

// list reads commands up to the byte that closes the list, 0 for the end of the
// text. Lists that are nested too deeply are passed over.
func (p *parser) list(closer byte, depth int) {
	p.lists++
	number := p.lists
	outside := p.branches
	defer func() { p.branches = outside }() // a list closes what it opened
	current := Command{List: number}
	for p.at < len(p.text) && len(p.commands) < maxCommands {
		if closer != 0 && p.text[p.at] == closer {
			p.at++
			p.finish(&current, "")
			return
		}
		if operator := p.operator(); operator != "" {
			p.finish(&current, operator)
			current = Command{List: number}
			continue
		}
		if p.text[p.at] == ')' && p.branches > 0 { // what stood before it is a pattern of case
			p.at++
			current = Command{List: number}
			continue
		}
		p.token(&current, depth)
	}
	p.finish(&current, "")
	if closer == 0 {
		p.at = len(p.text)
	}
}

// token reads what is no operator.
func (p *parser) token(current *Command, depth int) {
	switch c := p.text[p.at]; {
	case c == ' ' || c == '\t' || c == '\r':
		p.at++
	case c == '\\' && strings.HasPrefix(p.text[p.at+1:], "\n"):
		p.at += 2
	case c == '\\' && strings.HasPrefix(p.text[p.at+1:], "\r\n"):
		p.at += 3
	case c == '#':
		p.skipComment()
	case c == '(' && depth < maxDepth:
		p.at++
		p.list(')', depth+1)
	case c == '(' || c == ')':
		p.at++
	case c == '<' || c == '>':
		p.redirection(current, depth)
	default:
		if w := p.word(depth); !p.isDescriptor(w) {
			p.take(current, w)
		}
	}
}

// isDescriptor tells the 2 of 2>&1.
func (p *parser) isDescriptor(w Word) bool {
	return strings.Trim(w.Raw, "0123456789") == "" && p.at < len(p.text) && (p.text[p.at] == '<' || p.text[p.at] == '>')
}

// operator takes one that ends a command.
func (p *parser) operator() string {
	for _, o := range []string{"&&", "||", ";;", "|&", ";", "|", "&", "\n"} {
		if !strings.HasPrefix(p.text[p.at:], o) {
			continue
		}
		if o == "&" && strings.HasPrefix(p.text[p.at:], "&>") {
			p.at++ // what follows is a redirection
			return ""
		}
		p.at += len(o)
		if o == "\n" {
			p.skipHeredocs()
		}
		return o
	}
	return ""
}

func (p *parser) skipComment() {
	if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
		p.at += i
		return
	}
	p.at = len(p.text)
}

// finish adds a command to the list where it holds anything.
func (p *parser) finish(c *Command, operator string) {
	if len(c.Words) == 0 && len(c.Assignments) == 0 {
		// A line's end after an operator changes nothing; the last command keeps its own.
		return
	}
	c.Then = operator
	c.Conditional = c.Conditional || p.behindTest(c.List)
	p.last[c.List] = len(p.commands)
	p.commands = append(p.commands, *c)
}

// reserved words stand before a command and are no part of it.
func reserved(s string) bool {
	switch s {
	case "if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time":
		return true
	}
	return false
}

// take adds a word to a command.
func (p *parser) take(c *Command, w Word) {
	if len(c.Words) == 0 {
		p.branch(w.Raw)
		if reserved(w.Raw) {
			return
		}
		c.Conditional = p.branches > 0
		if name, value, ok := assignment(w); ok {
			c.grow(w)
			c.Assignments = append(c.Assignments, Assignment{name, value})
			return
		}
	}
	c.grow(w)
	c.Words = append(c.Words, w)
}

func (c *Command) grow(w Word) {
	if len(c.Words) == 0 && len(c.Assignments) == 0 {
		c.Start, c.Line = w.Start, w.Line
	}
	c.End = w.End
}

// Name is the program's name without its folder; "" where there is none or a
// shell would work it out.
func (c Command) Name() string {
	if len(c.Words) == 0 || c.Words[0].Computed {
		return ""
	}
	name := c.Words[0].Text
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Exports are the assignments of export, declare and their like.
func (c Command) Exports() []Assignment {
	switch c.Name() {
	case "export", "declare", "typeset", "readonly", "local":
	default:
		return nil
	}
	var out []Assignment
	for _, w := range c.Words[1:] {
		if name, value, ok := assignment(w); ok {
			out = append(out, Assignment{name, value})
		}
	}
	return out
}
