package cdi_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"github.com/rocsmith/rocsmith/internal/cdi"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

func node(path string, mode fs.FileMode, gid uint32) machine.Node {
	st := machine.NodeStat{Mode: fs.ModeDevice | fs.ModeCharDevice | mode, GID: gid, Major: 226, Minor: 1}
	return machine.Node{Path: path, Stat: machine.Know(st, machine.Source(path))}
}

func gpu(number int, address, render, card string) machine.GPU {
	return machine.GPU{
		Vendor: machine.AMD, Name: "GPU at " + address, Address: address, Node: machine.Know(number, "topology"),
		RenderNode: machine.Know(render, "topology"), CardNode: machine.Know(card, "drm"),
	}
}

// two is a machine with two cards.
func two() *machine.Machine {
	return &machine.Machine{
		OS: "linux", KFD: node("/dev/kfd", 0o660, 110),
		RenderNodes: machine.Know([]machine.Node{node("/dev/dri/renderD128", 0o660, 110), node("/dev/dri/renderD129", 0o666, 105)}, "/dev/dri"),
		Cards:       machine.Know([]machine.Node{node("/dev/dri/card0", 0o660, 44), node("/dev/dri/card1", 0o660, 44)}, "/dev/dri"),
		GPUs:        machine.Know([]machine.GPU{gpu(1, "0000:03:00.0", "/dev/dri/renderD128", "/dev/dri/card0"), gpu(2, "0000:0f:00.0", "/dev/dri/renderD129", "/dev/dri/card1")}, "topology"),
	}
}

