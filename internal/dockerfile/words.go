package dockerfile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quotedWords divides a text by the white space that is neither quoted nor
// escaped. An escape at the very end is no part of the last word.
func quotedWords(t text, escape byte) []text {
	var out []text
	for i := 0; i < len(t.s); {
		if r, n := utf8.DecodeRuneInString(t.s[i:]); unicode.IsSpace(r) {
			i += n
			continue
		}
		end := wordEnd(t.s, i, escape)
		word := t.cut(i, end)
		if end == len(t.s) && endsInEscape(word.s, escape) {
			word = t.cut(i, end-1)
		}
		if word.s != "" {
			out = append(out, word)
		}
		i = end
	}
	return out
}

// wordEnd is the byte after the word that begins at i.
func wordEnd(s string, i int, escape byte) int {
	var quote byte
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case s[i] == escape && quote != '\'' && i+n < len(s):
			_, next := utf8.DecodeRuneInString(s[i+n:])
			n += next
		case quote == 0 && unicode.IsSpace(r):
			return i
		case quote == 0 && (r == '\'' || r == '"'):
			quote = s[i]
		case s[i] == quote:
			quote = 0
		}
		i += n
	}
	return len(s)
}

// endsInEscape tells whether the last byte of a word is an escape with nothing
// left to escape.
func endsInEscape(s string, escape byte) bool {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == escape && quote != '\'':
			if i+1 == len(s) {
				return true
			}
			i++
		case quote == 0 && (s[i] == '\'' || s[i] == '"'):
			quote = s[i]
		case s[i] == quote:
			quote = 0
		}
	}
	return false
}

// flags takes the words that begin with -- off the front, quotes and escapes
// resolved, and returns the rest. A word of -- alone ends them.
func (p *parser) flags(in *Instruction, t text) text {
	for i := 0; i < len(t.s); {
		if isByteSpace(t.s[i]) {
			i++
			continue
		}
		if !strings.HasPrefix(t.s[i:], "--") {
			return t.cut(i, len(t.s))
		}
		resolved, end := flagWord(t.s[i:], p.file.Escape)
		if resolved == "--" && i+end < len(t.s) {
			return t.cut(i+end, len(t.s))
		}
		if resolved != "--" {
			w := t.cut(i, i+end).word()
			w.Text = resolved
			in.Flags = append(in.Flags, w)
		}
		i += end
	}
	return t.cut(len(t.s), len(t.s))
}

// isByteSpace is unicode.IsSpace of a byte taken for a code point, as BuildKit
// takes it here.
func isByteSpace(c byte) bool { return unicode.IsSpace(rune(c)) }

// flagWord reads one word, byte by byte, and tells its length.
func flagWord(s string, escape byte) (resolved string, end int) {
	var out strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && isByteSpace(c):
			return out.String(), i
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == escape && i+1 == len(s):
		case c == escape:
			i++
			out.WriteRune(rune(s[i]))
		default:
			out.WriteRune(rune(c))
		}
	}
	return out.String(), len(s)
}
