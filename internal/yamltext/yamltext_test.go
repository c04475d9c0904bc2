package yamltext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

func parse(t *testing.T, text string) *yamltext.File {
	t.Helper()
	f, err := yamltext.Parse([]byte(text))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, text)
	}
	return f
}

// at follows keys and #numbers from the root.
func at(t *testing.T, n *yamltext.Node, path ...string) *yamltext.Node {
	t.Helper()
	for _, step := range path {
		if strings.HasPrefix(step, "#") {
			n = n.Items()[int(step[1]-'0')]
			continue
		}
		n = n.Get(step)
		if n == nil {
			t.Fatalf("no %s in %v", step, path)
		}
	}
	return n
}

func TestEditsChangeNothingElse(t *testing.T) {
	t.Parallel()
	replace := func(v string, path ...string) func(*testing.T, *yamltext.Node) (yamltext.Edit, error) {
		return func(t *testing.T, n *yamltext.Node) (yamltext.Edit, error) { return at(t, n, path...).Replace(v) }
	}
	add := func(v string, path ...string) func(*testing.T, *yamltext.Node) (yamltext.Edit, error) {
		return func(t *testing.T, n *yamltext.Node) (yamltext.Edit, error) {
			return at(t, n, path...).Append(yamltext.Text(v))
		}
	}
	remove := func(path ...string) func(*testing.T, *yamltext.Node) (yamltext.Edit, error) {
		return func(t *testing.T, n *yamltext.Node) (yamltext.Edit, error) { return at(t, n, path...).Remove() }
	}
	key := func(k string, c yamltext.Content, after string, path ...string) func(*testing.T, *yamltext.Node) (yamltext.Edit, error) {
		return func(t *testing.T, n *yamltext.Node) (yamltext.Edit, error) { return at(t, n, path...).Add(k, c, after) }
	}
	tests := []struct {
		name, before, after string
		edit                func(*testing.T, *yamltext.Node) (yamltext.Edit, error)
	}{
		{"plain", "a: render # why\n", "a: 110 # why\n", replace("110", "a")},
		{"double", "a: \"re\\\"nder\"  \n", "a: \"110\"  \n", replace("110", "a")},
		{"single", "a: 're''nder'", "a: '110'", replace("110", "a")},
		{"anchor kept", "a: &g !!str render\nb: 1\n", "a: &g !!str 110\nb: 1\n", replace("110", "a")},
		{"tag with a bracket", "a: !x] render\nb: [!y, render]\n", "a: !x] 110\nb: [!y, render]\n", replace("110", "a")},
		{"tag with a comma", "b: [!y, render]\n", "b: [!y, 110]\n", replace("110", "b", "#0")},
		{"unicode column", "{ä: \"ö😀\", b: render}\n", "{ä: \"ö😀\", b: 110}\n", replace("110", "b")},
		{"BOM", "\ufeffa: render\n", "\ufeffa: 110\n", replace("110", "a")},
		{"plain that needs quotes", "a: x\n", "a: 'b: c'\n", replace("b: c", "a")},
		{"plain in flow that needs quotes", "a: [x]\n", "a: ['b, c']\n", replace("b, c", "a", "#0")},
		{"many lines", "a: one\n  two # c\nb: 1\n", "a: 110 # c\nb: 1\n", replace("110", "a")},
		{"alias", "x: &g render\na: [*g, 2]\n", "x: &g render\na: [110, 2]\n", replace("110", "a", "#0")},
		{"CRLF", "a: render\r\nb: 2\r\n", "a: 110\r\nb: 2\r\n", replace("110", "a")},

		{"item", "a:\n  - x  # one\n\n# end\nb: 1\n", "a:\n  - x  # one\n  - y\n\n# end\nb: 1\n", add("y", "a")},
		{"item at the key's column", "a:\n- x\nb: 1\n", "a:\n- x\n- y\nb: 1\n", add("y", "a")},
		{"item with a wide gap", "a:\n-   x\n", "a:\n-   x\n-   y\n", add("y", "a")},
		{"item in quotes", "a:\n  - \"x\"\n", "a:\n  - \"x\"\n  - \"y\"\n", add("y", "a")},
		{"no final line break", "a:\n  - x", "a:\n  - x\n  - y", add("y", "a")},
		{"item CRLF", "a:\r\n  - x\r\nb: 1\r\n", "a:\r\n  - x\r\n  - y\r\nb: 1\r\n", add("y", "a")},
		{"item after a block of text", "a:\n  - |\n    one\n\n    two\n\nb: 1\n", "a:\n  - |\n    one\n\n    two\n  - y\n\nb: 1\n", add("y", "a")},
		{"flow item", "a: [ x, 'b' ] # c\n", "a: [ x, 'b', y ] # c\n", add("y", "a")},
		{"flow item with a colon at its end", "a: [ x ]\n", "a: [ x, 'y:' ]\n", add("y:", "a")},
		{"flow trailing comma", "a: [x,]\n", "a: [x, y,]\n", add("y", "a")},
		{"flow empty", "a: []\n", "a: [y]\n", add("y", "a")},
		{"flow over lines", "a: [\n  x, # one\n  z # two\n]\n", "a: [\n  x, # one\n  z, # two\n  y\n]\n", add("y", "a")},
		{"flow over lines with a comma", "a: [\n  x,\n]\n", "a: [\n  x,\n  y,\n]\n", add("y", "a")},
		{"items with a tag and no text", "- !\n-\n", "- !\n-\n- y\n", add("y")},
		{"an item with its tag in another line", "-\n !\n- x\n", "-\n !\n- x\n- y\n", add("y")},
		{"a key alone before one with a tag", "? a\n! b: x\n", "? a\n! b: y\n", replace("y", "b")},
		{"remove an item behind a list with a tag", "- !\n  - x\n- z\n- w\n", "- !\n  - x\n- w\n", remove("#1")},
		{"add to a list with a tag", "a: ! [x]\nb: 1\n", "a: ! [x, y]\nb: 1\n", add("y", "a")},
		{"replace in a mapping with a tag", "a: ! {b: x}\nc:\n  !\n  d: e\n", "a: ! {b: y}\nc:\n  !\n  d: e\n", replace("y", "a", "b")},
		{"replace behind a key with a tag", "a:\n  ! b: x\n  c: [! d: e]\n", "a:\n  ! b: y\n  c: [! d: e]\n", replace("y", "a", "b")},
		{"nested dashes", "- - x\n  - z\n- w\n", "- - x\n  - z\n  - y\n- w\n", add("y", "#0")},

		{"remove", "a:\n  - x # mine\n  - y\n", "a:\n  - y\n", remove("a", "#0")},
		{"remove the last line", "a:\n  - x\n  - y # c", "a:\n  - x", remove("a", "#1")},
		{"remove the only item", "b: 1\na:\n  - x\nc: 2\n", "b: 1\nc: 2\n", remove("a", "#0")},
		{"remove flow first", "a: [x, y]\n", "a: [y]\n", remove("a", "#0")},
		{"remove flow last", "a: [x, y]\n", "a: [x]\n", remove("a", "#1")},
		{"remove flow line", "a: [\n  x, # x\n  y # y\n]\n", "a: [\n  x, # x\n]\n", remove("a", "#1")},
		{"remove entry", "s:\n  ipc: host\n  shm_size: 16g # ignored\n  c: 1\n", "s:\n  ipc: host\n  c: 1\n", remove("s", "shm_size")},
		{"remove first entry of an item", "- a: 1\n  b: 2\n", "- b: 2\n", remove("#0", "a")},
		{"remove flow entry", "s: {a: 1, b: 2}\n", "s: {b: 2}\n", remove("s", "a")},
		{"remove block of text", "a: 1\nb: |\n  x\n  y\nc: 2\n", "a: 1\nc: 2\n", remove("b")},

		{"add entry", "s:\n    a: 1 # c\n\n    b: 2\n", "s:\n    a: 1 # c\n    k: v\n\n    b: 2\n", key("k", yamltext.Text("v"), "a", "s")},
		{"add list", "s:\n  d:\n    - x\n  e: 1\n", "s:\n  d:\n    - x\n  k:\n    - v\n    - w\n  e: 1\n", key("k", yamltext.List("v", "w"), "d", "s")},
		{"add list at the key's column", "s:\n  d:\n  - x\n  e: 1\n", "s:\n  d:\n  - x\n  e: 1\n  k:\n  - v\n", key("k", yamltext.List("v"), "", "s")},
		{"add to flow", "s: {a: 1}\n", "s: {a: 1, k: [v]}\n", key("k", yamltext.List("v"), "", "s")},
		{"add to empty flow", "s: {}\n", "s: {k: v}\n", key("k", yamltext.Text("v"), "", "s")},
		{"add map", "s:\n  a: 1\n", "s:\n  a: 1\n  k:\n    - m: 1\n      l:\n        - x\n", key("k", yamltext.ListOf(yamltext.Map(
			yamltext.NewEntry{Key: "m", Value: yamltext.Text("1")}, yamltext.NewEntry{Key: "l", Value: yamltext.List("x")})), "", "s")},
		{"set a value", "a: # c\nb: 1\n", "a: # c\n  - v\nb: 1\n", func(t *testing.T, n *yamltext.Node) (yamltext.Edit, error) {
			return at(t, n, "a").SetValue(yamltext.List("v"))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, tt.before)
			edit, err := tt.edit(t, f.Root())
			if err != nil {
				t.Fatal(err)
			}
			after, err := yamltext.Apply(f.Data, edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != tt.after {
				t.Fatalf("got\n%s\nwant\n%s", after, tt.after)
			}
			if err := yamltext.Verify(f.Data, after, edit); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSharedTextIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := parse(t, "x: &gpu\n  group_add: [render]\n  user: ada\na:\n  <<: *gpu\nb:\n  <<: *gpu\n  user: bob\n")
	group := at(t, f.Root(), "a", "group_add", "#0")
	if group.Value() != "render" || !group.Shared() || group.Line != 2 {
		t.Fatalf("value %q line %d", group.Value(), group.Line)
	}
	if _, err := group.Replace("110"); !errors.Is(err, yamltext.ErrShared) {
		t.Errorf("replace: %v", err)
	}
	if _, err := at(t, f.Root(), "a", "group_add").Append(yamltext.Text("1")); !errors.Is(err, yamltext.ErrShared) {
		t.Errorf("append: %v", err)
	}
	if own := at(t, f.Root(), "b", "user"); own.Value() != "bob" || own.Shared() {
		t.Errorf("user of b is %q", own.Value())
	}
	if _, err := group.ReplaceShared("110"); err != nil {
		t.Error(err)
	}
}

// A tag without a name goes unseen by the parser, and would end in the value.
func TestNoValueInFrontOfATag(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a: !\nb: 1\n", "a:  ! # c\n", "{a: ! , b: 1}\n"} {
		if edit, err := at(t, parse(t, text).Root(), "a").SetValue(yamltext.Text("v")); !errors.Is(err, yamltext.ErrForm) {
			t.Errorf("%q: %+v, %v", text, edit, err)
		}
	}
}

func TestMergesOfAList(t *testing.T) {
	t.Parallel()
	f := parse(t, "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz:\n  <<: [*x, *y]\n  a: 3\n")
	for key, want := range map[string]string{"a": "3", "b": "1", "c": "2"} {
		if got := at(t, f.Root(), "z", key).Value(); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

func TestWhatIsNotReadIsToldWithItsLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		line       int
		says       string
	}{
		{"twice", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", 5, `"c" stands here and in line 3`},
		{"tab", "a:\n  b: 1\n\tc: 2\n", 3, ""},
		{"open quote", "a: 1\nb: \"x\n", 2, ""},
		{"open bracket", "a: 1\nb: [x\nc: 1\n", 2, ""},
		{"unknown alias", "a: 1\nb: *x\n", 2, "unknown anchor"},
		{"itself", "a: 1\nb: &b\n  - *b\n", 2, "contains itself"},
		{"too large", strings.Repeat("#", yamltext.MaxSize+1), 1, "bytes"},
		{"too deep", "a: 1\nb: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), 2, "levels"},
		{"laughs", "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + laughs(), 0, "stands for more than"},
		{"UTF-16", "\xff\xfea\x00", 1, "UTF-16"},
		{"not UTF-8", "a: 1\nb: \xff\n", 2, "UTF-8"},
		{"control", "a: 1\nb: \x01\n", 2, "control"},
		{"no key", "a: 1\nb: 2\n- x\n", 3, ""},
		{"deep inside", "x: 1\nservices:\n  a:\n    image: x\n    c: 1\n   b: 1\n    d: 1\n", 6, ""},
		{"no colon", "a: 1\nb\nc: 3\n", 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := yamltext.Parse([]byte(tt.text))
			var e *yamltext.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if tt.line > 0 && e.Line != tt.line || !strings.Contains(e.Reason, tt.says) {
				t.Errorf("%v, want line %d and %q", e, tt.line, tt.says)
			}
		})
	}
}

// laughs is ten levels of ten aliases each.
func laughs() string {
	var b strings.Builder
	last := "a"
	for _, next := range []string{"b", "c", "d", "e", "f", "g"} {
		b.WriteString(next + ": &" + next + " [" + strings.Repeat("*"+last+", ", 10) + "]\n")
		last = next
	}
	return b.String()
}

func TestVerifyNoticesWhatAnEditBreaks(t *testing.T) {
	t.Parallel()
	before := "a: 1\nb:\n  - x\n  - y\nc: !t 2\n"
	tests := []struct {
		name string
		edit yamltext.Edit
	}{
		{"a neighbour grows", yamltext.Edit{Start: 4, End: 4, New: "0"}},
		{"a key moves into another", yamltext.Edit{Start: 5, End: 5, New: "  "}},
		{"a comment swallows", yamltext.Edit{Start: 7, End: 7, New: " 1 #"}},
		{"a tag grows", yamltext.Edit{Start: 25, End: 25, New: "z"}},
		{"broken", yamltext.Edit{Start: 5, End: 5, New: "\t}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after, err := yamltext.Apply([]byte(before), tt.edit)
			if err != nil {
				t.Fatal(err)
			}
			if err := yamltext.Verify([]byte(before), after, tt.edit); err == nil {
				t.Errorf("nothing noticed in\n%s", after)
			}
		})
	}
	if err := yamltext.Verify([]byte(before), []byte("a: 2\n")); err == nil {
		t.Error("a text that no edit made passed")
	}
}
