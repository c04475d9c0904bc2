package launch

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A rule names a cure that one process can be given by its environment.
type rule struct {
	Check   string        `yaml:"check"` // a glob
	Cure    string        `yaml:"cure"`
	From    check.Verdict `yaml:"from"` // the mildest verdict
	Keep    bool          `yaml:"keep"`
	Chosen  string        `yaml:"chosen"`
	Prepend bool          `yaml:"prepend"`
	Folder  string        `yaml:"folder"`
	Why     string        `yaml:"why"` // for whoever reads the table
}

//go:embed data/cures.yaml
var ruleTable []byte

var rules = table[rule](&ruleTable)

// A Lookup is the environment that a decision is about.
type Lookup func(name string) (value string, set bool)

// Settings are the variables that a process needs because of what was found on a
// machine. The findings come in the order of decisiveness: where two ask for one
// variable, the first has it.
func Settings(findings []check.Finding, get Lookup) []Setting {
	var out []Setting
	for _, worst := range []check.Verdict{check.Fail, check.Warn} {
		for _, f := range findings {
			if f.Verdict != worst {
				continue
			}
			for _, s := range settingsFor(f, get) {
				i := slices.IndexFunc(out, func(o Setting) bool { return o.Name == s.Name })
				switch {
				case i < 0:
					out = append(out, s)
				case out[i].Check == s.Check && out[i].Folder != "":
					out[i] = s // folders for several versions, of which the newest comes last
				}
			}
		}
	}
	return out
}

// Merge adds what was found to be needed when some settings were in force already. A
// variable that was to go, and then is needed with a value, is given that value.
func Merge(settings, later []Setting) []Setting {
	out := slices.Clone(settings)
	for _, s := range later {
		i := slices.IndexFunc(out, func(o Setting) bool { return o.Name == s.Name })
		switch {
		case i < 0:
			out = append(out, s)
		case out[i].Unset && !s.Unset:
			out[i] = s
		}
	}
	return out
}

// settingsFor takes the first cure of a finding that the environment can give.
func settingsFor(f check.Finding, get Lookup) []Setting {
	for _, r := range f.Remedies {
		i := slices.IndexFunc(rules(), func(o rule) bool { return o.fits(f, r) })
		if i < 0 {
			continue
		}
		var out []Setting
		folders := ""
		for _, step := range r.Steps {
			if step.Kind == remedy.Command && rules()[i].Folder != "" && strings.HasPrefix(step.Command, "mkdir ") {
				folders = step.Command
			}
			s, ok := rules()[i].setting(f, step, get)
			if ok && !slices.ContainsFunc(out, func(o Setting) bool { return o.Name == s.Name }) {
				s.Make, folders = folders, ""
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func (o rule) fits(f check.Finding, r remedy.Remedy) bool {
	match, err := path.Match(o.Check, f.Check)
	return err == nil && match && o.Cure == r.ID && !o.From.Worse(f.Verdict)
}

// setting is the part of a step that the environment is about. A variable that is
// not set needs no unsetting.
func (o rule) setting(f check.Finding, step remedy.Step, get Lookup) (Setting, bool) {
	if step.Kind != remedy.SetEnv {
		return Setting{}, false
	}
	value := expanded(step.Value, get)
	now, set := get(step.Name)
	s := Setting{Name: step.Name, Value: value, Unset: value == "", Prepend: o.Prepend, Why: f.Headline(), Check: f.Check, Subject: f.Subject}
	switch {
	case s.Unset && !set, !s.Unset && set && now == value, set && o.Keep, set && o.Chosen != "" && strings.TrimSpace(now) == o.Chosen, strings.HasPrefix(value, "$"):
		return s, false
	case o.Folder == "value":
		s.Folder = value
	case o.Folder == "parent":
		s.Folder = value[:max(0, strings.LastIndexAny(value, `/\`))]
	}
	return s, true
}

// expanded puts the home directory in where a cure names it as a shell would.
func expanded(value string, get Lookup) string {
	rest, ok := strings.CutPrefix(value, "$HOME/")
	home, set := get("HOME")
	if !ok || !set || home == "" {
		return value
	}
	return path.Join(home, rest)
}
