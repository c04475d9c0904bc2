// Package dockerfile reads Dockerfiles and Containerfiles, and keeps the place of every instruction and word.
//
// The rules are those of BuildKit's parser (frontend/dockerfile/parser), to
// which scripts/real lint holds this one.
package dockerfile

import (
	"fmt"
	"strings"
	"unicode"
)

// A File is a Dockerfile that was read.
type File struct {
	Escape       byte   // \ or `
	Syntax       string // the directive, as it was written
	Instructions []*Instruction
}

// An Instruction is one of them, with its continuation lines and heredocs.
type Instruction struct {
	Name          string // upper case: "RUN"
	Line, EndLine int    // counted from 1
	Start, End    int    // bytes of the file, continuation lines included and heredocs not
	Flags         []Word // --mount=…, as they were written
	// Words are what follows: the words of FROM, COPY and their like, the strings of
	// the JSON form, or one word with the whole shell command.
	Words []Word
	// Pairs are the names and values of ENV, LABEL and ARG.
	Pairs    []Pair
	JSON     bool
	Heredocs []Heredoc
	Inner    *Instruction // what ONBUILD puts off
}

// A Word is a piece of an instruction. Quotes and escapes stand as in the file,
// but for the JSON form.
type Word struct {
	Text       string
	Line       int
	Start, End int // bytes of the file
	from       text
}

// Place is the byte of the file where a byte of the text stands. Words that go
// over several lines hold no line ends.
func (w Word) Place(i int) int {
	if w.from.source == nil {
		return w.Start
	}
	return w.from.place(i)
}

// A Pair is a name and its value. Bare pairs have no value: ARG NAME.
type Pair struct {
	Name, Value Word
	Bare        bool
}

// A Heredoc is a document that follows an instruction.
type Heredoc struct {
	Name       string
	Expand     bool // the name is not quoted
	Chomp      bool // <<-
	Start, End int  // of its content
	Line       int  // the first one of its content
}

// A SyntaxError is why a file cannot be built.
type SyntaxError struct {
	Line int
	What string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

const (
	maxFile = 1 << 20     // no Dockerfile is larger
	maxLine = 64<<10 - 1  // BuildKit's limit for a line
	mark    = "\uFEFF"    // of byte order
	blank   = "\t\v\f\r " // between words
)

// Parse reads a Dockerfile. A file with an error that BuildKit would stop at
// gives the instructions before it, and a *SyntaxError.
func Parse(data []byte) (*File, error) {
	p := &parser{file: &File{Escape: '\\'}, data: string(data), directives: map[string]bool{}}
	if len(data) > maxFile {
		return p.file, &SyntaxError{1, fmt.Sprintf("the file has %d bytes, and at most %d are read", len(data), maxFile)}
	}
	p.next = len(p.data) - len(strings.TrimPrefix(p.data, mark))
	return p.file, p.parse()
}

type parser struct {
	file       *File
	data       string
	next       int // the byte where the next line begins
	line       int // of the line that was read last
	directives map[string]bool
	begun      bool // directives are no longer looked for
}

func (p *parser) parse() error {
	for p.next < len(p.data) {
		line, err := p.readLine()
		if err != nil {
			return err
		}
		line = line.cut(len(line.s)-len(strings.TrimLeftFunc(line.s, unicode.IsSpace)), len(line.s))
		if err := p.directive(line.s); err != nil {
			return err
		}
		if line.s == "" || line.s[0] == '#' {
			continue
		}
		if err := p.instruction(line); err != nil {
			return err
		}
	}
	return nil
}

// readLine returns the next line without its end.
func (p *parser) readLine() (text, error) {
	start := p.next
	p.line++
	end := len(p.data)
	if i := strings.IndexByte(p.data[start:], '\n'); i >= 0 {
		end = start + i
	}
	p.next = min(end+1, len(p.data))
	if end-start > maxLine {
		return text{}, p.errorf("the line has %d bytes, and at most %d are read", end-start, maxLine)
	}
	s := strings.TrimRight(p.data[start:end], "\r\n")
	return text{s: s, source: &[]run{{0, start, p.line}}}, nil
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{p.line, fmt.Sprintf(format, args...)}
}

// directive takes the comments that speak to the parser. They stand before
// everything else, other comments included.
func (p *parser) directive(line string) error {
	if p.begun {
		return nil
	}
	key, value, ok := directive(line)
	if !ok {
		p.begun = true
		return nil
	}
	if p.directives[key] {
		return p.errorf("a second directive %s", key)
	}
	p.directives[key] = true
	switch key {
	case "syntax":
		p.file.Syntax = value
	case "escape":
		if value != "`" && value != `\` {
			return p.errorf("escape is %q, and only ` and \\ are known", value)
		}
		p.file.Escape = value[0]
	}
	return nil
}

func directive(line string) (key, value string, ok bool) {
	comment, ok := strings.CutPrefix(line, "#")
	if !ok {
		return "", "", false
	}
	key, value, ok = strings.Cut(strings.TrimLeftFunc(comment, unicode.IsSpace), "=")
	key = strings.ToLower(strings.TrimRight(key, "\t\n\f\r "))
	value = strings.Trim(value, "\t\n\f\r ")
	switch key {
	case "syntax", "escape", "check":
		return key, value, ok && value != ""
	}
	return "", "", false
}

// instruction reads one with its continuation lines and heredocs.
func (p *parser) instruction(first text) error {
	begin := p.line
	line, more := p.continued(first)
	var whole joined
	whole.add(line)
	for more && p.next < len(p.data) {
		line, err := p.readLine()
		if err != nil {
			return err
		}
		stripped := strings.TrimLeftFunc(line.s, unicode.IsSpace)
		if stripped == "" || stripped[0] == '#' {
			continue
		}
		line, more = p.continued(line)
		whole.add(line)
	}
	return p.finish(whole.text(), begin)
}

// finish reads an instruction whose lines are joined.
func (p *parser) finish(whole text, begin int) error {
	trimmed := whole.trim()
	if trimmed.s == "" {
		return nil
	}
	in, err := p.split(trimmed, false)
	if err != nil {
		return err
	}
	in.spread(begin, p.line)
	if err := p.heredocs(in, whole); err != nil {
		return err
	}
	p.file.Instructions = append(p.file.Instructions, in)
	return nil
}

// spread writes down the lines of an instruction and of the one inside it.
func (in *Instruction) spread(first, last int) {
	for ; in != nil; in = in.Inner {
		in.Line, in.EndLine = first, last
	}
}

// continued takes the escape at the end of a line away, which joins the next
// line to it. An escape before it makes it an ordinary one.
func (p *parser) continued(line text) (text, bool) {
	s := strings.TrimRight(line.s, " \t")
	n := len(s)
	if n == 0 || s[n-1] != p.file.Escape || n > 1 && s[n-2] == p.file.Escape {
		return line, false
	}
	return line.cut(0, n-1), true
}
