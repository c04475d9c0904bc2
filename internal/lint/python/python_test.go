package python

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/pydist"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func TestRules(t *testing.T) {
	t.Parallel()
	if err := lint.Laws(Rules); err != nil {
		t.Error(err)
	}
}

// TestTheTableCanBeRead holds every requirement of the table to PEP 508.
func TestTheTableCanBeRead(t *testing.T) {
	t.Parallel()
	for _, row := range rocm.PythonRequirements() {
		if row.Name != pydist.Normalize(row.Name) {
			t.Errorf("%s is not a normalised name", row.Name)
		}
		for _, text := range row.Requires {
			if _, err := pydist.ParseRequirement(text); err != nil {
				t.Errorf("%s %s requires %q: %v", row.Name, row.Version, text, err)
			}
		}
	}
}

// found tells what the rules say of files, on lines of file:line rule verdict.
func found(t *testing.T, files map[string]string) string {
	t.Helper()
	s, _ := lint.OnExample("")
	var out strings.Builder
	for _, f := range lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found {
		out.WriteString(f.Place() + " " + f.Rule.ID + " " + string(f.Verdict) + "\n")
	}
	return out.String()
}

func TestFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"what is there satisfies it", map[string]string{"Dockerfile": image + "RUN pip install accelerate sentence-transformers 'torch>=2.0' torchvision\n"}, ""},
		{"a package wants another version", map[string]string{"Dockerfile": image + "RUN pip install einops && \\\n    pip install whisperx\n"}, "Dockerfile:3 python/torch-replaced fail\n"},
		{"without its requirements", map[string]string{"Dockerfile": image + "RUN pip install --no-deps accelerate psutil pyyaml packaging huggingface-hub\n"}, ""},
		{"upgraded", map[string]string{"Dockerfile": image + "RUN python3 -m pip install --no-cache-dir -U torch\nRUN pip install -U accelerate\n"}, "Dockerfile:2 python/torch-replaced fail\n"},
		{"upgraded eagerly, and again by force", map[string]string{"Dockerfile": image + "RUN pip install -U --upgrade-strategy eager timm\nFROM rocm/pytorch:latest\nRUN pip install --force-reinstall peft\n"}, "Dockerfile:2 python/torch-replaced fail\nDockerfile:4 python/torch-replaced fail\n"},
		{"from an index for CUDA", map[string]string{"Dockerfile": image + "RUN uv pip install --system torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128\n"}, "Dockerfile:2 python/torch-replaced fail\n"},
		{"held by constraints", map[string]string{"Dockerfile": image + "COPY constraints.txt .\nRUN pip install -c constraints.txt -U torch peft\n", "constraints.txt": "torch==2.9.1+rocm7.2\n"}, ""},
		{"by a list in the image", map[string]string{"Dockerfile": image + "COPY requirements.txt /app/\nRUN pip install -r /app/requirements.txt\n", "requirements.txt": "# ours\neinops\ntorch==2.8.0\n"}, "requirements.txt:3 python/torch-replaced fail\n"},
		{"a pin that the image satisfies", map[string]string{"Dockerfile": image + "RUN pip install -r requirements.txt\n", "requirements.txt": "torch==2.9.1\n"}, "requirements.txt:1 python/torch-pin warn\n"},
		{"a stage on a stage", map[string]string{"Dockerfile": strings.Replace(image, "\n", " AS base\n", 1) + "FROM base\nRUN pip install torch==2.6.0\nFROM base AS other\nRUN pip install einops\n"}, "Dockerfile:3 python/torch-replaced fail\n"},
		{"a virtual environment", map[string]string{"Dockerfile": image + "RUN python3 -m venv /opt/venv\nENV PATH=/opt/venv/bin:$PATH\nRUN pip install openai-whisper\n"}, "Dockerfile:4 python/torch-from-pypi fail\n"},
		{"one that sees the image's", map[string]string{"Dockerfile": image + "RUN python3 -m venv --system-site-packages /opt/venv && /opt/venv/bin/pip install openai-whisper\n"}, ""},
		{"torch first, from its index", map[string]string{"Dockerfile": "FROM rocm/dev-ubuntu-24.04:7.2\nRUN pip install torch --index-url https://download.pytorch.org/whl/rocm7.2\nRUN pip install accelerate\n"}, ""},
		{"a backend of uv", map[string]string{"Dockerfile": "FROM rocm/dev-ubuntu-24.04:7.2\nRUN uv pip install --system --torch-backend=rocm7.1 torch\n"}, ""},
		{"conda", map[string]string{"Dockerfile": image + "RUN conda install -y pytorch pytorch-cuda=12.1 -c pytorch -c nvidia\nRUN conda install -y ffmpeg\n"}, "Dockerfile:2 python/torch-replaced fail\n"},
		{"taken out first", map[string]string{"Dockerfile": image + "RUN pip uninstall -y torch && pip install torch==2.8.0\n"}, "Dockerfile:2 python/torch-from-pypi fail\n"},
		{"taken out, and put in from its index", map[string]string{"setup.sh": "pip uninstall -y torch\npip install torch --index-url https://download.pytorch.org/whl/rocm6.3\npip install accelerate\n"}, ""},
		{"an index of their own", map[string]string{"Dockerfile": image + "RUN pip install torch==2.8.0 -i https://pypi.example.org/simple\n"}, ""},
		{"a list of files", map[string]string{"Dockerfile": image + "ENV PIP_EXTRA_INDEX_URL=https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\n"}, "Dockerfile:2 python/index-form fail\n"},
		{"both mistakes of a workstation", map[string]string{"requirements.txt": "--index-url https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\n--extra-index-url https://pypi.org/simple\ntorch==2.9.1\n"}, "requirements.txt:1 python/index-form fail\nrequirements.txt:3 python/torch-pin warn\n"},
		{"an extra index that is pinned", map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.4\ntorch==2.9.1+rocm6.4\n"}, ""},
		{"uv asks in order", map[string]string{"install.sh": "uv pip install torch --extra-index-url https://download.pytorch.org/whl/rocm6.4\n"}, ""},
		{"holes", map[string]string{"Dockerfile": image + "RUN pip install --no-deps openai-whisper==20250625 numba==0.63.1 && pip install numpy==2.3.5 tqdm tiktoken\n"}, "Dockerfile:2 python/no-deps warn\nDockerfile:2 python/no-deps warn\n"},
		{"the documented pins", map[string]string{"Dockerfile": image + "RUN pip install --no-deps openai-whisper\nRUN pip install numpy==2.3.5 numba==0.63.1 llvmlite==0.46.0 tiktoken tqdm more-itertools fsspec\n"}, ""},
		{"pins that exclude each other", map[string]string{"Dockerfile": image + "RUN pip install -r r/requirements.txt\n", "r/requirements.txt": "numba==0.63.1\nnumpy==2.4.0\nllvmlite==0.45.1\n"}, "r/requirements.txt:2 python/pin-conflict fail\nr/requirements.txt:3 python/pin-conflict fail\n"},
		{"a version without its last zero", map[string]string{"Dockerfile": image + "RUN pip install numba==0.60 numpy==2.1.0\n"}, "Dockerfile:2 python/pin-conflict fail\n"},
		{"a newer numba", map[string]string{"Dockerfile": image + "RUN pip install numba==0.64.0 numpy==2.4.0\n"}, ""},
		{"tools of NVIDIA's", map[string]string{"Dockerfile": image + "RUN pip install nvidia-ml-py nvidia-cuda-runtime-cu12\n"}, "Dockerfile:2 python/nvidia-libraries warn\n"},
		{"a project for NVIDIA", map[string]string{
			"Dockerfile":       "FROM pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime\nRUN pip install -U torch==2.8.0 && pip install --no-deps openai-whisper\nRUN pip install -r requirements.txt\n",
			"requirements.txt": "numba==0.63.1\nnumpy==2.4.0\ntorch==2.8.0\nnvidia-cublas-cu12\n",
			"install.sh":       "pip install torch\npip install -U torch\n",
		}, ""},
		{"a script for both", map[string]string{"install.sh": "if command -v nvidia-smi; then\n  pip install torch==2.8.0 --index-url https://download.pytorch.org/whl/cu128\nelse\n  pip install torch==2.9.1 --index-url https://download.pytorch.org/whl/rocm6.4\nfi\npip install -U torch\n"}, ""},
		{"a list of files for uv", map[string]string{"pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\n  \"torch==2.9.1\", # ours\n  \"einops\",\n]\n\n[[tool.uv.index]]\nname = \"amd\"\nurl = \"https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\"\n"}, "pyproject.toml:10 python/index-form fail\n"},
		{"lists of files by the keys of pip", map[string]string{"pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\"torch>=2.7\"]\n[tool.uv]\nindex-url = \"https://pypi.org/simple\"\n[tool.uv.pip]\nextra-index-url = [\n  \"https://example.org/simple\",\n  \"https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\", # AMD\n]\n[[tool.uv.index]]\nurl = \"https://download.pytorch.org/whl/rocm6.4\"\n"}, "pyproject.toml:9 python/index-form fail\n"},
		{"pins of a project", map[string]string{"pyproject.toml": "[project]\ndependencies = [\"numba==0.63.1\",\n  'numpy==2.4.1'] # x\nother = [\"numpy==2.0\"]\n[[tool.uv.index]]\nurl = \"https://download.pytorch.org/whl/rocm6.4\"\n"}, "pyproject.toml:3 python/pin-conflict fail\n"},
		{"lines that go on", map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.2\ntorch==2.5.1 \\\n    --hash=sha256:0\nnvidia-cudnn-cu12==9.1.0.70 \\\n    --hash=sha256:1 \\\n    --hash=sha256:2\n"}, "requirements.txt:2 python/torch-pin warn\nrequirements.txt:4 python/nvidia-libraries warn\n"},
		{"the list of a neighbour", map[string]string{"web/Dockerfile": image + "RUN pip install -r requirements.txt\n", "train/requirements.txt": "torch==2.8.0\n"}, ""},
		{"one that is copied from there", map[string]string{"docker/Dockerfile": image + "COPY src/requirements.txt .\nRUN pip install -r requirements.txt\n", "src/requirements.txt": "torch==2.8.0\n"}, "src/requirements.txt:1 python/torch-replaced fail\n"},
		{"one from above", map[string]string{"docker/Dockerfile": image + "COPY . /app\nRUN pip install -r /app/requirements.txt\n", "requirements.txt": "torch==2.8.0\n"}, "requirements.txt:1 python/torch-replaced fail\n"},
		{"a list that the build edits", map[string]string{"Dockerfile": image + "COPY requirements.txt .\nRUN sed -i '/^torch/d;/nvidia/d' requirements.txt && pip install -r requirements.txt\n", "requirements.txt": "torch==2.8.0\nnvidia-cublas-cu12\n--extra-index-url https://download.pytorch.org/whl/rocm6.2\n"}, ""},
		{"one that it only copies", map[string]string{"Dockerfile": image + "RUN cp requirements.txt /app/requirements.txt && sed -n p requirements.txt && pip install -r /app/requirements.txt\n", "requirements.txt": "torch==2.8.0\n"}, "requirements.txt:1 python/torch-replaced fail\n"},
		{"one that it puts another in the place of", map[string]string{"Dockerfile": image + "RUN cp requirements-amd.txt requirements.txt && pip install -r requirements.txt\n", "requirements.txt": "torch==2.8.0\n"}, ""},
		{"one that it edits afterwards", map[string]string{"Dockerfile": image + "RUN pip install -r requirements.txt && sed -i d requirements.txt\n", "requirements.txt": "torch==2.8.0\n"}, "requirements.txt:1 python/torch-replaced fail\n"},
		{"vllm, which pins torch", map[string]string{"Dockerfile": image + "RUN pip install vllm\n", "Dockerfile.old": image + "RUN pip install vllm==0.14.0\n", "Dockerfile.older": image + "RUN pip install vllm==0.11.0\n"}, "Dockerfile:2 python/torch-replaced fail\nDockerfile.older:2 python/torch-replaced fail\n"},
		{"vllm, on an image that has it", map[string]string{"Dockerfile": "FROM rocm/vllm:rocm7.12.0_cdna_ubuntu24.04_py3.12\nRUN pip install vllm accelerate\n"}, ""},
		{"pins of other systems", map[string]string{
			"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.2\ntorch==2.5.1 ; sys_platform == \"darwin\"\ntorch==2.5.1 ; platform_system == 'Windows'\ntorch==2.5.1+rocm6.2 ; sys_platform == 'linux'\n",
			"pyproject.toml":   "[project]\ndependencies = [\n  \"numba==0.63.1\",\n  \"numpy==2.4.1; sys_platform == 'win32'\",\n]\n[[tool.uv.index]]\nurl = \"https://download.pytorch.org/whl/rocm6.4\"\n",
			"Dockerfile":       image + "RUN pip install \"torch==2.8.0; platform_machine == 'arm64'\"\n",
		}, ""},
		{"a pin of an older Python", map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.2\ntorch==2.5.1 ; python_version < \"3.11\"\n"}, "requirements.txt:2 python/torch-pin warn\n"},
		{"a branch for NVIDIA's GPUs", map[string]string{"Dockerfile": image + "ARG CUDA=0\nRUN if [ \"$CUDA\" = 1 ]; then pip install torch==2.1.0; fi\nRUN pip install accelerate\n"}, ""},
		{"branches for each GPU", map[string]string{"Dockerfile": "FROM rocm/dev-ubuntu-24.04:7.2\nARG GPU\nRUN <<EOF\ncase $GPU in\n  amd) pip install torch --index-url https://download.pytorch.org/whl/rocm7.2 ;;\n  cpu) pip install torch --index-url https://download.pytorch.org/whl/cpu ;;\nesac\nEOF\nRUN pip install accelerate\n"}, ""},
		{"a branch for whatever", map[string]string{"Dockerfile": image + "RUN [ -z \"$OLD\" ] || pip install torch==2.1.0\nRUN pip install torch==2.8.0\n"}, "Dockerfile:2 python/torch-replaced warn\nDockerfile:3 python/torch-replaced fail\n"},
		{"comments, templates and variables", map[string]string{"Dockerfile": image + "# RUN pip install torch==2.8.0\nRUN pip install ${PACKAGES} \"{{ package }}\" ./torch-2.8.0.whl git+https://example.org/torch\n", "requirements.txt": "{{ torch }}\n# torch==1.0\n"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, tt.files); got != tt.want {
				t.Errorf("found:\n%swant:\n%s", got, tt.want)
			}
		})
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	files := map[string]string{"Dockerfile": image + "RUN pip install --no-deps openai-whisper\nRUN pip install whisperx\n"}
	var all []string
	for _, f := range lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found {
		all = append(all, f.Message)
	}
	got := strings.Join(all, "\n")
	for _, want := range []string{
		"openai-whisper is installed without its requirements, and nothing installs more-itertools, numba and tiktoken.",
		"2.9.1+rocm7.2 does not satisfy torch~=2.8.0, which whisperx requires",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no message has %q:\n%s", want, got)
		}
	}
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"torch==2.9.1 # x\n", "-r a.txt\n-c b.txt\n--index-url=x", "numpy \\\n  --hash=sha256:0 \\\n", "a @ https://b/c.whl ; python_version < '3'", "\\\n\\", "-i\n- \n--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &lint.File{Path: "requirements.txt", Kind: lint.Requirements, Data: []byte(text)}
		l := parseList(file)
		for _, r := range l.requirements {
			if r.end > 0 && !r.editable() {
				t.Fatalf("%q stands at %d to %d of %q", r.text, r.start, r.end, text)
			}
			if r.line < 1 || r.line > 1+strings.Count(text, "\n") {
				t.Fatalf("%q stands on line %d of %q", r.text, r.line, text)
			}
		}
		for _, o := range append(l.extra, l.find...) {
			if o.end > 0 && text[o.start:o.end] != o.name {
				t.Fatalf("%q stands at %d to %d of %q", o.name, o.start, o.end, text)
			}
		}
	})
}

