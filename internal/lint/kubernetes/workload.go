package kubernetes

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A workload is a manifest that makes pods.
type workload struct {
	file       *lint.File
	text       *text
	kind, name string
	spec       *yamltext.Node // of the pod
	containers []container
	podman     bool // it is for podman kube play, which knows no plugins
	patched    bool // kustomize puts more into it
}

// A text is a file as it was read, and how many bytes its mends were tried on.
type text struct {
	*yamltext.File
	tried int
}

// A container of a pod, with the devices of the host that are mounted into it.
type container struct {
	node    *yamltext.Node
	init    bool
	devices []mount
}

// A mount is a device of the host, as a volume and where it is mounted.
type mount struct {
	volume, mounted *yamltext.Node
	path            string
}

// workloads returns those of a project that compute on AMD GPUs, or seem to, read
// once for all rules. A file that a program fills in first is not judged: what
// stands in it is not what the cluster sees.
func workloads(p *lint.Pass) []workload {
	return lint.Shared(p.Project, "kubernetes/workloads", func() []workload {
		var out []workload
		patches := patchesOf(p)
		for _, f := range p.Of(lint.Kubernetes) {
			if bytes.Contains(f.Data, []byte("{{")) || !slices.ContainsFunc(signs, func(s string) bool { return bytes.Contains(f.Data, []byte(s)) }) {
				continue
			}
			file, err := yamltext.Parse(f.Data)
			if err != nil {
				continue // said by project/readable
			}
			podman := bytes.Contains(bytes.ToLower(f.Data), []byte("podman")) // in a comment, or in annotations
			read := &text{File: file}
			for _, doc := range file.Docs {
				for _, w := range ofDocument(f, doc) {
					w.text, w.podman, w.patched = read, podman, patches.of(w)
					out = append(out, w)
				}
			}
		}
		return slices.DeleteFunc(out, func(w workload) bool { return !slices.ContainsFunc(w.containers, container.computes) })
	})
}

// signs are what every manifest has that is about AMD GPUs. Most have none, and
// definitions of resources are long.
var signs = append([]string{"amd.com/", "rocm", "/dev/kfd"}, prefixes...)

// prefixes are those of variables that only AMD's runtimes read.
var prefixes = []string{"HSA_", "HIP_", "ROCR_"}

// podSpecs are where the kinds of manifests keep the pod.
var podSpecs = map[string][]string{
	"Pod":                   {"spec"},
	"Deployment":            {"spec", "template", "spec"},
	"StatefulSet":           {"spec", "template", "spec"},
	"DaemonSet":             {"spec", "template", "spec"},
	"ReplicaSet":            {"spec", "template", "spec"},
	"ReplicationController": {"spec", "template", "spec"},
	"Job":                   {"spec", "template", "spec"},
	"CronJob":               {"spec", "jobTemplate", "spec", "template", "spec"},
}

func ofDocument(f *lint.File, doc *yamltext.Node) []workload {
	kind := doc.Get("kind").Value()
	if kind == "List" {
		var out []workload
		for _, item := range doc.Get("items").Items() {
			if item.Get("kind").Value() != "List" {
				out = append(out, ofDocument(f, item)...)
			}
		}
		return out
	}
	spec := doc
	for _, key := range podSpecs[kind] {
		spec = spec.Get(key)
	}
	if spec == doc || spec.Kind() != yamltext.Mapping {
		return nil
	}
	w := workload{file: f, kind: kind, name: doc.Get("metadata").Get("name").Value(), spec: spec}
	nodes := deviceVolumes(spec)
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range spec.Get(list).Items() {
			w.containers = append(w.containers, container{node: c, init: list == "initContainers", devices: devices(nodes, c)})
		}
	}
	return []workload{w}
}

// deviceVolumes are the volumes with GPU nodes of the host, by their names.
func deviceVolumes(spec *yamltext.Node) map[string]mount {
	out := map[string]mount{}
	for _, v := range spec.Get("volumes").Items() {
		at := path.Clean("/" + v.Get("hostPath").Get("path").Value())
		if at == "/dev" || at == "/dev/kfd" || at == "/dev/dri" || strings.HasPrefix(at, "/dev/dri/") {
			out[v.Get("name").Value()] = mount{volume: v, path: at}
		}
	}
	return out
}

// devices finds what a container mounts of them, in the order of its mounts.
func devices(volumes map[string]mount, c *yamltext.Node) []mount {
	var out []mount
	for _, m := range c.Get("volumeMounts").Items() {
		if v, found := volumes[m.Get("name").Value()]; found {
			v.mounted = m
			out = append(out, v)
		}
	}
	return out
}

func (w workload) String() string {
	if w.name == "" {
		return w.kind
	}
	return w.kind + " " + w.name
}

func (c container) String() string {
	if name := c.node.Get("name").Value(); name != "" {
		return "container " + name
	}
	return "a container without a name"
}

