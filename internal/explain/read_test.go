package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// small is a catalogue of two causes and a harmless text.
func small(t testing.TB) cause.Catalogue {
	t.Helper()
	c := cause.Catalogue{
		Causes: []cause.Cause{
			{ID: "node", Family: "access", Title: "The node is closed", Meaning: "m"},
			{ID: "kernels", Family: "coverage", Title: "No kernels", Meaning: "m"},
			{ID: "calm", Family: cause.Benign, Title: "Harmless", Meaning: "m"},
		},
		Signatures: []cause.Signature{
			{Name: "eacces", Cause: "node", Text: []string{"Unable to open /dev/kfd"}, Strength: cause.Strong, Layer: cause.LayerHIP},
			{Name: "tensile", Cause: "kernels", Match: []string{`Cannot read (?P<path>\S*TensileLibrary\S*).* for GPU arch : (?P<gfx>gfx\w+)`}, Strength: cause.Decisive, Says: "No kernels for {gfx}."},
			{Name: "kdb", Cause: "calm", Text: []string{"Missing system database file"}, Strength: cause.Decisive, Says: "It only slows the first run."},
		},
	}
	for i := range c.Signatures {
		s := &c.Signatures[i]
		s.Anchors = append(s.Anchors, s.Text...)
		if len(s.Match) > 0 {
			s.Anchors = append(s.Anchors, "TensileLibrary")
		}
	}
	return c
}

const (
	closed  = "Unable to open /dev/kfd read-write: Permission denied"
	tensile = "rocBLAS error: Cannot read /opt/x/TensileLibrary.dat: No such file or directory for GPU arch : gfx1036"
	kdb     = "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1030_36.kdb Performance may degrade"
)

