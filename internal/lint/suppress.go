package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Suppression is somebody's word that a finding is known, why it may stay, and
// until when. Without a reason nobody can judge it, without a date nobody ever does.
type Suppression struct {
	File   *File // it stands in
	Line   int
	Rule   string // an id, or a pattern of ids: compose/*
	Until  time.Time
	Reason string
	// Wrong says what is missing; then nothing is suppressed.
	Wrong string

	pattern string // of paths, in .rocsmith-ignore
	target  int    // the line that a comment is about
	used    bool
}

// IgnoreFile is where a project keeps what is suppressed in whole files.
const IgnoreFile = ".rocsmith-ignore"

const (
	marker  = "rocsmith-ignore"
	dayForm = "2006-01-02"
)

// Expired tells whether the day is over.
func (s *Suppression) Expired(now time.Time) bool {
	return now.UTC().Format(dayForm) > s.Until.Format(dayForm)
}

// comment finds a suppression behind the sign of a comment, at the end of a line
// or alone on it.
var comment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?)(?:^|\s)(?:#|//)\s*` + marker + `\b:?(.*)$`)
})

// statement is RULE until DATE: REASON, with every part allowed to be missing, so
// that each can be asked for.
var statement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([^\s:]*)(?:\s+until\s+([^\s:]+))?\s*(?::\s*(.*?))?\s*$`)
})

func (s *Suppression) parse(text string) {
	m := statement().FindStringSubmatch(text)
	if m == nil {
		s.Wrong = "it has to be a rule, until when, and why: compose/group-name until 2027-01-31: REASON"
		return
	}
	s.Rule, s.Reason = m[1], m[3]
	until, err := time.Parse(dayForm, m[2])
	s.Until = until
	_, badPattern := path.Match(s.Rule, "")
	switch {
	case s.Rule == "":
		s.Wrong = "it names no rule"
	case badPattern != nil || !strings.Contains(s.Rule, "/"):
		s.Wrong = fmt.Sprintf("%q is not the id of a rule", s.Rule)
	case m[2] == "":
		s.Wrong = "it does not say until when: " + s.Rule + " until 2027-01-31: REASON"
	case err != nil:
		s.Wrong = fmt.Sprintf("%q is not a date like 2027-01-31", m[2])
	case s.Reason == "":
		s.Wrong = "it gives no reason: " + s.Rule + " until " + m[2] + ": REASON"
	}
}

// inComments finds what the comments of a file suppress. One that stands alone
// is about the next line that is not another of them.
func inComments(f *File) []*Suppression {
	if !bytes.Contains(f.Data, []byte(marker)) {
		return nil
	}
	var all, alone []*Suppression
	n := 0
	for line := range strings.Lines(string(f.Data)) {
		n++
		m := comment().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			for _, s := range alone {
				s.target = n
			}
			alone = nil
			continue
		}
		s := &Suppression{File: f, Line: n, target: n}
		s.parse(m[2])
		all = append(all, s)
		if strings.TrimSpace(m[1]) == "" {
			alone = append(alone, s)
		}
	}
	return all
}

// readIgnored collects the suppressions of comments, and of the files that lie at
// the top of the project and at the place that lint was pointed at.
func (p *Project) readIgnored(at string) {
	dirs := []string{"."}
	if info, err := fs.Stat(p.FS, at); err == nil && !info.IsDir() {
		at = path.Dir(at)
	}
	if at != "." {
		dirs = append(dirs, at)
	}
	for _, dir := range dirs {
		name := path.Join(dir, IgnoreFile)
		data, err := readFile(p.FS, name)
		f := &File{Path: name, Data: data}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			p.Problems = append(p.Problems, Problem{File: f, What: fmt.Sprintf("it could not be read: %v", reason(err))})
		default:
			p.Ignored = append(p.Ignored, inIgnoreFile(f)...)
		}
	}
	for _, f := range p.Files {
		p.Ignored = append(p.Ignored, inComments(f)...)
	}
}

// inIgnoreFile reads lines of PATH RULE until DATE: REASON.
func inIgnoreFile(f *File) []*Suppression {
	var all []*Suppression
	n := 0
	for line := range strings.Lines(string(f.Data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pattern, rest, _ := strings.Cut(line, " ")
		s := &Suppression{File: f, Line: n, pattern: path.Join(path.Dir(f.Path), pattern)}
		s.parse(rest)
		if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
			s.pattern = pattern
		}
		if _, err := path.Match(pattern, ""); err != nil && s.Wrong == "" {
			s.Wrong = fmt.Sprintf("%q is not a pattern of paths", pattern)
		}
		all = append(all, s)
	}
	return all
}

// about tells whether a suppression speaks of a rule at a place.
func (s *Suppression) about(rule string, f *File, line int) bool {
	if s.Wrong != "" {
		return false
	}
	if same, err := path.Match(s.Rule, rule); err != nil || !same {
		return false
	}
	if s.pattern == "" {
		return s.File.Path == f.Path && s.target == line
	}
	return within(s.pattern, f.Path)
}

// within matches as .gitignore does in its simple cases: a pattern without a slash
// is a name anywhere, and a folder stands for all that is in it.
func within(pattern, name string) bool {
	anywhere := !strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	pattern = strings.TrimSuffix(pattern, "/")
	for part := name; part != "." && part != "/"; part = path.Dir(part) {
		against := part
		if anywhere {
			against = path.Base(part)
		}
		if same, err := path.Match(pattern, against); err == nil && same {
			return true
		}
	}
	return false
}
