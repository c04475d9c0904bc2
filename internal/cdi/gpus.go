package cdi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// gpus asks whether each GPU can be had, with /dev/kfd beside it.
func (j *judge) gpus(f File) {
	if j.m.GPUs.Unread() {
		found := check.CannotTell(f.Path, "whether every GPU is in "+f.Path, j.m.GPUs.From, j.m.GPUs.Why)
		found.Check = CheckGPUs
		j.out = append(j.out, found)
		return
	}
	gpus, before := j.m.ComputeGPUs(), len(j.out)
	if len(gpus) == 0 {
		j.add(f, CheckGPUs, check.Unknown, "", fmt.Sprintf("Not judged: whether every GPU is in %s. The driver offers none for computing at this moment.", f.Path))
		return
	}
	for _, g := range gpus {
		j.gpu(f, g)
	}
	for _, d := range f.Spec.Devices {
		if holds(f.Spec, d, "/dev/kfd") {
			continue
		}
		j.add(f, CheckGPUs, check.Fail, d.Name, fmt.Sprintf("The device %s of %s lacks /dev/kfd. Without it a container can draw on the GPU and cannot compute.", d.Name, f.Path),
			machine.Evidence{From: machine.Source(f.Path), Text: "name: " + d.Name + ", nodes: " + strings.Join(paths(f.Spec, d), " ")})
	}
	if len(j.out) == before {
		j.add(f, CheckGPUs, check.OK, "", fmt.Sprintf("%s names every GPU of the machine (%d)", f.Path, len(gpus)))
	}
}

// gpu looks for a GPU in a device of its own, and in the one of all.
func (j *judge) gpu(f File, g machine.GPU) {
	if !g.RenderNode.Known() {
		found := check.CannotTell(f.Path+" "+g.Label(), "whether "+g.Label()+" is in "+f.Path, g.RenderNode.From, g.RenderNode.Why)
		found.Check = CheckGPUs
		j.out = append(j.out, found)
		return
	}
	node := g.RenderNode.Value
	has := func(d specs.Device) bool { return holds(f.Spec, d, node) }
	evidence := machine.Evidence{From: g.RenderNode.From, Text: g.Label() + " is " + node}
	switch i := slices.IndexFunc(f.Spec.Devices, func(d specs.Device) bool { return d.Name == All }); {
	case !slices.ContainsFunc(f.Spec.Devices, has):
		j.add(f, CheckGPUs, check.Fail, node, fmt.Sprintf("%s (%s) is not in %s. No container can ask for it.", g.Label(), node, f.Path), evidence)
	case i >= 0 && !has(f.Spec.Devices[i]):
		j.add(f, CheckGPUs, check.Fail, node, fmt.Sprintf("The device %s of %s lacks %s (%s). It was written when there were fewer GPUs, or others.", All, f.Path, g.Label(), node), evidence)
	}
}

func paths(s specs.Spec, d specs.Device) []string {
	var out []string
	for _, n := range slices.Concat(s.ContainerEdits.DeviceNodes, d.ContainerEdits.DeviceNodes) {
		out = append(out, onHost(n))
	}
	return out
}

func holds(s specs.Spec, d specs.Device, node string) bool {
	return slices.Contains(paths(s, d), node)
}

// order asks whether numbers and addresses still lead to the GPU that they led to
// when the specification was written: the driver counts at every start.
func (j *judge) order(f File) {
	gpus, before, judged := j.m.ComputeGPUs(), len(j.out), 0
	names := stableNames(gpus)
	for _, d := range f.Spec.Devices {
		i := slices.Index(names, d.Name)
		if number, err := strconv.Atoi(d.Name); err == nil {
			i = number
		}
		if i < 0 || i >= len(gpus) || !gpus[i].RenderNode.Known() {
			continue
		}
		judged++
		j.named(f, d, gpus[i])
	}
	if judged > 0 && len(j.out) == before {
		j.add(f, CheckOrder, check.OK, "", fmt.Sprintf("The names in %s lead to their own GPUs", f.Path))
	}
}

func (j *judge) named(f File, d specs.Device, g machine.GPU) {
	var render []string
	for _, p := range paths(f.Spec, d) {
		if strings.HasPrefix(p, "/dev/dri/renderD") {
			render = append(render, p)
		}
	}
	want := g.RenderNode.Value
	if len(render) == 0 || slices.Contains(render, want) {
		return // what is missing altogether is told elsewhere
	}
	j.add(f, CheckOrder, check.Fail, d.Name, fmt.Sprintf("The device %s of %s hands out another GPU: %s, where %s is %s now. The order of the driver has changed since the file was written.",
		d.Name, f.Path, strings.Join(render, ", "), g.Label(), want),
		machine.Evidence{From: machine.Source(f.Path), Text: "name: " + d.Name + ", nodes: " + strings.Join(paths(f.Spec, d), " ")},
		machine.Evidence{From: g.RenderNode.From, Text: want})
}
