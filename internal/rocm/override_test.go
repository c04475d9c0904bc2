package rocm

import (
	"errors"
	"strings"
	"testing"
)

func TestParseOverride(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"10.3.0": "gfx1030", "9.0.10": "gfx90a", "9.0.12": "gfx90c", "11.5.1": "gfx1151", "8.0.3": "gfx803", " 10.3.0": "gfx1030",
	} {
		if got, err := ParseOverride(value); err != nil || got != want {
			t.Errorf("ParseOverride(%q) = %q, %v; want %q", value, got, err, want)
		}
	}
	for value, says := range map[string]string{
		"11": "10.3.0", "10.3": "10.3.0", "gfx1030": "for gfx1030 it is 10.3.0", "gfx90a": "9.0.10", "64.0.0": "limit of 63", "10.256.0": "limit of 255",
		"10.3.0 ": "decimal", "10.3.0\n": "decimal", "10.3.x": "decimal", "-1.0.0": "decimal", "10.3.0.0": "major.minor.stepping", "10.16.0": "at most 15",
		"0.0.0": "names no GPU", "99999999999999999999.0.0": "decimal", "9.0.a": "decimal",
	} {
		if got, err := ParseOverride(value); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ParseOverride(%q) = %q, %v; want an error with %q", value, got, err, says)
		}
	}
	if _, err := ParseOverride(""); !errors.Is(err, ErrEmptyOverride) {
		t.Errorf("ParseOverride(\"\") = %v, want ErrEmptyOverride", err)
	}
}

// TestOverrideValue holds the targets that a widespread shell snippet gets wrong by taking every digit as decimal.
func TestOverrideValue(t *testing.T) {
	t.Parallel()
	for gfx, want := range map[string]string{
		"gfx1151": "11.5.1", "gfx906": "9.0.6", "gfx90a": "9.0.10", "gfx90c": "9.0.12", "gfx942": "9.4.2", "gfx803": "8.0.3", "gfx11-generic": "", "": "",
	} {
		got, ok := OverrideValue(gfx)
		if got != want || ok != (want != "") {
			t.Errorf("OverrideValue(%q) = %q, %v; want %q", gfx, got, ok, want)
		}
	}
}

func TestJudgeOverride(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gpu, value string
		want       OverrideVerdict
		caution    string
	}{
		{"gfx1010", "10.3.0", OverrideCrossFamily, ""},
		{"gfx1031", "10.3.0", OverrideSameFamily, "MIOpen"},
		{"gfx1030", "10.3.0", OverridePointless, ""},
		{"gfx803", "8.0.3", OverridePointless, ""},
		{"gfx1103", "11.0.0", OverrideRisky, "under an override"},
		{"gfx1103", "11.0.2", OverrideSameFamily, "under an override"}, // community says it fits: still no promise
		{"gfx1151", "11.0.0", OverrideUnsupported, ""},
		{"gfx906", "9.0.0", OverrideCrossFamily, ""},
		{"gfx90a", "9.0.8", OverrideCrossFamily, ""},
		{"gfx1034", "10.3.2", OverrideSameFamily, "under an override"},    // by rule
		{"gfx1100", "11.0.2", OverrideRisky, "under an override"},         // by rule
		{"gfx1100", "11.5.1", OverrideUnsupported, ""},                    // by rule
		{"gfx1151", "10.3.0", OverrideCrossFamily, "rejects an override"}, // by rule, another major
		{"gfx1201", "11.0.0", OverrideCrossFamily, "rejects an override"}, // by rule, another major
		{"gfx9999", "10.3.0", OverrideUnknown, ""},
		{"gfx1030", "10.3.9", OverrideUnknown, ""},
	} {
		got, err := JudgeOverride(c.gpu, c.value)
		if err != nil || got.Verdict != c.want || !strings.Contains(got.Caution, c.caution) {
			t.Errorf("%s on %s: %s, caution %q, %v; want %s with %q", c.value, c.gpu, got.Verdict, got.Caution, err, c.want, c.caution)
		}
		if got.Why == "" || got.Source == "" || got.Real != c.gpu || got.Value != c.value {
			t.Errorf("%s on %s: incomplete %#v", c.value, c.gpu, got)
		}
	}
}

// TestNoOverridePassesWithoutCaution judges every pair of known targets.
func TestNoOverridePassesWithoutCaution(t *testing.T) {
	t.Parallel()
	for _, gpu := range Targets() {
		for _, other := range Targets() {
			value, _ := OverrideValue(other.Gfx)
			o, err := JudgeOverride(gpu.Gfx, value)
			switch {
			case err != nil:
				t.Errorf("%s on %s: %v", value, gpu.Gfx, err)
			case (o.Verdict == OverrideSameFamily || o.Verdict == OverrideRisky) && o.Caution == "":
				t.Errorf("%s on %s is %s without a caution", value, gpu.Gfx, o.Verdict)
			case (o.Verdict == OverridePointless) != (gpu.Gfx == other.Gfx):
				t.Errorf("%s on %s is %s", value, gpu.Gfx, o.Verdict)
			}
		}
	}
}

func TestJudgeOverrideRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "11", "gfx1030", "64.0.0", "10.3"} {
		if o, err := JudgeOverride("gfx1030", value); err == nil {
			t.Errorf("JudgeOverride(%q) = %#v, want an error", value, o)
		}
	}
}

func TestEffective(t *testing.T) {
	t.Parallel()
	if got, err := Effective("gfx1031", ""); got != "gfx1031" || err != nil {
		t.Errorf("without an override: %q, %v", got, err)
	}
	if got, err := Effective("gfx1031", "10.3.0"); got != "gfx1030" || err != nil {
		t.Errorf("with 10.3.0: %q, %v", got, err)
	}
	if got, err := Effective("gfx1031", "gfx1030"); err == nil {
		t.Errorf("with gfx1030: %q, want an error", got)
	}
}

func FuzzParseOverride(f *testing.F) {
	for _, seed := range []string{"", "10.3.0", "9.0.10", "gfx1030", "64.0.0", " 1.2.3", "1..2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		gfx, err := ParseOverride(value)
		if err != nil {
			return
		}
		right, ok := OverrideValue(gfx)
		if again, err := ParseOverride(right); !ok || err != nil || again != gfx {
			t.Errorf("%q is %s, written %q, which is %q, %v", value, gfx, right, again, err)
		}
	})
}
