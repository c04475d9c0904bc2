package state

import (
	"reflect"
	"testing"
	"time"
)

func TestNextID(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 23, 59, 0, 0, time.UTC)
	for _, tc := range []struct {
		taken []string
		want  string
	}{
		{nil, "2026-11-15-1"},
		{[]string{"2026-11-15-1", "2026-11-15-10", "2026-11-15-2"}, "2026-11-15-11"},
		{[]string{"2026-11-14-7", "2027-01-01-3"}, "2026-11-15-1"}, // the clock was set back
	} {
		if got := nextID(now, tc.taken); got != tc.want {
			t.Errorf("nextID(%v) = %s, want %s", tc.taken, got, tc.want)
		}
	}
}

func TestActsAreHeldToTheirForm(t *testing.T) {
	t.Parallel()
	for _, a := range []Act{
		{Kind: Write, Path: "relative"},
		{Kind: Write, Path: "/a/../b"},
		{Kind: Write, Path: "/"},
		{Kind: Move, Path: "/a/b", To: "/c/b"},
		{Kind: Move, Path: "/a/b", To: "/a/b"},
		{Kind: Run},
		{Kind: Run, Argv: []string{"usermod"}},
		{Kind: Run, Argv: []string{"/bin/true"}, Touches: []string{"x"}},
		{Kind: "burn", Path: "/a"},
	} {
		if a.validate() == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	good, err := seal(Entry{Schema: Schema, ID: "2026-11-15-1", Steps: []Step{{Act: Act{Kind: Write, Path: "/a"}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(magic + "\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parse(data)
		if err != nil {
			return
		}
		again, err := seal(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parse(again)
		if err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%q becomes %+v (%v), and was %+v", again, back, err, e)
		}
	})
}
