package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A Change is what mends make of one file.
type Change struct {
	File  *File // as it is
	After []byte
}

// A Mended is what mends make of a project.
type Mended struct {
	Changes []Change
	Folders []string // to be made
	Taken   []Found
	// Refused are mends that would have broken a file, or never came to an end.
	Refused []Refusal
	// Left is what the rules say of the project afterwards, by the lines that the
	// files have before.
	Left Result
}

// A Refusal is a mend that is not made, and why.
type Refusal struct {
	Found Found
	Why   string
}

// MendAll makes all mends that rules offer, and those that they offer of what
// becomes of the files, until there are none.
func MendAll(p *Project, s Setting, rules []Rule) Mended {
	const rounds = 20
	var out Mended
	now := p
	refused := map[string]bool{}
	from := origin{project: p, rounds: map[string][]spread{}}
	for range rounds {
		out.Left = Run(now, s, rules)
		taken, edits := choose(out.Left.Found, refused)
		changes, broken := splice(edits)
		if len(broken) > 0 { // once more, without the mends that broke something
			for _, r := range culprits(taken, broken) {
				refused[r.Found.key()] = true
				out.Refused = append(out.Refused, Refusal{from.back(r.Found), r.Why})
			}
			continue
		}
		folders := wanting(taken)
		if len(changes) == 0 && len(folders) == 0 {
			out.Changes, out.Folders = differences(p, now), now.made
			for i, f := range out.Left.Found {
				out.Left.Found[i] = from.back(f)
			}
			return out
		}
		for _, f := range taken {
			out.Taken = append(out.Taken, from.back(f))
		}
		from.add(edits, changes)
		now = now.with(changes, folders)
	}
	// Rules that contradict each other would change the files for ever.
	for _, f := range out.Taken {
		out.Refused = append(out.Refused, Refusal{f, "the mends of this project undo each other"})
	}
	return Mended{Refused: out.Refused, Left: Run(p, s, rules)}
}

// wanting are the folders that mends make.
func wanting(taken []Found) []string {
	var out []string
	for _, f := range taken {
		out = append(out, f.Mend.Folders...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Made tells a folder that a mend makes: it is there when all mends are made.
func (p *Project) Made(folder string) bool { return slices.Contains(p.made, folder) }

// culprits are the mends that break a file alone, or where none does, all that
// touch it.
func culprits(taken []Found, broken map[*File]string) []Refusal {
	var alone, together []Refusal
	for _, f := range taken {
		for _, e := range f.Mend.Edits {
			why, bad := broken[e.File]
			if !bad {
				continue
			}
			together = append(together, Refusal{f, why})
			if e.File.verify(e.File.Preview(*f.Mend), f.Mend.of(e.File)) != nil {
				alone = append(alone, Refusal{f, why})
			}
			break
		}
	}
	if len(alone) > 0 {
		return alone
	}
	return together
}

// choose takes mends in their order. One that touches what another changes comes
// in the next round, when it is made anew; all edits of a mend are made, or none.
func choose(found []Found, refused map[string]bool) ([]Found, map[*File][]Edit) {
	var taken []Found
	edits := map[*File][]Edit{}
	for _, f := range found {
		if f.Mend == nil || f.By != nil || refused[f.key()] {
			continue
		}
		if !f.Mend.fits() || slices.ContainsFunc(f.Mend.Edits, func(e Edit) bool { return clashes(e, edits[e.File]) }) {
			continue
		}
		taken = append(taken, f)
		for _, e := range f.Mend.Edits {
			if !slices.Contains(edits[e.File], e) {
				edits[e.File] = append(edits[e.File], e)
			}
		}
	}
	return taken, edits
}

func (f Found) key() string { return f.Rule.ID + " " + f.Place() + " " + f.Message }

func (e Edit) fits() bool { return 0 <= e.Start && e.Start <= e.End && e.End <= len(e.File.Data) }

// fits wants edits that are in their files, and of which no two take the same
// bytes. Two insertions at one place come in their order.
func (m Mend) fits() bool {
	for i, e := range m.Edits {
		if !e.fits() || slices.ContainsFunc(m.Edits[:i], func(o Edit) bool { return o.File == e.File && overlap(e, o) }) {
			return false
		}
	}
	return len(m.Edits)+len(m.Folders) > 0
}

func overlap(a, b Edit) bool { return a.Start < b.End && b.Start < a.End }

// clashes tells whether an edit touches one of another mend. The same edit by two
// rules does not.
func clashes(e Edit, others []Edit) bool {
	return slices.ContainsFunc(others, func(o Edit) bool {
		insertion := e.Start == e.End || o.Start == o.End
		adjacent := e.Start == o.End || o.Start == e.End
		return e != o && (overlap(e, o) || e.Start == o.Start || insertion && adjacent)
	})
}

// splice puts the edits into the files, and wants each to be sound after it.
func splice(edits map[*File][]Edit) (changes []Change, broken map[*File]string) {
	broken = map[*File]string{}
	for f, list := range edits {
		after := f.spliced(list)
		if err := f.verify(after, list); err != nil {
			broken[f] = fmt.Sprintf("%s would be damaged: %v", f.Path, err)
			continue
		}
		changes = append(changes, Change{f, after})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.File.Path, b.File.Path) })
	return changes, broken
}

// verify reads the text again. In YAML nothing may mean something else than before
// but what stands in the edited bytes.
func (f *File) verify(after []byte, edits []Edit) error {
	if f.Kind == Compose || f.Kind == Kubernetes {
		own := make([]yamltext.Edit, len(edits))
		for i, e := range edits {
			own[i] = yamltext.Edit{Start: e.Start, End: e.End, New: e.New}
		}
		return yamltext.Verify(f.Data, after, own...)
	}
	return WellFormed(f.Kind, after)
}

// Preview is a file with one mend made.
func (f *File) Preview(m Mend) []byte { return f.spliced(m.of(f)) }

// of returns the edits of one file; none where the mend cannot be made.
func (m Mend) of(f *File) []Edit {
	if !m.fits() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.Edits), func(e Edit) bool { return e.File != f })
}

// spliced replaces bytes and leaves all others as they are.
func (f *File) spliced(edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(f.Data[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	out.Write(f.Data[at:])
	return out.Bytes()
}

// with is the project as it would be after changes, and with more folders.
func (p *Project) with(changes []Change, folders []string) *Project {
	files := map[string][]byte{}
	for _, c := range changes {
		files[c.File.Path] = c.After
	}
	next := &Project{FS: overlay{p.FS, files}, Problems: p.Problems, Shown: p.Shown, made: slices.Concat(p.made, folders)}
	for _, f := range p.Files {
		if data, changed := files[f.Path]; changed {
			f = &File{Path: f.Path, Kind: f.Kind, Data: data}
		}
		next.Files = append(next.Files, f)
	}
	for _, s := range p.Ignored {
		if s.pattern != "" {
			twin := *s
			twin.used = false
			next.Ignored = append(next.Ignored, &twin)
		}
	}
	for _, f := range next.Files {
		next.Ignored = append(next.Ignored, inComments(f)...)
	}
	return next
}

// differences are the files that are not what they were.
func differences(before, after *Project) []Change {
	var out []Change
	for _, name := range changed(after.FS) {
		f, err := before.File(name, "")
		if err != nil {
			continue // only files that were read are ever changed
		}
		now, err := readFile(after.FS, name)
		if err == nil && !bytes.Equal(now, f.Data) {
			out = append(out, Change{f, now})
		}
	}
	return out
}