func TestFlatIndexIsMended(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	text := "[[tool.uv.index]]\r\nurl = \"https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\"\r\nname = \"amd\"\r\n"
	p := lint.Example{Files: map[string]string{"pyproject.toml": text}}.Project(false)
	m := lint.MendAll(p, s, Rules)
	want := strings.Replace(text, "7.2/\"\r\n", "7.2/\"\r\nformat = \"flat\"\r\n", 1)
	if len(m.Changes) != 1 || string(m.Changes[0].After) != want || len(m.Left.Found) != 0 {
		t.Errorf("changes %v, left %v", m.Changes, m.Left.Found)
	}
}

// TestVariablesOfPip: one gets the name of a list where that changes nothing else.
func TestVariablesOfPip(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	const list = "https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/"
	for text, want := range map[string]string{
		"ENV A=1 PIP_EXTRA_INDEX_URL=" + list:                                               "ENV A=1 PIP_FIND_LINKS=" + list,
		"ENV PIP_FIND_LINKS=/wheels PIP_EXTRA_INDEX_URL=" + list:                            "",
		"ENV PIP_INDEX_URL=" + list + "\nENV PIP_EXTRA_INDEX_URL=" + list + "more/":         "",
		"ENV PIP_INDEX_URL=" + list + "\nRUN curl $PIP_INDEX_URL":                           "",
		"ENV PIP_EXTRA_INDEX_URL=\"https://download.pytorch.org/whl/rocm6.4 " + list + "\"": "",
	} {
		files := map[string]string{"Dockerfile": image + text + "\nRUN pip install einops\n"}
		m := lint.MendAll(lint.Example{Files: files}.Project(false), s, Rules)
		switch {
		case want == "" && (len(m.Changes) > 0 || len(m.Left.Found) == 0):
			t.Errorf("%s: changes %+v, left %v", text, m.Changes, m.Left.Found)
		case want != "" && (len(m.Changes) != 1 || string(m.Changes[0].After) != strings.Replace(files["Dockerfile"], text, want, 1)):
			t.Errorf("%s: changes %+v", text, m.Changes)
		}
	}
}

