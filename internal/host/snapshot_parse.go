package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Limits of a snapshot: it comes from a stranger's bug report.
const (
	maxSnapshot = 64 << 20
	maxRecords  = 200_000
)

// ParseSnapshot reads a snapshot. It accepts what WriteTo writes, with the line
// ends of either system.
func ParseSnapshot(data []byte) (*Snapshot, error) {
	if len(data) > maxSnapshot {
		return nil, fmt.Errorf("the snapshot is larger than %d MiB", maxSnapshot>>20)
	}
	// Git and editors may have changed the line ends. No text in a snapshot
	// holds a carriage return of its own.
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	p := &parser{rest: data, snap: newSnapshot("")}
	if err := p.parse(); err != nil {
		return nil, err
	}
	if p.absent {
		p.snap.tree = growTree(p.snap.system, p.snap.records)
	}
	return p.snap, nil
}

type parser struct {
	rest   []byte
	line   int // number of the line that next returned
	snap   *Snapshot
	absent bool
	hasEnv bool
}

// next returns the next line without its end.
func (p *parser) next() (string, bool) {
	if len(p.rest) == 0 {
		return "", false
	}
	line, rest, _ := bytes.Cut(p.rest, []byte("\n"))
	p.rest = rest
	p.line++
	return string(line), true
}

func (p *parser) parse() error {
	if err := p.first(); err != nil {
		return err
	}
	header, ok, err := p.fields()
	if err != nil {
		return err
	}
	for count := 0; ok; count++ {
		if count > maxRecords {
			return fmt.Errorf("the snapshot holds more than %d records", maxRecords)
		}
		at := p.line
		h, err := parseHeader(header)
		if err != nil {
			return fmt.Errorf("line %d: %w", at, err)
		}
		if h.verb == verbEnd {
			return p.end(h, count)
		}
		var body []byte
		body, header, ok = p.body()
		if err := p.add(h, body); err != nil {
			return fmt.Errorf("line %d: %s: %w", at, heading(h.verb, h.args...), err)
		}
	}
	return errors.New(`the snapshot is truncated: its last line "-- end N --" is missing`)
}

func (p *parser) first() error {
	line, _ := p.next()
	number, ok := strings.CutPrefix(line, magic+" ")
	n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 32)
	if !ok || err != nil || n == 0 {
		return fmt.Errorf("this is no rocsmith snapshot: the first line is %q, not %q", shorten(line), magic+" 1")
	}
	if n > formatNumber {
		return fmt.Errorf("the snapshot was made by a newer rocsmith: its format is %d, this rocsmith reads %d", n, formatNumber)
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// fields reads up to the first header line and returns it.
func (p *parser) fields() (header string, ok bool, err error) {
	for {
		line, ok := p.next()
		if !ok || isHeader([]byte(line)) {
			if p.snap.system == "" && ok {
				return "", false, fmt.Errorf("line %d: the field %q is missing", p.line, fieldOS+":")
			}
			return line, ok, nil
		}
		if err := p.field(strings.TrimSpace(line)); err != nil {
			return "", false, fmt.Errorf("line %d: %w", p.line, err)
		}
	}
}

func (p *parser) field(line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case name == fieldOS && value != "":
		p.snap.system = value
	case name == fieldRecorded:
		p.snap.recorded = value
	case name == fieldUnlisted && value == "absent":
		p.absent = true
	default:
		return fmt.Errorf("%q is no field of a snapshot", shorten(line))
	}
	return nil
}

// body returns the bytes up to the next header line, and that line.
func (p *parser) body() (body []byte, header string, ok bool) {
	start := p.rest
	for {
		before := len(p.rest)
		line, ok := p.next()
		if !ok || isHeader([]byte(line)) {
			return start[:len(start)-before], line, ok
		}
	}
}

func (p *parser) add(h header, body []byte) error {
	if h.verb == verbEnv {
		if p.hasEnv {
			return errors.New("recorded twice")
		}
		env, err := parseEnvironment(body)
		p.snap.env, p.hasEnv = env, true
		return err
	}
	r := h.record
	if shapes[r.verb].path {
		r.args[0] = cleanPath(p.snap.system, r.args[0])
	}
	key := r.heading()
	if _, ok := p.snap.records[key]; ok {
		return errors.New("recorded twice")
	}
	var err error
	if r.body, err = h.decode(body); err != nil {
		return err
	}
	p.snap.records[key] = r
	return nil
}

// end checks the count in the last line and that nothing follows.
func (p *parser) end(h header, count int) error {
	want, err := strconv.Atoi(h.args[0])
	if err != nil {
		return fmt.Errorf("line %d: %q is no number of records", p.line, h.args[0])
	}
	if want != count {
		return fmt.Errorf("the snapshot is truncated: it holds %d records, its last line counts %d", count, want)
	}
	if len(bytes.TrimSpace(p.rest)) != 0 {
		return fmt.Errorf("line %d: text follows the last line", p.line+1)
	}
	return nil
}
