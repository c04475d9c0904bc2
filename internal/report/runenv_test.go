package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// nasty are values that a shell could take for more than text.
var nasty = []string{
	"", "plain", "a b", "$HOME", "`id`", "$(id)", `a"b`, "a'b", `a\b`, `back\`, "two\nlines", "tab\there", "50%", "%PATH%", "!x!", "a&b|c<d>e^f", "*", "~", "#x", "a;b", "ü–’", "'", `"`, `"&calc&"`, `\'`, "${x}", "-n", "=",
}

func withSettings(settings ...launch.Setting) Environment {
	return Environment{System: "linux", Settings: settings, Diagnosis: Diagnosis{Machine: &machine.Machine{}}}
}

func written(t *testing.T, e Environment, s Shell) string {
	t.Helper()
	var b strings.Builder
	if err := WriteEnvironment(&b, e, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestQuotes is for the languages that are not here to be asked; scripts/real shells
// asks those that are.
func TestQuotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		shell       Shell
		value, want string
	}{
		{PowerShell, "a'b", `$env:X = 'a''b'`},
		{PowerShell, "a’b", "$env:X = 'a’’b'"},
		{PowerShell, "$x `n \"", "$env:X = '$x `n \"'"},
		{PowerShell, "a\nb", "$env:X = 'a\nb'"},
		{Cmd, "a b", `set "X=a b"`},
		{Cmd, "50%", `set "X=50%%"`},
		{Cmd, "a&b", `set "X=a&b"`},
		{Cmd, `a"&b`, `set "X=a"^&b"`},
		{Cmd, `a"b"&c`, `set "X=a"b"&c"`},
		{Cmd, "a\nb", "rem not written, because this language has no way to say its value: X"},
		{Dotenv, "a b", "X='a b'"},
		{Dotenv, "$x", "X='$x'"},
		{Dotenv, "a'b", `X="a'b"`},
		{Dotenv, "a'b$", "# not written, because this language has no way to say its value: X"},
		{Dotenv, "a\nb", "X='a\nb'"},
		{Dotenv, `C:\x\`, `X="C:\\x\\"`},
		{Docker, "a 'b' $c", "X=a 'b' $c"},
		{Docker, "a\nb", "# not written, because this language has no way to say its value: X"},
		{Systemd, `a "b" 50% $c\`, `Environment="X=a \"b\" 50%% $c\\"`},
		{Systemd, "a\nb", `Environment="X=a\nb"`},
		{Fish, `a'b\c`, `set -gx X 'a\'b\\c'`},
		{Bash, "a'b", `export X='a'\''b'`},
		{Bash, "/opt/rocm-7.2/lib", "export X=/opt/rocm-7.2/lib"},
	}
	for _, tt := range tests {
		got := written(t, withSettings(launch.Setting{Name: "X", Value: tt.value, Why: "so", Check: "c"}), tt.shell)
		if !strings.HasSuffix(got, tt.want+"\n") {
			t.Errorf("%s of %q: %q, want %q", tt.shell, tt.value, got, tt.want)
		}
	}
}

// TestCommentsCannotBreakOut: what stands in a reason may be anybody's text.
func TestCommentsCannotBreakOut(t *testing.T) {
	t.Parallel()
	for _, shell := range Shells() {
		if Shell(shell) == EnvJSON {
			continue
		}
		got := written(t, withSettings(launch.Setting{Name: "X", Value: "1", Why: "evil\nrm -r /\r\nrm", Check: "c"}), Shell(shell))
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "rm") {
				t.Errorf("%s: %q", shell, got)
			}
		}
	}
	if got := written(t, withSettings(launch.Setting{Name: "X", Value: "1", Why: "100% & calc | x", Check: "c"}), Cmd); strings.Contains(strings.Split(got, "\n")[0], "&") {
		t.Errorf("%q", got)
	}
}

func TestUnsetAndPrepend(t *testing.T) {
	t.Parallel()
	e := withSettings(launch.Setting{Name: "A", Unset: true, Why: "so", Check: "c"}, launch.Setting{Name: "PATH", Value: "/x y", Prepend: true, Why: "so", Check: "c"})
	for shell, want := range map[Shell][]string{
		Bash:       {"unset A\n", `export PATH='/x y'"${PATH:+:$PATH}"` + "\n"},
		Fish:       {"set -eg A; if set -qU A; echo ", "set -gx --path PATH '/x y' $PATH\n"},
		PowerShell: {"Remove-Item Env:A -ErrorAction SilentlyContinue\n", "$env:PATH = '/x y:' + $env:PATH\n"},
		Cmd:        {"set \"A=\"\n", "set \"PATH=/x y:%PATH%\"\n"},
		Dotenv:     {"# not written, because this language has no way to: unset A\n", "# not written, because this language has no way to: put /x y before what PATH holds\n"},
		Systemd:    {"[Service]\n", "UnsetEnvironment=A\n"},
	} {
		got := written(t, e, shell)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", shell, got, w)
			}
		}
	}
}

func TestNamesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "1A", "A B", "A;B", "A=B", "Ä"} {
		if got := written(t, withSettings(launch.Setting{Name: name, Value: "1", Why: "so", Check: "c"}), Bash); strings.Contains(got, "export") {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestEnvironmentJSON(t *testing.T) {
	t.Parallel()
	for _, value := range nasty {
		got := written(t, withSettings(launch.Setting{Name: "X", Value: value, Why: "so", Check: "c"}), EnvJSON)
		var back struct {
			Schema int
			Set    []struct{ Name, Value string }
		}
		if err := json.Unmarshal([]byte(got), &back); err != nil || back.Schema != 1 || len(back.Set) != 1 || back.Set[0].Value != value {
			t.Errorf("%q became %+v (%v)", value, back, err)
		}
	}
}

func FuzzBatchStaysOnItsLine(f *testing.F) {
	for _, v := range nasty {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var b strings.Builder
		if err := WriteEnvironment(&b, withSettings(launch.Setting{Name: "X", Value: value, Why: "so", Check: "c"}), Cmd); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != 2 {
			t.Fatalf("%q", lines)
		}
		// Outside of quotes, nothing that cmd obeys stands without its caret.
		quoted, escaped := false, false
		for _, r := range lines[1] {
			if !quoted && !escaped && strings.ContainsRune("&|<>", r) {
				t.Fatalf("%q", lines[1])
			}
			escaped = !quoted && !escaped && r == '^'
			if r == '"' {
				quoted = !quoted
			}
		}
	})
}
