package python

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/lint"
)

const bare = "FROM rocm/dev-ubuntu-24.04:7.2-complete\n"

// TestWhereTorchComesFrom holds the rules to what pip and uv are told beside their
// command line, and to packages that come in other ways.
func TestWhereTorchComesFrom(t *testing.T) {
	t.Parallel()
	const index = "https://download.pytorch.org/whl/rocm7.2"
	fails := func(line int) string { return fmt.Sprintf("Dockerfile:%d python/torch-from-pypi fail\n", line) }
	for name, tc := range map[string]struct{ text, want string }{
		"nothing is told":                   {bare + "RUN pip install torch\n", fails(2)},
		"a variable of pip":                 {bare + "ENV PIP_INDEX_URL=" + index + "\nRUN pip install torch\n", ""},
		"one for another index":             {bare + "ENV PIP_INDEX_URL=https://download.pytorch.org/whl/cu128\nRUN pip install torch\n", fails(3)},
		"one of uv, and pip":                {bare + "ENV UV_INDEX_URL=" + index + "\nRUN pip install torch\n", fails(3)},
		"an extra one, and a build":         {bare + "ENV PIP_EXTRA_INDEX_URL=" + index + "\nRUN pip install torch==2.9.1+rocm7.2\n", ""},
		"an extra one, and no pin":          {bare + "ENV PIP_EXTRA_INDEX_URL=" + index + "\nRUN pip install torch\n", "Dockerfile:2 python/extra-index warn\n"},
		"before the command":                {bare + "RUN PIP_INDEX_URL=" + index + " pip install torch\nRUN pip install accelerate\n", ""},
		"exported, in this shell":           {bare + "RUN export PIP_INDEX_URL=" + index + " && pip install torch\n", ""},
		"exported, in another shell":        {bare + "RUN export PIP_INDEX_URL=" + index + "\nRUN pip install torch\n", fails(3)},
		"an argument":                       {bare + "ARG INDEX=" + index + "\nRUN pip install torch --extra-index-url ${INDEX}\n", "Dockerfile:3 python/extra-index warn\n"},
		"an argument of CUDA's":             {bare + "ARG INDEX=https://download.pytorch.org/whl/cu128\nRUN pip install torch --index-url ${INDEX}\n", fails(3)},
		"an argument before FROM":           {"ARG INDEX=https://download.pytorch.org/whl/cu128\n" + bare + "ARG INDEX\nRUN pip install torch --index-url ${INDEX}\n", fails(4)},
		"an argument without a value":       {bare + "ARG INDEX\nRUN pip install torch --extra-index-url $INDEX\n", ""},
		"a source of their own":             {bare + "RUN pip install torch --find-links /wheels\n", ""},
		"a file of pip":                     {bare + "COPY pip.conf /etc/pip.conf\nRUN pip install torch\n", ""},
		"a file that a command writes":      {bare + "RUN echo '[global]' > /etc/pip.conf\nRUN pip install torch\n", ""},
		"a file that is mounted":            {bare + "RUN --mount=type=secret,id=pip.conf,target=/etc/pip.conf pip install einops\nRUN pip install torch\n", fails(3)},
		"pip config":                        {bare + "RUN pip config set global.index-url " + index + "\nRUN pip install torch\n", ""},
		"a backend of uv":                   {bare + "ENV UV_TORCH_BACKEND=rocm7.1\nRUN uv pip install --system torch\n", ""},
		"an index of uv, by a name":         {bare + "ENV UV_INDEX=amd=" + index + "\nRUN uv pip install --system torch\n", ""},
		"a build that PyPI has not":         {bare + "RUN pip install torch==2.9.1+rocm7.2\n", ""},
		"wheels":                            {bare + "RUN pip install /wheels/*.whl && pip install accelerate\n", ""},
		"a wheel":                           {bare + "RUN pip install torch-2.9.1.whl\nRUN pip install accelerate\n", ""},
		"a wheel by its address":            {bare + "RUN pip install https://repo.radeon.com/x/torch-2.9.1%2Brocm7.2-linux_x86_64.whl\nRUN pip install accelerate\n", ""},
		"torch at an address":               {bare + "RUN pip install 'torch @ https://example.org/torch-2.9.1-linux_x86_64.whl'\n", ""},
		"another wheel in its place":        {image + "RUN pip install /wheels/torch-2.8.0.whl\nRUN pip install whisperx\n", ""},
		"an environment of another image":   {strings.Replace(image, "\n", " AS t\n", 1) + bare + "COPY --from=t /opt/venv /opt/venv\nRUN pip install accelerate\n", ""},
		"a program of another image":        {bare + "COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /bin/\nRUN pip install accelerate\n", fails(3)},
		"torch of the distribution":         {bare + "RUN apt-get install -y python3-torch-rocm\nRUN pip install accelerate\n", ""},
		"something of the distribution":     {bare + "RUN apt-get install -y python3-pip\nRUN pip install accelerate\n", fails(3)},
		"a script":                          {bare + "RUN ./ci/install.sh\nRUN bash torch.sh\nRUN pip install accelerate\n", ""},
		"a program of the project":          {bare + "RUN python3 setup.py install\nRUN pip install accelerate\n", ""},
		"a command in a variable":           {bare + "RUN $TORCH_COMMAND\nRUN pip install accelerate\n", ""},
		"another installer":                 {bare + "RUN uv sync --extra rocm\nRUN pip install accelerate\n", ""},
		"a list that cannot be read":        {bare + "RUN pip install -r https://example.org/requirements.txt torch\n", ""},
		"more variables than are looked at": {bare + manyVariables() + "RUN pip install torch\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := found(t, map[string]string{"Dockerfile": tc.text}); got != tc.want {
				t.Errorf("found:\n%swant:\n%sof:\n%.500s", got, tc.want, tc.text)
			}
		})
	}
}

