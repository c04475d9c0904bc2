package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/state"
)

// Entries lists the journal.
func Entries(w io.Writer, entries []state.Entry, style Style) error {
	t := &textWriter{style: style}
	if len(entries) == 0 {
		t.line("", "rocsmith changed nothing on this machine for this user.")
	}
	for _, e := range entries {
		t.line(fmt.Sprintf("%-14s  %-14s  ", e.ID, Ended(e.Status)), style.plain(strings.Join(e.Titles, "; ")))
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// Ended says to people how far an entry came.
func Ended(s state.Status) string {
	switch s {
	case state.RolledBack:
		return "put back"
	case state.Kept:
		return "undone in part"
	case state.Doing, state.Undoing:
		return "interrupted"
	}
	return string(s)
}

// Undoing writes what undo is about to do, for a person to say yes or no to. Names of
// files are shown as they can be: they may hold what a terminal would obey.
func Undoing(w io.Writer, e state.Entry, steps []string, style Style) error {
	t := &textWriter{style: style}
	t.line(e.ID+"  ", style.plain(strings.Join(e.Titles, "; ")))
	for _, s := range steps {
		t.line("  ", style.plain(s))
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// A Today is what a case file compares the journal with.
type Today struct {
	// Verdict says what a check says of what a cure was for.
	Verdict func(check, subject string) check.Verdict
	// Others are the files of an entry that are not what rocsmith wrote any more.
	Others func(state.Entry) []string
}

// Drift says that files of an entry were replaced since, and what can be done.
func Drift(e state.Entry, others []string) string {
	which := others[0]
	if len(others) > 1 {
		which += fmt.Sprintf(" and %d more", len(others)-1)
	}
	are, them := "are", "them"
	if len(others) == 1 {
		are, them = "is", "it"
	}
	return fmt.Sprintf("%d of %s of %s %s not what rocsmith wrote any more: %s. An update may have replaced %s. The same fix puts %s back; rocsmith undo %s takes back the rest",
		len(others), plural(len(e.Wrote), "file"), e.ID, are, which, them, them, e.ID)
}

// AfterRestart says what the start of the machine brought that an entry waited
// for; nothing where it did not come yet.
func AfterRestart(e state.Entry) []string {
	var out []string
	for i, p := range e.Proofs {
		if p.Restarted == "" {
			continue
		}
		title := p.Check
		if i < len(e.Cures) {
			title = e.Cures[i].Title
		}
		out = append(out, fmt.Sprintf("after the restart, on %s: %s, %s says %s", p.RestartedAt.Format("2006-01-02"), title, p.Check, p.Restarted))
	}
	if len(out) == 0 {
		return nil
	}
	for _, x := range e.Expects {
		switch x.Found {
		case x.Want:
			out = append(out, fmt.Sprintf("%s is %s, as planned", x.Parameter, x.Want))
		case "":
			out = append(out, fmt.Sprintf("%s cannot be read; planned was %s", x.Parameter, x.Want))
		default:
			out = append(out, fmt.Sprintf("%s is %s, and planned was %s: the early boot image may hold an old copy, or something else sets it", x.Parameter, x.Found, x.Want))
		}
	}
	return out
}

// Case writes what was tried, how it ended, and how the machine answers today.
func Case(w io.Writer, entries []state.Entry, now Today, style Style) error {
	t := &textWriter{style: style}
	if len(entries) == 0 {
		t.line("", "Nothing was tried on this machine with rocsmith yet.")
	}
	for _, e := range entries {
		t.line("", style.plain(fmt.Sprintf("%s  %s  rocsmith %s  %s", e.ID, e.Time.Format("15:04 UTC"), e.Version, Ended(e.Status))))
		for i, c := range e.Cures {
			t.tried(e, i, c, now.Verdict(c.Check, c.Subject))
		}
		for _, trial := range e.Trials {
			t.trial(trial)
		}
		for i, s := range e.Steps {
			if s.Status == state.Kept {
				t.line("    ", style.plain(fmt.Sprintf("step %d was not undone: %s", i+1, s.Note)))
			}
		}
		for _, line := range slices.Concat(AfterRestart(e), inForce(e)) {
			t.line("    ", style.plain(line))
		}
		if others := now.Others(e); len(others) > 0 {
			t.line("  ! ", style.plain(Drift(e, others)))
		}
		t.blank()
	}
	for _, line := range contradictions(entries) {
		t.line("! ", style.plain(line))
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// inForce is what somebody has to know of an entry in force to take it back by hand.
func inForce(e state.Entry) []string {
	if !e.Standing() {
		return nil
	}
	out := slices.Clone(e.ByHand)
	for i := range out {
		out[i] = "by hand: " + out[i]
	}
	for _, way := range e.Rescue {
		out = append(out, "if the machine does not start any more: "+way)
	}
	if files := wrote(e); len(files) > 0 {
		out = append(out, "files that rocsmith put there: "+some(files))
	}
	if had := packagesBefore(e); len(had) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(had)) {
			list = append(list, name+" "+cmp.Or(had[name], "(was not there)"))
		}
		out = append(out, "versions before: "+strings.Join(list, ", "))
	}
	if owners := ownersBefore(e); len(owners) > 0 {
		var list []string
		for _, o := range owners {
			list = append(list, fmt.Sprintf("%s (%d:%d, %04o)", o.Path, o.UID, o.GID, o.Mode))
		}
		out = append(out, "owners before: "+some(list))
	}
	return out
}

// some is a list that is not too long for a person; --format json has all.
func some(list []string) string {
	const most = 60 // the kernels of one GPU
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more (--format json names all)", strings.Join(list[:most], ", "), len(list)-most)
}

// wrote are the files of rocsmith's own, those of root's part among them.
func wrote(e state.Entry) []string {
	out := []string{}
	for _, w := range e.Wrote {
		out = append(out, w.Path)
	}
	return out
}

// packagesBefore are the versions that an installer changed; none is "".
func packagesBefore(e state.Entry) map[string]string {
	out := map[string]string{}
	for _, s := range e.Steps {
		if s.Kind != state.Install || s.Has == nil {
			continue
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(s.Had)), slices.Collect(maps.Keys(s.Has))) {
			if _, seen := out[name]; !seen && s.Had[name] != s.Has[name] { // the first installer met what was there
				out[name] = s.Had[name]
			}
		}
	}
	return out
}

func ownersBefore(e state.Entry) []state.Owned {
	out := []state.Owned{}
	for _, s := range e.Steps {
		out = append(out, s.Owners...)
	}
	return out
}

func (t *textWriter) tried(e state.Entry, i int, c state.Cure, now check.Verdict) {
	after, waited := string(check.Skipped), ""
	if i < len(e.Proofs) {
		after = e.Proofs[i].After
		if e.Proofs[i].Waits != "" { // what was asked too early says nothing against the cure
			waited = fmt.Sprintf(" (it waited for %s)", e.Proofs[i].Waits)
		}
	}
	text := fmt.Sprintf("%s for %s [%s]: %s afterwards%s, %s today", c.Title, c.Check, c.Subject, said(after), waited, said(string(now)))
	if c.Check == "" {
		text = fmt.Sprintf("%s for %s, from %s: no check tells", c.Title, c.Cause, c.Subject)
	}
	if e.Standing() && after == string(check.OK) && now.Worse(check.OK) {
		text += notNow(e)
	}
	t.line("  "+t.style.mark(now)+" ", t.style.plain(text))
}

// notNow says why a check that was content may not be so today. After the cure it was asked
// as a new shell or login would see the machine, and today as this one does.
func notNow(e state.Entry) string {
	if len(e.Waits) > 0 {
		return fmt.Sprintf(". It takes effect with %s; where that was, something else changed, or it is another fault", strings.Join(e.Waits, " and "))
	}
	return ". It helped then and does not now: something else changed, or it is another fault"
}

// said is what a check said, to people: rules of lint, among others, are not asked here.
func said(verdict string) string {
	if verdict == string(check.Skipped) {
		return "not asked"
	}
	return verdict
}

// contradictions are cures that ended differently at different times.
func contradictions(entries []state.Entry) []string {
	type outcome struct{ id, after string }
	seen := map[string][]outcome{}
	var order []string
	for _, e := range entries {
		for i, c := range e.Cures {
			if i >= len(e.Proofs) || e.Proofs[i].Waits != "" {
				continue
			}
			key := c.Title + " for " + c.Check
			if seen[key] == nil {
				order = append(order, key)
			}
			seen[key] = append(seen[key], outcome{e.ID, e.Proofs[i].After})
		}
	}
	var out []string
	for _, key := range order {
		first := seen[key][0]
		for _, o := range seen[key][1:] {
			if o.after != first.after {
				out = append(out, fmt.Sprintf("%s: %s in %s, %s in %s", key, first.after, first.id, o.after, o.id))
			}
		}
	}
	return out
}
