package job

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/image"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

// images looks into the images that engines keep on this machine, for the GPUs of
// the one that the project is to run on.
func (l Linter) images(m *machine.Machine) func(name string) (lint.ImageCode, bool) {
	var ids []rocm.TargetID
	for _, g := range m.TargetGPUs() {
		if id, err := rocm.ParseTargetID(g.Gfx.Value); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || l.Host.OS() == "windows" {
		return nil
	}
	stores := sync.OnceValue(func() []string {
		return image.Stores(host.Files(l.Host), func(name string) string {
			value, _, _ := l.Host.Getenv(name)
			return value
		})
	})
	return func(name string) (lint.ImageCode, bool) {
		img, ok := image.Local(host.Files(l.Host), stores(), name)
		if !ok {
			return lint.ImageCode{}, false
		}
		return codeOf(scan.Files(codeFiles{img}, []string{"."}, scan.Request{GPUs: ids}), img.Store)
	}
}

// codeOf sums up a scan. Where something could not be read nothing is known: it may
// be what runs.
func codeOf(r scan.Report, store string) (lint.ImageCode, bool) {
	out := lint.ImageCode{Store: store, Runs: map[string]bool{}}
	for _, item := range r.Items {
		if len(item.Targets) == 0 {
			continue
		}
		file := lint.CodeFile{Path: "/" + item.Path}
		for _, t := range item.Targets {
			file.Targets = append(file.Targets, t.Target)
		}
		out.Files = append(out.Files, file)
		for gpu, v := range item.Verdicts {
			if v.Result == scan.Unreadable {
				return lint.ImageCode{}, false
			}
			out.Runs[gpu] = out.Runs[gpu] || v.Result.Runs()
		}
	}
	return out, len(out.Files) > 0 && len(r.Problems) == 0
}

// codeFiles shows those files of an image that may hold GPU code: an image has
// hundreds of thousands, nearly all of them text.
type codeFiles struct{ image.Image }

// ReadDir implements fs.ReadDirFS.
func (c codeFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(c.Image, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !mayHoldCode(name, e) }), err
}

// Stat implements fs.StatFS.
func (c codeFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.Image, name) }

// mayHoldCode: programs have no ending, libraries .so somewhere in their name, and
// kernels lie in folders of their own or have one of a few endings.
func mayHoldCode(dir string, e fs.DirEntry) bool {
	name := e.Name()
	if e.IsDir() {
		return !slices.Contains(bareFolders, path.Join(dir, name)) && name != "include" && name != "__pycache__"
	}
	return path.Base(dir) == "library" || !strings.Contains(name, ".") || strings.Contains(name, ".so") ||
		slices.Contains([]string{".co", ".hsaco", ".kpack", ".a", ".hipfb", ".kdb"}, path.Ext(name))
}

// bareFolders of an image hold no programs.
var bareFolders = []string{"boot", "dev", "etc", "proc", "run", "sys", "usr/share", "usr/src", "var"}
