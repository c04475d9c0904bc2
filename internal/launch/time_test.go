package launch

import "time"

// stopped is a clock that does not run.
func stopped() time.Time { return time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC) }
