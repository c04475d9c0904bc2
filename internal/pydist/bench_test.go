package pydist

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSites reads and resolves three sites of 300 packages from a disk.
func BenchmarkSites(b *testing.B) {
	root := b.TempDir()
	sites := []string{"a", "b", "c"}
	for _, site := range sites {
		for i := range 300 {
			dir := filepath.Join(root, site, fmt.Sprintf("p%d-1.%d.0.dist-info", i, i))
			text := fmt.Sprintf("Metadata-Version: 2.4\nName: p%d\nVersion: 1.%d.0\nSummary: x\nRequires-Python: >=3.9\n", i, i)
			for n := range 12 {
				text += fmt.Sprintf("Requires-Dist: p%d<2,>=1.%d", (i+n)%300, n)
				if n > 4 {
					text += `; python_version >= "3.9" and extra == "test"`
				}
				text += "\n"
			}
			text += "\n" + strings.Repeat("A readme of some length.\n", 250)
			if err := os.MkdirAll(dir, 0o750); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "METADATA"), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	fsys := os.DirFS(root)
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			for _, site := range sites {
				if _, err := List(fsys, site); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			for _, site := range sites {
				s, err := List(fsys, site)
				if err != nil {
					b.Fatal(err)
				}
				s.ReadMetadata(fsys)
				Resolve(s.Distributions, ubuntu)
			}
		}
	})
}
