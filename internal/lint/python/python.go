// Package python holds the rules about Python packages that projects install: requirements, and pip in Dockerfiles and scripts.
//
// No index is ever asked. What an install would do is predicted from what the
// files say and from what is known of the packages.
package python

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

const image = "FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"

// Rules are the rules of this area. They speak where AMD GPUs are meant: on
// images for them, and of addresses of AMD's builds.
var Rules = []lint.Rule{
	{
		ID:    "python/torch-replaced",
		Title: "No install replaces torch for ROCm",
		Why: "The torch of PyPI for Linux is built for CUDA. pip leaves the one that is there alone as long as it satisfies what is asked; a pin, an upgrade or a package " +
			"that wants another version fetches PyPI's in its place, without a word. Then `torch.cuda.is_available()` is false, and nothing says why.",
		Bad:  lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install torch==2.8.0 einops\n"}},
		Good: lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install torch==2.8.0 einops --index-url https://download.pytorch.org/whl/rocm6.4\n"}},
		Run:  replaced,
	},
	{
		ID:    "python/torch-from-pypi",
		Title: "torch comes from an index with builds for ROCm",
		Why: "PyPI serves torch for CUDA on Linux, also to machines with AMD GPUs. A virtual environment does not see the torch of the image it is made in, " +
			"unless it is made with `--system-site-packages`. In a pyproject.toml an index that is explicit (uv, Poetry) or supplemental (Poetry) is not asked for torch, unless torch names it. " +
			"Nothing is said where more may be told or brought than can be seen: by a `pip.conf`, wheels, another image, packages of the distribution or a script.",
		Bad:  lint.Example{Files: map[string]string{"Dockerfile": "FROM rocm/dev-ubuntu-24.04:7.2-complete\nRUN pip install torch\n"}},
		Good: lint.Example{Files: map[string]string{"Dockerfile": "FROM rocm/dev-ubuntu-24.04:7.2-complete\nRUN pip install torch --index-url https://download.pytorch.org/whl/rocm7.2\n"}},
		Run:  fromPyPI,
	},
	{
		ID:    "python/torch-pin",
		Title: "A pin of torch names the build",
		Why:   "`torch==2.9.1` is satisfied by `2.9.1+rocm6.4`, and by PyPI's 2.9.1 for CUDA. Where the first is not there, or not found, pip takes the second.",
		Bad:   lint.Example{Files: map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.4\ntorch==2.9.1  # for AMD\n"}},
		Good:  lint.Example{Files: map[string]string{"requirements.txt": "--extra-index-url https://download.pytorch.org/whl/rocm6.4\ntorch==2.9.1+rocm6.4  # for AMD\n"}},
		Run:   pins,
	},
	{
		ID:    "python/index-form",
		Title: "Lists of files are given to pip as such",
		Why: "repo.radeon.com serves plain lists of files. As `--index-url` pip asks below it for a page of each package, finds none, and takes the package from the next index: " +
			"that of CUDA builds. With `--find-links` it reads the list.",
		Bad:  lint.Example{Files: map[string]string{"requirements.txt": "--index-url https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\n--extra-index-url https://pypi.org/simple\neinops\n"}},
		Good: lint.Example{Files: map[string]string{"requirements.txt": "--find-links https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\n--extra-index-url https://pypi.org/simple\neinops\n"}},
		Run:  indexForm,
	},
	{
		ID:    "python/extra-index",
		Title: "torch has one source",
		Why: "pip treats all indices alike and takes the highest version. PyPI often has a newer torch than an index for ROCm, and that is a build for CUDA. " +
			"So do PDM, and Poetry with PyPI beside another primary source. uv takes a package from the first index that has it, and is not concerned.",
		Bad:  lint.Example{Files: map[string]string{"install.sh": "pip install torch torchvision --extra-index-url https://download.pytorch.org/whl/rocm6.4\n"}},
		Good: lint.Example{Files: map[string]string{"install.sh": "pip install torch torchvision --index-url https://download.pytorch.org/whl/rocm6.4\n"}},
		Run:  extraIndex,
	},
	{
		ID:    "python/no-deps",
		Title: "What is installed without its requirements gets them otherwise",
		Why: "`--no-deps` keeps pip from replacing torch, and from installing everything else that a package needs. What is missing shows at the first import, or later. " +
			"The requirements come from the packages' own metadata; of packages that rocsmith does not know nothing is said.",
		Bad:  lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install --no-deps openai-whisper && pip install tiktoken more-itertools tqdm\n"}},
		Good: lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install --no-deps openai-whisper && pip install tiktoken more-itertools tqdm numba\n"}},
		Run:  withoutDeps,
	},
	{
		ID:    "python/nvidia-libraries",
		Title: "Lists for AMD GPUs hold none of NVIDIA's libraries",
		Why: "`nvidia-cublas-cu12` and its like come along with torch for CUDA. In a list they tell that it was frozen on a machine with such a torch; " +
			"they are gigabytes that nothing loads, and the pins beside them are usually of builds for CUDA, too.",
		Bad: lint.Example{Files: map[string]string{
			"Dockerfile":       image + "COPY requirements.txt .\nRUN pip install -r requirements.txt\n",
			"requirements.txt": "einops==0.8.1\nnvidia-cublas-cu12==12.8.4.1\npillow==12.0.0\n",
		}},
		Good: lint.Example{Files: map[string]string{
			"Dockerfile":       image + "COPY requirements.txt .\nRUN pip install -r requirements.txt\n",
			"requirements.txt": "einops==0.8.1\npillow==12.0.0\n",
		}},
		Run: nvidiaLibraries,
	},
	{
		ID:    "python/pin-conflict",
		Title: "Pins do not exclude each other",
		Why: "numba refuses to be imported with a NumPy that is newer than it knows: \"Numba needs NumPy 2.3 or less\". " +
			"pip notices when both are asked for at once; with `--no-deps`, or in two commands, it does not.",
		Bad:  lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install numba==0.63.1\nRUN pip install -U numpy\n"}},
		Good: lint.Example{Files: map[string]string{"Dockerfile": image + "RUN pip install numba==0.63.1\nRUN pip install -U \"numpy<2.4\"\n"}},
		Run:  pinConflict,
	},
}

func provenance(p rocm.Provenance) machine.Evidence {
	return machine.Evidence{From: machine.Source(p.Grade()), Text: p.Source}
}

func manual(text string) remedy.Step { return remedy.Step{Kind: remedy.Manual, Text: text} }

func command(text, line string) remedy.Step {
	return remedy.Step{Kind: remedy.Command, Text: text, Command: line}
}

func cure(id, title string, steps ...remedy.Step) remedy.Remedy {
	return remedy.Remedy{ID: id, Title: title, Risk: remedy.Safe, Steps: steps}
}

// once reports each finding of a line once, however many stages lead to it.
func once(p *lint.Pass) func(lint.Finding) {
	seen := map[string]bool{}
	return func(f lint.Finding) {
		key := fmt.Sprintf("%s:%d %s", f.File.Path, f.Line, f.Message)
		if !seen[key] {
			seen[key] = true
			p.Report(f)
		}
	}
}
