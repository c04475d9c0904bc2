package kubernetes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// resourceName is what AMD's device plugin calls a whole GPU.
const resourceName = "amd.com/gpu"

func gpuLimit(p *lint.Pass) {
	for _, w := range workloads(p) {
		for _, c := range w.containers {
			sign := c.sign()
			// What mounts devices is told by host-devices; a privileged container has them.
			if sign == "" || w.podman || w.patched || c.init || c.asks() || c.asksOthers() || len(c.devices) > 0 || c.privileged() != nil || w.onProcessors(c) {
				continue
			}
			f := lint.Finding{
				File: w.file, Line: c.node.Line, Verdict: check.Warn, Cause: "k8s-gpu-not-allocated",
				Message: fmt.Sprintf("%s of %s asks for no GPU, and %s. Its limits name no %s, so the kubelet gives it none, and there is no /dev/kfd in it.", upper(c.String()), w, sign, resourceName),
				Mend:    w.mend("Ask for one GPU", c.addLimit),
				Advice:  []remedy.Remedy{askFor()},
			}
			// An image alone may be shared with what computes; who sets a variable means it.
			if c.variable() != nil {
				f.Verdict = check.Fail
			}
			if c.asksNVIDIA() {
				f.Verdict, f.Mend = check.Fail, nil
				f.Message = fmt.Sprintf("%s of %s asks for a GPU of NVIDIA's, and %s. On a node that has one ROCm finds no GPU.", upper(c.String()), w, sign)
				f.Advice = []remedy.Remedy{lint.ByHand("kubernetes-ask-amd", "Ask for a GPU of AMD's", "in resources, write "+resourceName+" for nvidia.com/gpu")}
			}
			p.Report(f)
		}
	}
}

// onProcessors reports a container that says by a name that it does without a GPU.
func (w workload) onProcessors(c container) bool {
	words := strings.FieldsFunc(strings.ToLower(w.name+"-"+c.node.Get("name").Value()), func(r rune) bool { return strings.ContainsRune("-_.", r) })
	return slices.Contains(words, "cpu")
}

func (c container) asksNVIDIA() bool {
	return slices.ContainsFunc([]string{"limits", "requests"}, func(list string) bool {
		return slices.ContainsFunc(c.node.Get("resources").Get(list).Entries(), func(e yamltext.Entry) bool { return strings.HasPrefix(e.Key.Value(), "nvidia.com/") })
	})
}

func askFor() remedy.Remedy {
	return lint.ByHand("kubernetes-ask", "Ask for a GPU", "in the container: resources.limits: {"+resourceName+": 1}, or as many as it uses")
}

// addLimit writes the limit where the container keeps its resources, or makes the
// place.
func (c container) addLimit() (yamltext.Edit, error) {
	one := yamltext.NewEntry{Key: resourceName, Value: yamltext.Text("1")}
	limits := yamltext.NewEntry{Key: "limits", Value: yamltext.Map(one)}
	resources := c.node.Get("resources")
	switch {
	case resources == nil:
		return c.node.Add("resources", yamltext.Map(limits), "imagePullPolicy", "image")
	case resources.Null():
		return resources.SetValue(yamltext.Map(limits))
	case resources.Get("limits") == nil:
		return resources.Add("limits", yamltext.Map(one))
	case resources.Get("limits").Null():
		return resources.Get("limits").SetValue(yamltext.Map(one))
	}
	return resources.Get("limits").Add(resourceName, yamltext.Text("1"))
}

func gpuRequest(p *lint.Pass) {
	for _, w := range workloads(p) {
		for _, c := range w.containers {
			name, limit := c.resource("limits")
			asked, request := c.resource("requests")
			switch {
			case limit == nil && request == nil:
			case limit == nil:
				p.Report(w.refused(request.Line, fmt.Sprintf("%s of %s requests %s of %s and has no limit.", upper(c.String()), w, request.Value(), asked),
					w.mend("Add the same limit", func() (yamltext.Edit, error) { return c.addSameLimit(asked, request.Value()) })))
			case !whole(limit):
				p.Report(w.refused(limit.Line, fmt.Sprintf("%s of %s asks for %s of %s, which is no whole number.", upper(c.String()), w, limit.Value(), name), nil))
			case request != nil && asked == name && request.Value() != limit.Value():
				p.Report(w.refused(request.Line, fmt.Sprintf("%s of %s requests %s of %s and limits it to %s.", upper(c.String()), w, request.Value(), name, limit.Value()),
					w.mend("Request what the limit says", func() (yamltext.Edit, error) { return request.Replace(limit.Value()) })))
			}
		}
	}
}

func whole(n *yamltext.Node) bool {
	_, err := strconv.ParseUint(n.Value(), 10, 16)
	return err == nil
}

// addSameLimit adds limits beside requests; where there are limits of other
// resources, it joins them.
func (c container) addSameLimit(name, value string) (yamltext.Edit, error) {
	resources := c.node.Get("resources")
	if limits := resources.Get("limits"); limits != nil {
		return limits.Add(name, yamltext.Text(value))
	}
	return resources.Add("limits", yamltext.Map(yamltext.NewEntry{Key: name, Value: yamltext.Text(value)}))
}

func (w workload) refused(line int, what string, m *lint.Mend) lint.Finding {
	return lint.Finding{
		File: w.file, Line: line, Verdict: check.Fail, Cause: "k8s-gpu-not-allocated",
		Message: what + " Extended resources are not shared or divided: the API server refuses the pod.",
		Mend:    m,
		Advice:  []remedy.Remedy{lint.ByHand("kubernetes-whole-gpus", "Write the same whole number as limit and request", "resources.limits and, where it is there, resources.requests: "+resourceName+" with one whole number")},
	}
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
