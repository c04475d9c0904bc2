package host

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// A header is a parsed header line: a record without its body.
type header struct {
	record
	base64, bare bool
}

func parseHeader(line string) (header, error) {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "-- "), "--")
	words, err := splitWords(line)
	if err != nil {
		return header{}, err
	}
	if len(words) == 0 {
		return header{}, errors.New("an empty header line")
	}
	h := header{record: record{verb: verb(words[0].text)}}
	if words, err = h.cutOptions(words[1:]); err != nil {
		return header{}, err
	}
	for _, w := range words {
		h.args = append(h.args, w.text)
	}
	return h, h.checkArgs()
}

// cutOptions takes the options off the end.
func (h *header) cutOptions(words []word) ([]word, error) {
	for len(words) > 0 {
		last := words[len(words)-1]
		text, isError := strings.CutPrefix(last.text, optionError)
		switch {
		case last.quoted:
			return words, nil
		case last.text == optionBase64:
			h.base64 = true
		case last.text == optionBare:
			h.bare = true
		case isError:
			f, err := parseFault(text)
			if err != nil {
				return nil, err
			}
			h.fault = f
		default:
			return words, nil
		}
		words = words[:len(words)-1]
	}
	return words, nil
}

func (h *header) checkArgs() error {
	want := 0
	switch h.verb {
	case verbEnv:
		if h.base64 || h.bare || h.fault != "" {
			return errors.New("env has no options")
		}
	case verbEnd:
		want = 1
	default:
		s, ok := shapes[h.verb]
		if !ok {
			return fmt.Errorf("%q is no kind of record", shorten(string(h.verb)))
		}
		want = s.args
	}
	if want == anyNumber {
		want = max(1, len(h.args))
	}
	if len(h.args) != want {
		return fmt.Errorf("%s has %d arguments, want %d", h.verb, len(h.args), want)
	}
	if shapes[h.verb].path && len(h.args[0]) > maxPath {
		return fmt.Errorf("%s has a path of %d bytes", h.verb, len(h.args[0]))
	}
	return nil
}

// decode returns the answer that the lines below the header stand for.
func (h *header) decode(body []byte) ([]byte, error) {
	if h.fault != "" {
		if len(bytes.TrimSpace(body)) != 0 {
			return nil, errors.New("an error has no content")
		}
		return nil, nil
	}
	s := shapes[h.verb]
	switch {
	case h.base64:
		decoded, err := decodeBase64(body)
		if err != nil {
			return nil, err
		}
		body = decoded
	case h.bare || s.line:
		body = bytes.TrimSuffix(body, []byte("\n"))
	}
	if s.check != nil {
		if err := s.check(body); err != nil {
			return nil, err
		}
	}
	return bytes.Clone(body), nil
}

func decodeBase64(body []byte) ([]byte, error) {
	decoded, err := base64.StdEncoding.AppendDecode(nil, bytes.ReplaceAll(body, []byte("\n"), nil))
	if err != nil {
		return nil, fmt.Errorf("decode base64: %w", err)
	}
	return decoded, nil
}
