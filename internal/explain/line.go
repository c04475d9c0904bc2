package explain

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

var ansi = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[@-Z\\\\-_])")
})

// clean returns a line as a person reads it: without colours, without what is no text, and without the wrapping of
// container engines that write JSON.
func clean(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), "\ufffd")
	if strings.HasPrefix(text, "{") {
		text = unwrapped(text)
	}
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = ansi().ReplaceAllString(text, "")
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r >= ' ' && r != 0x7f && r != utf8.RuneError {
			return r
		}
		return -1
	}, text)
}

// unwrapped returns the message of a line that is a JSON object: Docker's json-file has it in log, journald's export in
// MESSAGE, most programs in message or msg.
func unwrapped(text string) string {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	var parts []string
	for _, key := range []string{"log", "MESSAGE", "message", "msg", "error", "err"} {
		if s, ok := object[key].(string); ok {
			parts = append(parts, strings.TrimRight(s, "\r\n"))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return strings.Join(parts, " ")
}

// isFrame reports a line of a traceback that shows where the program was: the place, or the source there. Its words are
// the program's, not an error's.
func isFrame(before []byte, text string) bool {
	const place, number = `File "`, `", line `
	if strings.Contains(text, place) && strings.Contains(text, number) {
		return true
	}
	if text == "" || text[0] != ' ' && text[0] != '\t' && text[0] != '#' && text[0] != '|' {
		return false
	}
	before = bytes.TrimRight(before, "\r\n")
	previous := before[bytes.LastIndexByte(before, '\n')+1:]
	return bytes.Contains(previous, []byte(place)) && bytes.Contains(previous, []byte(number))
}

// answerTo returns the line after one that asks Python something, with what ends the question: a person reads the two as
// one sentence, "torch.cuda.is_available() False".
func answerTo(data []byte, from, to int) []byte {
	question := bytes.TrimLeft(data[from:to], " ")
	asks := bytes.HasPrefix(question, []byte(">>> ")) || bytes.HasPrefix(question, []byte("In [")) ||
		bytes.Contains(question, []byte("python")) && bytes.Contains(question, []byte(" -c "))
	if !asks {
		return nil
	}
	rest := data[to:min(to+maxShown, len(data))]
	ends := len(rest) - len(bytes.TrimLeft(rest, "\r\n"))
	length := bytes.IndexAny(rest[ends:], "\r\n")
	if length < 0 {
		return rest
	}
	return rest[:ends+length]
}

var stamps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?`) })

// stampOf returns the time at the beginning of a line, in a form that can be compared; "" where there is none.
func stampOf(text string) string {
	const look = 64
	found := stamps().FindString(text[:min(len(text), look)])
	return strings.NewReplacer(" ", "T", ",", ".").Replace(found)
}