func generate(t *testing.T, m *machine.Machine, w cdi.Wish) specs.Spec {
	t.Helper()
	s, err := cdi.Generate(m, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := specs.ValidateVersion(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGenerateWritesTheNodesAsTheyAre(t *testing.T) {
	t.Parallel()
	s := generate(t, two(), cdi.Wish{})
	var names []string
	for _, d := range s.Devices {
		names = append(names, d.Name)
	}
	if want := []string{"0", "1", "0000:03:00.0", "0000:0f:00.0", "all"}; !slices.Equal(names, want) {
		t.Errorf("devices %v, want %v", names, want)
	}
	second := s.Devices[1].ContainerEdits.DeviceNodes
	if len(second) != 1 || second[0].Path != "/dev/dri/renderD129" || *second[0].FileMode != 0o666 || *second[0].GID != 105 || *second[0].UID != 0 || second[0].Major != 0 {
		t.Errorf("the second GPU is %+v", second[0])
	}
	if kfd := s.ContainerEdits.DeviceNodes[0]; kfd.Path != "/dev/kfd" || *kfd.FileMode != 0o660 || *kfd.GID != 110 {
		t.Errorf("kfd is %+v", kfd)
	}
	if s.Version != "0.5.0" || s.Kind != "amd.com/gpu" || len(s.Devices[4].ContainerEdits.DeviceNodes) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestGenerateByWish(t *testing.T) {
	t.Parallel()
	s := generate(t, two(), cdi.Wish{Cards: true, Groups: true})
	all := s.Devices[4].ContainerEdits
	// renderD129 is open to everybody, so its group opens nothing.
	if s.Version != "0.7.0" || len(all.DeviceNodes) != 4 || !slices.Equal(all.AdditionalGIDs, []uint32{110, 44}) || !slices.Equal(s.ContainerEdits.AdditionalGIDs, []uint32{110}) {
		t.Errorf("version %s, all %+v, for each %+v", s.Version, all, s.ContainerEdits)
	}
}

func TestPartitionsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := two()
	m.GPUs.Value[1].Address = m.GPUs.Value[0].Address
	s := generate(t, m, cdi.Wish{})
	if s.Devices[2].Name != "0000:03:00.0-0" || s.Devices[3].Name != "0000:03:00.0-1" {
		t.Errorf("%s, %s", s.Devices[2].Name, s.Devices[3].Name)
	}
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*machine.Machine)
		is     error
		says   string
	}{
		"no GPU":       {func(m *machine.Machine) { m.GPUs.Value = nil }, cdi.ErrNoGPU, ""},
		"Windows":      {func(m *machine.Machine) { m.OS = "windows" }, cdi.ErrNoGPU, ""},
		"not looked":   {func(m *machine.Machine) { m.GPUs = machine.Unknown[[]machine.GPU]("x", "it hangs") }, nil, "it hangs"},
		"not offered":  {func(m *machine.Machine) { m.GPUs.Value = []machine.GPU{{Vendor: machine.AMD}} }, nil, "offers no AMD GPU"},
		"no kfd":       {func(m *machine.Machine) { m.KFD.Stat = machine.Missing[machine.NodeStat]("/dev/kfd") }, nil, "/dev/kfd is not there"},
		"a folder":     {func(m *machine.Machine) { m.KFD.Stat.Value.Mode = fs.ModeDir }, nil, "/dev/kfd is no device"},
		"no render":    {func(m *machine.Machine) { m.RenderNodes.Value = nil }, nil, "renderD128 is not there"},
		"dri unread":   {func(m *machine.Machine) { m.RenderNodes = machine.Unknown[[]machine.Node]("/dev/dri", "EACCES") }, nil, "EACCES"},
		"no node told": {func(m *machine.Machine) { m.GPUs.Value[0].RenderNode = machine.Fact[string]{} }, nil, "is not known"},
		"namespace": {func(m *machine.Machine) {
			m.Process = machine.Know(machine.Process{UIDMap: []machine.IDRange{{Inside: 0, Outside: 1000, Count: 1}}}, "status")
		}, cdi.ErrTranslated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := two()
			tc.change(m)
			if _, err := cdi.Generate(m, cdi.Wish{}); err == nil || tc.is != nil && !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestEncodeIsReadBack(t *testing.T) {
	t.Parallel()
	s := generate(t, two(), cdi.Wish{Cards: true, Groups: true})
	want, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/etc/cdi/amd.json", "amd.yaml"} {
		data, err := cdi.Encode(s, name)
		if err != nil {
			t.Fatal(err)
		}
		back, err := cdi.Parse(name, data)
		got, _ := json.Marshal(back)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, want)
		}
	}
	if _, err := cdi.Encode(s, "amd.yml"); err == nil {
		t.Error("engines do not read .yml")
	}
}

// device is a node for files.Stat.
func device(mode fs.FileMode, gid uint32) *fstest.MapFile {
	mode |= fs.ModeDevice | fs.ModeCharDevice
	return &fstest.MapFile{Mode: mode, Sys: host.Stat{Mode: mode, GID: gid, Major: 1, Minor: 3}}
}

// judged holds the text of a specification to a machine, and returns the findings
// as "check verdict".
func judged(m *machine.Machine, files fstest.MapFS, places ...string) ([]string, []check.Finding) {
	if len(places) == 0 {
		places = cdi.Dirs
	}
	found := cdi.Judge(m, files, cdi.Find(files, "linux", places))
	var out []string
	for _, f := range found {
		out = append(out, f.Check+" "+string(f.Verdict))
	}
	return out, found
}

func TestFreshSpecificationIsFine(t *testing.T) {
	t.Parallel()
	for _, w := range []cdi.Wish{{}, {Cards: true, Groups: true}} {
		data, err := cdi.Encode(generate(t, two(), w), "amd.yaml")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := judged(two(), fstest.MapFS{"etc/cdi/amd.yaml": {Data: data}, "etc/cdi/nvidia.yaml": {Data: []byte("cdiVersion: 0.5.0\nkind: nvidia.com/gpu\n")}, "etc/cdi/README": {Data: []byte("amd.com/gpu")}})
		if want := []string{"cdi/nodes ok", "cdi/rights ok", "cdi/gpus ok", "cdi/order ok"}; !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	}
}

func TestStaleSpecificationIsTold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		machine func(*machine.Machine)
		spec    func(*specs.Spec)
		want    []string // of failures, warnings and what is unknown
		says    string
	}{
		"node gone": {func(m *machine.Machine) { m.Cards.Value = m.Cards.Value[:1] }, nil, []string{"cdi/nodes fail"}, "names /dev/dri/card1, which is not there"},
		"no device": {func(m *machine.Machine) { m.KFD.Stat.Value.Mode = fs.ModeDir | 0o660 }, nil, []string{"cdi/nodes fail"}, "which is no device"},
		"gid":       {func(m *machine.Machine) { m.KFD.Stat.Value.GID = 992 }, nil, []string{"cdi/rights fail"}, "gid 110 where the node has 992"},
		"mode":      {func(m *machine.Machine) { m.KFD.Stat.Value.Mode |= 0o666 }, nil, []string{"cdi/rights fail"}, "mode 0660 where the node has 0666"},
		"no mode":   {nil, func(s *specs.Spec) { s.ContainerEdits.DeviceNodes[0].FileMode = nil }, []string{"cdi/rights warn"}, "does not say the mode of /dev/kfd"},
		"numbers":   {nil, func(s *specs.Spec) { s.ContainerEdits.DeviceNodes[0].Major = 234 }, []string{"cdi/nodes fail"}, "the numbers 234:0, and it has 226:1"},
		"new GPU": {func(m *machine.Machine) {
			m.GPUs.Value = append(m.GPUs.Value, gpu(3, "0000:10:00.0", "/dev/dri/renderD130", "/dev/dri/card2"))
		}, nil, []string{"cdi/gpus fail"}, "(/dev/dri/renderD130) is not in"},
		"all is not all": {nil, func(s *specs.Spec) { s.Devices[4].ContainerEdits.DeviceNodes = nil }, []string{"cdi/gpus fail", "cdi/gpus fail"}, "The device all of /etc/cdi/amd.json lacks"},
		"no kfd":         {nil, func(s *specs.Spec) { s.ContainerEdits = specs.ContainerEdits{} }, []string{"cdi/gpus fail", "cdi/gpus fail", "cdi/gpus fail", "cdi/gpus fail", "cdi/gpus fail"}, "lacks /dev/kfd"},
		"other order": {func(m *machine.Machine) { slices.Reverse(m.GPUs.Value) }, nil, []string{"cdi/order fail", "cdi/order fail"},
			"The device 0 of /etc/cdi/amd.json hands out another GPU: /dev/dri/renderD128, where GPU at 0000:0f:00.0 is /dev/dri/renderD129 now"},
		"nodes swapped": {func(m *machine.Machine) {
			m.GPUs.Value[0].RenderNode, m.GPUs.Value[1].RenderNode = m.GPUs.Value[1].RenderNode, m.GPUs.Value[0].RenderNode
		}, nil, []string{"cdi/order fail", "cdi/order fail", "cdi/order fail", "cdi/order fail"}, "The device 0000:03:00.0"},
		"nothing in it":   {nil, func(s *specs.Spec) { s.Devices, s.ContainerEdits = nil, specs.ContainerEdits{} }, []string{"cdi/nodes fail", "cdi/gpus fail", "cdi/gpus fail"}, "names no device node"},
		"GPUs not read":   {func(m *machine.Machine) { m.GPUs = machine.Unknown[[]machine.GPU]("x", "it hangs") }, nil, []string{"cdi/gpus unknown"}, "It hangs"},
		"kfd not read":    {func(m *machine.Machine) { m.KFD.Stat = machine.Unknown[machine.NodeStat]("/dev/kfd", "EIO") }, nil, []string{"cdi/nodes unknown"}, "EIO"},
		"version too old": {nil, func(s *specs.Spec) { s.Version = "0.3.0" }, []string{"cdi/readable fail"}, "no specification that engines read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := generate(t, two(), cdi.Wish{Cards: true})
			m := two()
			if tc.machine != nil {
				tc.machine(m)
			}
			if tc.spec != nil {
				tc.spec(&s)
			}
			data, err := cdi.Encode(s, "amd.json")
			if err != nil {
				t.Fatal(err)
			}
			got, found := judged(m, fstest.MapFS{"etc/cdi/amd.json": {Data: data}})
			got = slices.DeleteFunc(got, func(s string) bool { return strings.HasSuffix(s, " ok") })
			if !slices.Equal(got, tc.want) || !slices.ContainsFunc(found, func(f check.Finding) bool { return strings.Contains(f.Message, tc.says) }) {
				t.Errorf("got %v, want %v saying %q: %+v", got, tc.want, tc.says, found)
			}
			lawful(t, found)
		})
	}
}

