package tomltext

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// show writes what was read so that it can be compared.
func show(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		for _, p := range s.Pairs {
			fmt.Fprintf(&b, "%s|%s=%s\n", strings.Join(s.Name, "."), strings.Join(p.Key, "."), p.Value.show())
		}
	}
	return b.String()
}

func (v Value) show() string {
	var parts []string
	switch v.Kind {
	case String:
		return fmt.Sprintf("%q", v.Text)
	case List:
		for _, item := range v.Items {
			parts = append(parts, item.show())
		}
		return "[" + strings.Join(parts, " ") + "]"
	case Table:
		for _, p := range v.Pairs {
			parts = append(parts, strings.Join(p.Key, ".")+"="+p.Value.show())
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return v.Text
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  "",
		"\ufeffa = 1 # x\n": "|a=1\n",
		"a = 'x' # '\r\n[ b . \"c d\" ]\r\ne.f = \"\\u00e9\\n\"": "|a=\"x\"\nb.c d|e.f=\"é\\n\"\n",
		"[p]\nd = [\n  'a]', # why ]\n  \"b\",\n]\ne = true\n":   "p|d=[\"a]\" \"b\"]\np|e=true\n",
		"[[i]]\nu='1'\n[i.x]\na=1\n[[i]]\nu='2'\n[i.x]\na=1\n":   "i|u=\"1\"\ni.x|a=1\ni|u=\"2\"\ni.x|a=1\n",
		"t = {a = 'b', \"c\".d = [1, 2.5], e = {}}\n":            "|t={a=\"b\" c.d=[1 2.5] e={}}\n",
		"t = {\n a = 1, # x\n}\n":                                "|t={a=1}\n",
		"a = \"\"\"\nx\\\n   y\"\"\"\"\nb = '''z\\'''\n":         "|a=\"xy\\\"\"\n|b=\"z\\\\\"\n",
		"d = 1979-05-27 07:32:00Z\nn = -inf\nh = 0xdead_beef\n":  "|d=1979-05-27 07:32:00Z\n|n=-inf\n|h=0xdead_beef\n",
		"a = 'C:\\'\nb = \"\\\"\"":                               "|a=\"C:\\\\\"\n|b=\"\\\"\"\n",
	} {
		sections, err := Parse(text)
		if got := show(sections); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"a = 1\nb\n":                     2,
		"a = 'x\n":                       1,
		"a = [1,\n2\n[t]\n":              3,
		"[t\n":                           1,
		"a = 1 2x\n":                     1,
		"a = 1\n\na = 2\n":               3,
		"[t]\n[u]\n[t]\n":                3,
		"[a]\nb = 1\n[a.b]\n":            3,
		"[a]\nb = 1\n[a.b.c]\n":          3,
		"[a.b]\n[a]\nb = 1\n":            3,
		"[a]\nb.c = 1\n[a.b]\n":          3,
		"[a.b]\n[a]\nb.c = 1\n":          3,
		"a.b = 1\na.b.c = 2\n":           2,
		"[[a]]\n[a]\n":                   2,
		"[a]\n[[a]]\n":                   2,
		"a = []\n[[a]]\n":                2,
		"[[a]]\nb = 1\nb = 2\n":          3,
		"[[a]]\n[a.b]\nc = 1\n[a.b]\n":   4,
		"a = \"\\q\"\n":                  1,
		"a = \"\"\"x\n\n":                1,
		"a = {b = 1 c = 2}\n":            1,
		"\na = yes\n":                    2,
		"a = " + strings.Repeat("[", 99): 1,
	} {
		_, err := Parse(text)
		var at *Error
		if !errors.As(err, &at) || at.Line != want {
			t.Errorf("%q: %v, want line %d", text, err, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	const text = "[project]\ndependencies = [\n  \"torch\", # x\n  'a\\b',\n]\n[[tool.uv.index]]\nurl = \"u\"\n"
	sections, err := Parse(text)
	if err != nil || len(sections) != 3 || !sections[2].Is("tool.uv.index") || !sections[2].List {
		t.Fatalf("%+v, %v", sections, err)
	}
	p, _ := sections[1].Get("dependencies")
	list := p.Value.Strings()
	if text[list[0].Start:list[0].End] != "torch" || list[0].Line != 3 || !list[0].Exact || list[1].Text != `a\b` || text[p.End:p.End+2] != "[[" {
		t.Errorf("%+v", p)
	}
	if p, _ := sections[2].Get("url"); p.Line != 7 || p.End != len(text) {
		t.Errorf("%+v", p)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a=1\n[b.c]\nd=['x',\"y\"]#\n", "[[a]]\nb={c='''x''',d=\"\"\"\\\n y\"\"\"}", "a=\"\\u00e9", "[", "a=\r\n", "\"a\".b = 0x1_f", "a = [{b=1},[2]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := Parse(text)
		var at *Error
		if err != nil && (!errors.As(err, &at) || at.Line < 1 || at.Line > strings.Count(text, "\n")+1) {
			t.Fatalf("%q: %v", text, err)
		}
		for _, s := range sections {
			for _, p := range s.Pairs {
				for _, v := range append(p.Value.Strings(), p.Value) {
					if v.Start > v.End || v.End > p.End || p.End > len(text) || v.Exact && text[v.Start:v.End] != v.Text {
						t.Fatalf("%q: %+v", text, v)
					}
				}
			}
		}
	})
}
