package scan

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/codeobj"
)

// itemOf is what one file holds, or why it holds nothing and works all the same. Code
// that was split off is looked for elsewhere.
func itemOf(f codeobj.File, src source) (Item, bool) {
	if f.Kind == codeobj.KindMIOpen {
		return database(f), true
	}
	a := asksOf(f, src)
	i, ok := item(f)
	if !ok && f.Kpack == nil {
		i, ok = cudaOnly(f, a)
	}
	if !ok && f.Kpack == nil {
		i, ok = withoutCode(f, a)
	}
	i.Needs, i.search = slices.Concat(a.hip, a.cuda), a.search
	return i, ok
}

// withoutCode is a library of ROCm, or one that compiles its code, in which no GPU
// code is and none should be.
func withoutCode(f codeobj.File, a asks) (Item, bool) {
	i := newItem(f)
	program := f.Kind == codeobj.KindELF || f.Kind == codeobj.KindPE
	switch {
	case f.Infrastructure:
		i.role = isRuntime
	case !program || len(f.Problems) > 0: // what is damaged is no reason to call it fine
		return Item{}, false
	case i.library.Compiles, slices.ContainsFunc(a.hip, isCompiler):
		i.role = compiles
	case len(i.library.Forwards) > 0 || i.library.Apart:
		i.role = forwards
	default:
		return Item{}, false
	}
	return i, true
}

// isCompiler knows the library that compiles GPU code in a program.
func isCompiler(library string) bool {
	return strings.HasPrefix(strings.TrimPrefix(strings.ToLower(library), "lib"), "hiprtc")
}

// compiled says why an item works without GPU code.
func (i *Item) compiled() string {
	if i.library.Compiles {
		return "It holds no GPU code: it compiles its kernels when they are first used."
	}
	return "It holds no GPU code, and asks for " + i.Needs[slices.IndexFunc(i.Needs, isCompiler)] + ", by which it compiles code when it is first used."
}

// aside takes the libraries out that are not judged: parts of the runtime, and
// those that hand their work to others.
func aside(items []Item) (judged, runtimes, wrappers []Item) {
	for _, i := range items {
		switch i.role {
		case isRuntime:
			runtimes = append(runtimes, i)
		case forwards:
			wrappers = append(wrappers, i)
		default:
			judged = append(judged, i)
		}
	}
	return judged, runtimes, wrappers
}

// unjudged says why some libraries are not judged, where somebody asked about
// them, or where there is nothing else to say.
func (s *scanner) unjudged(items []Item, alone bool) []Note {
	const most = 4
	var out []Note
	for _, i := range items {
		if alone || s.asked(i.Path) {
			out = append(out, Note{Path: i.Path, What: i.notJudged()})
		}
	}
	return out[:min(len(out), most)]
}

func (i *Item) notJudged() string {
	base := path.Base(i.Path)
	switch {
	case i.role == isRuntime:
		return base + " is a part of the runtime. What GPU code it holds is its own, and says nothing of where programs run."
	case i.library.Apart:
		return base + " holds no GPU code: its kernels lie in a folder beside it, " + strings.ToLower(i.library.Name) + "/library. Scan that."
	}
	return base + " holds no GPU code: it hands its work to " + joined(i.library.Forwards, "and") + ". Scan that."
}

// joined is "a, b and c".
func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
