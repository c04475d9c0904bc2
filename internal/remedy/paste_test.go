package remedy_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/remedy"
)

func TestPaste(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give []string
		want string
	}{
		{nil, ""},
		{[]string{"mkdir", "-p", "/a-b_c.d:e=f,g+h@i%j"}, "mkdir -p /a-b_c.d:e=f,g+h@i%j"},
		{[]string{"echo", ""}, "echo ''"},
		{[]string{"a b", "c"}, "'a b' c"},
		{[]string{"ada's"}, `'ada'\''s'`},
		{[]string{"$HOME", "`id`", `a\b`, `"`}, "'$HOME' '`id`' 'a\\b' '\"'"},
		{[]string{"R&D", "a;b", "(1)", "*", "a|b", "<a>", "#1", "~ada", "{a,b}", "a?[b]!"}, "'R&D' 'a;b' '(1)' '*' 'a|b' '<a>' '#1' '~ada' '{a,b}' 'a?[b]!'"},
		{[]string{"a\nb", "é"}, "'a\nb' 'é'"},
	}
	for _, tt := range tests {
		if got := remedy.Paste(tt.give...); got != tt.want {
			t.Errorf("Paste(%q) = %s, want %s", tt.give, got, tt.want)
		}
	}
}
