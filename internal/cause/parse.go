package cause

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Parse reads a catalogue as people write it: YAML files with causes and their signatures, with signs that belong to no
// cause, and with the words of programs for causes of other files.
func Parse(files fs.FS, dir string) (Catalogue, error) {
	names, err := fs.Glob(files, path.Join(dir, "*.yaml"))
	if err != nil {
		return Catalogue{}, err
	}
	var out Catalogue
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return Catalogue{}, fmt.Errorf("read the causes in %s: %w", name, err)
		}
		part, err := parseFile(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("read the causes in %s: %w", name, err))
		}
		out.Causes = append(out.Causes, part.Causes...)
		out.Signatures = append(out.Signatures, part.Signatures...)
	}
	return out, errors.Join(errs...)
}

// file is the form of a file of the catalogue.
type file struct {
	Causes []Cause     `yaml:"causes"`
	Signs  []Signature `yaml:"signs"`
	Words  []spoken    `yaml:"words"`
}

// spoken is what programs of one kind say when a cause strikes that is described elsewhere.
type spoken struct {
	Cause      string      `yaml:"cause"`
	Signatures []Signature `yaml:"signatures"`
}

func parseFile(text []byte) (Catalogue, error) {
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true) // a misspelt key would be knowledge silently lost
	if err := decoder.Decode(&f); err != nil {
		return Catalogue{}, err
	}
	out := Catalogue{Causes: f.Causes}
	for _, s := range f.Signs {
		if s.Strength == "" {
			s.Strength = Sign
		}
		out.Signatures = append(out.Signatures, s)
	}
	for _, c := range f.Causes {
		f.Words = append(f.Words, spoken{c.ID, c.Signatures})
	}
	for _, w := range f.Words {
		for _, s := range w.Signatures {
			s.Cause = w.Cause
			out.Signatures = append(out.Signatures, s)
		}
	}
	var errs []error
	for i := range out.Signatures {
		if err := out.Signatures[i].check(); err != nil {
			errs = append(errs, fmt.Errorf("signature %q: %w", out.Signatures[i].Name, err))
		}
	}
	return out, errors.Join(errs...)
}

var strengths = []Strength{Decisive, Strong, Supportive, Weak, Against, Excluding, Sign}

// check says what is wrong with a signature, and fills in its anchors.
func (s *Signature) check() error {
	var errs []error
	if s.Name == "" {
		errs = append(errs, errors.New("it has no name"))
	}
	if !slices.Contains(strengths, s.Strength) {
		errs = append(errs, fmt.Errorf("there is no strength %q", s.Strength))
	}
	if (s.Like == "") == (len(s.Text)+len(s.Match) == 0) {
		errs = append(errs, errors.New("it needs either texts and patterns, or the name of another signature in like"))
	}
	if err := s.anchor(); err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, pattern := range s.Match {
		if _, err := regexp.Compile(pattern); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Validate says what does not fit together in a whole catalogue.
func (c Catalogue) Validate() error {
	var errs []error
	ids, names := map[string]bool{}, map[string]bool{}
	for _, one := range c.Causes {
		if one.ID == "" || one.Family == "" || one.Title == "" || one.Meaning == "" || ids[one.ID] {
			errs = append(errs, fmt.Errorf("cause %q: id, family, title and meaning must be set, and the id be its own", one.ID))
		}
		ids[one.ID] = true
	}
	for _, s := range c.Signatures {
		if names[s.Name] {
			errs = append(errs, fmt.Errorf("signature %q stands twice", s.Name))
		}
		names[s.Name] = true
	}
	for _, s := range c.Signatures {
		for _, name := range slices.Concat(s.When.With, s.When.Without, []string{s.Like}) {
			if name != "" && !names[name] {
				errs = append(errs, fmt.Errorf("signature %q refers to %q, which does not exist", s.Name, name))
			}
		}
		if s.Cause != "" && !ids[s.Cause] {
			errs = append(errs, fmt.Errorf("signature %q is of the cause %q, which does not exist", s.Name, s.Cause))
		}
	}
	return errors.Join(errs...)
}
