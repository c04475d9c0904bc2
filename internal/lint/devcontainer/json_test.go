package devcontainer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

func TestParseKeepsPlaces(t *testing.T) {
	t.Parallel()
	const text = "{ // a \"comment\"\n\t\"image\" : \"a\\u0062\", /* , */\n\t\"runArgs\": [\n\t\t\"--x=1\",\n\t\t\"y\",\n\t],\n\t\"n\": -1.5e3, \"t\": true, \"o\": {\"k\": [null, []]},\n}\n"
	v, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		v    *value
		want string
	}{
		{v.get("image"), `"a\u0062"`}, {v.get("runArgs").items[1], `"y"`}, {v.get("n"), "-1.5e3"}, {v.get("t"), "true"},
		{v.get("o"), `{"k": [null, []]}`}, {v.get("o").get("k").items[1], "[]"}, {v, strings.TrimSpace(text)},
	} {
		if got := text[tc.v.start:tc.v.end]; got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	if v.get("image").text != "ab" || v.get("nothing").get("deeper").string() != "" || v.get("t").literal != "true" {
		t.Errorf("%+v", v)
	}
	if m := v.members[0]; text[m.start:m.end] != `"image"` {
		t.Errorf("the key stands at %q", text[m.start:m.end])
	}
	if _, err := parse([]byte(strings.Repeat("[", 200) + strings.Repeat("]", 200))); err == nil {
		t.Error("200 levels are too many")
	}
}

func FuzzParse(f *testing.F) {
	for _, r := range Rules {
		f.Add(r.Bad.Files[".devcontainer/devcontainer.json"])
	}
	f.Add("{\"a\": [1, {\"b\": null,},], // x\n}")
	f.Add("{\"runArgs\": \"--x\", \"build\": [], \"image\": 1, \"containerEnv\": []}")
	setting, _ := lint.OnExample("")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := parse([]byte(text))
		if err == nil {
			places(t, lint.StripJSONC([]byte(text)), v)
		}
		p := lint.Example{Files: map[string]string{"devcontainer.json": text}}.Project(false)
		for _, found := range lint.Run(p, setting, Rules).Found {
			if strings.Contains(found.Message, "itself is broken") {
				t.Fatal(found.Message)
			}
		}
		for _, r := range lint.MendAll(p, setting, Rules).Refused {
			t.Fatalf("%s: %q", r.Why, text)
		}
	})
}

// places holds a value to the bytes at its place: read alone they are the value.
func places(t *testing.T, text []byte, v *value) {
	t.Helper()
	if v.start < 0 || v.start >= v.end || v.end > len(text) || !json.Valid(text[v.start:v.end]) {
		t.Fatalf("%q is no value (%d to %d of %q)", text[v.start:v.end], v.start, v.end, text)
	}
	for _, item := range v.items {
		places(t, text, item)
	}
	for _, m := range v.members {
		places(t, text, m.value)
	}
}
