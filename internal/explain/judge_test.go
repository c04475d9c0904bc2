package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// a signature of a cause that is known by one text.
func says(name, of, text string, s cause.Strength, w cause.When) cause.Signature {
	return cause.Signature{Name: name, Cause: of, Text: []string{text}, Anchors: []string{text}, Strength: s, When: w}
}

func catalogueOf(signatures ...cause.Signature) cause.Catalogue {
	c := cause.Catalogue{Signatures: signatures}
	for _, s := range signatures {
		if _, ok := c.Cause(s.Cause); !ok && s.Cause != "" {
			c.Causes = append(c.Causes, cause.Cause{ID: s.Cause, Family: "f", Title: s.Cause, Meaning: "m"})
		}
	}
	return c
}

// A signature counts where its surroundings are.
func TestWhen(t *testing.T) {
	t.Parallel()
	override := map[string]string{"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}
	for name, tc := range map[string]struct {
		when cause.When
		log  string
		in   Surroundings
		want bool
	}{
		"GPU":               {cause.When{GPU: []string{"gfx115?"}}, "", Surroundings{GPUs: []string{"gfx1151"}}, true},
		"another GPU":       {cause.When{GPU: []string{"gfx115?"}}, "", Surroundings{GPUs: []string{"gfx1100"}}, false},
		"no GPU known":      {cause.When{GPU: []string{"gfx115?"}}, "", Surroundings{}, false},
		"GPU of the log":    {cause.When{GPU: []string{"gfx115?"}}, "runs on gfx1150", Surroundings{}, true},
		"user's GPU counts": {cause.When{GPU: []string{"gfx115?"}}, "runs on gfx1150", Surroundings{GPUs: []string{"gfx1100"}}, false},
		"variable":          {cause.When{Env: []string{"HSA_OVERRIDE_GFX_VERSION"}}, "", Surroundings{Env: override}, true},
		"its value":         {cause.When{Env: []string{"HSA_OVERRIDE_GFX_VERSION=9.0.0"}}, "", Surroundings{Env: override}, false},
		"in the log":        {cause.When{Env: []string{"HIP_VISIBLE_DEVICES=1"}}, "HIP_VISIBLE_DEVICES='1' python", Surroundings{}, true},
		"foreign override":  {cause.When{Override: []string{"cross-family"}}, "", Surroundings{Env: override, GPUs: []string{"gfx1100"}}, true},
		"sibling":           {cause.When{Override: []string{"same-family"}}, "", Surroundings{Env: override, GPUs: []string{"gfx1031"}}, true},
		"no override":       {cause.When{Override: []string{"none"}}, "", Surroundings{GPUs: []string{"gfx1031"}}, true},
		"Windows":           {cause.When{Platform: []cause.Platform{cause.PlatformWindows}}, "on win", Surroundings{}, true},
		"Linux by default":  {cause.When{Platform: []cause.Platform{cause.PlatformLinux}}, "", Surroundings{}, true},
		"not on Windows":    {cause.When{Platform: []cause.Platform{cause.PlatformLinux}}, "on win", Surroundings{}, false},
		"with":              {cause.When{With: []string{"other"}}, "another text", Surroundings{}, true},
		"not with":          {cause.When{With: []string{"other"}}, "", Surroundings{}, false},
		"without":           {cause.When{Without: []string{"other"}}, "another text", Surroundings{}, false},
	} {
		c := catalogueOf(
			says("it", "it", "the failure", cause.Strong, tc.when), says("other", "", "another text", cause.Sign, cause.When{}),
			cause.Signature{Name: "gpu", Match: []string{`runs on (?P<gfx>gfx\w+)`}, Anchors: []string{"runs on "}, Tells: []string{"gpu"}, Strength: cause.Sign},
			cause.Signature{Name: "env", Match: []string{`(?P<name>HIP_VISIBLE_DEVICES)=(?P<value>\S+)`}, Anchors: []string{"HIP_VISIBLE_DEVICES="}, Tells: []string{"env"}, Strength: cause.Sign},
			cause.Signature{Name: "win", Text: []string{"on win"}, Anchors: []string{"on win"}, Tells: []string{"platform=windows"}, Strength: cause.Sign},
		)
		e := explained(t, c, tc.log+"\nthe failure\n", tc.in)
		if got := len(e.Causes) == 1; got != tc.want {
			t.Errorf("%s: %v", name, ids(e))
		}
	}
}

// The gfx in a line means something beside the GPU that is meant.
func TestArch(t *testing.T) {
	t.Parallel()
	s := Surroundings{GPUs: []string{"gfx1100"}}
	for _, tc := range []struct {
		kind, gfx string
		want      bool
	}{
		{"integrated", "gfx1036", true}, {"integrated", "gfx1100", false}, {"integrated", "gfx9999", false},
		{"other", "gfx1036", true}, {"other", "gfx1100", false}, {"other", "", false},
		{"same", "gfx1100", true}, {"same", "gfx1036", false}, {"unheard-of", "gfx1036", false},
	} {
		if got := s.arch(tc.kind, tc.gfx); got != tc.want {
			t.Errorf("%s %s: %t", tc.kind, tc.gfx, got)
		}
	}
}

// Of what is said of one line, the more specific counts; what comes last outweighs what came before; what speaks
// against a cause lowers it, and what excludes it strikes it.
func TestRanking(t *testing.T) {
	t.Parallel()
	c := catalogueOf(
		says("general", "general", "cannot open shared object", cause.Strong, cause.When{}),
		says("special", "special", "libamd_comgr.so.2: cannot open shared object", cause.Strong, cause.When{}),
		says("first", "first", "the first error", cause.Supportive, cause.When{}),
		says("second", "second", "the second error", cause.Supportive, cause.When{}),
		says("doubt", "first", "speaks against", cause.Against, cause.When{}),
		says("never", "first", "cannot be the first", cause.Excluding, cause.When{}),
	)
	for text, want := range map[string][]string{
		"x: libamd_comgr.so.2: cannot open shared object file":            {"special", "general"},
		"libfoo.so: cannot open shared object file":                       {"general"},
		"the first error\nthe second error":                               {"second", "first"},
		"the second error\nthe first error":                               {"first", "second"},
		"the second error\nthe first error\nit speaks against it":         {"second", "first"},
		"the second error\nthe first error\nit cannot be the first error": {"second"},
	} {
		if e := explained(t, c, text, Surroundings{}); !slices.Equal(ids(e), want) {
			t.Errorf("%q: %v", text, ids(e))
		}
	}
	once := explained(t, c, "the first error", Surroundings{}).Causes[0].Score
	if again := explained(t, c, strings.Repeat("the first error\n", 9), Surroundings{}).Causes[0].Score; again != once {
		t.Errorf("repeated lines count %f, once %f", again, once)
	}
}

// A signature can count for several causes, each in its own way.
func TestLike(t *testing.T) {
	t.Parallel()
	c := catalogueOf(
		says("shared", "", "No HIP GPUs", cause.Sign, cause.When{}),
		cause.Signature{Name: "a", Cause: "hidden", Like: "shared", Strength: cause.Strong, When: cause.When{Env: []string{"HIP_VISIBLE_DEVICES"}}},
		cause.Signature{Name: "b", Cause: "closed", Like: "shared", Strength: cause.Supportive},
	)
	if e := explained(t, c, "No HIP GPUs are available", Surroundings{}); !slices.Equal(ids(e), []string{"closed"}) {
		t.Errorf("%v", ids(e))
	}
	if e := explained(t, c, "No HIP GPUs are available", Surroundings{Env: map[string]string{"HIP_VISIBLE_DEVICES": "7"}}); !slices.Equal(ids(e), []string{"hidden", "closed"}) {
		t.Errorf("%v", ids(e))
	}
}

// What was found on the machine confirms a cause, with its own cures, or speaks against it.
func TestMachine(t *testing.T) {
	t.Parallel()
	c := catalogueOf(says("a", "a", "No HIP GPUs", cause.Supportive, cause.When{}), says("b", "b", "No HIP GPUs", cause.Strong, cause.When{}),
		says("w", "w", "No HIP GPUs", cause.Weak, cause.When{}))
	for i := range c.Causes {
		c.Causes[i].Refute = []string{"access/" + c.Causes[i].ID}
	}
	s := Surroundings{Examined: &machine.Machine{OS: "linux"}, Findings: []check.Finding{
		{Check: "access/kfd", Verdict: check.Fail, Cause: "a", Remedies: []remedy.Remedy{{ID: "join"}}},
		{Check: "access/b", Verdict: check.OK}, {Check: "access/w", Verdict: check.OK},
	}}
	e := explained(t, c, "No HIP GPUs are available", s)
	if !slices.Equal(ids(e), []string{"a", "b"}) { // w is struck
		t.Fatalf("%v", ids(e))
	}
	a, b := e.Causes[0], e.Causes[1]
	if a.Confidence != Certain || !slices.Equal(a.ConfirmedBy, []string{"access/kfd"}) || a.Remedies[0].ID != "join" {
		t.Errorf("%+v", a)
	}
	if b.Confidence != Possible || !slices.Equal(b.Contradicts, []string{"access/b"}) {
		t.Errorf("%+v", b)
	}
}

// Reports of other tools name GPUs and variables.
func TestFromJSON(t *testing.T) {
	t.Parallel()
	s, err := FromJSON([]byte(`{"gpus":[{"arch":"gfx1151"},{"gfx":"gfx1036","supported_targets":["gfx900"]}],
		"env":{"HSA_OVERRIDE_GFX_VERSION":"11.0.0","HOME":"/x"},"vars":[{"name":"HIP_VISIBLE_DEVICES","value":"1"}],"os":"Windows 11"}`))
	if err != nil || !slices.Equal(s.GPUs, []string{"gfx1036", "gfx1151"}) || len(s.Env) != 2 || s.Env["HIP_VISIBLE_DEVICES"] != "1" || !s.on(cause.PlatformWindows) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := FromJSON([]byte(`{"gpus":`)); err == nil {
		t.Error("half a document is no document")
	}
	sum := Surroundings{GPUs: []string{"gfx1100"}, Env: map[string]string{"HIP_VISIBLE_DEVICES": "0"}}.Plus(s)
	if !slices.Equal(sum.GPUs, []string{"gfx1100"}) || sum.Env["HIP_VISIBLE_DEVICES"] != "0" || sum.Env["HSA_OVERRIDE_GFX_VERSION"] != "11.0.0" {
		t.Errorf("%+v", sum)
	}
}
