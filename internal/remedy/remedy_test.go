package remedy_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	good := remedy.Step{Kind: remedy.Command, Text: "restart", Command: "systemctl reboot"}
	tests := []struct {
		name string
		give remedy.Remedy
		want string // part of the error; "" for none
	}{
		{"good", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{good}}, ""},
		{"no steps", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe}, "no steps"},
		{"risk", remedy.Remedy{ID: "a", Title: "Do", Risk: "wild", Steps: []remedy.Step{good}}, `unknown risk "wild"`},
		{"kind", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: "pray", Text: "x"}}}, `unknown kind "pray"`},
		{"destroys", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Command, Text: "x", Command: "rm -rf ~/.cache"}}}, `contains "rm -rf"`},
		{"unloads", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Manual, Text: "rmmod amdgpu"}}}, `contains "rmmod"`},
		{"group", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.JoinGroup, Text: "x", User: "ada"}}}, "needs a user and a group"},
		{"variable", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.SetEnv, Text: "x"}}}, "needs a variable"},
		{"content", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.WriteFile, Text: "x", Path: "/etc/x"}}}, "needs a path and content"},
		{"path", remedy.Remedy{ID: "a", Title: "Do", Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.MoveAside, Text: "x"}}}, "needs a path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.give.Validate()
			if (err == nil) != (tt.want == "") {
				t.Fatalf("Validate() = %v, want %q", err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Validate() = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestWhatARemedyWaitsFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"log out and in again":               {true, false},
		"log out and in again, or restart":   {true, false},
		"restart the machine":                {false, true},
		"rebuild the boot image and restart": {false, true},
		"start the program again":            {false, false},
	} {
		r := remedy.Remedy{Steps: []remedy.Step{{Kind: remedy.Manual, Text: text}}}
		if got := [2]bool{r.NeedsLogin(), r.NeedsRestart()}; got != want {
			t.Errorf("%q: login and restart %v, want %v", text, got, want)
		}
		r.Steps[0].Kind = remedy.Command
		if r.NeedsLogin() || r.NeedsRestart() {
			t.Errorf("%q: a command is nothing to wait for", text)
		}
	}
}
