package kubernetes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A label is one that the pod's nodes must have, as a selector or an affinity
// says.
type label struct {
	key    string
	values []*yamltext.Node // one of them; none where the label only has to be there
}

// labels are what a node must have for the pod to go there. Preferences are none.
func (w workload) labels() []label {
	var out []label
	for _, e := range w.spec.Get("nodeSelector").Entries() {
		out = append(out, label{e.Key.Value(), []*yamltext.Node{e.Value}})
	}
	required := w.spec.Get("affinity").Get("nodeAffinity").Get("requiredDuringSchedulingIgnoredDuringExecution")
	for _, term := range required.Get("nodeSelectorTerms").Items() {
		for _, e := range append(slices.Clone(term.Get("matchExpressions").Items()), term.Get("matchFields").Items()...) {
			switch e.Get("operator").Value() {
			case "In", "Exists":
				out = append(out, label{e.Get("key").Value(), e.Get("values").Items()})
			case "NotIn", "DoesNotExist", "Gt", "Lt":
				out = append(out, label{key: e.Get("key").Value()})
			}
		}
	}
	return out
}

// everywhere are labels that every node has, and that choose no GPU.
var everywhere = []string{"kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"}

func nodeSelection(p *lint.Pass) {
	for _, w := range workloads(p) {
		i := slices.IndexFunc(w.containers, func(c container) bool {
			_, limit := c.resource("limits")
			return limit != nil
		})
		chosen := slices.ContainsFunc(w.labels(), func(l label) bool { return !slices.Contains(everywhere, l.key) })
		if i < 0 || chosen || w.patched || w.spec.Get("nodeName").Value() != "" {
			continue
		}
		_, limit := w.containers[i].resource("limits")
		p.Report(lint.Finding{
			File: w.file, Line: limit.Line, Verdict: check.Warn, Cause: "k8s-node-selector-missing",
			Message: fmt.Sprintf("%s takes any AMD GPU of the cluster. %s counts GPUs and does not tell models apart, so where there are several a pod may land on one that its image has no code for.", w, resourceName),
			Advice: []remedy.Remedy{lint.ByHand("kubernetes-select", "Choose the nodes by a label of the GPU",
				"in the pod: nodeSelector, with a label of AMD's node labeller (kubectl get nodes -L amd.com/gpu.product-name,amd.com/gpu.device-id), or one of your own")},
		})
	}
}

func architecture(p *lint.Pass) {
	for _, w := range workloads(p) {
		if slices.ContainsFunc(w.labels(), label.amd64) {
			continue // one of several terms is enough
		}
		for _, l := range w.labels() {
			if !l.architecture() {
				continue
			}
			at := l.values[0]
			f := lint.Finding{
				File: w.file, Line: at.Line, Verdict: check.Fail, Cause: "k8s-node-selector-missing",
				Message: fmt.Sprintf("%s goes to %s nodes, and ROCm is published for x86-64 alone. Its containers end with \"exec format error\" there, or find no node with an AMD GPU.", w, at.Value()),
				Advice:  []remedy.Remedy{lint.ByHand("kubernetes-amd64", "Choose x86-64 nodes", "write "+l.key+": amd64")},
			}
			if len(l.values) == 1 {
				f.Mend = w.mend("Choose x86-64 nodes", func() (yamltext.Edit, error) { return at.Replace("amd64") })
			}
			p.Report(f)
		}
	}
}

// architecture tells a label by which nodes are chosen for theirs.
func (l label) architecture() bool {
	return strings.HasSuffix(l.key, "kubernetes.io/arch") && len(l.values) > 0
}

func (l label) amd64() bool {
	return l.architecture() && slices.ContainsFunc(l.values, func(n *yamltext.Node) bool { return n.Value() == "amd64" })
}

func gpuModel(p *lint.Pass) {
	for _, w := range workloads(p) {
		for _, l := range w.labels() {
			if len(l.values) != 1 {
				continue
			}
			gfx, name := chosenGPU(l)
			if gfx == "" {
				continue
			}
			for _, c := range w.containers {
				if f, bad := w.without(c, gfx, name); bad {
					f.Line = l.values[0].Line
					p.Report(f)
				}
			}
		}
	}
}

// chosenGPU is the GPU that a label stands for.
func chosenGPU(l label) (gfx, name string) {
	value := strings.ToLower(l.values[0].Value())
	if strings.HasPrefix(value, "gfx") {
		if id, err := rocm.ParseTargetID(value); err == nil {
			return id.Processor, value
		}
	}
	if !strings.HasSuffix(l.key, "amd.com/gpu.device-id") {
		return "", ""
	}
	id, err := strconv.ParseUint(strings.TrimPrefix(value, "0x"), 16, 16)
	if err != nil {
		return "", ""
	}
	product, ok := rocm.LookupPCI(rocm.Vendor, uint16(id), 0)
	if !ok {
		return "", ""
	}
	return product.Gfx, product.Name
}

// without finds an image that is known to have no code for the GPU. An override
// may make code of another GPU run, and is judged elsewhere.
func (w workload) without(c container, gfx, name string) (lint.Finding, bool) {
	repository, tag := c.image()
	known, ok := rocm.LookupImage(repository, tag)
	targets, from, told := known.Targets(tag)
	if !ok || !told || rocm.AnyRuns(targets, gfx) || slices.ContainsFunc(c.node.Get("env").Items(), func(e *yamltext.Node) bool { return e.Get("name").Value() == rocm.OverrideVariable }) {
		return lint.Finding{}, false
	}
	f := lint.Finding{
		File: w.file, Verdict: check.Fail, Cause: "no-kernel-image-for-arch",
		Message:  fmt.Sprintf("%s chooses %s (%s), and %s holds no code for it. It is built for %s.", w, name, gfx, c.node.Get("image").Value(), strings.Join(targets, ", ")),
		Evidence: []machine.Evidence{machine.Cite(from)},
		Advice:   []remedy.Remedy{lint.ByHand("kubernetes-image", "Take an image that is built for "+gfx, "look for a tag or an image whose list of targets has "+gfx+", or choose other nodes")},
	}
	if known.Torch || from.Confidence == rocm.Community { // inferred, and no proof
		f.Verdict = check.Warn
	}
	return f, true
}