// lawful holds findings to what every finding has to have.
func lawful(t *testing.T, found []check.Finding) {
	t.Helper()
	for _, f := range found {
		if f.Verdict == check.Fail && (len(f.Evidence) == 0 || f.Cause == "" || len(f.Remedies) == 0) {
			t.Errorf("%s lacks evidence, cause or cure: %+v", f.Check, f)
		}
		for _, r := range f.Remedies {
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestFilesThatAreNoSpecification(t *testing.T) {
	t.Parallel()
	good, err := cdi.Encode(generate(t, two(), cdi.Wish{}), "a.json")
	if err != nil {
		t.Fatal(err)
	}
	fine := []string{"cdi/nodes ok", "cdi/rights ok", "cdi/gpus ok", "cdi/order ok"}
	for name, tc := range map[string]struct {
		files  fstest.MapFS
		places []string
		want   []string
	}{
		"none":               {fstest.MapFS{}, nil, []string{"cdi/present fail"}},
		"broken":             {fstest.MapFS{"etc/cdi/a.json": {Data: []byte(`{"kind": "amd.com/gpu",`)}}, nil, []string{"cdi/readable fail"}},
		"broken, another's":  {fstest.MapFS{"etc/cdi/a.json": {Data: good}, "etc/cdi/b.json": {Data: []byte(`{`)}}, nil, append(slices.Clone(fine), "cdi/readable warn")},
		"an empty node":      {fstest.MapFS{"etc/cdi/a.yaml": {Data: []byte("cdiVersion: 0.5.0\nkind: amd.com/gpu\ndevices:\n- name: all\n  containerEdits:\n    deviceNodes: [{path: /dev/kfd}, null]\n")}}, nil, []string{"cdi/readable fail"}},
		"an empty mount":     {fstest.MapFS{"etc/cdi/a.json": {Data: []byte(`{"cdiVersion": "0.3.0", "kind": "amd.com/gpu", "containerEdits": {"mounts": [null]}}`)}}, nil, []string{"cdi/readable fail"}},
		"an empty hook":      {fstest.MapFS{"etc/cdi/a.json": {Data: []byte(`{"cdiVersion": "0.3.0", "kind": "amd.com/gpu", "containerEdits": {"hooks": [null]}}`)}}, nil, []string{"cdi/readable fail"}},
		"too large":          {fstest.MapFS{"etc/cdi/a.yaml": {Data: []byte("kind: amd.com/gpu\n" + strings.Repeat("#", cdi.MaxSpec))}}, nil, []string{"cdi/readable fail"}},
		"named, not there":   {fstest.MapFS{}, []string{"/tmp/x.json"}, []string{"cdi/readable unknown"}},
		"named, of NVIDIA":   {fstest.MapFS{"tmp/x.yaml": {Data: []byte("cdiVersion: 0.5.0\nkind: nvidia.com/gpu\n")}}, []string{"/tmp/x.yaml"}, []string{"cdi/readable unknown"}},
		"two of one name":    {fstest.MapFS{"etc/cdi/a.json": {Data: good}, "etc/cdi/b.json": {Data: good}}, nil, append(slices.Concat(fine, fine), "cdi/unique fail")},
		"one hides another":  {fstest.MapFS{"etc/cdi/a.json": {Data: good}, "var/run/cdi/b.json": {Data: good}}, nil, slices.Concat(fine, fine)},
		"elsewhere in /dev":  {fstest.MapFS{"etc/cdi/a.json": {Data: elsewhere("/tmp/kfd")}, "tmp/kfd": device(0o660, 110)}, nil, fine[:3]},
		"elsewhere and gone": {fstest.MapFS{"etc/cdi/a.json": {Data: elsewhere("/tmp/kfd")}}, nil, []string{"cdi/nodes fail", "cdi/gpus ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, found := judged(two(), tc.files, tc.places...)
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v: %+v", got, tc.want, found)
			}
			lawful(t, found)
		})
	}
}

// elsewhere is a specification with one more node, of another place on the host.
func elsewhere(kfd string) []byte {
	return []byte(`{"cdiVersion": "0.5.0", "kind": "amd.com/gpu", "devices": [{"name": "both", "containerEdits": {"deviceNodes": [
		{"path": "/dev/kfd", "fileMode": 432, "uid": 0, "gid": 110}, {"path": "/dev/kfd2", "hostPath": "` + kfd + `", "fileMode": 432, "uid": 0, "gid": 110},
		{"path": "/dev/dri/renderD128", "fileMode": 432, "uid": 0, "gid": 110}, {"path": "/dev/dri/renderD129", "fileMode": 438, "uid": 0, "gid": 105}]}}]}`)
}

func TestNoGPUHasNoSpecification(t *testing.T) {
	t.Parallel()
	m := two()
	m.GPUs.Value = nil
	if got, _ := judged(m, fstest.MapFS{}); !slices.Equal(got, []string{"cdi/present skipped"}) {
		t.Errorf("got %v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a.json", elsewhere("/dev/kfd"))
	f.Add("a.yaml", []byte("cdiVersion: 0.5.0\nkind: amd.com/gpu\ndevices:\n- name: \"0\"\n  containerEdits:\n    deviceNodes: [null, {path: /dev/kfd, fileMode: 0660}]\n"))
	f.Add("a.yaml", []byte("cdiVersion: 0.3.0\nkind: amd.com/gpu\ncontainerEdits:\n  mounts: [null]\n  hooks: [~]\n"))
	f.Add("a.yaml", []byte("a: &a [*a, *a]\n"))
	f.Add("a.json", []byte(`{"cdiVersion": "0.5.0", "kind": "amd.com/gpu", "devices": [{"name": "0"}, {"name": "99999999999999999999"}, {"name": "-1"}]}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		spec, err := cdi.Parse(name, data)
		if err != nil {
			return
		}
		for _, found := range cdi.Judge(two(), fstest.MapFS{}, []cdi.File{{Path: "/etc/cdi/" + name, Spec: spec, Ours: true}}) {
			if found.Check == "" || found.Message == "" || found.Verdict == check.Fail && len(found.Evidence) == 0 {
				t.Errorf("%+v", found)
			}
		}
	})
}
