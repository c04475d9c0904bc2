package dockerfile

import (
	"encoding/json"
	"strings"
	"unicode"
)

// A form is how the rest of an instruction is divided into words.
type form int

const (
	ignored     form = iota
	single           // one word, whatever it holds
	list             // by white space
	listOrJSON       // COPY a b, COPY ["a", "b"]
	shellOrJSON      // RUN a b, RUN ["a", "b"]
	pairs            // ENV A=1 B=2, ENV A 1
	names            // ARG A B=2
	health           // HEALTHCHECK CMD …
	inner            // ONBUILD …
)

func formOf(name string) form {
	switch name {
	case "FROM", "EXPOSE":
		return list
	case "ADD", "COPY", "VOLUME":
		return listOrJSON
	case "RUN", "CMD", "ENTRYPOINT", "SHELL":
		return shellOrJSON
	case "ENV", "LABEL":
		return pairs
	case "ARG":
		return names
	case "MAINTAINER", "STOPSIGNAL", "USER", "WORKDIR":
		return single
	case "HEALTHCHECK":
		return health
	case "ONBUILD":
		return inner
	}
	return ignored
}

// split reads an instruction whose lines are joined.
func (p *parser) split(line text, nested bool) (*Instruction, error) {
	name, rest, _ := line.cutBlank()
	in := &Instruction{Name: strings.ToUpper(name.s), Start: line.place(0), End: line.end()}
	rest = p.flags(in, rest).trim()
	if in.Name == "ONBUILD" {
		if rest.s == "" {
			return in, nil
		}
		if nested {
			return nil, p.errorf("ONBUILD inside ONBUILD")
		}
		var err error
		in.Inner, err = p.split(rest, true)
		return in, err
	}
	return in, p.words(in, formOf(in.Name), rest)
}

// words divides the rest of an instruction.
func (p *parser) words(in *Instruction, f form, rest text) error {
	if rest.s == "" {
		return nil
	}
	switch f {
	case single:
		in.Words = []Word{rest.word()}
	case list:
		in.Words = byBlank(rest)
	case listOrJSON, shellOrJSON:
		isJSON, err := p.jsonForm(in, rest)
		switch {
		case err != nil || isJSON:
			return err
		case f == listOrJSON:
			in.Words = byBlank(rest)
		default:
			in.Words = []Word{rest.word()}
		}
	case pairs:
		return p.pairs(in, rest)
	case names:
		for _, w := range quotedWords(rest, p.file.Escape) {
			in.Words = append(in.Words, w.word())
			in.Pairs = append(in.Pairs, pairOf(w))
		}
	case health:
		kind, command := cutSpace(rest)
		err := p.words(in, shellOrJSON, command)
		in.Words = append([]Word{kind.word()}, in.Words...)
		return err
	}
	return nil
}

// cutSpace divides a text at its first white space of any kind.
func cutSpace(t text) (first, rest text) {
	i := strings.IndexFunc(t.s, unicode.IsSpace)
	if i < 0 {
		return t, t.cut(len(t.s), len(t.s))
	}
	return t.cut(0, i), t.cut(i, len(t.s)).trim()
}

func byBlank(t text) []Word {
	var out []Word
	for {
		first, rest, more := t.cutBlank()
		out = append(out, first.word())
		if !more {
			return out
		}
		t = rest
	}
}

// jsonForm reads a JSON list of strings. What is no JSON is a shell command; JSON
// that is something else is an error.
func (p *parser) jsonForm(in *Instruction, rest text) (bool, error) {
	if !strings.HasPrefix(rest.s, "[") || !json.Valid([]byte(rest.s)) {
		return false, nil
	}
	in.JSON = true
	dec := json.NewDecoder(strings.NewReader(rest.s))
	if _, err := dec.Token(); err != nil {
		return false, p.errorf("read the list: %v", err)
	}
	for dec.More() {
		before := int(dec.InputOffset())
		token, err := dec.Token()
		s, isText := token.(string)
		if err != nil || !isText {
			return false, p.errorf("a list in JSON form may hold strings only")
		}
		from := before + strings.IndexByte(rest.s[before:], '"')
		w := rest.cut(from, int(dec.InputOffset())).word()
		w.Text = s
		in.Words = append(in.Words, w)
	}
	return true, nil
}

// pairs reads ENV and LABEL: the old form where the first word has no "=".
func (p *parser) pairs(in *Instruction, rest text) error {
	words := quotedWords(rest, p.file.Escape)
	if len(words) > 0 && !strings.Contains(words[0].s, "=") {
		name, value, ok := rest.cutBlank()
		if !ok {
			return p.errorf("%s must have a name and a value", in.Name)
		}
		in.Pairs = []Pair{{Name: name.word(), Value: value.word()}}
		return nil
	}
	for _, w := range words {
		if !strings.Contains(w.s, "=") {
			return p.errorf("%q in %s has no =", w.s, in.Name)
		}
		in.Pairs = append(in.Pairs, pairOf(w))
	}
	return nil
}

func pairOf(w text) Pair {
	i := strings.IndexByte(w.s, '=')
	if i < 0 {
		return Pair{Name: w.word(), Bare: true}
	}
	return Pair{Name: w.cut(0, i).word(), Value: w.cut(i+1, len(w.s)).word()}
}
