package pydist

import (
	"bytes"
	"strings"
)

// metadata is what is kept of METADATA or PKG-INFO.
type metadata struct {
	name, version, python string
	requires, provides    []string
	ended                 bool // by a blank line or the end of a line
	binary                bool
	tooMuch               bool // a header was too long, or there were too many
}

const (
	maxHeaders = 10_000 // apache-airflow has about 1,100 Requires-Dist
	maxHeader  = 64 << 10
)

// parseMetadata reads the headers of a file of the core metadata specification.
// What Python's email parser takes for the beginning of the body ends it here
// too: a blank line, or one that is no header.
func parseMetadata(data []byte) metadata {
	m := metadata{ended: true}
	var current header
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for len(data) > 0 {
		line, rest, ended := cutLine(data)
		data = rest
		if bytes.IndexByte(line, 0) >= 0 {
			return metadata{binary: true}
		}
		if len(line) == 0 {
			break
		}
		if !ended { // a writer died here, and what it meant is not known
			m.ended = false
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			m.tooMuch = !current.extend(line) || m.tooMuch
			continue
		}
		m.keep(current)
		var ok bool
		if current, ok = parseHeader(line); !ok {
			return m
		}
	}
	m.keep(current)
	return m
}

// cutLine takes the first line off a text. Lines end in \n, \r\n or \r.
func cutLine(data []byte) (line, rest []byte, ended bool) {
	line, rest, ended = bytes.Cut(data, []byte{'\n'})
	i := bytes.IndexByte(line, '\r')
	switch {
	case i < 0:
		return line, rest, ended
	case i == len(line)-1:
		return line[:i], rest, true
	}
	return data[:i], data[i+1:], true
}

// A header is one of those we keep, or one that is passed over.
type header struct {
	key   headerKey
	value string
}

type headerKey uint8

const (
	passedOver headerKey = iota
	nameHeader
	versionHeader
	pythonHeader
	requiresHeader
	providesHeader
)

// parseHeader reads "Key: value"; only what is needed is copied.
func parseHeader(line []byte) (header, bool) {
	i := bytes.IndexByte(line, ':')
	if i <= 0 || bytes.IndexByte(line[:i], ' ') >= 0 {
		return header{}, false
	}
	key := headerKeyOf(line[:i])
	if key == passedOver {
		return header{}, true
	}
	value := bytes.TrimSpace(line[i+1:])
	return header{key: key, value: strings.ToValidUTF8(string(value), "�")}, true
}

func headerKeyOf(name []byte) headerKey {
	switch {
	case is(name, "Name"):
		return nameHeader
	case is(name, "Version"):
		return versionHeader
	case is(name, "Requires-Dist"):
		return requiresHeader
	case is(name, "Provides-Extra"):
		return providesHeader
	case is(name, "Requires-Python"):
		return pythonHeader
	}
	return passedOver
}

func is(name []byte, want string) bool {
	return len(name) == len(want) && bytes.EqualFold(name, []byte(want))
}

// extend adds a continuation line, unless the header becomes too long.
func (h *header) extend(line []byte) bool {
	if h.key == passedOver {
		return true
	}
	if len(h.value)+len(line) > maxHeader {
		return false
	}
	h.value = strings.TrimSpace(h.value + " " + strings.ToValidUTF8(string(bytes.TrimSpace(line)), "�"))
	return true
}

// keep files a finished header. The first name counts, as in Python.
func (m *metadata) keep(h header) {
	if len(h.value) > maxHeader || len(m.requires) >= maxHeaders || len(m.provides) >= maxHeaders {
		m.tooMuch = true
		return
	}
	switch h.key {
	case nameHeader:
		setOnce(&m.name, h.value)
	case versionHeader:
		setOnce(&m.version, h.value)
	case pythonHeader:
		setOnce(&m.python, h.value)
	case requiresHeader:
		m.requires = append(m.requires, h.value)
	case providesHeader:
		m.provides = append(m.provides, h.value)
	}
}

func setOnce(to *string, value string) {
	if *to == "" {
		*to = value
	}
}
