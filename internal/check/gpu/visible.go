package gpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A layer is one variable that filters GPUs, and what it left.
type layer struct {
	name, value string
	before      []machine.GPU // what it could choose from
	left        []machine.GPU
	bad         string // the token that ended the list; "" for none
}

// layers runs the filters as the runtimes do: ROCR_VISIBLE_DEVICES in ROCr,
// then HIP_VISIBLE_DEVICES, else CUDA_VISIBLE_DEVICES, in HIP, which counts what
// is left from 0 again.
func layers(m *machine.Machine) []layer {
	gpus := m.ComputeGPUs()
	var out []layer
	if value, set := m.Variable("ROCR_VISIBLE_DEVICES"); set {
		l := layer{name: "ROCR_VISIBLE_DEVICES", value: value, before: gpus}
		// ROCr gives up at a repeated token; an empty list hides everything.
		l.left, l.bad = filter(value, gpus)
		out, gpus = append(out, l), l.left
	}
	for _, name := range []string{"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"} {
		// HIP takes an empty value for no filter.
		if value, _ := m.Variable(name); value != "" {
			l := layer{name: name, value: value, before: gpus}
			l.left, l.bad = filter(value, gpus)
			return append(out, l)
		}
	}
	return out
}

// filter selects by index or by GPU-<unique id>; the first token that selects
// nothing new ends the list.
func filter(value string, gpus []machine.GPU) (left []machine.GPU, bad string) {
	taken := map[int]bool{}
	for token := range strings.SplitSeq(value, ",") {
		token = strings.TrimSpace(token)
		i := index(token, gpus)
		if i < 0 || taken[i] {
			return left, token
		}
		taken[i] = true
		left = append(left, gpus[i])
	}
	return left, ""
}

