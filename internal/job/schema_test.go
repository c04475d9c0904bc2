package job_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rocsmith/rocsmith/internal/report"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../docs/doctor.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

func TestJSONFollowsTheSchema(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, a := range zoo(t) {
		var b bytes.Buffer
		if err := report.JSON(&b, diagnose(t, a.reader)); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, b.String()); err != nil {
			t.Errorf("%s: %v", a.name, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	s := schema(t)
	const machine = `"machine":{"os":null,"kernel":null,"distro":null,"container":null,"rocm":[],"gpus":[]}`
	for name, text := range map[string]string{
		"another number":          `{"schema":2,"rocsmith":"x","verdict":"ok",` + machine + `,"findings":[]}`,
		"no findings":             `{"schema":1,"rocsmith":"x","verdict":"ok",` + machine + `}`,
		"a fail without evidence": `{"schema":1,"rocsmith":"x","verdict":"fail",` + machine + `,"findings":[{"check":"a/b","subject":"","verdict":"fail","cause":"x","message":"m","evidence":[],"remedies":[]}]}`,
		"a verdict of its own":    `{"schema":1,"rocsmith":"x","verdict":"fine",` + machine + `,"findings":[]}`,
	} {
		if validate(t, s, text) == nil {
			t.Errorf("%s passed", name)
		}
	}
}
