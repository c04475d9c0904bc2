package pydist

import (
	"errors"
	"fmt"
	"strings"
)

// A Requirement is what one distribution wants of another, as PEP 508 writes it.
type Requirement struct {
	Name      string   // normalised
	Extras    []string // normalised
	Specifier Specifier
	URL       string // of "name @ URL"; then there is no specifier
	Marker    Marker
}

// maxRequirement is longer than any requirement that people or tools wrote.
const maxRequirement = 16 << 10

var errLong = errors.New("it is longer than 16 KiB")

// ParseRequirement reads a requirement: `numpy[extra]>=1.22,<2.4; python_version < "3.13"`.
func ParseRequirement(s string) (Requirement, error) {
	return parseRequirement(s, make(markers))
}

// markers remembers what was parsed: a site has thousands of requirements, and
// most of their markers are `extra == "test"` and the like.
type markers map[string]Marker

func (m markers) parse(text string) (Marker, error) {
	if marker, known := m[text]; known {
		return marker, nil
	}
	marker, err := ParseMarker(text)
	if err == nil {
		m[text] = marker
	}
	return marker, err
}

func parseRequirement(s string, known markers) (Requirement, error) {
	if len(s) > maxRequirement {
		return Requirement{}, errLong
	}
	var r Requirement
	rest := strings.TrimSpace(s)
	end := 0
	for end < len(rest) && (isAlnum(rest[end]) || strings.IndexByte("-_.", rest[end]) >= 0) {
		end++
	}
	if !isName(rest[:end]) {
		return Requirement{}, fmt.Errorf("%q does not begin with a name", clip(s))
	}
	r.Name, rest = Normalize(rest[:end]), strings.TrimLeft(rest[end:], " \t")
	rest, err := r.parseExtras(rest)
	if err != nil {
		return Requirement{}, err
	}
	text, marker, found := r.cutMarker(rest)
	if found {
		if r.Marker, err = known.parse(marker); err != nil {
			return Requirement{}, err
		}
	}
	return r, r.parseVersions(text)
}

// parseExtras reads "[a, b]" where there is one, and returns what follows.
func (r *Requirement) parseExtras(s string) (string, error) {
	inside, found := strings.CutPrefix(s, "[")
	if !found {
		return s, nil
	}
	list, rest, found := strings.Cut(inside, "]")
	if !found {
		return "", fmt.Errorf("%q is not closed", clip(s))
	}
	if strings.TrimSpace(list) == "" {
		return strings.TrimLeft(rest, " \t"), nil
	}
	for extra := range strings.SplitSeq(list, ",") {
		extra = strings.TrimSpace(extra)
		if !isName(extra) {
			return "", fmt.Errorf("%q is no name of an extra", clip(extra))
		}
		r.Extras = append(r.Extras, Normalize(extra))
	}
	return strings.TrimLeft(rest, " \t"), nil
}

// cutMarker separates the marker. A URL may hold a semicolon, so there a blank
// must stand before it.
func (r *Requirement) cutMarker(s string) (text, marker string, found bool) {
	if !strings.HasPrefix(s, "@") {
		return strings.Cut(s, ";")
	}
	url := strings.TrimLeft(s[1:], " \t")
	if url == "" {
		return s, "", false
	}
	end := strings.IndexAny(url, " \t")
	if end < 0 {
		r.URL = url
		return "", "", false
	}
	r.URL = url[:end]
	rest := strings.TrimLeft(url[end:], " \t")
	marker, found = strings.CutPrefix(rest, ";")
	if found || rest == "" {
		return "", marker, found
	}
	return rest, "", false
}

// parseVersions reads the specifier, which old tools put in parentheses.
func (r *Requirement) parseVersions(s string) error {
	s = strings.TrimSpace(s)
	if r.URL != "" && s != "" {
		return fmt.Errorf("%q follows the URL", clip(s))
	}
	if inside, found := strings.CutPrefix(s, "("); found {
		inside, found = strings.CutSuffix(inside, ")")
		if !found {
			return fmt.Errorf("%q is not closed", clip(s))
		}
		s = inside
	}
	if strings.HasPrefix(s, "@") {
		return errors.New("there is no URL behind the @")
	}
	var err error
	r.Specifier, err = ParseSpecifier(s)
	return err
}

// String writes the requirement on one line.
func (r Requirement) String() string {
	var b strings.Builder
	b.WriteString(r.Name)
	if len(r.Extras) > 0 {
		b.WriteString("[" + strings.Join(r.Extras, ",") + "]")
	}
	b.WriteString(r.Specifier.String())
	if r.URL != "" {
		b.WriteString(" @ " + r.URL)
	}
	if text := r.Marker.String(); text != "" {
		if r.URL != "" {
			b.WriteByte(' ')
		}
		b.WriteString("; " + text)
	}
	return b.String()
}

// clip keeps junk in messages short.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
