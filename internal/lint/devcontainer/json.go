package devcontainer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// A value of JSON, with its place in the file.
type value struct {
	text       string // of a string, without quotes and escapes
	literal    string // of anything that is no list and no object, as it is written
	start, end int
	items      []*value
	members    []member
	object     bool
	list       bool
}

type member struct {
	key        string
	start, end int // of the key, with its quotes
	value      *value
}

// maxDepth bounds how deep values are nested: the settings of a container are a
// few levels deep.
const maxDepth = 100

// parse reads JSON with comments and trailing commas, as editors write it.
func parse(data []byte) (*value, error) {
	plain := lint.StripJSONC(data)
	p := &parser{data: plain, dec: json.NewDecoder(bytes.NewReader(plain))}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}

type parser struct {
	data []byte
	dec  *json.Decoder
}

// token is the next one, with its place: behind blanks, colons and commas.
func (p *parser) token() (t json.Token, start, end int, err error) {
	start = int(p.dec.InputOffset())
	t, err = p.dec.Token()
	end = int(p.dec.InputOffset())
	for start < end && bytes.IndexByte([]byte(" \t\r\n:,"), p.data[start]) >= 0 {
		start++
	}
	return t, start, end, err
}

func (p *parser) value(depth int) (*value, error) {
	t, start, end, err := p.token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errors.New("it is nested too deep")
	}
	v := &value{start: start, end: end}
	switch t := t.(type) {
	case json.Delim:
		v.object, v.list = t == '{', t == '['
		return v, p.inside(v, depth)
	case string:
		v.text = t
	}
	v.literal = string(p.data[start:end])
	return v, nil
}

// inside reads what a list or an object holds, and its closing bracket.
func (p *parser) inside(v *value, depth int) error {
	for p.dec.More() {
		var m member
		if v.object {
			key, start, end, err := p.token()
			if err != nil {
				return err
			}
			m.key, _ = key.(string)
			m.start, m.end = start, end
		}
		inner, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if v.object {
			m.value = inner
			v.members = append(v.members, m)
		} else {
			v.items = append(v.items, inner)
		}
	}
	_, _, end, err := p.token()
	v.end = end
	return err
}

// get returns a member of an object; nil where there is none.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (v *value) string() string {
	if v == nil {
		return ""
	}
	return v.text
}
