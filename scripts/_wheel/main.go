// Command wheel makes the wheel that scripts/bench-scan measures, and inflates it:
// what nobody can do without who wants to know what is in it.
//
//	wheel make WHEEL LIBRARY
//	wheel inflate WHEEL
package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "make":
		return pack(args[1], args[2])
	case len(args) == 2 && args[0] == "inflate":
		return inflate(args[1])
	}
	return fmt.Errorf("want make WHEEL LIBRARY or inflate WHEEL")
}

// pack writes a library and 200 small modules, as wheels hold them. The standard
// library deflates as zlib does, with which wheels are made.
func pack(wheel, library string) error {
	out, err := os.Create(wheel)
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	in, err := os.Open(library)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := add(z, "pkg/lib/"+filepath.Base(library), in); err != nil {
		return err
	}
	for i := range 200 {
		text := strings.Repeat(fmt.Sprintf("def function_%d(x):\n    return x + %d\n\n", i, i), 200)
		if err := add(z, fmt.Sprintf("pkg/module_%d.py", i), strings.NewReader(text)); err != nil {
			return err
		}
	}
	return z.Close()
}

func add(z *zip.Writer, name string, from io.Reader) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return err
}

// inflate inflates all entries, two at a time.
func inflate(wheel string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer z.Close()
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	entries, failed := make(chan *zip.File), make(chan error, len(z.File))
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for f := range entries {
				failed <- discard(f)
			}
		})
	}
	for _, f := range z.File {
		entries <- f
	}
	close(entries)
	workers.Wait()
	for range z.File {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

func discard(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}