// resource returns what is asked of AMD's device plugin, by limits or requests.
// Partitions of a GPU have names of their own (amd.com/cpx_nps4).
func (c container) resource(list string) (name string, value *yamltext.Node) {
	for _, e := range c.node.Get("resources").Get(list).Entries() {
		if strings.HasPrefix(e.Key.Value(), "amd.com/") {
			return e.Key.Value(), e.Value
		}
	}
	return "", nil
}

// asks reports that the scheduler knows of the GPU: a limit, or a claim of dynamic
// resource allocation.
func (c container) asks() bool {
	_, limit := c.resource("limits")
	_, request := c.resource("requests")
	return limit != nil || request != nil || len(c.node.Get("resources").Get("claims").Items()) > 0
}

// asksOthers reports that another plugin than AMD's passes the nodes:
// squat.ai/kfd, smarter-devices/renderD128.
func (c container) asksOthers() bool {
	return slices.ContainsFunc(c.node.Get("resources").Get("limits").Entries(), func(e yamltext.Entry) bool {
		domain, name, extended := strings.Cut(strings.ToLower(e.Key.Value()), "/")
		return extended && domain != "nvidia.com" && !strings.HasSuffix(domain, "intel.com") &&
			slices.ContainsFunc([]string{"kfd", "dri", "render", "gpu", "amd", "rocm"}, func(word string) bool { return strings.Contains(name, word) })
	})
}

func (c container) privileged() *yamltext.Node {
	if n := c.node.Get("securityContext").Get("privileged"); n.Value() == "true" {
		return n
	}
	return nil
}

// image returns repository and tag; both are "" where a program fills them in.
func (c container) image() (repository, tag string) {
	name := c.node.Get("image").Value()
	if strings.ContainsAny(name, "$<> ") {
		return "", ""
	}
	repository, tag, _ = rocm.SplitImage(name)
	return repository, tag
}

// variable is the first one that only AMD's runtimes read. One that names no GPU at
// all is no sign that somebody wants one.
func (c container) variable() *yamltext.Node {
	for _, e := range c.node.Get("env").Items() {
		name, value := e.Get("name"), e.Get("value")
		none := strings.HasSuffix(name.Value(), "_VISIBLE_DEVICES") && value != nil && (value.Value() == "" || value.Value() == "-1")
		if !none && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name.Value(), p) }) {
			return name
		}
	}
	return nil
}

// computes tells whether a container wants an AMD GPU, by what it asks for, is
// given, or is made for.
func (c container) computes() bool { return c.asks() && c.forAMD() || c.sign() != "" }

func (c container) forAMD() bool {
	limit, _ := c.resource("limits")
	request, _ := c.resource("requests")
	return limit != "" || request != "" || c.sign() != ""
}

// sign is why a container seems to compute on an AMD GPU; "" where nothing tells.
func (c container) sign() string {
	repository, tag := c.image()
	if system(repository) {
		return ""
	}
	kfd := slices.ContainsFunc(c.devices, func(m mount) bool { return m.path == "/dev/kfd" })
	switch v := c.variable(); {
	case repository != "" && rocm.ForROCm(repository, tag):
		return "its image is " + c.node.Get("image").Value()
	case v != nil:
		return "it is given " + v.Value()
	case kfd:
		return "/dev/kfd of the host is mounted into it"
	}
	return ""
}

//go:embed data/system.yaml
var systemTable []byte

type systemImage struct{ Repository, Source, Confidence string }

var systemImages = sync.OnceValue(func() []systemImage {
	var list []systemImage
	if err := yaml.Unmarshal(systemTable, &list); err != nil {
		panic(fmt.Sprintf("the embedded table of system images: %v", err)) // a test reads it
	}
	return list
})

// system tells the images that manage GPUs.
func system(repository string) bool {
	return slices.ContainsFunc(systemImages(), func(i systemImage) bool { return i.Repository == path.Base(repository) })
}

// mend is a change of a manifest, or nil where it cannot be made without touching
// anything else.
func (w workload) mend(title string, edits ...func() (yamltext.Edit, error)) *lint.Mend {
	m := &lint.Mend{Title: title}
	var texts []yamltext.Edit
	for _, edit := range edits {
		e, err := edit()
		if err != nil {
			return nil
		}
		texts = append(texts, e)
		m.Edits = append(m.Edits, lint.Edit{File: w.file, Start: e.Start, End: e.End, New: e.New})
	}
	if w.text.tried += len(w.file.Data); w.text.tried > maxTried {
		return m
	}
	after, err := yamltext.Apply(w.file.Data, texts...)
	if err != nil || w.text.Verify(after, texts...) != nil {
		return nil
	}
	return m
}

// maxTried bounds the bytes that are read again for the mends of one file, each by
// itself: of a long file with many workloads that took minutes. All mends together
// are verified in any case before anything is written.
const maxTried = 1 << 20
