package operation

import (
	"slices"
	"strings"
	"testing"
)

func TestOperationsAreSound(t *testing.T) {
	t.Parallel()
	all, err := known()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Errorf("only %d operations", len(all))
	}
}

func TestNeedsSpread(t *testing.T) {
	t.Parallel()
	conv, ok := Lookup("conv1d")
	if !ok {
		t.Fatal("there is no conv1d")
	}
	needs := conv.AllNeeds()
	for _, want := range []string{"access", "miopen/cache-writable", "coverage/torch", "gpu/override"} {
		if !slices.Contains(needs, want) {
			t.Errorf("conv1d does not need %s: %v", want, needs)
		}
	}
	if slices.Contains(needs, "coverage/rocblas") {
		t.Errorf("conv1d needs rocBLAS: %v", needs)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"- {id: a, title: b}",
		"- {id: a, title: b, library: c}\n- {id: a, title: b, library: c}",
		"- {id: a, title: b, library: c, builds_on: d}\n- {id: d, title: b, library: c}",
		"- {id: a, title: b, library: c, colour: d}",
		"- [",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestParseServices(t *testing.T) {
	t.Parallel()
	got, err := ParseServices([]byte("# mine\nchat: [gemm, attention]\nlayout: conv2d, batchnorm\n"))
	want := []Service{{"chat", []string{"gemm", "attention"}}, {"layout", []string{"conv2d", "batchnorm"}}}
	if err != nil || !slices.EqualFunc(got, want, func(a, b Service) bool { return a.Name == b.Name && slices.Equal(a.Needs, b.Needs) }) {
		t.Errorf("got %v, %v", got, err)
	}
	for text, says := range map[string]string{
		"":                           "empty",
		"- gemm":                     "no rows",
		"{}":                         "no rows",
		"chat: [gem]":                `there is no operation "gem"`,
		"chat: []":                   "names no operations",
		"chat: {gemm: 1}":            "not a list",
		"a: gemm\nb: gemm\na: copy":  "line 3",
		"a: [\n":                     "read the table",
		strings.Repeat("x", 1000000): "larger than",
	} {
		if _, err := ParseServices([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: %v, want %q", text, err, says)
		}
	}
}

func FuzzParseServices(f *testing.F) {
	f.Add([]byte("chat: [gemm]\n"))
	f.Add([]byte("a: &x [gemm]\nb: *x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		services, err := ParseServices(data)
		if err != nil {
			return
		}
		for _, s := range services {
			if s.Name == "" || Known(s.Needs) != nil || len(s.Needs) == 0 {
				t.Errorf("%q was accepted as %+v", data, s)
			}
		}
	})
}
