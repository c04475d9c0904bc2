package arch

import (
	"fmt"
	"go/doc"
	"maps"
	"path"
	"slices"
	"strings"
)

// A source is what the rules need to know of one Go file.
type source struct {
	file      string // below the module's root, with slashes
	pkg       string // its package clause
	doc       string // the comment above it
	imports   []string
	lines     int
	init      bool // it declares func init()
	perSystem bool // it is built on some operating systems only
}

func (s source) dir() string  { return path.Dir(s.file) }
func (s source) isTest() bool { return strings.HasSuffix(s.file, "_test.go") }

// judge returns what breaks a house rule, one sentence each.
func judge(sources []source) []string {
	var complaints []string
	rooms := map[string][]source{}
	for _, s := range sources {
		rooms[s.dir()] = append(rooms[s.dir()], s)
		complaints = slices.Concat(complaints, judgeImports(s), judgeKeepers(s), judgeFile(s))
	}
	for _, dir := range slices.Sorted(maps.Keys(rooms)) {
		if _, _, ok := find(dir); !ok {
			complaints = append(complaints, dir+": this room is not in the house: add it to the table in internal/arch/house_test.go and in docs/design.md")
		}
		complaints = append(complaints, judgeDoc(dir, rooms[dir])...)
	}
	return complaints
}

// judgeImports holds tests to the same direction: a test that looks up from
// below shows that it belongs upstairs.
func judgeImports(s source) []string {
	if _, _, ok := find(s.dir()); !ok {
		return nil // the room is complained of already
	}
	var complaints []string
	for _, imported := range s.imports {
		to, own := strings.CutPrefix(imported, module+"/")
		if !own || to == s.dir() {
			continue
		}
		if _, _, ok := find(to); !ok {
			complaints = append(complaints, fmt.Sprintf("%s: imports %s, which is not in the house", s.file, to))
		} else if !allowed(s.dir(), to) {
			complaints = append(complaints, fmt.Sprintf("%s: %s may not import %s", s.file, s.dir(), to))
		}
	}
	return complaints
}

func judgeKeepers(s source) []string {
	if s.isTest() {
		return nil
	}
	var complaints []string
	for _, imported := range s.imports {
		if keeper, kept := keepers[imported]; kept && !slices.Contains(keeper, s.dir()) {
			complaints = append(complaints, fmt.Sprintf("%s: only %s may import %s", s.file, strings.Join(keeper, ", "), imported))
		}
	}
	return complaints
}

const mainLines = 30

func judgeFile(s source) []string {
	var complaints []string
	if s.init {
		complaints = append(complaints, s.file+": has an init(); say it in a list or a function that somebody calls")
	}
	if s.isTest() {
		return complaints
	}
	if s.perSystem && !slices.Contains(ownFilesPerSystem, s.dir()) {
		complaints = append(complaints, s.file+": is built on some systems only; let the decision depend on data instead")
	}
	if s.dir() == "cmd/rocsmith" && s.file != "cmd/rocsmith/main.go" {
		complaints = append(complaints, s.file+": cmd/rocsmith has main.go and nothing else")
	}
	if s.file == "cmd/rocsmith/main.go" && s.lines >= mainLines {
		complaints = append(complaints, fmt.Sprintf("%s: has %d lines; it has to stay under %d", s.file, s.lines, mainLines))
	}
	return complaints
}

func judgeDoc(dir string, sources []source) []string {
	var carriers, complaints []string
	for _, s := range sources {
		if s.isTest() || s.doc == "" {
			continue
		}
		carriers = append(carriers, path.Base(s.file))
		start := "Package " + s.pkg + " "
		if s.pkg == "main" {
			start = "Command " + path.Base(dir) + " "
		}
		var p doc.Package
		if sentence := p.Synopsis(s.doc); !strings.HasPrefix(sentence, start) {
			complaints = append(complaints, fmt.Sprintf("%s: the package doc has to start with %q and be a sentence", s.file, start))
		}
	}
	switch len(carriers) {
	case 1:
	case 0:
		complaints = append(complaints, dir+": no file carries the package doc")
	default:
		complaints = append(complaints, fmt.Sprintf("%s: the package doc stands in %s; one file carries it", dir, strings.Join(carriers, " and ")))
	}
	return complaints
}
