package yamltext

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var lineOfError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

// syntaxError makes an error of the parser's. What stands before "line" in it is
// the name of the library; its line is not always that of the mistake.
func (f *File) syntaxError(err error) *Error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if found := lineOfError().FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1]) // digits; 0 is mended below
		text = strings.TrimPrefix(text, found[0])
	}
	return &Error{min(f.lineOfMistake(text, line), len(f.lines)), text}
}

// lineOfMistake mends the line of an error: the parser proper counts lines from
// 0, where the scanner under it counts from 1 (parserc.go and decode.go, fail),
// and for some mistakes neither tells a line, or only that of the thing before.
func (f *File) lineOfMistake(text string, line int) int {
	switch {
	case text == "did not find expected key" || text == "did not find expected '-' indicator":
		return f.firstBroken(text)
	case strings.HasPrefix(text, "did not find expected") || strings.HasPrefix(text, "found undefined tag handle"):
		if line > 0 {
			line++
		}
	case strings.Contains(text, "tab character"):
		for l := max(line, 1); l <= len(f.lines); l++ {
			start := f.lines[l-1]
			if bytes.ContainsRune(f.Data[start:f.skipBlanks(start)], '\t') {
				return l
			}
		}
	case strings.HasPrefix(text, "unknown anchor"):
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "unknown anchor '"), "'")
		if found := bytes.Index(f.Data, []byte("*"+name)); found >= 0 {
			return f.Line(found)
		}
	case line == 0:
		return f.Line(f.unreadable())
	}
	return max(line, 1)
}

// firstBroken finds the line that brings a mistake in a block: the parser names
// the line in which the block began.
func (f *File) firstBroken(text string) int {
	return 1 + sort.Search(len(f.lines)-1, func(i int) bool {
		var doc yaml.Node
		decoder := yaml.NewDecoder(bytes.NewReader(f.Data[:f.lines[i+1]]))
		for {
			if err := decoder.Decode(&doc); err != nil {
				return strings.HasSuffix(err.Error(), text)
			}
		}
	})
}

// unreadable is the place of the first byte that no YAML may hold; 0 where there
// is none.
func (f *File) unreadable() int {
	for i := 0; i < len(f.Data); {
		r, width := utf8.DecodeRune(f.Data[i:])
		if r == utf8.RuneError && width == 1 || unicode.IsControl(r) && !isSpace(r) {
			return i
		}
		i += width
	}
	return 0
}
