package host

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	magic         = "rocsmith snapshot"
	formatNumber  = 1
	fieldOS       = "os"
	fieldRecorded = "recorded"
	fieldUnlisted = "unlisted"
	base64Width   = 76
)

// WriteTo writes the snapshot; the records are sorted.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %d\n%s: %s\n", magic, formatNumber, fieldOS, s.system)
	if s.recorded != "" {
		fmt.Fprintf(&b, "%s: %s\n", fieldRecorded, s.recorded)
	}
	if s.tree != nil {
		fmt.Fprintf(&b, "%s: absent\n", fieldUnlisted)
	}
	count := len(s.records)
	if !s.env.empty() {
		count++
		writeRecord(&b, record{verb: verbEnv, body: s.env.format()})
	}
	for _, r := range sorted(s.records) {
		writeRecord(&b, r)
	}
	fmt.Fprintf(&b, "-- %s %d --\n", verbEnd, count)
	n, err := b.WriteTo(w)
	if err != nil {
		return n, fmt.Errorf("write snapshot: %w", err)
	}
	return n, nil
}

func writeRecord(b *bytes.Buffer, r record) {
	b.WriteString("-- " + r.heading())
	body := r.body
	switch {
	case r.fault != "":
		b.WriteString(" " + optionError + string(r.fault))
		body = nil
	case !isPlain(body):
		b.WriteString(" " + optionBase64)
		body = wrapBase64(body)
	case shapes[r.verb].line:
		body = append(bytes.Clone(body), '\n')
	case len(body) > 0 && !bytes.HasSuffix(body, []byte("\n")):
		b.WriteString(" " + optionBare)
		body = append(bytes.Clone(body), '\n')
	}
	b.WriteString(" --\n")
	b.Write(body)
}

// isPlain says that bytes can stand in a snapshot as they are.
func isPlain(body []byte) bool {
	if !utf8.Valid(body) {
		return false
	}
	for _, c := range body {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	for line := range bytes.Lines(body) {
		if isHeader(bytes.TrimSuffix(line, []byte("\n"))) {
			return false
		}
	}
	return true
}

func isHeader(line []byte) bool {
	return bytes.HasPrefix(line, []byte("-- ")) && bytes.HasSuffix(line, []byte(" --"))
}

func wrapBase64(body []byte) []byte {
	text := base64.StdEncoding.AppendEncode(nil, body)
	var b bytes.Buffer
	for len(text) > 0 {
		n := min(base64Width, len(text))
		b.Write(text[:n])
		b.WriteByte('\n')
		text = text[n:]
	}
	return b.Bytes()
}
