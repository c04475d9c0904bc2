package probe

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A meaning says what a verdict of a task counts, what causes it and what helps.
type meaning struct {
	Verdict  operation.Verdict `yaml:"verdict"`
	Library  string            `yaml:"library"`  // of the task; "" is any
	Override bool              `yaml:"override"` // only where foreign code runs
	Weight   check.Verdict     `yaml:"weight"`
	Cause    string            `yaml:"cause"`
	Cure     string            `yaml:"cure"`
	Values   map[string]string `yaml:"values"`
}

//go:embed data/causes.yaml
var causeData []byte

var meanings = sync.OnceValues(func() ([]meaning, error) { return parseMeanings(causeData) })

func parseMeanings(data []byte) ([]meaning, error) {
	var all []meaning
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the meanings of verdicts: %w", err)
	}
	var errs []error
	for i := range all {
		if _, known := cause.Lookup(all[i].Cause); !known && all[i].Cause != "" || all[i].Verdict == "" || all[i].Cause+all[i].Cure == "" {
			errs = append(errs, fmt.Errorf("the meaning of %q: a verdict, and a known cause or a cure must be set", all[i].Verdict))
		}
		switch all[i].Weight {
		case "":
			all[i].Weight = check.Fail
		case "none":
			all[i].Weight = check.Skipped
		case check.Warn:
		default:
			errs = append(errs, fmt.Errorf("the meaning of %q: there is no weight %q", all[i].Verdict, all[i].Weight))
		}
	}
	return all, errors.Join(errs...)
}

// meaningOf finds the row for an outcome. What a library said itself outweighs
// a row, unless foreign code runs: then everything it says is a symptom.
func (j Judging) meaningOf(o Outcome) meaning {
	all, err := meanings()
	if err != nil {
		panic(err) // part of the program; a test reads it
	}
	foreign := j.foreign()
	i := slices.IndexFunc(all, func(m meaning) bool {
		return m.Verdict == o.Answer.Verdict && (m.Library == "" || m.Library == o.Task.Library) && (!m.Override || foreign)
	})
	m := meaning{Weight: check.Fail}
	if i >= 0 {
		m = all[i]
	}
	if said := j.Explain(o.Answer.Why + "\n" + o.Words); said != "" && !m.Override && m.Weight == check.Fail {
		if said != m.Cause {
			m.Cure, m.Values = "", nil
		}
		m.Cause = said
	}
	return m
}

// foreign reports that a variable makes the GPU run code of another instruction
// set, as the doctor found.
func (j Judging) foreign() bool {
	return slices.ContainsFunc(j.Found, func(f check.Finding) bool {
		return f.Check == "gpu/override" && f.Cause == "hsa-override-wrong" && f.Verdict.Worse(check.OK)
	})
}

// remedies are those that the doctor has for the cause on this machine, or the
// cure that the row names.
func (j Judging) remedies(m meaning) []remedy.Remedy {
	for _, f := range check.ByWeight(j.Found) {
		if f.Cause == m.Cause && m.Cause != "" && len(f.Remedies) > 0 {
			return f.Remedies
		}
	}
	if m.Cure == "" {
		return nil
	}
	values := cure.Values{"name": machine.OverrideVariable}
	maps.Copy(values, m.Values)
	return []remedy.Remedy{cure.For(j.Machine, m.Cure, values)}
}