func manyVariables() string {
	var out strings.Builder
	for n := range maxVariables + 1 {
		fmt.Fprintf(&out, "ENV A%d=1\n", n)
	}
	return out.String()
}

func TestListsThatABuildWrites(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]string{
		"without torch": "grep -v '^torch' requirements.txt > /tmp/requirements.txt && pip install -r /tmp/requirements.txt",
		"anew":          "cat >>requirements.txt <<X\nX\nRUN pip install -r requirements.txt",
	} {
		files := map[string]string{"Dockerfile": image + "COPY requirements.txt .\nRUN " + run + "\n", "requirements.txt": "torch==2.8.0\n"}
		if got := found(t, files); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestScriptsAreForWhatTheySay: a project for AMD GPUs has scripts for developers
// who have none.
func TestScriptsAreForWhatTheySay(t *testing.T) {
	t.Parallel()
	const install = "python3 -m venv .venv\n. .venv/bin/activate\npip install torch\n"
	files := map[string]string{"compose.yml": "services: {a: {image: rocm/pytorch:x}}\n", "dev.sh": install}
	if got := found(t, files); got != "" {
		t.Errorf("of a script for anybody: %s", got)
	}
	files["dev.sh"] = "export HIP_VISIBLE_DEVICES=0\n" + install
	if got, want := found(t, files), "dev.sh:4 python/torch-from-pypi fail\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	s, _ := lint.OnExample("")
	if message := lint.Run(lint.Example{Files: files}.Project(false), s, Rules).Found[0].Message; !strings.Contains(message, "in a script for AMD GPUs") {
		t.Errorf("says %q", message)
	}
}

func TestMendsOfLists(t *testing.T) {
	t.Parallel()
	s, _ := lint.OnExample("")
	frozen := map[string]string{
		"Dockerfile":       image + "RUN pip install -r requirements.txt\n",
		"requirements.txt": "einops==0.8.1\n    # via -r requirements.in\nnvidia-cublas-cu12==12.8.4.1\n    # via\n    #   nvidia-cudnn-cu12\n    #   torch\npillow==12.0.0\n",
	}
	m := lint.MendAll(lint.Example{Files: frozen}.Project(false), s, Rules)
	if len(m.Changes) != 1 || string(m.Changes[0].After) != "einops==0.8.1\n    # via -r requirements.in\npillow==12.0.0\n" {
		t.Errorf("became %+v", m.Changes)
	}
	hashed := map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.4\ntorch==2.9.1 --hash=sha256:00\n"}
	if m := lint.MendAll(lint.Example{Files: hashed}.Project(false), s, Rules); len(m.Changes) > 0 || len(m.Left.Found) != 1 {
		t.Errorf("the file that the hash is of has no such build: %+v, left %+v", m.Changes, m.Left.Found)
	}
}

// What is beyond the bounds is not read, and nothing is concluded of it.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("einops\n", maxRequirements) + "torch==2.8.0\n"
	files := map[string]string{"Dockerfile": image + "RUN pip install -r requirements.txt\n", "requirements.txt": long}
	if got := found(t, files); got != "" {
		t.Errorf("found %s", got)
	}
	l := parseList(&lint.File{Path: "requirements.txt", Kind: lint.Requirements, Data: []byte(long)})
	if len(l.requirements) != maxRequirements || !l.partly {
		t.Errorf("%d requirements, partly %v", len(l.requirements), l.partly)
	}
	stages := "FROM base AS s0\n"
	for n := range maxStages + 5 {
		stages += fmt.Sprintf("FROM s%d AS s%d\n", n, n+1)
	}
	p := lint.Example{Files: map[string]string{"Dockerfile": stages}}.Project(false)
	s, _ := lint.OnExample("")
	var seen int
	rule := lint.Rule{ID: "toy/builds", Run: func(p *lint.Pass) { seen = len(builds(p)) }}
	if lint.Run(p, s, []lint.Rule{rule}); seen != maxStages {
		t.Errorf("%d stages were read", seen)
	}
}
