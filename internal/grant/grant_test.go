package grant_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func node(path string, mode fs.FileMode, gid uint32) machine.Node {
	return machine.Node{Path: path, Stat: machine.Know(machine.NodeStat{Mode: fs.ModeDevice | fs.ModeCharDevice | mode, GID: gid}, machine.Source(path))}
}

func with(kfd machine.Node, render ...machine.Node) *machine.Machine {
	return &machine.Machine{
		OS: "linux", KFD: kfd, RenderNodes: machine.Know(render, "/dev/dri"),
		Cards:  machine.Know([]machine.Node{node("/dev/dri/card0", 0o660, 44)}, "/dev/dri"),
		Groups: machine.Know([]machine.Group{{Name: "render", GID: 991}, {Name: "gpu", GID: 110}}, "/etc/group"),
	}
}

func TestForAsksForTheNumbersOfNodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		machine  *machine.Machine
		gids     []uint32
		complete bool
	}{
		{"both of one group", with(node("/dev/kfd", 0o660, 110), node("/dev/dri/renderD128", 0o660, 110)), []uint32{110}, true},
		{"two groups", with(node("/dev/kfd", 0o660, 110), node("/dev/dri/renderD128", 0o660, 105)), []uint32{110, 105}, true},
		{"open to all", with(node("/dev/kfd", 0o666, 110), node("/dev/dri/renderD128", 0o666, 110)), nil, true},
		{"root alone: no group helps", with(node("/dev/kfd", 0o600, 0), node("/dev/dri/renderD128", 0o660, 110)), []uint32{110}, true},
		{"a group that a user namespace hides", with(node("/dev/kfd", 0o660, 65534), node("/dev/dri/renderD128", 0o660, 65534)), nil, false},
		{"hidden, and open to all", with(node("/dev/kfd", 0o666, 65534), node("/dev/dri/renderD128", 0o666, 65534)), nil, true},
		{"no render node", with(node("/dev/kfd", 0o660, 110)), []uint32{110}, false},
		{"not looked at", &machine.Machine{}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := grant.For(tt.machine)
			if !slices.Equal(n.GIDs(), tt.gids) || n.Complete() != tt.complete {
				t.Errorf("gids %v complete %v, want %v %v (%v)", n.GIDs(), n.Complete(), tt.gids, tt.complete, n.Unknown)
			}
		})
	}
}

// In a user namespace the owner is shown as nobody too, which is nobody's right.
func TestHiddenOwnerOpensNothing(t *testing.T) {
	t.Parallel()
	kfd := node("/dev/kfd", 0o660, 65534)
	kfd.Stat.Value.UID = 65534
	n := grant.For(with(kfd, node("/dev/dri/renderD128", 0o660, 110)))
	if n.Complete() || !n.Nodes[0].Closed || !slices.Equal(n.GIDs(), []uint32{110}) {
		t.Errorf("%+v", n)
	}
}

func TestHelplessNodeIsTold(t *testing.T) {
	t.Parallel()
	n := grant.For(with(node("/dev/kfd", 0o600, 0), node("/dev/dri/renderD128", 0o666, 0)))
	if !n.Nodes[0].Helpless || n.Nodes[0].Closed || n.Nodes[1].Helpless {
		t.Errorf("nodes %+v", n.Nodes)
	}
}

func TestThrough(t *testing.T) {
	t.Parallel()
	n := grant.For(with(node("/dev/kfd", 0o660, 110), node("/dev/dri/renderD128", 0o660, 110)))
	tests := []struct {
		name    string
		engine  grant.Engine
		groups  []string
		refused bool
	}{
		{"docker", grant.Engine{Kind: grant.Docker}, []string{"110"}, false},
		{"podman of root", grant.Engine{Kind: grant.Podman, Runtime: "runc"}, []string{"110"}, false},
		{"rootless podman", grant.Engine{Kind: grant.Podman, Rootless: true, Runtime: "crun"}, []string{"keep-groups"}, false},
		{"rootless podman with runc", grant.Engine{Kind: grant.Podman, Rootless: true, Runtime: "runc"}, []string{"keep-groups"}, true},
		{"rootless docker", grant.Engine{Kind: grant.Docker, Rootless: true}, nil, true},
		{"userns-remap", grant.Engine{Kind: grant.Docker, Remapped: true}, nil, true},
		{"apptainer", grant.Engine{Kind: grant.Apptainer}, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := n.Through(tt.engine)
			if !slices.Equal(a.Groups, tt.groups) || (a.Refused != "") != tt.refused || len(a.Devices) != 2 {
				t.Errorf("%+v, want groups %v, refused %v", a, tt.groups, tt.refused)
			}
		})
	}
}

func TestGroupNamedAsksTheNodes(t *testing.T) {
	t.Parallel()
	m := with(node("/dev/kfd", 0o660, 110), node("/dev/dri/renderD128", 0o660, 110))
	for name, want := range map[string]uint32{"render": 110, "video": 44} {
		if gid, why, ok := grant.GroupNamed(m, name); !ok || gid != want || why.Text == "" {
			t.Errorf("%s is %d %v, want %d", name, gid, ok, want)
		}
	}
	hidden := with(node("/dev/kfd", 0o660, 65534), node("/dev/dri/renderD128", 0o660, 65534))
	if gid, _, ok := grant.GroupNamed(hidden, "render"); ok {
		t.Errorf("render is %d, which is nobody's", gid)
	}
	if gid, _, ok := grant.GroupNamed(with(node("/dev/kfd", 0o600, 0), node("/dev/dri/renderD128", 0o660, 110)), "render"); !ok || gid != 110 {
		t.Errorf("render is %d %v, and not the group that opens a node", gid, ok)
	}
	if _, _, ok := grant.GroupNamed(m, "audio"); ok {
		t.Error("audio opens no GPU")
	}
}

func TestCachesAreWhole(t *testing.T) {
	t.Parallel()
	list := grant.For(&machine.Machine{}).Caches
	if len(list) < 5 {
		t.Fatalf("only %d caches", len(list))
	}
	for _, c := range list {
		if c.Name == "" || c.Variable == "" || c.Why == "" || c.Source == "" || c.Confidence == "" {
			t.Errorf("%+v lacks something", c)
		}
	}
	if got := list[0].Below("/c", "7.2"); got != "/c/7.2/miopen-kernels" {
		t.Error(got)
	}
}
