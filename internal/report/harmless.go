package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// harmless writes out characters that a terminal or a reader would obey instead
// of show: control characters, which can move the cursor and change the title,
// and format characters, which can turn text around. What rocsmith prints comes
// from files, variables and snapshots that anybody may have written.
func harmless(s string) string {
	if !strings.ContainsFunc(s, obeyed) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case obeyed(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Harmless is the same for a message of some lines.
func Harmless(message string) string {
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = harmless(l)
	}
	return strings.Join(lines, "\n")
}

func obeyed(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

func escaped(r rune) string {
	if hi, lo := utf16.EncodeRune(r); hi != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// harmlessJSON escapes the same characters in a JSON text, where the encoder
// leaves some of them as they are; a program reads the same strings.
func harmlessJSON(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		if r != '\n' && obeyed(r) {
			b.WriteString(escaped(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
