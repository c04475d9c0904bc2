package kubernetes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// supplementalGroups only warns: the pod runs on a node of a cluster, and the
// number is that of one machine.
func supplementalGroups(p *lint.Pass) {
	if !p.Needs.Complete() || len(p.Needs.Groups) == 0 {
		return
	}
	for _, w := range workloads(p) {
		for _, c := range w.containers {
			at := w.stranger(c)
			given := c.asks() || w.podman && len(c.devices) > 0
			if at == nil || !given || c.privileged() != nil {
				continue
			}
			missing := slices.DeleteFunc(slices.Clone(p.Needs.Groups), func(g grant.Group) bool { return slices.Contains(w.groups(c), g.GID) })
			if len(missing) == 0 {
				continue
			}
			p.Report(w.shutOut(c, at, missing))
		}
	}
}

func (w workload) shutOut(c container, at *yamltext.Node, missing []grant.Group) lint.Finding {
	var gids []string
	var evidence []machine.Evidence
	for _, g := range missing {
		gids = append(gids, strconv.FormatUint(uint64(g.GID), 10))
		evidence = append(evidence, machine.Evidence{From: machine.Source(strings.Join(g.Nodes, " ")), Text: fmt.Sprintf("gid %d", g.GID)})
	}
	list := strings.Join(gids, ", ")
	has := "no supplementalGroups are set"
	if n := w.spec.Get("securityContext").Get("supplementalGroups"); len(n.Items()) > 0 {
		has = "the pod's supplementalGroups are others"
	}
	return lint.Finding{
		File: w.file, Line: at.Line, Verdict: check.Warn, Cause: "device-permission-group",
		Message: fmt.Sprintf("%s of %s is not root, and %s. On this machine the nodes of the GPU belong to gid %s; a node like it would say EACCES. Other nodes of a cluster may have other numbers.",
			upper(c.String()), w, has, list),
		Evidence: evidence,
		Advice: []remedy.Remedy{lint.ByHand("kubernetes-groups", "Put the pod into the group of the nodes",
			"where the nodes of the cluster have the number of this machine, in the pod: spec.securityContext.supplementalGroups: ["+list+"]; stat -c %g /dev/kfd on a node tells")},
	}
}

// stranger is where a container is said to run as somebody who is not root; nil
// where the image decides.
func (w workload) stranger(c container) *yamltext.Node {
	for _, of := range []*yamltext.Node{c.node, w.spec} {
		security := of.Get("securityContext")
		if user := security.Get("runAsUser"); user != nil {
			if user.Value() == "0" {
				return nil
			}
			return user
		}
		if n := security.Get("runAsNonRoot"); n.Value() == "true" {
			return n
		}
	}
	return nil
}

// groups are all that the process of a container is in by the manifest.
func (w workload) groups(c container) []uint32 {
	ofPod := w.spec.Get("securityContext")
	nodes := append(slices.Clone(ofPod.Get("supplementalGroups").Items()), ofPod.Get("fsGroup"),
		cmp.Or(c.node.Get("securityContext").Get("runAsGroup"), ofPod.Get("runAsGroup")))
	var out []uint32
	for _, n := range nodes {
		if gid, err := strconv.ParseUint(n.Value(), 10, 32); err == nil {
			out = append(out, uint32(gid))
		}
	}
	return out
}
