package launch

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	for _, r := range rules() {
		if r.Check == "" || r.Cure == "" || r.Why == "" || r.From != check.Fail && r.From != check.Warn || !slices.Contains([]string{"", "value", "parent"}, r.Folder) {
			t.Errorf("%+v", r)
		}
	}
	for _, l := range layers() {
		if l.Variable == "" || l.Value == "" || l.Meaning == "" || l.Source == "" || l.Confidence == "" || l.Stderr && strings.Contains(l.Value, "{folder}") {
			t.Errorf("%+v", l)
		}
	}
	for _, w := range processorWords() {
		if len(w.Text) < 15 || w.Who == "" || w.Source == "" || w.Confidence == "" {
			t.Errorf("%+v", w)
		}
	}
	if len(rules()) < 10 || len(layers()) < 5 || len(processorWords()) < 3 {
		t.Error("a table is empty")
	}
}

func lookupIn(env map[string]string) Lookup {
	return func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
}

func finding(id string, v check.Verdict, cures ...remedy.Remedy) check.Finding {
	return check.Finding{Check: id, Subject: "s", Verdict: v, Message: "It is so. Because.", Remedies: cures}
}

func cureWith(id string, steps ...remedy.Step) remedy.Remedy {
	return remedy.Remedy{ID: id, Steps: steps}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	set := func(name, value string) remedy.Step {
		return remedy.Step{Kind: remedy.SetEnv, Name: name, Value: value}
	}
	fresh := cureWith("miopen-fresh-folders",
		remedy.Step{Kind: remedy.Command, Command: "mkdir -p /v/k /v/t && chmod 700 /v"}, set("MIOPEN_CUSTOM_CACHE_DIR", "/v/k"), set("MIOPEN_USER_DB_PATH", "/v/t"))
	tests := []struct {
		name  string
		found check.Finding
		env   map[string]string
		want  []Setting
	}{
		{"unset what is set", finding("gpu/override", check.Fail, cureWith("unset-variable", set("HSA_X", ""))), map[string]string{"HSA_X": ""}, []Setting{{Name: "HSA_X", Unset: true}}},
		{"nothing to unset", finding("gpu/override", check.Fail, cureWith("unset-variable", set("HSA_X", ""))), nil, nil},
		{"a GPU that is not there", finding("gpu/visible", check.Fail, cureWith("unset-variable", set("HIP_X", ""))), map[string]string{"HIP_X": "3"}, []Setting{{Name: "HIP_X", Unset: true}}},
		{"hidden on purpose", finding("gpu/visible", check.Fail, cureWith("unset-variable", set("HIP_X", ""))), map[string]string{"HIP_X": "-1"}, nil},
		{"a warning leaves a choice alone", finding("gpu/visible", check.Warn, cureWith("unset-variable", set("HIP_X", ""))), map[string]string{"HIP_X": "0,3"}, nil},
		{"a value that somebody chose stays", finding("gpu/igpu", check.Warn, cureWith("set-variable", set("HIP_X", "1"))), map[string]string{"HIP_X": "0,1"}, nil},
		{"else it is set", finding("gpu/igpu", check.Warn, cureWith("set-variable", set("HIP_X", "1"))), nil, []Setting{{Name: "HIP_X", Value: "1"}}},
		{"a cure that needs more is not taken", finding("gpu/override", check.Fail, cureWith("native-wheels-no-override", set("HSA_X", ""))), map[string]string{"HSA_X": "1"}, nil},
		{"an unknown finding cures nothing", finding("gpu/override", check.Unknown, cureWith("unset-variable", set("HSA_X", ""))), map[string]string{"HSA_X": "1"}, nil},
		{"the second cure", finding("miopen/cache-writable", check.Fail, cureWith("miopen-move-aside"), fresh), nil, []Setting{
			{Name: "MIOPEN_CUSTOM_CACHE_DIR", Value: "/v/k", Folder: "/v/k", Make: "mkdir -p /v/k /v/t && chmod 700 /v"}, {Name: "MIOPEN_USER_DB_PATH", Value: "/v/t", Folder: "/v/t"},
		}},
		{"the home is put in", finding("env/paths", check.Warn, cureWith("env-own-directory", set("X", "$HOME/.config/x"))), map[string]string{"HOME": "/home/ada"}, []Setting{{Name: "X", Value: "/home/ada/.config/x", Folder: "/home/ada/.config/x"}}},
		{"no home, no setting", finding("env/paths", check.Warn, cureWith("env-own-directory", set("X", "$HOME/.config/x"))), nil, nil},
		{"before what is there", finding("runtime/libraries", check.Fail, cureWith("library-folder", set("LD_LIBRARY_PATH", "/r"))), nil, []Setting{{Name: "LD_LIBRARY_PATH", Value: "/r", Prepend: true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Settings([]check.Finding{tt.found}, lookupIn(tt.env))
			for i := range tt.want {
				tt.want[i].Why, tt.want[i].Check, tt.want[i].Subject = tt.found.Headline(), tt.found.Check, "s"
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestTheWorseFindingHasTheVariable(t *testing.T) {
	t.Parallel()
	set := func(value string) remedy.Remedy {
		return cureWith("env-own-directory", remedy.Step{Kind: remedy.SetEnv, Name: "X", Value: value})
	}
	warn := finding("env/paths", check.Warn, set("/a"))
	fail := finding("miopen/cache-writable", check.Fail, cureWith("miopen-fresh-folders", remedy.Step{Kind: remedy.SetEnv, Name: "X", Value: "/b"}))
	if got := Settings([]check.Finding{warn, fail}, lookupIn(nil)); len(got) != 1 || got[0].Value != "/b" {
		t.Errorf("%+v", got)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	env := []string{"PATH=/bin", "A=1", "Path=C:\\w", "B=2"}
	settings := []Setting{{Name: "A", Unset: true}, {Name: "PATH", Value: "/x", Prepend: true}, {Name: "NEW", Value: "a b"}}
	if got, want := Apply(env, settings, "linux"), []string{"Path=C:\\w", "B=2", "PATH=/x:/bin", "NEW=a b"}; !slices.Equal(got, want) {
		t.Errorf("linux: %q", got)
	}
	if got, want := Apply([]string{"Path=C:\\w"}, settings[1:2], "windows"), []string{"PATH=/x;C:\\w"}; !slices.Equal(got, want) {
		t.Errorf("windows: %q", got)
	}
	if got := Apply([]string{"PATH="}, settings[1:2], "linux"); !slices.Equal(got, []string{"PATH=/x"}) {
		t.Errorf("an empty path would mean the working folder: %q", got)
	}
}

func TestTraceLeavesChoices(t *testing.T) {
	t.Parallel()
	got := Trace("/case", lookupIn(map[string]string{"AMD_LOG_LEVEL": "4"}))
	i := slices.IndexFunc(got, func(s Setting) bool { return s.Name == "AMD_LOG_LEVEL_FILE" })
	if i < 0 || got[i].Value != "/case/hip.log" || slices.ContainsFunc(got, func(s Setting) bool { return s.Name == "AMD_LOG_LEVEL" }) {
		t.Errorf("%+v", got)
	}
}

func TestOnProcessor(t *testing.T) {
	t.Parallel()
	who, line, ok := OnProcessor([]byte("a\nx.py:12: UserWarning: fp16 is not supported on cpu; using FP32 instead\nb"))
	if who != "Whisper" || !strings.HasPrefix(line, "x.py:12") || strings.Contains(line, "\n") || !ok {
		t.Error(who, line, ok)
	}
	odd := strings.Repeat("\xe9 \u0130\u212a", 40) // longer, and shorter, in lower case
	if _, line, _ := OnProcessor([]byte(odd + "\nDevice set to use cpu\nnext line\n")); line != "Device set to use cpu" {
		t.Errorf("%q", line)
	}
	if _, _, ok := OnProcessor([]byte("Device set to use cuda:0\n")); ok {
		t.Error("a GPU is no processor")
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	log := []string{"[  100.100000] amdgpu: before", "[  205.500000] amdgpu: GPU reset begin!", "no time", "[x] y", "[", ""}
	if got := (End{Clock: 205.7}).Since(log); !slices.Equal(got, log[1:2]) {
		t.Errorf("%q", got)
	}
}

func FuzzSince(f *testing.F) {
	f.Add("[  205.500000] amdgpu: GPU reset begin!", 3.0)
	f.Add("[", 0.0)
	f.Fuzz(func(t *testing.T, line string, clock float64) {
		if got := (End{Clock: clock}).Since([]string{line}); len(got) > 1 || len(got) == 1 && got[0] != line {
			t.Errorf("%q", got)
		}
	})
}

func FuzzOnProcessor(f *testing.F) {
	f.Add([]byte("Device set to use CPU"))
	f.Add([]byte("İİİİDevice set to use cpu"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, line, ok := OnProcessor(text); ok && len(line) > 300 {
			t.Errorf("%d bytes", len(line))
		}
	})
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code int
		says string
	}{
		{&fs.PathError{Op: "fork/exec", Path: "/x", Err: fs.ErrNotExist}, 127, "there is no program p"},
		{&fs.PathError{Op: "fork/exec", Path: "/x", Err: fs.ErrPermission}, 126, "p cannot be executed: permission denied"},
		{errIsFolder, 126, "p cannot be executed: it is a folder"},
	} {
		if err := notStarted("p", tt.err); err.Code != tt.code || err.Error() != tt.says {
			t.Errorf("%v: %d %v", tt.err, err.Code, err)
		}
	}
	if err := (&StartError{ExitBefore, "p", errors.New("why")}); err.Error() != "p was not started: why" {
		t.Error(err)
	}
}

func TestCasesAreBoundedAndPrivate(t *testing.T) {
	t.Parallel()
	runs := t.TempDir() + "/runs"
	at := stopped()
	var last Case
	for range mostCases + 5 {
		c, err := NewCase(runs, at)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Put("output", []byte("x")); err != nil {
			t.Fatal(err)
		}
		at, last = at.Add(61_000_000_000), c
	}
	entries, err := os.ReadDir(runs)
	if err != nil || len(entries) != mostCases {
		t.Errorf("%d cases are kept (%v)", len(entries), err)
	}
	if data, err := os.ReadFile(last.Dir + "/output"); err != nil || string(data) != "x" {
		t.Error(string(data), err)
	}
	other, err := NewCase(runs, at.Add(-61_000_000_000))
	if err != nil || other.Dir == last.Dir {
		t.Error("two runs share a folder", err)
	}
}

func TestTraces(t *testing.T) {
	t.Parallel()
	c := Case{t.TempDir()}
	for name, data := range map[string]string{"hip.log": "a", "rocblas.log": "", "output": "b"} {
		if err := c.Put(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if got := Traces(c); len(got) != 1 || got[0].Name != "hip.log" || string(got[0].Data) != "a" {
		t.Errorf("%+v", got)
	}
	if got := Traces(Case{}); len(got) != 0 {
		t.Errorf("no case has traces: %+v", got)
	}
}

func TestUnchangedIsWhatACureWouldChange(t *testing.T) {
	t.Parallel()
	finding := func(v check.Verdict, name, value string) check.Finding {
		return check.Finding{Check: "gpu/visible", Verdict: v, Message: name + " hides something. More.", Remedies: []remedy.Remedy{{ID: "other", Steps: []remedy.Step{{Kind: remedy.SetEnv, Name: name, Value: value}}}}}
	}
	findings := []check.Finding{
		finding(check.Warn, "KEPT", ""), finding(check.Fail, "KEPT", "2"), finding(check.Warn, "EMPTY", ""), finding(check.OK, "FINE", ""),
		finding(check.Warn, "UNSET", "1"), finding(check.Warn, "CURED", ""), finding(check.Warn, "SAME", "1"),
	}
	env := map[string]string{"KEPT": "1", "EMPTY": "", "FINE": "1", "CURED": "1", "SAME": "1"}
	get := func(name string) (string, bool) { value, set := env[name]; return value, set }
	got := Unchanged(findings, []Setting{{Name: "CURED", Unset: true}}, get)
	if len(got) != 2 || got[0].Name != "KEPT" || got[0].Value != "1" || got[0].Why != "KEPT hides something" || got[1].Name != "EMPTY" {
		t.Errorf("left %+v", got)
	}
}
