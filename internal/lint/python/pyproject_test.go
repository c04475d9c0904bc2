package python

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

const (
	uvProject     = "[project]\nname = \"x\"\ndependencies = [\"torch>=2.7\", \"einops\"]\n"
	poetryProject = "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \"^3.11\"\n"
	forROCm       = "name = \"rocm\"\nurl = \"https://download.pytorch.org/whl/rocm6.4\"\n"
	asList        = "name = \"amd\"\nurl = \"https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\"\n"
)

// What uv, Poetry and PDM would do with a project.
func TestProjects(t *testing.T) {
	t.Parallel()
	const stray, extra, form = "python/torch-from-pypi fail\n", "python/extra-index warn\n", "python/index-form fail\n"
	for name, tt := range map[string]struct{ text, want string }{
		"uv: an index for all":        {uvProject + "[[tool.uv.index]]\n" + forROCm, ""},
		"uv: explicit, and not named": {uvProject + "[[tool.uv.index]]\n" + forROCm + "explicit = true\n", "pyproject.toml:3 " + stray},
		"uv: explicit, and named":     {uvProject + "[tool.uv.sources]\ntorch = { index = \"rocm\" }\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: named for each extra":    {uvProject + "[tool.uv.sources]\ntorch = [\n  { index = \"cpu\", extra = \"cpu\" },\n  { index = \"rocm\", extra = \"rocm\" },\n]\n[[tool.uv.index]]\nname = \"cpu\"\nurl = \"https://download.pytorch.org/whl/cpu\"\nexplicit = true\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: a wheel by its path":     {uvProject + "[tool.uv.sources]\ntorch = { path = \"torch.whl\" }\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: pinned with its build":   {"[project]\ndependencies = [\"torch==2.9.1+rocm6.4\"]\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: not for AMD GPUs":        {uvProject + "[[tool.uv.index]]\nname = \"cu\"\nurl = \"https://download.pytorch.org/whl/cu128\"\nexplicit = true\n", ""},
		"uv: groups apart":            {"[project]\ndependencies = [\"numba==0.63.1\"]\n[project.optional-dependencies]\ncu128 = [\"numpy==2.4.1\"]\nrocm = [\"numpy==2.3.0\"]\n[[tool.uv.index]]\n" + forROCm, ""},
		"uv: a group with a hole":     {"[project]\ndependencies = [\"numba==0.63.1\"]\n[dependency-groups]\ndev = [\"numpy==2.4.1\", {include-group = \"x\"}]\n[[tool.uv.index]]\n" + forROCm, "pyproject.toml:4 python/pin-conflict fail\n"},
		"uv: in one line":             {uvProject + "[tool.uv]\nindex = [{ name = \"rocm\", url = \"https://download.pytorch.org/whl/rocm6.4\", explicit = true }]\n", "pyproject.toml:3 " + stray},
		"uv: sources in one line":     {uvProject + "[tool.uv]\nsources = { torch = { index = \"rocm\" } }\nindex = [{ name = \"rocm\", url = \"https://download.pytorch.org/whl/rocm6.4\", explicit = true }]\n", ""},
		"uv: a source with dots":      {uvProject + "[tool.uv]\nsources.torch = { index = \"rocm\" }\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: a source of its own":     {uvProject + "[tool.uv.sources.torch]\nindex = \"rocm\"\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"uv: a backend":               {uvProject + "[tool.uv.pip]\ntorch-backend = \"auto\"\n[[tool.uv.index]]\n" + forROCm + "explicit = true\n", ""},
		"Poetry: a table of its own":  {poetryProject + "[tool.poetry.dependencies.torch]\nversion = \"^2.9\"\nsource = \"rocm\"\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", ""},
		"Poetry: one that names none": {poetryProject + "[tool.poetry.dependencies.torch]\nversion = \"^2.9\"\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", "pyproject.toml:5 " + stray},
		"uv: lists by find-links":     {uvProject + "[tool.uv]\nfind-links = [\"https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\"]\n", ""},
		"Poetry: primary":             {poetryProject + "torch = \"^2.9\"\n[[tool.poetry.source]]\n" + forROCm, ""},
		"Poetry: primary beside PyPI": {poetryProject + "torch = \"^2.9\"\n[[tool.poetry.source]]\nname = \"PyPI\"\n[[tool.poetry.source]]\n" + forROCm, "pyproject.toml:10 " + extra},
		"Poetry: a bare version":      {poetryProject + "torch = \"2.9.1\"\n[[tool.poetry.source]]\nname = \"PyPI\"\n[[tool.poetry.source]]\n" + forROCm, "pyproject.toml:5 python/torch-pin warn\n"},
		"Poetry: explicit, not named": {poetryProject + "torch = { version = \"^2.9\", extras = [\"x\"] }\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", "pyproject.toml:5 " + stray},
		"Poetry: explicit, and named": {poetryProject + "torch = { version = \"^2.9\", source = \"rocm\" }\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", ""},
		"Poetry: one for each system": {poetryProject + "torch = [\n  { version = \"^2.9\", source = \"rocm\", markers = \"sys_platform == 'linux'\" },\n  { version = \"^2.9\", markers = \"sys_platform == 'darwin'\" },\n]\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", ""},
		"Poetry: supplemental":        {poetryProject + "torch = \"*\"\n[[tool.poetry.source]]\n" + forROCm + "priority = \"supplemental\"\n", "pyproject.toml:5 " + stray},
		"Poetry: in a group":          {poetryProject + "[tool.poetry.group.ml.dependencies]\ntorch = \"~2.9\"\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", "pyproject.toml:6 " + stray},
		"Poetry: in a group for CUDA": {poetryProject + "[tool.poetry.group.cuda.dependencies]\ntorch = \"~2.9\"\n[[tool.poetry.source]]\n" + forROCm + "priority = \"explicit\"\n", ""},
		"Poetry: a list of files":     {poetryProject + "[[tool.poetry.source]]\n" + asList, "pyproject.toml:7 " + form},
		"Poetry: pins":                {poetryProject + "numba = \"0.63.1\"\nnumpy = \"2.4.1\"\n[[tool.poetry.source]]\n" + forROCm, "pyproject.toml:6 python/pin-conflict fail\n"},
		"Poetry: NVIDIA's libraries":  {poetryProject + "nvidia-cublas-cu12 = \"*\"\n[[tool.poetry.source]]\n" + forROCm, "pyproject.toml:5 python/nvidia-libraries warn\n"},
		"PDM: beside PyPI":            {uvProject + "[[tool.pdm.source]]\n" + forROCm, "pyproject.toml:6 " + extra},
		"PDM: for torch":              {uvProject + "[[tool.pdm.source]]\n" + forROCm + "include_packages = [\"torch\"]\n", ""},
		"PDM: in order":               {uvProject + "[[tool.pdm.source]]\n" + forROCm + "[tool.pdm.resolution]\nrespect-source-order = true\n", ""},
		"PDM: in the place of PyPI":   {uvProject + "[[tool.pdm.source]]\nname = \"pypi\"\nurl = \"https://download.pytorch.org/whl/rocm6.4\"\n", ""},
		"PDM: a list of files":        {uvProject + "[[tool.pdm.source]]\n" + asList, "pyproject.toml:6 " + form},
		"PDM: a list, and called one": {uvProject + "[[tool.pdm.source]]\ntype = \"find_links\"\n" + asList, "pyproject.toml:7 " + extra},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, map[string]string{"pyproject.toml": tt.text}); got != tt.want {
				t.Errorf("found:\n%swant:\n%s", got, tt.want)
			}
		})
	}
}

func TestProjectsAreMended(t *testing.T) {
	t.Parallel()
	index := "[[tool.uv.index]]\n" + forROCm + "explicit = true\n"
	inline := uvProject + "[tool.uv]\nsources = { einops = { path = \".\" } }\n" + index
	s, _ := lint.OnExample("")
	if m := lint.MendAll(lint.Example{Files: map[string]string{"pyproject.toml": inline}}.Project(false), s, Rules); len(m.Changes) > 0 {
		t.Errorf("a table that is there already is written: %s", m.Changes[0].After)
	}
	const twoOfThem = "[project]\ndependencies = [\"torch\", \"torchvision\"]\n"
	for name, tt := range map[string]struct{ before, after string }{
		"uv, without sources": {uvProject + index, uvProject + index + "\n[tool.uv.sources]\ntorch = { index = \"rocm\" }\n"},
		"uv, with sources":    {uvProject + "[tool.uv.sources] # ours\neinops = { path = \".\" }\n" + index, uvProject + "[tool.uv.sources] # ours\ntorch = { index = \"rocm\" }\neinops = { path = \".\" }\n" + index},
		"uv, no last line":    {uvProject + strings.TrimSuffix(index, "\n"), uvProject + index + "\n[tool.uv.sources]\ntorch = { index = \"rocm\" }\n"},
		"uv, others taken": {
			twoOfThem + "[tool.uv.sources]\n\"torchvision\" = { index = \"rocm\" }\n" + index,
			twoOfThem + "[tool.uv.sources]\ntorch = { index = \"rocm\" }\n\"torchvision\" = { index = \"rocm\" }\n" + index,
		},
		"uv, a section of others": {
			twoOfThem + "[tool.uv.sources.torchvision]\nindex = \"rocm\"\n" + index,
			twoOfThem + "[tool.uv.sources.torchvision]\nindex = \"rocm\"\n" + index + "\n[tool.uv.sources]\ntorch = { index = \"rocm\" }\n",
		},
		"PDM, a list": {uvProject + "[[tool.pdm.source]]\n" + asList, uvProject + "[[tool.pdm.source]]\n" + asList + "type = \"find_links\"\n"},
	} {
		s, _ := lint.OnExample("")
		m := lint.MendAll(lint.Example{Files: map[string]string{"pyproject.toml": tt.before}}.Project(false), s, Rules)
		if len(m.Changes) != 1 || string(m.Changes[0].After) != tt.after {
			t.Errorf("%s: %+v, refused %v", name, m.Changes, m.Refused)
		}
	}
}

func TestPoetryVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"^2.9": ">=2.9,<3", "^0.60.1": ">=0.60.1,<0.61", "^0.0.3": ">=0.0.3,<0.0.4", "^2": ">=2,<3", "~2.9.1": ">=2.9.1,<2.10", "~2": ">=2,<3",
		"2.9.1": "==2.9.1", "2.9.*": "==2.9.*", "*": "", ">=2,<3": ">=2,<3", "^2.9 || ^1": "", "~=2.9": "~=2.9", "^2.9.1+rocm6.4": ">=2.9.1+rocm6.4,<3", "": "", "^x": ">=x",
	} {
		if got := poetryVersion(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
