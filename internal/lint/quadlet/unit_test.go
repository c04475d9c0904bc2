package quadlet

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "[Unit]\nImage=not-this\n\n[Container]\n# a comment\nImage = a:1\r\nEnvironment=A=1 \"B=two words\" 'C=3'\n" +
		"PodmanArgs=--device /dev/kfd \\\n  # between\n  --group-add=render \\\n; too\n  --x\nGroupAdd=1\nGroupAdd=\nGroupAdd=2\nnonsense\nExec=a\\\n"
	u := parse([]byte(text))
	var got []string
	for _, e := range u.entries {
		for _, w := range e.words {
			got = append(got, e.key+" "+w.text)
			if w.plain && text[w.start:w.end] != w.text {
				t.Errorf("%q stands at %q", w.text, text[w.start:w.end])
			}
		}
	}
	want := []string{"Image a:1", "Environment A=1", "Environment B=two words", "Environment C=3", "PodmanArgs --device", "PodmanArgs /dev/kfd", "PodmanArgs --group-add=render", "PodmanArgs --x", "GroupAdd 2", "Exec a"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if g := u.values("GroupAdd", "--group-add"); len(g) != 2 || g[0].text != "render" || text[g[0].start:g[0].end] != "render" || g[0].alone {
		t.Errorf("%+v", g)
	}
	if d := u.values("AddDevice", "--device"); len(d) != 1 || d[0].text != "/dev/kfd" {
		t.Errorf("%+v", d)
	}
	if line := u.entries[3].line; line != 13+1+1 {
		t.Errorf("the last GroupAdd is in line %d", line)
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range Rules {
		f.Add(r.Bad.Files["vllm.container"])
	}
	f.Add("[Container]\nA=\\\n#\n\\\n\"b\\\nC='\\")
	f.Add("[Container]\r\nPodmanArgs=--device\r\n--x=")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, e := range parse([]byte(text)).entries {
			if e.start < end && e.start != 0 || e.end > len(text) || e.line < 1 || e.line > strings.Count(text, "\n")+1 {
				t.Fatalf("%+v", e)
			}
			end = e.end
			for _, w := range e.words {
				if w.start < e.start || w.end > e.end || w.start >= w.end || w.plain && text[w.start:w.end] != w.text {
					t.Fatalf("%+v in %+v", w, e)
				}
			}
		}
	})
}
