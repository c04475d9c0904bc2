package linkage

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// An AbsentSymbol is wanted by a library of a tree and defined by none.
type AbsentSymbol struct {
	Name    string
	Version string
	By      string // the path of who wants it
}

// String says it in the loader's own words.
func (s AbsentSymbol) String() string {
	if s.Version == "" {
		return fmt.Sprintf("%s: undefined symbol: %s", s.By, s.Name)
	}
	return fmt.Sprintf("%s: undefined symbol: %s, version %s", s.By, s.Name, s.Version)
}

// AbsentSymbols looks for symbols that are wanted and not defined. Where the
// tree is not whole, or a library has too many symbols to be read, the error says
// so, and only symbols are named that belong to a library which was read.
// Symbols of Python are the interpreter's to define.
func (l *Loader) AbsentSymbols(t Tree) ([]AbsentSymbol, error) {
	s := scope{tree: t, defined: map[string]map[string]bool{}, read: map[int]bool{}}
	var errs []error
	if len(t.Missing)+len(t.Faults) > 0 {
		errs = append(errs, fmt.Errorf("look for symbols: %d libraries of %s are missing", len(t.Missing)+len(t.Faults), t.Libraries[0].Path))
	}
	wanted := make([][]symbol, len(t.Libraries))
	for i, lib := range t.Libraries {
		symbols, err := l.symbolsOf(lib.Path)
		if err != nil {
			errs = append(errs, fmt.Errorf("look for symbols in %s: %w", lib.Path, err))
			continue
		}
		s.read[i] = true
		wanted[i] = s.define(symbols)
	}
	s.whole = len(errs) == 0
	var out []AbsentSymbol
	for i, list := range wanted {
		for _, w := range list {
			if s.absent(w) {
				out = append(out, AbsentSymbol{w.name, w.version, t.Libraries[i].Path})
			}
		}
	}
	return out, errors.Join(errs...)
}

// AbsentBetween looks for symbols that one library of a tree wants of another by
// name and version, and that the other does not define. It reads these two only.
func (l *Loader) AbsentBetween(t Tree, asker, giver int) ([]AbsentSymbol, error) {
	two := Tree{Libraries: []Library{t.Libraries[asker], t.Libraries[giver]}}
	s := scope{tree: two, defined: map[string]map[string]bool{}, read: map[int]bool{1: true}}
	var wanted []symbol
	for _, lib := range two.Libraries {
		symbols, err := l.symbolsOf(lib.Path)
		if err != nil {
			return nil, fmt.Errorf("look for symbols in %s: %w", lib.Path, err)
		}
		list := s.define(symbols)
		if wanted == nil {
			wanted = list
		}
	}
	var out []AbsentSymbol
	for _, w := range wanted {
		if s.absent(w) {
			out = append(out, AbsentSymbol{w.name, w.version, two.Libraries[0].Path})
		}
	}
	return out, nil
}

func (l *Loader) symbolsOf(p string) ([]symbol, error) {
	var out []symbol
	err := l.disk.withFile(p, func(r io.ReaderAt) (err error) {
		out, err = readSymbols(r)
		return err
	})
	return out, err
}

// A scope is what all libraries of a tree define, by name and version.
type scope struct {
	tree    Tree
	defined map[string]map[string]bool
	read    map[int]bool
	whole   bool
}

// define keeps what is defined, and returns what is wanted.
func (s *scope) define(symbols []symbol) (wanted []symbol) {
	for _, y := range symbols {
		if !y.defined {
			if !y.weak {
				wanted = append(wanted, y)
			}
			continue
		}
		if s.defined[y.name] == nil {
			s.defined[y.name] = map[string]bool{}
		}
		s.defined[y.name][y.version] = true
	}
	return wanted
}

func (s *scope) absent(w symbol) bool {
	if strings.HasPrefix(w.name, "Py") || strings.HasPrefix(w.name, "_Py") {
		return false
	}
	if !s.whole {
		i := s.tree.Index(w.library)
		if w.library == "" || i < 0 || !s.read[i] {
			return false
		}
	}
	versions := s.defined[w.name]
	// A library without versions serves every version, and who names none takes any.
	return len(versions) == 0 || w.version != "" && !versions[w.version] && !versions[""]
}
