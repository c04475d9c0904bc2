package state

import (
	"slices"
	"strings"
	"testing"
)

// TestUndoOfPackages: what an installer changed is brought back, and what others
// changed since is left.
func TestUndoOfPackages(t *testing.T) {
	t.Parallel()
	s := Step{Had: map[string]string{"torch": "1", "numpy": "1", "old": "1"}, Has: map[string]string{"torch": "2", "numpy": "1", "triton": "3"}}
	for name, tc := range map[string]struct {
		now                map[string]string
		back, away, others []string
	}{
		"as it left them":  {s.Has, []string{"old==1", "torch==1"}, []string{"triton"}, nil},
		"undone already":   {s.Had, nil, nil, nil},
		"newer since":      {map[string]string{"torch": "3", "numpy": "1", "triton": "3"}, []string{"old==1"}, []string{"triton"}, []string{"torch"}},
		"others since":     {map[string]string{"torch": "2", "numpy": "9", "triton": "3", "new": "1"}, []string{"old==1", "torch==1"}, []string{"triton"}, nil},
		"taken out since":  {map[string]string{"numpy": "1", "triton": "3"}, []string{"old==1"}, []string{"triton"}, []string{"torch"}},
		"put back already": {map[string]string{"torch": "1", "numpy": "1", "triton": "3"}, []string{"old==1"}, []string{"triton"}, nil},
	} {
		back, away, others := s.difference(tc.now)
		if !slices.Equal(back, tc.back) || !slices.Equal(away, tc.away) || !slices.Equal(others, tc.others) {
			t.Errorf("%s: back %v, away %v, others %v", name, back, away, others)
		}
	}
	interrupted := Step{Had: s.Had}
	if back, away, _ := interrupted.difference(map[string]string{"numpy": "1", "x": "1"}); !slices.Equal(back, []string{"old==1", "torch==1"}) || !slices.Equal(away, []string{"x"}) {
		t.Errorf("of a step that was interrupted: back %v, away %v", back, away)
	}
}

// TestVersionsComeFromTheirIndex: a build for ROCm is not on PyPI.
func TestVersionsComeFromTheirIndex(t *testing.T) {
	t.Parallel()
	back := []string{"numpy==2.1", "pytorch-triton-rocm==3.1.0", "torch==2.6.0+rocm6.2", "torchvision==0.21.0+rocm6.1"}
	for name, tc := range map[string]struct {
		argv, back, want []string
		torch            string
	}{
		"pip": {[]string{"/v/bin/python", "-m", "pip", "install", "torch"}, back, []string{
			"/v/bin/python -m pip install --no-deps numpy==2.1",
			"/v/bin/python -m pip install --no-deps --index-url https://download.pytorch.org/whl/rocm6.1 torchvision==0.21.0+rocm6.1",
			"/v/bin/python -m pip install --no-deps --index-url https://download.pytorch.org/whl/rocm6.2 pytorch-triton-rocm==3.1.0 torch==2.6.0+rocm6.2",
		}, "2.6.0+rocm6.2"},
		"uv": {[]string{"/bin/uv", "pip", "uninstall", "--python", "/v/bin/python", "torch"}, back[2:3], []string{
			"/bin/uv pip install --python /v/bin/python --no-deps --index-url https://download.pytorch.org/whl/rocm6.2 torch==2.6.0+rocm6.2",
		}, "2.6.0+rocm6.2"},
		"AMD's own": {[]string{"/v/bin/python", "-m", "pip", "install", "torch"}, []string{"torch==2.9.1+rocm7.2.0.lw.git7e1940d4"}, []string{
			"/v/bin/python -m pip install --no-deps torch==2.9.1+rocm7.2.0.lw.git7e1940d4",
		}, ""},
		"nothing": {[]string{"/v/bin/python", "-m", "pip", "install", "torch"}, nil, nil, ""},
	} {
		s := Step{Act: Act{Argv: tc.argv}, Had: map[string]string{"torch": tc.torch}}
		var got []string
		for _, argv := range s.installAgain(tc.back) {
			got = append(got, strings.Join(argv, " "))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
	}
}

// FuzzDistribution reads names of folders, which are anybody's.
func FuzzDistribution(f *testing.F) {
	for _, seed := range []string{"torch-2.9.1+rocm6.4.dist-info", "pytorch_triton_rocm-3.5.1.dist-info", "-1.dist-info", "a.dist-info", "__pycache__"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, folder string) {
		name, version, ok := distribution(folder)
		if ok && (name == "" || version == "" || strings.Contains(name, "_") || strings.HasPrefix(name, "-")) {
			t.Errorf("%q is %q %q", folder, name, version)
		}
	})
}
