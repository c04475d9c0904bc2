// Command dockerfile holds rocsmith's reader of Dockerfiles to BuildKit's
// parser, on the files that it is given and on ones that it makes up.
//
//	go run . [-n 2000] [-seed 1] [FILE…]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
)

func main() {
	n := flag.Int("n", 2000, "how many files to make up")
	seed := flag.Uint64("seed", 1, "of the files that are made up")
	flag.Parse()
	if err := run(*n, *seed, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, files []string) error {
	refused := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := compare(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for i := range n {
		data := generate(seed + uint64(i))
		built, err := compare(data)
		if err != nil {
			return fmt.Errorf("made up with -seed %d -n 1:\n%s\n%w", seed+uint64(i), data, err)
		}
		if !built {
			refused++
		}
	}
	fmt.Printf("Dockerfiles: %d given and %d made up are read as BuildKit reads them; it refuses %d of these, and so does rocsmith\n", len(files), n, refused)
	if n > 0 && refused > n/2 {
		return errors.New("most files that were made up are refused, so little was compared")
	}
	return nil
}

// compare reads a file in both ways. What BuildKit refuses must be refused.
func compare(data []byte) (built bool, err error) {
	theirs, theirErr := parser.Parse(bytes.NewReader(data))
	ours, ourErr := dockerfile.Parse(data)
	if theirErr != nil && strings.Contains(theirErr.Error(), "file with no instructions") {
		theirErr, theirs = nil, &parser.Result{AST: &parser.Node{}, EscapeToken: rune(ours.Escape)}
	}
	if (theirErr != nil) != (ourErr != nil) {
		return false, fmt.Errorf("BuildKit's error is %v, and rocsmith's is %v", theirErr, ourErr)
	}
	if theirErr != nil {
		return false, nil
	}
	if byte(theirs.EscapeToken) != ours.Escape {
		return false, fmt.Errorf("BuildKit's escape is %c, and rocsmith's is %c", theirs.EscapeToken, ours.Escape)
	}
	a, b := theirText(theirs), ourText(ours, data)
	if a != b {
		return false, fmt.Errorf("BuildKit reads\n%s\nand rocsmith\n%s", a, b)
	}
	return true, nil
}

func theirText(r *parser.Result) string {
	var out strings.Builder
	for _, node := range r.AST.Children {
		if node.Value != "" {
			fmt.Fprintf(&out, "%d-%d ", node.StartLine, node.EndLine)
			writeNode(&out, node)
			writeHeredocs(&out, node.Heredocs)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func writeNode(out *strings.Builder, node *parser.Node) {
	name := strings.ToUpper(node.Value)
	fmt.Fprintf(out, "%s %q json=%v", name, node.Flags, node.Attributes["json"])
	if name == "ONBUILD" {
		if node.Next != nil {
			out.WriteString(" > ")
			writeNode(out, node.Next.Children[0])
		}
		return
	}
	paired := name == "ENV" || name == "LABEL"
	i := 0
	for next := node.Next; next != nil; next = next.Next {
		if i++; paired && i%3 == 0 || !known(name) {
			continue // the sign between name and value
		}
		fmt.Fprintf(out, " %q", next.Value)
	}
}

func known(name string) bool {
	for word := range strings.FieldsSeq("ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR") {
		if word == name {
			return true
		}
	}
	return false
}

func writeHeredocs(out *strings.Builder, docs []parser.Heredoc) {
	for _, h := range docs {
		fmt.Fprintf(out, " <<%q expand=%v chomp=%v %q", h.Name, h.Expand, h.Chomp, h.Content)
	}
}

func ourText(f *dockerfile.File, data []byte) string {
	var out strings.Builder
	for _, in := range f.Instructions {
		fmt.Fprintf(&out, "%d-%d ", in.Line, in.EndLine)
		docs := writeInstruction(&out, in)
		for _, h := range docs {
			fmt.Fprintf(&out, " <<%q expand=%v chomp=%v %q", h.Name, h.Expand, h.Chomp, data[h.Start:h.End])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func writeInstruction(out *strings.Builder, in *dockerfile.Instruction) []dockerfile.Heredoc {
	var flags []string
	for _, w := range in.Flags {
		flags = append(flags, w.Text)
	}
	fmt.Fprintf(out, "%s %q json=%v", in.Name, flags, in.JSON)
	if in.Inner != nil {
		out.WriteString(" > ")
		return writeInstruction(out, in.Inner)
	}
	if in.Name == "ENV" || in.Name == "LABEL" {
		for _, p := range in.Pairs {
			fmt.Fprintf(out, " %q %q", p.Name.Text, p.Value.Text)
		}
		return nil
	}
	for _, w := range in.Words {
		fmt.Fprintf(out, " %q", w.Text)
	}
	return in.Heredocs
}
