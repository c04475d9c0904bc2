package host

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is one part of a header line. Only a word that is not quoted can be an
// option.
type word struct {
	text   string
	quoted bool
}

const (
	optionBase64 = "base64"
	optionBare   = "bare"
	optionError  = "error="
)

// quoteWord writes a word so that splitWords reads it back: as it is if that is
// safe, else as a Go string.
func quoteWord(s string) string {
	if s == "" || s == "--" || s == optionBase64 || s == optionBare || strings.HasPrefix(s, optionError) {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if r == ' ' || r == '"' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// cutWord reads the word at the beginning of a line: a Go string, or everything
// up to one of the stop characters.
func cutWord(s, stops string) (w word, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, stops)
		if end < 0 {
			end = len(s)
		}
		return word{text: s[:end]}, s[end:], nil
	}
	text, rest, err := cutQuoted(s)
	return word{text: text, quoted: true}, rest, err
}

// cutQuoted reads the Go string at the beginning of a line.
func cutQuoted(s string) (text, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", errors.New("a quoted word does not end")
	}
	if text, err = strconv.Unquote(quoted); err != nil {
		return "", "", fmt.Errorf("%s is no quoted word", quoted)
	}
	return text, s[len(quoted):], nil
}

// splitWords splits a header line. An error text is one word with its quotes:
// error="no such luck".
func splitWords(s string) ([]word, error) {
	var words []word
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		var w word
		var err error
		if after, ok := strings.CutPrefix(s, optionError+`"`); ok {
			var text string
			text, s, err = cutQuoted(`"` + after)
			w = word{text: optionError + strconv.Quote(text)}
		} else {
			w, s, err = cutWord(s, " ")
		}
		if err != nil {
			return nil, err
		}
		if s != "" && s[0] != ' ' {
			return nil, errors.New("a blank is missing after a quoted word")
		}
		words = append(words, w)
	}
	return words, nil
}
