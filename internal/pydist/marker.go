package pydist

import (
	"errors"
	"fmt"
	"strings"
)

// A Marker says on which machines a requirement applies (PEP 508). The zero
// value applies everywhere.
type Marker struct {
	text    string
	choices alternatives
}

// alternatives hold when one of them holds; a conjunction when all of it does.
type (
	alternatives []conjunction
	conjunction  []term
)

// A term is a comparison, or a marker in parentheses.
type term struct {
	group       alternatives // then the rest is empty
	left, right operand
	op          string
}

// An operand is a variable or a text.
type operand struct {
	variable variable // 0 for a text
	text     string
}

// maxDepth bounds parentheses in parentheses; real markers have two or three.
const maxDepth = 64

var (
	errDeep  = errors.New("the marker has too many parentheses")
	errEmpty = errors.New("the marker is empty")
)

// ParseMarker reads a marker: `python_version < "3.13" and extra == "test"`.
func ParseMarker(s string) (Marker, error) {
	if len(s) > maxRequirement {
		return Marker{}, errLong
	}
	p := markerParser{rest: s}
	if p.peek() == "" {
		return Marker{}, errEmpty
	}
	choices, err := p.alternatives(0)
	if err != nil {
		return Marker{}, err
	}
	if next := p.peek(); next != "" {
		return Marker{}, fmt.Errorf("%q follows the marker", clip(p.rest))
	}
	return Marker{text: strings.TrimSpace(s), choices: choices}, nil
}

// String is the marker as it was written.
func (m Marker) String() string { return m.text }

// IsZero tells whether the marker applies everywhere.
func (m Marker) IsZero() bool { return len(m.choices) == 0 }

// markerParser goes through the text once, token by token.
type markerParser struct{ rest string }

func (p *markerParser) alternatives(depth int) (alternatives, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	var out alternatives
	for {
		c, err := p.conjunction(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		if p.peek() != "or" {
			return out, nil
		}
		p.next()
	}
}

func (p *markerParser) conjunction(depth int) (conjunction, error) {
	out := make(conjunction, 0, 2)
	for {
		t, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if p.peek() != "and" {
			return out, nil
		}
		p.next()
	}
}

func (p *markerParser) term(depth int) (term, error) {
	if p.peek() == "(" {
		p.next()
		group, err := p.alternatives(depth + 1)
		if err != nil {
			return term{}, err
		}
		if got := p.next(); got != ")" {
			return term{}, fmt.Errorf("%q stands where ) should", clip(got))
		}
		return term{group: group}, nil
	}
	left, err := p.operand()
	if err != nil {
		return term{}, err
	}
	op, err := p.operator()
	if err != nil {
		return term{}, err
	}
	right, err := p.operand()
	if err != nil {
		return term{}, err
	}
	return term{left: left, op: op, right: right}, nil
}

func (p *markerParser) operand() (operand, error) {
	token := p.next()
	if token != "" && (token[0] == '"' || token[0] == '\'') {
		if len(token) < 2 || token[len(token)-1] != token[0] {
			return operand{}, fmt.Errorf("the text %s is not closed", clip(token))
		}
		return operand{text: token[1 : len(token)-1]}, nil
	}
	if v, known := variables[token]; known {
		return operand{variable: v}, nil
	}
	if token == "" {
		return operand{}, errors.New("the marker ends too early")
	}
	return operand{}, fmt.Errorf("%q is no variable of a marker", clip(token))
}

func (p *markerParser) operator() (string, error) {
	token := p.next()
	switch token {
	case "===", "==", "~=", "!=", "<=", ">=", "<", ">", "in":
		return token, nil
	case "not":
		if second := p.next(); second != "in" {
			return "", fmt.Errorf("%q stands where in should", clip(second))
		}
		return "not in", nil
	}
	return "", fmt.Errorf("%q is no operator of a marker", clip(token))
}

// peek returns the next token without taking it, "" at the end.
func (p *markerParser) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	return p.rest[:tokenEnd(p.rest)]
}

func (p *markerParser) next() string {
	token := p.peek()
	p.rest = p.rest[len(token):]
	return token
}

// tokenEnd is the length of the token at the beginning of a text. A character
// that begins none is a token of its own, which nobody takes.
func tokenEnd(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == '"' || c == '\'':
		end := strings.IndexByte(s[1:], c)
		if end < 0 {
			return len(s)
		}
		return end + 2
	case strings.IndexByte("<>=!~", c) >= 0:
		return span(s, func(c byte) bool { return strings.IndexByte("<>=!~", c) >= 0 })
	case isAlnum(c) || c == '_':
		return span(s, func(c byte) bool { return isAlnum(c) || c == '_' || c == '.' })
	}
	return 1
}

// span counts the bytes at the beginning that are of one kind.
func span(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}
