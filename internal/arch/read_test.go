package arch

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// moduleRoot goes up from the working directory to the go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = up
	}
}

// read parses every Go file of the module below root, for all systems. It does
// not ask go list: the test cache knows the files that a test opened, but not
// what a child process saw.
func read(root string) ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != root && outside(file):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		s, err := readFile(root, file)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

// outside tells whether a folder is no part of the module's code.
func outside(dir string) bool {
	name := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func readFile(root, file string) (source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return source{}, err
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	below, err := filepath.Rel(root, file)
	if err != nil {
		return source{}, err
	}
	s := source{
		file: filepath.ToSlash(below), pkg: tree.Name.Name, doc: tree.Doc.Text(),
		lines: bytes.Count(text, []byte("\n")), init: hasInit(tree),
	}
	for _, i := range tree.Imports {
		imported, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return source{}, fmt.Errorf("%s: %w", s.file, err)
		}
		s.imports = append(s.imports, imported)
	}
	s.perSystem, err = perSystem(file)
	return s, err
}

func hasInit(tree *ast.File) bool {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			return true
		}
	}
	return false
}

// perSystem tells whether a file's name or build constraint leaves it out
// somewhere.
func perSystem(file string) (bool, error) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		c := build.Default
		c.GOOS = system
		matched, err := c.MatchFile(filepath.Dir(file), filepath.Base(file))
		if err != nil || !matched {
			return true, err
		}
	}
	return false, nil
}
