package launch

import (
	"testing"
	"time"
)

func TestWanted(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		code int
		last time.Duration // after the start; negative where nobody asked
		want bool
	}{
		"nobody asked":                       {139, -1, false},
		"it saved its work":                  {1, 59*time.Minute + 30*time.Second, true},
		"it lived on, and crashed":           {139, time.Minute, false},
		"it lived on, and failed":            {1, time.Minute, false},
		"it took long to end by that":        {143, time.Minute, true},
		"somebody else sent it that":         {143, -1, false},
		"asked while its output was carried": {139, time.Hour + time.Second, true},
	} {
		var last time.Time
		if tt.last >= 0 {
			last = start.Add(tt.last)
		}
		if got := (End{Code: tt.code, Started: start, Duration: time.Hour}).wanted(last); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
