package tomltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func (r *reader) value() (Value, *Error) {
	if r.depth++; r.depth > maxDepth {
		return Value{}, r.fail("lists are nested too deeply")
	}
	defer func() { r.depth-- }()
	switch r.peek() {
	case '"', '\'':
		return r.string()
	case '[':
		return r.list()
	case '{':
		return r.table()
	}
	return r.other()
}

// list reads what stands in brackets, over as many lines as it takes.
func (r *reader) list() (Value, *Error) {
	out := Value{Kind: List, Start: r.at, Line: r.line()}
	r.at++
	for {
		r.blank(true)
		if r.skip("]") {
			out.End = r.at
			return out, nil
		}
		item, err := r.value()
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, item)
		r.blank(true)
		if !r.skip(",") && r.peek() != ']' {
			return out, r.fail("the list that begins on line " + strconv.Itoa(out.Line) + " is not closed, or lacks a comma")
		}
	}
}

// table reads what stands in braces. Several lines and a comma at the end are of
// TOML 1.1.
func (r *reader) table() (Value, *Error) {
	out := Value{Kind: Table, Start: r.at, Line: r.line()}
	r.at++
	for {
		r.blank(true)
		if r.skip("}") {
			out.End = r.at
			return out, nil
		}
		p, err := r.pair()
		if err != nil {
			return out, err
		}
		out.Pairs = append(out.Pairs, p)
		r.blank(true)
		if !r.skip(",") && r.peek() != '}' {
			return out, r.fail("a table in braces is not closed, or lacks a comma")
		}
	}
}

// other reads numbers, dates and booleans, and takes them as they stand.
func (r *reader) other() (Value, *Error) {
	out := Value{Start: r.at, Line: r.line()}
	rest := r.text[r.at:]
	n := strings.IndexAny(rest, ",]}#\r\n")
	if n < 0 {
		n = len(rest)
	}
	out.Text = strings.TrimRight(rest[:n], " \t")
	r.at += len(out.Text)
	out.End = r.at
	if !isOther(out.Text) {
		return out, r.fail("there is no value where one should be")
	}
	return out, nil
}

// isOther is wider than TOML, for whose numbers and dates nobody asks here.
func isOther(text string) bool {
	switch strings.TrimLeft(text, "+-") {
	case "inf", "nan":
		return true
	}
	switch {
	case text == "true" || text == "false":
		return true
	case text == "" || !strings.ContainsAny(text[:1], "+-0123456789"):
		return false
	case strings.Contains(text, " ") && !strings.Contains(text, ":"): // which only a date with its time holds
		return false
	}
	return strings.Trim(text, "0123456789abcdefABCDEFoxTZtz+-_.: ") == ""
}

// string reads one of the four kinds.
func (r *reader) string() (Value, *Error) {
	quote := r.text[r.at : r.at+1]
	if r.skip(quote + quote + quote) {
		return r.long(quote)
	}
	out := Value{Kind: String, Line: r.line(), Exact: true}
	r.at++
	out.Start = r.at
	for {
		n := strings.IndexAny(r.text[r.at:], quote+"\\\n")
		if n < 0 || r.text[r.at+n] == '\n' {
			return out, r.fail("a string is not closed")
		}
		r.at += n
		if r.peek() == '\\' {
			r.at++
			if quote == `"` {
				out.Exact = false
				r.at = min(r.at+1, len(r.text))
			}
			continue
		}
		break
	}
	out.End = r.at
	r.at++
	return r.meaning(out, quote)
}

// long reads a string of several lines. Up to two quotes may stand before those
// that close it.
func (r *reader) long(quote string) (Value, *Error) {
	out := Value{Kind: String, Line: r.line(), Start: r.at}
	closing := quote + quote + quote
	for {
		n := strings.IndexAny(r.text[r.at:], quote+"\\")
		if n < 0 {
			return out, &Error{out.Line, "a string is not closed"}
		}
		r.at += n
		switch {
		case r.peek() == '\\' && quote == `"`:
			r.at = min(r.at+2, len(r.text))
		case strings.HasPrefix(r.text[r.at:], closing):
			for range 2 {
				if strings.HasPrefix(r.text[r.at+1:], closing) {
					r.at++
				}
			}
			out.End = r.at
			r.at += len(closing)
			return r.meaning(out, quote)
		default:
			r.at++
		}
	}
}

// meaning takes the escapes out of a string.
func (r *reader) meaning(v Value, quote string) (Value, *Error) {
	v.Text = r.text[v.Start:v.End]
	if !v.Exact {
		v.Text = strings.TrimPrefix(strings.TrimPrefix(v.Text, "\r"), "\n") // the first line end of a long one
	}
	if quote == "'" || !strings.Contains(v.Text, `\`) {
		return v, nil
	}
	var out strings.Builder
	for rest := v.Text; rest != ""; {
		before, behind, more := strings.Cut(rest, `\`)
		out.WriteString(before)
		if !more {
			break
		}
		text, n, ok := escape(behind)
		if !ok {
			return v, &Error{v.Line, `a string holds a \ that means nothing`}
		}
		out.WriteString(text)
		rest = behind[n:]
	}
	v.Text = out.String()
	return v, nil
}

// escape reads what stands behind a backslash, and tells how long that is.
func escape(s string) (text string, length int, ok bool) {
	if s == "" {
		return "", 0, false
	}
	if i := strings.IndexByte(`btnfre"\`, s[0]); i >= 0 {
		return "\b\t\n\f\r\x1b\"\\"[i : i+1], 1, true
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]; digits > 0 && len(s) > digits {
		code, err := strconv.ParseUint(s[1:1+digits], 16, 32)
		return string(rune(code)), 1 + digits, err == nil && utf8.ValidRune(rune(code))
	}
	// A line that goes on: its end, and all blanks behind it.
	rest := strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(rest, "\n") && !strings.HasPrefix(rest, "\r\n") {
		return "", 0, false
	}
	return "", len(s) - len(strings.TrimLeft(s, " \t\r\n")), true
}