func index(token string, gpus []machine.GPU) int {
	if id, found := strings.CutPrefix(strings.ToUpper(token), "GPU-"); found {
		want, err := strconv.ParseUint(id, 16, 64)
		return slices.IndexFunc(gpus, func(g machine.GPU) bool { return err == nil && g.UniqueID.Known() && g.UniqueID.Value == want })
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(gpus) {
		return -1
	}
	return i
}

func runVisible(in check.Input) []check.Finding {
	m := in.Machine
	if len(m.ComputeGPUs()) == 0 {
		return []check.Finding{check.NotHere("environment", "the driver offers no GPU to choose from")}
	}
	if m.Variables.Unread() {
		return []check.Finding{check.CannotTell("environment", "which GPUs the variables leave", m.Variables.From, m.Variables.Why)}
	}
	all := layers(m)
	out := shadowedVariables(m)
	if len(all) == 0 {
		return append(out, check.Finding{Subject: "environment", Verdict: check.OK, Message: "No variable hides a GPU"})
	}
	last := all[len(all)-1]
	switch {
	case len(last.left) == 0:
		return append(out, nothingLeft(m, all))
	case slices.ContainsFunc(all, func(l layer) bool { return l.bad != "" }):
		return append(out, partlyLeft(m, all))
	}
	return append(out, check.Finding{
		Subject: "environment", Verdict: check.OK, Message: "Programs see " + labels(last.left), Evidence: layerEvidence(m, all),
	})
}

func labels(gpus []machine.GPU) string {
	var out []string
	for _, g := range gpus {
		out = append(out, g.Label())
	}
	return strings.Join(out, ", ")
}

func layerEvidence(m *machine.Machine, all []layer) []machine.Evidence {
	e := []machine.Evidence{{From: "KFD topology", Text: fmt.Sprintf("%s: %s", count(len(m.ComputeGPUs())), labels(m.ComputeGPUs()))}}
	for _, l := range all {
		e = append(e, machine.Evidence{From: m.Variables.From, Text: fmt.Sprintf("%s=%s leaves %s", l.name, l.value, count(len(l.left)))})
	}
	return e
}

func count(n int) string {
	switch n {
	case 0:
		return "no GPU"
	case 1:
		return "1 GPU"
	default:
		return fmt.Sprintf("%d GPUs", n)
	}
}

func nothingLeft(m *machine.Machine, all []layer) check.Finding {
	last := all[len(all)-1]
	f := check.Finding{
		Subject: "environment", Verdict: check.Fail, Cause: "visible-devices-misset", Evidence: layerEvidence(m, all),
		Remedies: []remedy.Remedy{unset(m, last.name)},
	}
	switch {
	case len(all) == 2 && len(all[0].left) > 0:
		f.Message = fmt.Sprintf("Two variables choose GPUs one after the other, and together they choose none. %s=%s leaves %s, numbered from 0 again; %s=%s then asks for one that is not there.",
			all[0].name, all[0].value, count(len(all[0].left)), last.name, last.value)
		f.Remedies = append(f.Remedies, cure.For(m, "set-variable", cure.Values{"name": last.name, "value": "0", "why": "count from 0 in what the first variable leaves"}))
	case all[0].name == "ROCR_VISIBLE_DEVICES" && all[0].value == "":
		f.Message = "ROCR_VISIBLE_DEVICES is set to nothing, which hides every GPU. Unset and empty are not the same for this variable."
		f.Remedies = []remedy.Remedy{unset(m, all[0].name)}
	default:
		first := slices.IndexFunc(all, func(l layer) bool { return len(l.left) == 0 })
		f.Message = fmt.Sprintf("%s=%s chooses no GPU of this machine. It has %s, numbered from 0.", all[first].name, all[first].value, count(len(m.ComputeGPUs())))
		f.Remedies = []remedy.Remedy{unset(m, all[first].name)}
	}
	return f
}

func partlyLeft(m *machine.Machine, all []layer) check.Finding {
	i := slices.IndexFunc(all, func(l layer) bool { return l.bad != "" })
	l := all[i]
	return check.Finding{
		Subject: "environment", Verdict: check.Warn, Cause: "visible-devices-misset", Evidence: layerEvidence(m, all),
		Message:  fmt.Sprintf("%s=%s is cut short at %q. That token names no further GPU, and the runtime ignores it and everything behind it; programs see %s.", l.name, l.value, l.bad, labels(all[len(all)-1].left)),
		Remedies: []remedy.Remedy{unset(m, l.name)},
	}
}

// shadowedVariables warns of values that HIP and frameworks read differently.
func shadowedVariables(m *machine.Machine) []check.Finding {
	hip, hipSet := m.Variable("HIP_VISIBLE_DEVICES")
	cuda, cudaSet := m.Variable("CUDA_VISIBLE_DEVICES")
	warn := func(name, message string) []check.Finding {
		return []check.Finding{{
			Subject: name, Verdict: check.Warn, Cause: "visible-devices-misset", Message: message,
			Evidence: []machine.Evidence{{From: m.Variables.From, Text: name + "=" + valueOf(m, name)}},
			Remedies: []remedy.Remedy{unset(m, name)},
		}}
	}
	switch {
	case hipSet && hip == "":
		return warn("HIP_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES is set to nothing. The HIP runtime ignores that, but PyTorch may read it itself and then find no GPU.")
	case cudaSet && cuda == "" && hip == "":
		return warn("CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES is set to nothing. The HIP runtime ignores that, but PyTorch may read it itself and then find no GPU.")
	case hip != "" && cuda != "" && hip != cuda:
		return warn("CUDA_VISIBLE_DEVICES", fmt.Sprintf("CUDA_VISIBLE_DEVICES=%s is ignored, because HIP_VISIBLE_DEVICES=%s is set. HIP reads CUDA_VISIBLE_DEVICES only where the other is unset or empty; frameworks that read both may disagree.", cuda, hip))
	}
	return nil
}

func valueOf(m *machine.Machine, name string) string {
	v, _ := m.Variable(name)
	return v
}
