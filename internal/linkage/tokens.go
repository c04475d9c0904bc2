package linkage

import "strings"

// expand fills in the tokens that ld.so knows in search paths and names: $ORIGIN,
// $LIB and $PLATFORM, with or without braces. Other words stay as they are.
func expand(s string, values map[string]string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = rest
		value, length := token(rest, values)
		if length == 0 {
			b.WriteByte('$')
		}
		b.WriteString(value)
		s = s[length:]
	}
}

// token returns the value of the token that s begins with behind the dollar sign,
// and how long the token is.
func token(s string, values map[string]string) (string, int) {
	if inside, found := strings.CutPrefix(s, "{"); found {
		name, _, closed := strings.Cut(inside, "}")
		if value, known := values[name]; known && closed {
			return value, len(name) + 2
		}
		return "", 0
	}
	end := strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if end < 0 {
		end = len(s)
	}
	if value, known := values[s[:end]]; known {
		return value, end
	}
	return "", 0
}