// TestPinInPiecesIsLeft: where the version does not stand as it is, there is no place
// to write a build behind it.
func TestPinInPiecesIsLeft(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	const head = "pip install --extra-index-url https://download.pytorch.org/whl/rocm6.4 torch"
	for pin, want := range map[string]string{
		"==2.9.\\\n1": "", "==2.9.\"1\"": "",
		"=='2.9.1'":   "=='2.9.1+rocm6.4'",
		"\\==2.9.1 x": "\\==2.9.1+rocm6.4 x",
	} {
		m := lint.MendAll(lint.Example{Files: map[string]string{"a.sh": head + pin + "\n"}}.Project(false), s, Rules)
		switch {
		case want == "" && (len(m.Changes) > 0 || len(m.Left.Found) == 0):
			t.Errorf("%q: changes %+v, left %v", pin, m.Changes, m.Left.Found)
		case want != "" && (len(m.Changes) != 1 || string(m.Changes[0].After) != head+want+"\n"):
			t.Errorf("%q: changes %+v", pin, m.Changes)
		}
	}
}

// TestSharedListIsLeft holds lint to leave a list alone that a build for CUDA
// installs, too.
func TestSharedListIsLeft(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	files := map[string]string{
		"Dockerfile":       "FROM nvidia/cuda:12.8.0-runtime-ubuntu24.04\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n",
		"Dockerfile.rocm":  image + "COPY requirements.txt .\nRUN pip install -r requirements.txt\n",
		"requirements.txt": "einops\nnvidia-cublas-cu12==12.8.4.1\n",
	}
	m := lint.MendAll(lint.Example{Files: files}.Project(false), s, Rules)
	if len(m.Changes) != 0 || len(m.Left.Found) != 1 {
		t.Fatalf("changes %v, left %v", m.Changes, m.Left.Found)
	}
	f := m.Left.Found[0]
	if last := f.Evidence[len(f.Evidence)-1]; last.From != "Dockerfile:3" || !strings.Contains(f.Advice[0].Steps[0].Text, "Dockerfile needs this one as it is") {
		t.Errorf("the other user is not named: %v, %v", last, f.Advice)
	}
	delete(files, "Dockerfile")
	if m := lint.MendAll(lint.Example{Files: files}.Project(false), s, Rules); len(m.Changes) != 1 {
		t.Errorf("a list of one build is not mended: %v", m.Left.Found)
	}
}

