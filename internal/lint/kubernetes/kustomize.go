package kubernetes

import (
	"bytes"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// patches are what kustomize puts together with other manifests before a cluster
// sees them: a base may get its GPU, and the choice of nodes, from an overlay.
type patches struct {
	// named counts the documents of a kind and a name; one of several is a patch.
	named map[string]int
	// inline tells that a kustomization itself changes something about AMD GPUs, by
	// which manifests is not read.
	inline bool
	used   bool // there is a kustomization
}

func patchesOf(p *lint.Pass) patches {
	out := patches{named: map[string]int{}}
	for _, f := range p.Of(lint.Kubernetes) {
		base := strings.ToLower(path.Base(f.Path))
		if strings.HasPrefix(base, "kustomization.") {
			out.used = true
			out.inline = out.inline || bytes.Contains(f.Data, []byte("amd.com")) || operations(p, f)
		}
	}
	if !out.used {
		return out
	}
	for _, f := range p.Of(lint.Kubernetes) {
		file, err := yamltext.Parse(f.Data)
		if err != nil {
			continue // said by project/readable
		}
		for _, doc := range file.Docs {
			out.named[doc.Get("kind").Value()+" "+doc.Get("metadata").Get("name").Value()]++
		}
	}
	return out
}

// operations tells that a file which a kustomization names is a list of operations
// that adds something of AMD's, by a path such as …/limits/amd.com~1gpu (RFC 6901).
func operations(p *lint.Pass, kustomization *lint.File) bool {
	const most = 100
	file, err := yamltext.Parse(kustomization.Data)
	if err != nil {
		return false // said by project/readable
	}
	read := 0
	for _, doc := range file.Docs {
		for _, list := range []string{"patches", "patchesJson6902"} {
			for _, item := range doc.Get(list).Items() {
				name := item.Get("path").Value()
				if read++; name == "" || read > most {
					continue
				}
				f, err := p.File(path.Join(path.Dir(kustomization.Path), name), lint.Kubernetes)
				if err == nil && bytes.Contains(f.Data, []byte("amd.com~1")) {
					return true
				}
			}
		}
	}
	return false
}

// of tells a workload that is not all that the cluster sees.
func (p patches) of(w workload) bool {
	return p.used && (p.inline || p.named[w.kind+" "+w.name] > 1)
}
