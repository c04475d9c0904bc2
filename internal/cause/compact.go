package cause

import (
	"fmt"
	"strings"
)

// Signatures are embedded in a form that is read in a millisecond: a line each, with fields and items of lists kept
// apart by signs that no text holds. JSON took ten, at every start.
const (
	between = "\x1f" // fields
	among   = "\x1e" // items of a list
)

// fields lists what is embedded of a signature, in the order of a line.
func (s *Signature) fields() (texts []*string, lists []*[]string) {
	return []*string{&s.Name, &s.Cause, &s.Like, (*string)(&s.Strength), &s.Says, (*string)(&s.Layer)},
		[]*[]string{&s.Text, &s.Match, &s.Tells, &s.Anchors, &s.When.GPU, &s.When.Env, &s.When.Override, &s.When.Arch, &s.When.With, &s.When.Without}
}

// compact is a signature as a line.
func (s Signature) compact() (string, error) {
	texts, lists := s.fields()
	var line []string
	for _, t := range texts {
		line = append(line, *t)
	}
	for _, l := range lists {
		line = append(line, strings.Join(*l, among))
	}
	var platforms []string
	for _, p := range s.When.Platform {
		platforms = append(platforms, string(p))
	}
	out := strings.Join(append(line, strings.Join(platforms, among)), between)
	if strings.ContainsAny(out, "\n\r") || strings.Count(out, between) != len(line) {
		return "", fmt.Errorf("signature %q holds a sign that keeps fields apart", s.Name)
	}
	return out, nil
}

// parseCompact reads lines; the texts are parts of them, not copies.
func parseCompact(data string) ([]Signature, error) {
	all := make([]Signature, 0, strings.Count(data, "\n"))
	for line := range strings.Lines(data) {
		all = append(all, Signature{})
		s := &all[len(all)-1]
		line = strings.TrimSuffix(line, "\n")
		next := func() string {
			var field string
			field, line, _ = strings.Cut(line, between)
			return field
		}
		texts, lists := s.fields()
		if got, want := strings.Count(line, between), len(texts)+len(lists); got != want {
			return nil, fmt.Errorf("read the signatures: line %d has %d fields, not %d", len(all), got+1, want+1)
		}
		for _, t := range texts {
			*t = next()
		}
		for _, l := range lists {
			*l = items(next())
		}
		for _, p := range items(next()) {
			s.When.Platform = append(s.When.Platform, Platform(p))
		}
	}
	return all, nil
}

func items(field string) []string {
	if field == "" {
		return nil
	}
	return strings.Split(field, among)
}
