package shelltext

import (
	"fmt"
	"strings"
	"testing"
)

// written puts the commands of a text on lines, each with its list, its
// assignments and what follows it.
func written(commands []Command) string {
	var out strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&out, "%d:%d", c.List, c.Line)
		for _, a := range c.Assignments {
			fmt.Fprintf(&out, " %s:=%s", a.Name, a.Value.Text)
		}
		for _, w := range c.Words {
			fmt.Fprintf(&out, " [%s]", w.Text)
		}
		fmt.Fprintf(&out, " %q\n", c.Then)
	}
	return out.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"operators", "apt update && apt install -y x || exit 1; echo a | tee b", "1:1 [apt] [update] \"&&\"\n1:1 [apt] [install] [-y] [x] \"||\"\n1:1 [exit] [1] \";\"\n1:1 [echo] [a] \"|\"\n1:1 [tee] [b] \"\"\n"},
		{"quotes", `pip install "numpy<2.4" 'a b' c\ d e"f"`, "1:1 [pip] [install] [numpy<2.4] [a b] [c d] [ef] \"\"\n"},
		{"redirections", "a >b 2>&1 &>/dev/null <in | cat", "1:1 [a] \"|\"\n1:1 [cat] \"\"\n"},
		{"comment", "# pip install x\necho a # b\necho a#b", "1:2 [echo] [a] \"\\n\"\n1:3 [echo] [a#b] \"\"\n"},
		{"continued", "pip install \\\n  torch\npip list", "1:1 [pip] [install] [torch] \"\\n\"\n1:3 [pip] [list] \"\"\n"},
		{"assignments", "A=1 B='x y' make C=3\nexport D=4", "1:1 A:=1 B:=x y [make] [C=3] \"\\n\"\n1:2 [export] [D=4] \"\"\n"},
		{"substitution", "G=$(getent group x | cut -d: -f3 || echo 110)", "2:1 [getent] [group] [x] \"|\"\n2:1 [cut] [-d:] [-f3] \"||\"\n2:1 [echo] [110] \"\"\n1:1 G:=$(getent group x | cut -d: -f3 || echo 110) \"\"\n"},
		{"backticks", "G=`id -g`", "2:1 [id] [-g] \"\"\n1:1 G:=`id -g` \"\"\n"},
		{"heredoc", "cat >f <<'E'\nrm -rf models\nE\necho b", "1:1 [cat] \"\\n\"\n1:4 [echo] [b] \"\"\n"},
		{"keywords", "if [ -d x ]; then\n\trm -rf x\nfi", "1:1 [[] [-d] [x] []] \";\"\n1:2 [rm] [-rf] [x] \"\\n\"\n1:3 [fi] \"\"\n"},
		{"windows line ends", "A=1\r\necho b\r\n", "1:1 A:=1 \"\\n\"\n1:2 [echo] [b] \"\\n\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := written(Parse(tt.text, nil)); got != tt.want {
				t.Errorf("Parse(%q):\n%swant:\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a >b 2>&1 &>c <in >>'d e' 2>-": "b c d e",
		"cat <<X >f\nX\n":               "f",
		"a <(b >c) >d":                  "d",
		"a >&2 2>/dev/null":             "/dev/null",
	} {
		var got []string
		for _, c := range Parse(text, nil) {
			if c.List != 1 {
				continue
			}
			for _, w := range c.Writes {
				got = append(got, w.Text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q writes %q, want %q", text, got, want)
		}
	}
}

func TestConditional(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"if a | b; then c; d; elif e; then f; else g; fi; h": "c d f g",
		"if a; then if b; then c; fi; d; fi\ne":              "b c d",
		"case $x in\n  why)\n a ;;\nesac\nb":                 "a",
		"case $x in why) a ;; *) b -c ;; esac; d":            "a b",
		"[ \"$a\" = y ] && b && c; d":                        "b c",
		"test -n \"$(a)\" && b\nc":                           "b",
		"lspci | grep -q x && a && b | c":                    "a b c",
		"a && b && c":                                        "",
		"a || b\nc":                                          "b",
		"x=$(if a; then b) && c":                             "b",
		"fi; esac; a":                                        "",
	} {
		var got []string
		for _, c := range Parse(text, nil) {
			if name := c.Name(); c.Conditional && len(name) == 1 {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %q %q are conditional, want %s", text, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	text := "export A=1 \\\n  B=\"two\"\n"
	c := Parse(text, nil)[0]
	b := c.Exports()[1]
	if got := text[b.Value.Start:b.Value.End]; got != `"two"` || b.Value.Line != 2 {
		t.Errorf("the value of B stands at %q, line %d", got, b.Value.Line)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a && b || c; d | e & f", `x "y $(z 'q') w" \`, "cat <<E\nx\nE\n", "A=`b", "((((", "case x in a) b;; esac", "f() { a; }", "&>", "2>&1", "$((1+2))${A:-b}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Parse(text, nil) {
			for _, w := range c.Words {
				if w.Start < 0 || w.End > len(text) || w.Start > w.End || text[w.Start:w.End] != w.Raw {
					t.Fatalf("the word %q says it stands at %d to %d of %q", w.Raw, w.Start, w.End, text)
				}
				if w.Line != 1+strings.Count(text[:w.Start], "\n") {
					t.Fatalf("the word %q says it stands on line %d of %q", w.Raw, w.Line, text)
				}
			}
		}
	})
}
