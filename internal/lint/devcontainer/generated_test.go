package devcontainer_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/lint/devcontainer"
)

// files is how many are made; scripts/soak makes more.
var files = flag.Int("files", 1000, "files to make and mend")

// TestGeneratedFiles mends made files and reads them before and after with a reader
// of its own: nothing but the arguments may differ, and every comment stays.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	machines := []string{"", "open", "remapped", "podman", "rootless-podman", "unread"}
	mends := 0
	for seed := range *files {
		text := generate(uint64(seed))
		setting, _ := lint.OnExample(machines[seed%len(machines)])
		p := lint.Example{Files: map[string]string{"devcontainer.json": text}}.Project(false)
		if len(p.Problems) > 0 {
			t.Fatalf("seed %d cannot be read: %s\n%s", seed, p.Problems[0].What, text)
		}
		for _, f := range lint.Run(p, setting, devcontainer.Rules).Found {
			if f.Mend == nil {
				continue
			}
			if after := string(f.File.Preview(*f.Mend)); differs(text, after) != "" {
				t.Fatalf("seed %d: the mend of %s alone: %s\nbefore\n%s\nafter\n%s", seed, f.Rule.ID, differs(text, after), text, after)
			}
		}
		m := lint.MendAll(p, setting, devcontainer.Rules)
		after := text
		for _, c := range m.Changes {
			after = string(c.After)
			mends++
		}
		if why := differs(text, after); why != "" || len(m.Refused) > 0 {
			t.Fatalf("seed %d: %s, refused %v\nbefore\n%s\nafter\n%s", seed, why, m.Refused, text, after)
		}
		again := lint.Example{Files: map[string]string{"devcontainer.json": after}}.Project(false)
		if m := lint.MendAll(again, setting, devcontainer.Rules); len(m.Changes) > 0 {
			t.Fatalf("seed %d: a second run changes it\n%s\nto\n%s", seed, after, m.Changes[0].After)
		}
	}
	if mends < *files/3 {
		t.Errorf("only %d of %d files had anything to mend", mends, *files)
	}
}

// differs says what is not as it should be.
func differs(before, after string) string {
	was, a, err := apart(before)
	if err != nil {
		return "before: " + err.Error()
	}
	now, b, err := apart(after)
	if err != nil {
		return "after: " + err.Error()
	}
	x, y := kept(a["runArgs"]), kept(b["runArgs"])
	delete(a, "runArgs")
	delete(b, "runArgs")
	switch {
	case !slices.Equal(was, now):
		return fmt.Sprintf("comments were %q and are %q", was, now)
	case !reflect.DeepEqual(a, b):
		return fmt.Sprintf("it was %v and is %v", a, b)
	case !slices.Equal(x, y):
		return fmt.Sprintf("other arguments were %q and are %q", x, y)
	case strings.Contains(before, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n"):
		return "a line ends otherwise than the others"
	}
	return ""
}

// kept are the arguments that no mend is about.
func kept(list any) []string {
	var out []string
	args, _ := list.([]any)
	for i := 0; i < len(args); i++ {
		flag, _, joined := strings.Cut(fmt.Sprint(args[i]), "=")
		if flag != "--device" && flag != "--group-add" && flag != "--gpus" {
			out = append(out, fmt.Sprint(args[i]))
		} else if !joined {
			i++
		}
	}
	return out
}

// apart divides JSON from its comments.
func apart(text string) (comments []string, value map[string]any, err error) {
	var plain strings.Builder
	for len(text) > 0 {
		n := 1
		switch {
		case text[0] == '"':
			for ; text[n] != '"'; n++ {
				if text[n] == '\\' {
					n++
				}
			}
			n++
			plain.WriteString(text[:n])
		case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"):
			n = comment(text)
			comments = append(comments, strings.TrimRight(text[:n], "\r"))
		case text[0] == ',' && closes(text[1:]):
		default:
			plain.WriteByte(text[0])
		}
		text = text[n:]
	}
	err = json.Unmarshal([]byte(plain.String()), &value)
	return comments, value, err
}

// comment is how long one is that a text begins with.
func comment(text string) int {
	if strings.HasPrefix(text, "/*") {
		return strings.Index(text, "*/") + 2
	}
	return strings.IndexByte(text+"\n", '\n')
}

// closes tells that a bracket follows, behind blanks and comments.
func closes(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return closes(text[comment(text):])
	}
	return strings.HasPrefix(text, "]") || strings.HasPrefix(text, "}")
}
