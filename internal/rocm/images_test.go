package rocm

import (
	"slices"
	"testing"
)

func TestImages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		repository, tag       string
		follows               bool
		torch, release, holds string
		knows                 bool
	}{
		{"rocm/pytorch", "rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1", true, "2.9.1", "7.2", "", false},
		{"rocm/pytorch", "rocm6.1.3_ubuntu22.04_py3.10_pytorch_release-2.1.2", true, "2.1.2", "6.1.3", "", false},
		{"rocm/pytorch", "rocm5.7_ubuntu22.04_py3.10_pytorch_2.0.1", true, "2.0.1", "5.7", "", false},
		{"docker.io/rocm/pytorch", "rocm6.4_ubuntu24.04_py3.12_pytorch_release_2.8.0", true, "2.8.0", "6.4", "gfx1100", true},
		{"rocm/pytorch", "rocm6.1.1-runtime-pytorch2.2.0-py3.11", false, "", "", "", false},
		{"rocm/pytorch", "latest-release", true, "", "", "", false},
		{"rocm/dev-ubuntu-24.04", "7.2-complete", true, "", "", "", false},
		{"ollama/ollama", "0.12.3-rocm", true, "", "", "gfx1151", true},
		{"rocm/vllm", "rocm7.14.0_cdna_ubuntu24.04_py3.14_pytorch_2.11.0_vllm_0.23.0", true, "", "", "gfx942", true},
	} {
		i, ok := LookupImage(tt.repository, tt.tag)
		if !ok {
			t.Errorf("%s:%s is not known", tt.repository, tt.tag)
			continue
		}
		torch, release := i.Versions(tt.tag)
		if i.FollowsScheme(tt.tag) != tt.follows || torch != tt.torch || release != tt.release {
			t.Errorf("%s:%s: scheme %v, torch %q, ROCm %q", tt.repository, tt.tag, i.FollowsScheme(tt.tag), torch, release)
		}
		gfx, _, knows := i.Targets(tt.tag)
		if knows != tt.knows || knows && !slices.Contains(gfx, tt.holds) || slices.Contains(gfx, "gfx1031") {
			t.Errorf("%s:%s holds code for %v (%v)", tt.repository, tt.tag, gfx, knows)
		}
		if !ForROCm(tt.repository, tt.tag) {
			t.Errorf("%s:%s is not told as an image for AMD GPUs", tt.repository, tt.tag)
		}
	}
	for _, other := range [][2]string{{"pytorch/pytorch", "2.9.1-cuda12.8-cudnn9-runtime"}, {"ollama/ollama", "0.12.3"}, {"postgres", "16"}} {
		if ForROCm(other[0], other[1]) {
			t.Errorf("%v is taken for an image for AMD GPUs", other)
		}
	}
}

func TestEveryPatternOfImagesCompiles(t *testing.T) {
	t.Parallel()
	for _, i := range Images() {
		for _, pattern := range []string{i.Tags, i.Scheme, i.TorchIn, i.ROCmIn} {
			if pattern != "" && compiled(pattern) == nil {
				t.Errorf("pattern %q of %v", pattern, i.Repository)
			}
		}
		if i.Example != "" && !i.FollowsScheme(i.Example) {
			t.Errorf("the example of %v does not follow its scheme", i.Repository)
		}
	}
}

func TestRequires(t *testing.T) {
	t.Parallel()
	rows := RequiresOf("numba")
	last := rows[len(rows)-1]
	if len(rows) < 10 || last.Version != "0.67.0" || !slices.Contains(last.Requires, "numpy>=1.22,<2.6") {
		t.Errorf("the last of %d rows of numba is %v", len(rows), last)
	}
	for address, want := range map[string]BuildKind{
		"https://download.pytorch.org/whl/rocm6.4": BuildROCm, "https://download.pytorch.org/whl/cu128": BuildCUDA,
		"https://download.pytorch.org/whl/cpu": BuildCPU, "http://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/": BuildROCm,
		"https://pypi.org/simple": "",
	} {
		if i, _ := LookupIndex(address); i.Kind != want {
			t.Errorf("%s has builds for %q, want %q", address, i.Kind, want)
		}
	}
}

func TestSplitImage(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][3]string{
		"rocm/pytorch":                 {"rocm/pytorch", "", ""},
		"rocm/pytorch:7.2":             {"rocm/pytorch", "7.2", ""},
		"registry:5000/app":            {"registry:5000/app", "", ""},
		"registry:5000/app:1@sha256:a": {"registry:5000/app", "1", "sha256:a"},
		"ollama@sha256:a":              {"ollama", "", "sha256:a"},
		"":                             {},
	} {
		repository, tag, digest := SplitImage(name)
		if got := [3]string{repository, tag, digest}; got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestAnyRuns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		targets []string
		gpu     string
		want    bool
	}{
		{[]string{"gfx906", "gfx1100"}, "gfx1100", true},
		{[]string{"gfx906", "gfx11-generic"}, "gfx1100", true},
		{[]string{"gfx906", "nonsense"}, "gfx1100", false},
		{nil, "gfx1100", false},
		{nil, "nonsense", true},
	} {
		if got := AnyRuns(tc.targets, tc.gpu); got != tc.want {
			t.Errorf("%q on %s: %v", tc.targets, tc.gpu, got)
		}
	}
}
