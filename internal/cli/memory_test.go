package cli

import "testing"

func FuzzParseGiB(f *testing.F) {
	for _, s := range []string{"100G", "100 GiB", "0", "-1", "G", "9223372036854775807gb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if gib, err := parseGiB(s); err == nil && (gib < 1 || gib > 1<<20) {
			t.Errorf("parseGiB(%q) = %d", s, gib)
		}
	})
}