// TestTorchCanBeKept reads the cures of torch-replaced: each can be followed.
func TestTorchCanBeKept(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	const hold = "pip install -c /opt/torch.txt "
	for _, tt := range []struct{ run, list, want, not string }{
		{"pip install \"torch>=2.10\"", "", "pip install \"torch>=2.10\" --index-url https://download.pytorch.org/whl/rocm", hold},
		{"pip install -r requirements.txt", "torch==2.5.1\n", "pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/rocm", hold},
		{"pip install -r requirements.txt", "torch==2.5.1\n", "Take torch==2.5.1 out of requirements.txt", hold},
		{"pip install whisperx", "", "pip install torch~=2.8.0 --index-url https://download.pytorch.org/whl/rocm", hold},
		{"pip install -U torch", "", "pip install torch --index-url https://download.pytorch.org/whl/rocm", hold},
		{"pip install -U torch einops", "", hold + "einops", "--index-url"},
		{"pip install -U --upgrade-strategy eager -r requirements.txt peft", "torch\n", hold + "-r requirements.txt peft", "--index-url"},
		{"conda install -y pytorch-cuda=12.1", "", "Take pytorch-cuda=12.1 out", "pip install"},
	} {
		p := lint.Example{Files: map[string]string{"Dockerfile": image + "RUN " + tt.run + "\n", "requirements.txt": tt.list}}.Project(false)
		var got strings.Builder
		for _, f := range lint.Run(p, s, Rules).Found {
			for _, r := range f.Advice {
				for _, step := range r.Steps {
					got.WriteString(step.Text + ": " + step.Command + "\n")
				}
			}
		}
		if !strings.Contains(got.String(), tt.want) || strings.Contains(got.String(), tt.not) {
			t.Errorf("%s: want %q and not %q in\n%s", tt.run, tt.want, tt.not, got.String())
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	for _, seed := range []string{"[project]\ndependencies = ['a', \"b>=1\"]\n", "[[tool.uv.index]]\nurl='x'\nformat=\"flat\"", "[project]\ndependencies=[\n'a]'\n]", "[", "=", "[project]\ndependencies=\"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &lint.File{Path: "pyproject.toml", Kind: lint.PyProject, Data: []byte(text)}
		m := parseManifest(file)
		reqs := m.base
		for _, g := range m.groups {
			reqs = append(reqs, g.requirements...)
		}
		for _, r := range reqs {
			if r.end > 0 && !r.editable() {
				t.Fatalf("%q stands at %d to %d of %q", r.text, r.start, r.end, text)
			}
		}
		for _, i := range m.sources {
			if i.lineEnd > len(text) {
				t.Fatalf("an index ends at %d of %q", i.lineEnd, text)
			}
		}
	})
}

func FuzzInstalls(f *testing.F) {
	for _, seed := range []string{"pip install -U torch", "python3 -m pip install -r requirements.txt", "uv venv && uv pip install x", "sudo env A=1 pip3 --x install 'a<2' -i", ". v/bin/activate", "python -m venv"} {
		f.Add(seed)
	}
	s, _ := lint.OnExample("")
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{"Dockerfile": image + "RUN " + text + "\n", "a.sh": text}
		for _, found := range lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found {
			if strings.Contains(found.Message, "itself is broken") {
				t.Fatal(found.Message)
			}
		}
	})
}
