package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// mostCases is how many runs are kept; older ones go.
const mostCases = 20

// A Case is a folder in which a run is kept. What a command wrote may be private,
// so only its owner may read it.
type Case struct{ Dir string }

// NewCase makes the folder of a run, among those of earlier ones.
func NewCase(runs string, at time.Time) (Case, error) {
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return Case{}, fmt.Errorf("keep the run: %w", err)
	}
	name := at.UTC().Format("2006-01-02T150405Z") + "-" + strconv.Itoa(os.Getpid())
	for n := 0; ; n++ {
		c := Case{filepath.Join(runs, name)}
		if n > 0 {
			c.Dir += "-" + strconv.Itoa(n)
		}
		err := os.Mkdir(c.Dir, 0o700)
		if err == nil {
			forget(runs)
			return c, nil
		}
		const enough = 100
		if !errors.Is(err, os.ErrExist) || n == enough {
			return Case{}, fmt.Errorf("keep the run: %w", err)
		}
	}
}

// Put writes one file of the case.
func (c Case) Put(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(c.Dir, name), data, 0o600); err != nil {
		return fmt.Errorf("keep the run: %w", err)
	}
	return nil
}

// forget removes the oldest cases: folders of our own, by their names, and only
// the files in them.
func forget(runs string) {
	entries, err := os.ReadDir(runs)
	if err != nil {
		return
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse("2006-01-02T150405Z", first(e.Name(), len("2006-01-02T150405Z"))); err == nil && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // the time comes first in them
	for _, name := range names[:max(0, len(names)-mostCases)] {
		dir := filepath.Join(runs, name)
		files, _ := os.ReadDir(dir)
		for _, f := range files {
			if f.Type().IsRegular() {
				_ = os.Remove(filepath.Join(dir, f.Name()))
			}
		}
		_ = os.Remove(dir)
	}
}

func first(s string, n int) string { return s[:min(len(s), n)] }

// A TraceFile is a file that a layer of ROCm wrote, or its end.
type TraceFile struct {
	Name string
	Data []byte
}

// Traces reads what the layers wrote into the folder of a case, the end of each.
func Traces(c Case) []TraceFile {
	const most, each = 16, 4 << 20
	var out []TraceFile
	entries, _ := os.ReadDir(c.Dir)
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".log" || len(out) == most {
			continue
		}
		if data, err := endOf(filepath.Join(c.Dir, e.Name()), each); err == nil && len(data) > 0 {
			out = append(out, TraceFile{e.Name(), data})
		}
	}
	return out
}

func endOf(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, st.Size()-most), most))
}
