package pydist

import (
	"cmp"
	"path"
	"strings"
)

// places are the folders where tools and systems keep Pythons, in order.
func places(r Reach) []place {
	if r.windows() {
		return windowsPlaces(r)
	}
	data := cmp.Or(r.variable("XDG_DATA_HOME"), under(r.Home, ".local/share"))
	var out []place
	out = append(out, condaPlaces(r, data)...)
	out = append(out,
		place{dir: cmp.Or(under(r.variable("PYENV_ROOT"), "versions"), under(r.Home, ".pyenv/versions")), children: true, kind: Pyenv, why: "pyenv"},
		place{dir: cmp.Or(r.variable("UV_TOOL_DIR"), under(data, "uv/tools")), children: true, kind: UVTool, why: "uv tool"},
		place{dir: under(r.variable("PIPX_HOME"), "venvs"), children: true, kind: Pipx, why: "PIPX_HOME"},
		place{dir: under(data, "pipx/venvs"), children: true, kind: Pipx, why: "pipx"},
		place{dir: under(r.Home, ".local/pipx/venvs"), children: true, kind: Pipx, why: "pipx"},
		place{dir: "opt/pipx/venvs", children: true, kind: Pipx, why: "pipx"},
		place{dir: cmp.Or(r.variable("WORKON_HOME"), under(r.Home, ".virtualenvs")), children: true, why: "virtualenvwrapper"},
		place{dir: under(data, "virtualenvs"), children: true, why: "pipenv"},
		place{dir: under(r.Home, ".cache/pypoetry/virtualenvs"), children: true, why: "poetry"},
		place{dir: cmp.Or(r.variable("UV_PYTHON_INSTALL_DIR"), under(data, "uv/python")), children: true, kind: UVPython, why: "uv python"},
		place{dir: "opt/venv", why: "/opt/venv"},
		place{dir: "usr/local", why: "the system"},
		place{dir: "usr", why: "the system"},
		place{dir: "opt", children: true, why: "/opt"},
	)
	return out
}

// condaPlaces are the roots that conda's installers propose, with their envs.
func condaPlaces(r Reach, data string) []place {
	roots := []string{r.variable("CONDA_ROOT"), r.variable("MAMBA_ROOT_PREFIX")}
	for _, name := range []string{"miniconda3", "miniforge3", "anaconda3", "mambaforge", "micromamba"} {
		roots = append(roots, under(r.Home, name))
	}
	if r.windows() {
		roots = append(roots, "C:/ProgramData/miniconda3", "C:/ProgramData/miniforge3", "C:/ProgramData/anaconda3")
	} else {
		roots = append(roots, under(data, "mamba"), "opt/conda", "opt/miniconda3", "opt/miniforge3")
	}
	out := []place{{dir: under(r.Home, ".conda/environments.txt"), list: true, kind: Conda, why: "conda environments.txt"}}
	for _, root := range roots {
		if root != "" {
			out = append(out,
				place{dir: root, kind: Conda, why: "conda"},
				place{dir: path.Join(root, "envs"), children: true, kind: Conda, why: "conda"})
		}
	}
	return out
}

// windowsPlaces are those of python.org's installer and of the same tools.
func windowsPlaces(r Reach) []place {
	local, roaming := r.variable("LOCALAPPDATA"), r.variable("APPDATA")
	r.Home = cmp.Or(r.Home, r.variable("USERPROFILE"))
	local = cmp.Or(local, under(r.Home, "AppData/Local"))
	roaming = cmp.Or(roaming, under(r.Home, "AppData/Roaming"))
	out := condaPlaces(r, "")
	for _, tools := range []string{r.variable("UV_TOOL_DIR"), under(roaming, "uv/tools"), under(roaming, "uv/data/tools")} {
		out = append(out, place{dir: tools, children: true, kind: UVTool, why: "uv tool"})
	}
	for _, venvs := range []string{under(r.variable("PIPX_HOME"), "venvs"), under(r.Home, "pipx/venvs"), under(local, "pipx/pipx/venvs")} {
		out = append(out, place{dir: venvs, children: true, kind: Pipx, why: "pipx"})
	}
	for _, pythons := range []string{r.variable("UV_PYTHON_INSTALL_DIR"), under(roaming, "uv/python"), under(roaming, "uv/data/python")} {
		out = append(out, place{dir: pythons, children: true, kind: UVPython, why: "uv python"})
	}
	out = append(out, place{dir: under(r.Home, ".pyenv/pyenv-win/versions"), children: true, kind: Pyenv, why: "pyenv"})
	for _, installs := range []string{under(local, "Programs/Python"), r.variable("ProgramFiles")} {
		out = append(out, place{dir: installs, children: true, only: "Python3", why: "an installed Python"})
	}
	return append(out, place{
		dir: under(local, "Packages"), children: true, only: storePackage, kind: Store, why: "Microsoft Store",
	})
}

// storePackage begins the names of Python's packages in the Microsoft Store.
const storePackage = "PythonSoftwareFoundation.Python."

// under joins names, and stays "" where the first one is not known.
func under(dir, name string) string {
	if dir == "" {
		return ""
	}
	return path.Join(dir, name)
}

// lines are the lines of a small list of folders, without empty ones.
func lines(data []byte) []string {
	var out []string
	for len(data) > 0 && len(out) < maxChildren {
		var line []byte
		line, data, _ = cutLine(data)
		if text := strings.TrimSpace(string(line)); text != "" {
			out = append(out, text)
		}
	}
	return out
}
