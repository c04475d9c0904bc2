package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/launch"
)

// A Run is what became of a command.
type Run struct {
	Argv        []string
	Environment Environment      // what was found and decided before the start
	Settings    []launch.Setting // that it was given
	End         launch.End
	KernelLog   []string // lines since its start
	Case        launch.Case
	Log         explain.Log
	Explanation explain.Explanation
	Processor   string // that it ran on the processor, and how that is known
}

// SettingLines tell a person what was changed for a command: one line, or one for
// each with the reason.
func SettingLines(settings []launch.Setting, verbose bool) []string {
	short := make([]string, len(settings))
	for i, s := range settings {
		switch {
		case s.Unset:
			short[i] = "without " + s.Name
		case s.Prepend:
			short[i] = "with " + s.Value + " first in " + s.Name
		default:
			short[i] = "with " + s.Name + "=" + s.Value
		}
		short[i] = harmless(short[i])
	}
	if !verbose {
		return []string{"it runs " + strings.Join(short, ", ") + " (rocsmith env says why)"}
	}
	for i, s := range settings {
		short[i] = "it runs " + short[i] + harmless(": "+s.Why)
	}
	return short
}

// RunText writes, after the output of a command, why it ended. Of one that ended
// well, or because somebody wanted it to, there is nothing to say.
func RunText(w io.Writer, r Run, s Style) error {
	t := &textWriter{style: s}
	b := &t.out
	failed := r.End.Code != 0 && !r.End.Interrupted
	if failed {
		t.blank()
		t.line("", "rocsmith: "+s.plain(ended(r)))
	}
	switch {
	case r.Explanation.Verdict == explain.Failure:
		b.WriteString("\n")
		if err := ExplainText(b, r.Log, r.Explanation, s); err != nil {
			return err
		}
		b.WriteString("\n")
	case failed:
		t.line("", "No line that was kept of its output is known to be the mark of a failure of the GPU, or of its software.")
	}
	if r.Processor != "" {
		t.line("", "rocsmith: "+s.plain(r.Processor))
	}
	if failed {
		for _, u := range r.End.Unseen {
			t.line("", "Not looked at: "+s.plain(u)+".")
		}
	}
	if r.Case.Dir != "" {
		fmt.Fprintf(b, "The case is kept in %s\n", s.plain(r.Case.Dir))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// ended says how a command ended.
func ended(r Run) string {
	name, after := r.Argv[0], r.End.Duration.Round(time.Millisecond)
	if r.End.Duration > time.Minute {
		after = r.End.Duration.Round(time.Second)
	}
	switch {
	case r.End.Signal != "" && r.End.Core:
		return fmt.Sprintf("%s was ended by %s after %s, and left a core dump", name, r.End.Signal, after)
	case r.End.Signal != "":
		return fmt.Sprintf("%s was ended by %s after %s", name, r.End.Signal, after)
	}
	return fmt.Sprintf("%s ended with exit code %d after %s", name, r.End.Code, after)
}

type jsonRun struct {
	Schema   int           `json:"schema"`
	Argv     []string      `json:"argv"`
	Code     int           `json:"code"`
	Signal   string        `json:"signal,omitempty"`
	Started  time.Time     `json:"started"`
	Seconds  float64       `json:"seconds"`
	Kept     int           `json:"kept_bytes"`
	Lost     int64         `json:"lost_bytes"`
	Unseen   []string      `json:"unseen,omitempty"`
	Settings []jsonSetting `json:"settings"`
}

// RunStory writes what was run and how it ended, for the case.
func RunStory(w io.Writer, r Run) error {
	out := jsonRun{
		Schema: 1, Argv: withoutSecrets(r.Argv), Code: r.End.Code, Signal: r.End.Signal, Started: r.End.Started.UTC(), Seconds: r.End.Duration.Seconds(),
		Kept: len(r.End.Tail), Lost: r.End.Lost, Unseen: r.End.Unseen, Settings: []jsonSetting{},
	}
	for _, s := range r.Settings {
		out.Settings = append(out.Settings, jsonSetting{s.Name, s.Value, s.Prepend, s.Folder, s.Why, s.Check})
	}
	return asJSON(w, out)
}