func utf16Of(text string, mark bool) string {
	var b bytes.Buffer
	if mark {
		b.WriteString("\xff\xfe")
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The same words are found however a log was written.
func TestForms(t *testing.T) {
	t.Parallel()
	plain := "first\n" + tensile + "\nlast\n"
	for name, text := range map[string]string{
		"plain":           plain,
		"CRLF":            strings.ReplaceAll(plain, "\n", "\r\n"),
		"no end":          "first\n" + tensile,
		"colours":         "first\n\x1b[31mrocBLAS error:\x1b[0m " + strings.TrimPrefix(tensile, "rocBLAS error: ") + "\x1b[0m\n",
		"UTF-16":          utf16Of(plain, true),
		"UTF-16 unmarked": utf16Of(plain, false),
		"gzip":            zipped(t, plain),
		"docker json":     "{}\n" + `{"log":"` + tensile + `\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}` + "\n",
		"json lines":      "{}\n" + `{"level":"error","msg":"` + tensile + `"}` + "\n",
		"progress bar":    "first\n 10%|##  | 1/10\r 20%|###  | 2/10\r" + tensile + "\n",
		"prefix":          "first\nJan 02 03:04:05 host app[17]: " + tensile + "\n",
		"bad UTF-8":       "\xff\xfa\n" + tensile + "\xff\n",
	} {
		e := explained(t, small(t), text, Surroundings{})
		if e.Verdict != Failure || len(e.Causes) != 1 || e.Causes[0].Why != "No kernels for gfx1036." || e.Causes[0].Evidence[0].Line != 2 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A log of any length and shape is read in pieces, and no line is lost, also not one that lies across two pieces or is
// longer than a piece.
func TestPieces(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("an ordinary line of a training run, loss 0.25\n", 30_000)
	long := strings.Repeat("x", 3*chunkSize)
	for name, text := range map[string]string{
		"late":            filler + closed + "\n" + filler,
		"last":            filler + closed,
		"in a long line":  filler + long + closed + long + "\n",
		"after long line": long + "\n" + closed + "\n",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text))} {
			log, err := Read(context.Background(), []Input{{"log", r}}, small(t), nil)
			if err != nil || len(log.Matches) != 1 || log.Bytes != int64(len(text)) {
				t.Errorf("%s: %d matches in %d bytes, %v", name, len(log.Matches), log.Bytes, err)
				continue
			}
			m := log.Matches[0]
			at := strings.Index(text, closed)
			if want := int64(strings.Count(text[:at], "\n")) + 1; m.Line != want {
				t.Errorf("%s: line %d, want %d", name, m.Line, want)
			}
			if len(shown(m)) > 3*maxShown {
				t.Errorf("%s: %d letters are shown", name, len(shown(m)))
			}
		}
	}
	for cut := range 40 { // across the end of the first piece
		text := strings.Repeat("y", chunkSize-60+2*cut) + "\n" + closed + "\nend\n"
		if log, err := Read(context.Background(), []Input{{"log", strings.NewReader(text)}}, small(t), nil); err != nil || len(log.Matches) != 1 || log.Matches[0].Line != 2 {
			t.Fatalf("cut at %d: %+v, %v", cut, log.Matches, err)
		}
	}
}

// A million lines that say the same are counted, not kept.
func TestRepeated(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "[%d] %s\n", i, closed)
	}
	log, err := Read(context.Background(), []Input{{"log", strings.NewReader(b.String())}}, small(t), nil)
	if err != nil || len(log.Matches) != 1 || log.Matches[0].Count != 200_000 || log.Matches[0].Last != 200_000 || log.Lines != 200_000 {
		t.Errorf("%d matches, %+v, %v", len(log.Matches), log.Matches[0], err)
	}
	b.Reset()
	for i := range 100_000 { // each a little different
		fmt.Fprintf(&b, "%s %c%c%c%c\n", closed, 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	log, err = Read(context.Background(), []Input{{"log", strings.NewReader(b.String())}}, small(t), nil)
	if err != nil || len(log.Matches) == 0 || len(log.Matches) > keepFirst+keepLast || log.Matches[len(log.Matches)-1].Line != 100_000 {
		t.Errorf("%d matches, %v", len(log.Matches), err)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text    string
		verdict Verdict
		causes  []string
	}{
		"nothing":          {"", Unknown, nil},
		"a text":           {"epoch 1\n", Unknown, nil},
		"harmless":         {kdb + "\n", Benign, nil},
		"beside a failure": {kdb + "\n" + closed + "\n", Failure, []string{"node"}},
		"two":              {tensile + "\n" + closed + "\n", Failure, []string{"kernels", "node"}},
		"a traceback":      {"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    raise X(\"" + closed + "\")\nX: other\n", Unknown, nil},
		"its last line":    {"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    raise X(m)\nX: " + closed + "\n", Failure, []string{"node"}},
		"junk":             {strings.Repeat("\x00\x01\xfe", 5000), Unknown, nil},
	} {
		e := explained(t, small(t), tc.text, Surroundings{})
		if e.Verdict != tc.verdict || !slices.Equal(ids(e), tc.causes) {
			t.Errorf("%s: %s %v", name, e.Verdict, ids(e))
		}
	}
	if e := explained(t, small(t), strings.Repeat(kdb+"\n", 3), Surroundings{}); len(e.Harmless) != 1 || e.Harmless[0].Count != 3 || e.Harmless[0].Says == "" {
		t.Errorf("%+v", e.Harmless)
	}
}

// Logs of several programs are put in order by their times.
func TestSeveral(t *testing.T) {
	t.Parallel()
	c := small(t)
	inputs := []Input{
		{"app", strings.NewReader("2026-01-02 10:00:09,5 " + tensile + "\n")},
		{"kernel", strings.NewReader("2026-01-02T10:00:01 " + closed + "\n")},
	}
	log, err := Read(context.Background(), inputs, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	j := judge{log: log, catalogue: c}
	if order := j.order(); !slices.Equal(order, []int{1, 0}) {
		t.Errorf("%v", order)
	}
	e, err := Judge(log, c, Surroundings{})
	if err != nil || e.Causes[1].Evidence[0].File != "kernel" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	if _, err := Read(context.Background(), []Input{{"log", io.MultiReader(strings.NewReader(strings.Repeat("x\n", chunkSize)), iotest.ErrReader(broken))}}, small(t), nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, []Input{{"log", strings.NewReader(closed)}}, small(t), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	c := written(f)
	m, err := newMatcher(c)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", closed, tensile, kdb, utf16Of(closed, true), "{\"log\":\"" + closed + "\"}", "\x1f\x8b\x08", "\x1b[31m" + closed, "\r\r\n" + closed} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := m.read(context.Background(), []Input{{"log", bytes.NewReader(data)}}, nil)
		if err != nil {
			return
		}
		e, err := Judge(log, c, Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range e.Causes {
			if len(s.Evidence) == 0 || s.Score < 0 || s.Score > 1 {
				t.Errorf("%s rests on %v, %f", s.Cause.ID, s.Evidence, s.Score)
			}
			for _, line := range s.Evidence {
				if line.Line < 1 || line.Line > log.Lines {
					t.Errorf("line %d of %d", line.Line, log.Lines)
				}
			}
		}
	})
}
