package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
)

// Laws says where rules do not keep what they promise: the bad example breaks the
// rule, the good one does not, and where the rule mends, the good one is what
// becomes of the bad one, with Unix line ends and with those of Windows.
func Laws(rules []Rule) error {
	var errs []error
	seen := map[string]bool{}
	for _, r := range rules {
		err := r.validate()
		if err == nil && seen[r.ID] {
			err = errors.New("the id is taken")
		}
		if err == nil {
			err = errors.Join(r.holds(false), r.holds(true))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %q: %w", r.ID, err))
		}
		seen[r.ID] = true
	}
	return errors.Join(errs...)
}

var ruleID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+/[a-z0-9-]+$`) })

func (r Rule) validate() error {
	switch {
	case !ruleID().MatchString(r.ID):
		return errors.New("the id is not area/name")
	case r.Title == "" || r.Why == "" || r.Run == nil:
		return errors.New("title, why and run must be set")
	case strings.HasSuffix(r.Title, "."):
		return errors.New("the title gets its full stop from the page")
	case len(r.Bad.Files) == 0 || len(r.Good.Files) == 0:
		return errors.New("there is no bad or no good example")
	}
	return nil
}

// holds tries the examples.
func (r Rule) holds(crlf bool) error {
	bad, good := r.Bad.Project(crlf), r.Good.Project(crlf)
	setting, known := OnExample(r.Bad.On)
	goodSetting, goodKnown := OnExample(r.Good.On)
	if !known || !goodKnown {
		return fmt.Errorf("there is no example machine %q or %q", r.Bad.On, r.Good.On)
	}
	setting.Strict, goodSetting.Strict = r.Strict, r.Strict
	found := Run(bad, setting, []Rule{r}).Found
	if len(found) == 0 {
		return errors.New("the bad example does not break it")
	}
	for _, f := range found {
		if err := f.sound(); err != nil {
			return fmt.Errorf("finding at %s: %w", f.Place(), err)
		}
	}
	for _, f := range Run(good, goodSetting, []Rule{r}).Found {
		if f.Verdict == check.Skipped {
			continue // a word about a suppression
		}
		return fmt.Errorf("the good example breaks it at %s: %s", f.Place(), f.Message)
	}
	return r.mends(bad, setting, crlf)
}

// mends wants the good example to be what becomes of the bad one, where there are
// mends.
func (r Rule) mends(bad *Project, s Setting, crlf bool) error {
	mended := MendAll(bad, s, []Rule{r})
	for _, refused := range mended.Refused {
		return fmt.Errorf("the mend of %s is refused: %s", refused.Found.Place(), refused.Why)
	}
	if len(mended.Taken) == 0 {
		return nil
	}
	now := map[string]string{}
	for name, text := range r.Bad.Files {
		now[name] = lineEnds(text, crlf)
	}
	for _, c := range mended.Changes {
		now[c.File.Path] = string(c.After)
	}
	for _, folder := range mended.Folders {
		if _, err := fs.Stat(r.Good.Project(crlf).FS, folder); err != nil {
			return fmt.Errorf("the mend makes %s, which the good example does not have", folder)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if want := lineEnds(r.Good.Files[name], crlf); now[name] != want {
			return fmt.Errorf("the mend makes of %s\n%q\nand not\n%q", name, now[name], want)
		}
	}
	return nil
}

// sound says what a finding lacks.
func (f Found) sound() error {
	switch {
	case f.File == nil || f.File.Path == "":
		return errors.New("it names no file")
	case f.Line > 0 && f.Line > lineAt(f.File.Data, len(f.File.Data)):
		return errors.New("the file has no such line")
	case f.Message == "" || !strings.HasSuffix(f.Message, "."):
		return errors.New("its message is not a sentence")
	case f.Verdict != check.Fail && f.Verdict != check.Warn && f.Verdict != check.Unknown:
		return fmt.Errorf("its verdict is %q", f.Verdict)
	case f.Mend != nil && !f.Mend.fits():
		return errors.New("its mend has no edits and no folders, or edits that overlap or are outside of their file")
	case f.Verdict == check.Fail && f.Mend == nil && len(f.Advice) == 0:
		return errors.New("it fails and says nothing that helps")
	}
	if _, known := cause.Lookup(f.Cause); f.Cause != "" && !known {
		return fmt.Errorf("there is no cause %q", f.Cause)
	}
	for _, a := range f.remedies() {
		if err := a.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Project is an example as a project.
func (e Example) Project(crlf bool) *Project {
	files := map[string][]byte{}
	for name, text := range e.Files {
		files[name] = []byte(lineEnds(text, crlf))
	}
	p, err := Discover(overlay{files: files}, ".")
	if err != nil {
		return &Project{FS: overlay{files: files}}
	}
	return p
}

func lineEnds(text string, crlf bool) string {
	if !crlf {
		return text
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}
