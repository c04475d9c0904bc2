package dockerfile

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// written puts what was read on lines, as the tests compare it.
func written(f *File) string {
	var out strings.Builder
	for _, in := range f.Instructions {
		fmt.Fprintf(&out, "%d-%d ", in.Line, in.EndLine)
		in.write(&out)
		out.WriteByte('\n')
	}
	return out.String()
}

func (in *Instruction) write(out *strings.Builder) {
	out.WriteString(in.Name)
	for _, w := range in.Flags {
		fmt.Fprintf(out, " {%s}", w.Text)
	}
	if in.JSON {
		out.WriteString(" json")
	}
	for _, p := range in.Pairs {
		fmt.Fprintf(out, " %s:=%s", p.Name.Text, p.Value.Text)
	}
	if len(in.Pairs) == 0 {
		for _, w := range in.Words {
			fmt.Fprintf(out, " [%s]", w.Text)
		}
	}
	for _, h := range in.Heredocs {
		fmt.Fprintf(out, " <<%s@%d", h.Name, h.Line)
	}
	if in.Inner != nil {
		out.WriteString(" > ")
		in.Inner.write(out)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"stages", "FROM a AS b\nFROM --platform=x b\n", "1-1 FROM [a] [AS] [b]\n2-2 FROM {--platform=x} [b]\n"},
		{"continued, with a comment and an empty line inside", "RUN a \\\n# no\n\n  && b\n", "1-4 RUN [a   && b]\n"},
		{"directives", "# syntax=docker/dockerfile:1\n# escape=`\nRUN a `\n b\\\n", "3-4 RUN [a  b\\]\n"},
		{"a directive after a comment is a comment", "# a\n# escape=`\nRUN a \\\n b\n", "3-4 RUN [a  b]\n"},
		{"ENV in both forms", "ENV A=1 B=\"x y\" C=d\\ e\nENV D two words\n", "1-1 ENV A:=1 B:=\"x y\" C:=d\\ e\n2-2 ENV D:=two words\n"},
		{"ARG", "ARG A\nARG B=1 C\n", "1-1 ARG A:=\n2-2 ARG B:=1 C:=\n"},
		{"JSON", "CMD [\"a\", \"b c\"]\nRUN [ \"a\" \nCOPY [\"x y\",\"/\"]\n", "1-1 CMD json [a] [b c]\n2-2 RUN [[ \"a\"]\n3-3 COPY json [x y] [/]\n"},
		{"heredocs", "RUN <<E\npip install x\nE\nCOPY <<-\"A\" <<B /d\n\ta\n\tA\nb\nB\nUSER x\n", "1-3 RUN [<<E] <<E@2\n4-8 COPY [<<-\"A\"] [<<B] [/d] <<A@5 <<B@7\n9-9 USER [x]\n"},
		{"ONBUILD", "ONBUILD RUN a\n", "1-1 ONBUILD > RUN [a]\n"},
		{"HEALTHCHECK", "HEALTHCHECK --interval=5s CMD [\"a\"]\n", "1-1 HEALTHCHECK {--interval=5s} json [CMD] [a]\n"},
		{"Windows line ends", "FROM a\r\nRUN b \\\r\n c\r\n", "1-1 FROM [a]\n2-3 RUN [b  c]\n"},
		{"a mark of byte order", "\uFEFFFROM a\n", "1-1 FROM [a]\n"},
		{"templates", "{{ if x }}\nFROM a\n", "1-1 {{\n2-2 FROM [a]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := written(f); got != tt.want {
				t.Errorf("Parse(%q):\n%swant:\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FROM a\nENV A\n":           "line 2: ENV must have a name and a value",
		"FROM a\n\nENV A=1 B\n":     `line 3: "B" in ENV has no =`,
		"FROM a\nRUN <<E\nx\n":      "line 2: the heredoc E has no end",
		"# escape=x\nFROM a\n":      "line 1: escape is \"x\", and only ` and \\ are known",
		"RUN [1]\n":                 "line 1: a list in JSON form may hold strings only",
		"ONBUILD ONBUILD RUN a\n":   "line 1: ONBUILD inside ONBUILD",
		strings.Repeat("a", 70000):  "line 1: the line has 70000 bytes, and at most 65535 are read",
		strings.Repeat("\n", 2<<20): "line 1: the file has 2097152 bytes, and at most 1048576 are read",
	} {
		_, err := Parse([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("Parse(%.40q) fails with %v, want %s", text, err, want)
		}
	}
}

func TestStages(t *testing.T) {
	t.Parallel()
	f, err := Parse([]byte("ARG V=7.2\nARG TAG=rocm${V}\nARG NONE\nFROM rocm/pytorch:${TAG:-x} AS Base\nRUN a\nFROM base\nFROM ${NONE}\nFROM ${NONE:-\"b\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range f.Stages() {
		got = append(got, fmt.Sprintf("%s=%s<%s", s.Name, s.Base, s.Root()))
	}
	want := "base=rocm/pytorch:rocm7.2<rocm/pytorch:rocm7.2 =base<rocm/pytorch:rocm7.2 =< =b<b"
	if strings.Join(got, " ") != want {
		t.Errorf("stages are %v, want %s", got, want)
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	data := "FROM a\nRUN --mount=type=cache,target=/c apt update \\\n  # comment\n  && pip install \"numpy<2.4\"\nRUN <<E\nset -e\npip install torch\nE\nRUN [\"bash\", \"-c\", \"pip list\"]\n"
	f, err := Parse([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range f.Instructions[1:] {
		s := in.Script([]byte(data))
		for _, c := range s.Commands {
			last := c.Words[len(c.Words)-1]
			if s.Exact && data[last.Start:last.End] != last.Raw {
				t.Errorf("%q says it stands at %q", last.Raw, data[last.Start:last.End])
			}
			got = append(got, fmt.Sprintf("%d:%s %s", c.Line, c.Name(), last.Text))
		}
	}
	want := "2:apt update|4:pip numpy<2.4|6:set -e|7:pip torch|9:pip list"
	if strings.Join(got, "|") != want {
		t.Errorf("the commands are %s, want %s", strings.Join(got, "|"), want)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"FROM a\n", "# escape=`\nRUN a `\n b", "ENV A=1 \\\n B=2", "RUN <<E\nx\nE\n", "CMD [\"a\",\"\\u00e9\"]", "ARG A=${B:-c}\nFROM ${A}\n", "ONBUILD COPY <<A /\nA\n", "COPY --from=\"a b\" -- c d", "RUN \\",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if file == nil {
			t.Fatal("no file")
		}
		last := 0
		for _, in := range file.Instructions {
			if in.Line <= last || in.EndLine < in.Line {
				t.Fatalf("%s stands on lines %d to %d, after %d", in.Name, in.Line, in.EndLine, last)
			}
			last = in.EndLine
			inside(t, data, in)
			in.Script(data)
		}
		if err == nil {
			file.Stages()
		}
	})
}

// inside holds the places of words to the file.
func inside(t *testing.T, data []byte, in *Instruction) {
	t.Helper()
	for _, w := range in.Words {
		if w.Start < in.Start || w.End > in.End || w.Start > w.End {
			t.Fatalf("the word %q stands at %d to %d, and %s at %d to %d", w.Text, w.Start, w.End, in.Name, in.Start, in.End)
		}
		oneLine := in.Line == in.EndLine && !in.JSON
		if oneLine && string(data[w.Start:w.End]) != w.Text {
			t.Fatalf("the word %q stands where the file has %q", w.Text, data[w.Start:w.End])
		}
	}
}
