package pydist

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// described writes environments, for comparing.
func described(envs []Environment) []string {
	var out []string
	for _, e := range envs {
		active := ""
		if e.Active {
			active = "*"
		}
		out = append(out, fmt.Sprintf("%s%s %s %s (%s) %s", active, e.Prefix, e.Kind, e.Python, e.Why, strings.Join(e.Sites, " ")))
	}
	return out
}

// debian is the files of a system with Python 3.11.
var debian = map[string]string{
	"bin":                                  "-> usr/bin",
	"usr/bin/python3":                      "-> python3.11",
	"usr/bin/python3.11":                   "ELF",
	"usr/lib/python3.11/os.py":             "",
	"usr/lib/python3/dist-packages/apt.py": "",
	"usr/local/lib/python3.11/dist-packages/x.py": "",
}

const oneVenv = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n"

func TestFind(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		env   map[string]string
		reach Reach
		want  []string
	}{
		"debian": {
			files: map[string]string{"home/ada/.local/lib/python3.11/site-packages/x.py": ""},
			reach: Reach{Path: []string{"", "/nowhere", "/bin"}},
			want: []string{
				"*usr system 3.11 (PATH) home/ada/.local/lib/python3.11/site-packages usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
			},
		},
		"no user site": {
			files: map[string]string{"home/ada/.local/lib/python3.11/site-packages/x.py": ""},
			env:   map[string]string{"PYTHONNOUSERSITE": "1"},
			want:  []string{"usr system 3.11 (the system) usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages"},
		},
		"a venv that is active, and the same on PATH": {
			files: map[string]string{
				"home/ada/w/.venv/pyvenv.cfg": oneVenv, "home/ada/w/.venv/bin/python3": "-> ../../../../../usr/bin/python3", "home/ada/w/.venv/bin/python": "-> python3",
				"home/ada/w/.venv/lib/python3.11/site-packages/x.py": "", "home/ada/w/.venv/lib64": "-> lib",
				"home/ada/.local/lib/python3.11/site-packages/x.py": "",
			},
			env:   map[string]string{"VIRTUAL_ENV": "/home/ada/w/.venv"},
			reach: Reach{WorkDir: "/home/ada/w", Path: []string{"/home/ada/w/.venv/bin", "/usr/bin"}},
			want: []string{
				"*home/ada/w/.venv venv 3.11.2 (VIRTUAL_ENV) home/ada/w/.venv/lib/python3.11/site-packages",
				"usr system 3.11 (the system) home/ada/.local/lib/python3.11/site-packages usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
			},
		},
		"a venv that sees the system's packages": {
			files: map[string]string{
				"w/env/pyvenv.cfg":                                  "home = /bin\ninclude-system-site-packages = True\nversion_info = 3.11.2.final.0\n",
				"w/env/lib/python3.11/site-packages/x.py":           "",
				"home/ada/.local/lib/python3.11/site-packages/x.py": "",
				"pp/x-1.dist-info/METADATA":                         "", "w/rel/x-1.egg-info": "", "empty/x.py": "",
			},
			env:   map[string]string{"PYTHONPATH": "/pp:rel:/empty:"},
			reach: Reach{WorkDir: "w"},
			want: []string{
				"w/env venv 3.11.2 (env in the working directory) pp w/rel w/env/lib/python3.11/site-packages " +
					"home/ada/.local/lib/python3.11/site-packages usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
				"usr system 3.11 (the system) pp w/rel home/ada/.local/lib/python3.11/site-packages usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
			},
		},
		"a project": {
			files: map[string]string{
				"home/ada/p/q/venv/pyvenv.cfg": oneVenv, "home/ada/p/q/other/pyvenv.cfg": oneVenv, "home/ada/p/q/src/x.py": "",
				"home/ada/p/.venv/pyvenv.cfg": "version = 3.10.1\n", "home/ada/.venv/pyvenv.cfg": oneVenv, "home/.venv/pyvenv.cfg": oneVenv,
				"home/ada/p/.venv/lib/python3.12/site-packages/x.py": "",
			},
			reach: Reach{WorkDir: "/home/ada/p/q/"},
			want: []string{
				"home/ada/p/q/venv venv 3.11.2 (venv in the working directory) ",
				"home/ada/p/q/other venv 3.11.2 (other in the working directory) ",
				"home/ada/p/.venv venv 3.12 (.venv above the working directory) home/ada/p/.venv/lib/python3.12/site-packages",
				"home/ada/.venv venv 3.11.2 (.venv above the working directory) ",
				"usr system 3.11 (the system) usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
			},
		},
		"conda": {
			files: map[string]string{
				"opt/conda/conda-meta/python-3.12.3-hab00c5b_0_cpython.json": "", "opt/conda/lib/python3.12/site-packages/x.py": "",
				"opt/conda/conda-meta/python-dateutil-2.9.0-py_0.json": "",
				"opt/conda/envs/rocm/conda-meta/python-3.10.1-0.json":  "", "opt/conda/envs/rocm/lib/python3.10/site-packages/x.py": "",
				"opt/conda/envs/tools/conda-meta/history": "",
				"home/ada/.conda/environments.txt":        "/opt/conda/envs/rocm\n/gone\n\n/srv/env\n",
				"srv/env/conda-meta/python-3.9.1-0.json":  "",
			},
			env: map[string]string{"CONDA_PREFIX": "/opt/conda"},
			want: []string{
				"*opt/conda conda 3.12.3 (CONDA_PREFIX) opt/conda/lib/python3.12/site-packages",
				"opt/conda/envs/rocm conda 3.10.1 (conda environments.txt) opt/conda/envs/rocm/lib/python3.10/site-packages",
				"srv/env conda 3.9.1 (conda environments.txt) ",
				"usr system 3.11 (the system) usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
			},
		},
		"tools": {
			files: map[string]string{
				"home/ada/.local/share/uv/tools/ruff/pyvenv.cfg":                                                 "version_info = 3.13.1\n",
				"home/ada/.local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu/bin/python3.12":                 "",
				"home/ada/.local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu/lib/python3.12/site-packages/x": "",
				"home/ada/.local/share/uv/python/cpython-3.12-linux-x86_64-gnu":                                  "-> cpython-3.12.3-linux-x86_64-gnu",
				"home/ada/.local/share/pipx/venvs/black/pyvenv.cfg":                                              oneVenv,
				"home/ada/.pyenv/versions/3.11.7/bin/python3.11":                                                 "", "home/ada/.pyenv/versions/3.11.10/bin/python3.11": "",
				"home/ada/.pyenv/versions/3.11.7/include/python3.11/patchlevel.h": "#define PY_VERSION      \t\"3.11.7+\"\n",
				"home/ada/.pyenv/shims/python3":                                   "#!/usr/bin/env bash", "home/ada/.pyenv/version": "3.9.1\n", "w/.python-version": "3.11\n",
				"opt/app/bin/python3": "", "opt/app/lib/python3.12/site-packages/x.py": "", "opt/rocm/bin/rocminfo": "",
			},
			reach: Reach{WorkDir: "/w/x/y", Path: []string{"/home/ada/.pyenv/shims", "/usr/bin"}},
			want: []string{
				"*home/ada/.pyenv/versions/3.11.10 pyenv 3.11.10 (PATH) ",
				"home/ada/.pyenv/versions/3.11.7 pyenv 3.11.7 (pyenv) ",
				"home/ada/.local/share/uv/tools/ruff uv-tool 3.13.1 (uv tool) ",
				"home/ada/.local/share/pipx/venvs/black pipx 3.11.2 (pipx) ",
				"home/ada/.local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu uv-python 3.12.3 (uv python) home/ada/.local/share/uv/python/cpython-3.12.3-linux-x86_64-gnu/lib/python3.12/site-packages",
				"usr system 3.11 (the system) usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
				"opt/app system 3.12 (/opt) opt/app/lib/python3.12/site-packages",
			},
		},
		"two versions, and one built by hand": {
			files: map[string]string{
				"usr/bin/python3.13": "", "usr/bin/python3-config": "", "usr/bin/python3.13-config": "", "usr/lib64/python3.13/site-packages/x.py": "",
				"usr/local/bin/python3.14": "", "usr/local/lib/python3.14/site-packages/x.py": "",
			},
			reach: Reach{Path: []string{"/usr/bin"}},
			want: []string{
				"*usr system 3.11 (PATH) usr/local/lib/python3.11/dist-packages usr/lib/python3/dist-packages",
				"usr system 3.13 (PATH) usr/lib/python3/dist-packages usr/lib64/python3.13/site-packages",
				"usr/local system 3.14 (the system) usr/local/lib/python3.14/site-packages",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(debian)
			maps.Copy(files, tc.files)
			reach := tc.reach
			reach.OS, reach.Home = "linux", "/home/ada"
			reach.Getenv = func(name string) string { return tc.env[name] }
			if got := described(Find(planted(files), reach)); !slices.Equal(got, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		})
	}
}

func TestFindOnWindows(t *testing.T) {
	t.Parallel()
	const programs = "C:/Users/ada/AppData/Local/Programs/Python"
	const store = "C:/Users/ada/AppData/Local/Packages/PythonSoftwareFoundation.Python.3.13_qbz5n2kfra8p0"
	fsys := planted(map[string]string{
		programs + "/Python312/python312.dll":                              "MZ",
		programs + "/Python312/python.exe":                                 "MZ",
		programs + "/Python312/include/patchlevel.h":                       "#define PY_VERSION \"3.12.9\"",
		programs + "/Python312/Lib/site-packages/x.py":                     "",
		programs + "/Launcher/py.exe":                                      "MZ",
		"C:/Users/ada/AppData/Roaming/Python/Python312/site-packages/x.py": "",
		"C:/proj/venv/pyvenv.cfg":                                          "home = " + `C:\Users\ada\AppData\Local\Programs\Python\Python312` + "\r\nversion = 3.12.9\r\ninclude-system-site-packages = true\r\n",
		"C:/proj/venv/lib/site-packages/x.py":                              "",
		"C:/proj/venv/Scripts/python.exe":                                  "MZ",
		"C:/Users/ada/miniconda3/conda-meta/python-3.11.5-he1021f5_0.json": "",
		"C:/Users/ada/miniconda3/Lib/site-packages/x.py":                   "",
		store + "/LocalCache/local-packages/Python313/site-packages/x.py":  "",
		"C:/Users/ada/AppData/Local/Microsoft/WindowsApps/python.exe":      "",
	})
	env := map[string]string{
		"LOCALAPPDATA": `C:\Users\ada\AppData\Local`, "APPDATA": `C:\Users\ada\AppData\Roaming`, "USERPROFILE": `C:\Users\ada`,
		"VIRTUAL_ENV": `c:\gone`,
	}
	got := described(Find(fsys, Reach{
		OS: "windows", WorkDir: `C:\proj`, Getenv: func(name string) string { return env[name] },
		Path:  []string{`C:\Users\ada\AppData\Local\Microsoft\WindowsApps`, `C:\proj\venv\Scripts`},
		Extra: []string{`C:\Users\ada\AppData\Local\Programs\Python\Python312\`, `c:\users\ada\appdata\local\programs\python\python312`},
	}))
	user := "C:/Users/ada/AppData/Roaming/Python/Python312/site-packages"
	want := []string{
		"*C:/proj/venv venv 3.12.9 (venv in the working directory) C:/proj/venv/lib/site-packages " + user + " " + programs + "/Python312/Lib/site-packages",
		programs + "/Python312 system 3.12.9 (registered on this machine) " + user + " " + programs + "/Python312/Lib/site-packages",
		"C:/Users/ada/miniconda3 conda 3.11.5 (conda) C:/Users/ada/miniconda3/Lib/site-packages",
		store + " windows-store 3.13 (Microsoft Store) " + store + "/LocalCache/local-packages/Python313/site-packages",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("w/e%d/pyvenv.cfg", i)] = oneVenv
	}
	if got := len(Find(planted(files), Reach{OS: "linux", WorkDir: "/w"})); got != maxEnvironments {
		t.Errorf("found %d", got)
	}
	if got := Find(planted(nil), Reach{}); got != nil {
		t.Errorf("found %v where there is nothing", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3.12.3": "3.12.3", "3.12.3.final.0": "3.12.3", "3.13.0rc1": "3.13.0", "3.12": "3.12", "3.12.": "3.12", "3": "", "3.": "", "": "",
		"x": "", "3.12-linux": "3.12", "3.x": "", "99999.1": "",
	} {
		if got := numbers(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParsePyvenv(f *testing.F) {
	f.Add([]byte(oneVenv))
	f.Add([]byte("HOME=C:\\Python312\r\nversion_info = 3.12.3.final.0\rversion"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := parsePyvenv(data)
		if p.version != "" && minor(p.version) == "" {
			t.Errorf("the version is %q", p.version)
		}
		Find(planted(map[string]string{"w/venv/pyvenv.cfg": string(data)}), Reach{OS: "linux", WorkDir: "/w"})
	})
}

func FuzzParsePatchLevel(f *testing.F) {
	f.Add([]byte("#define PY_VERSION \"3.11.7\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if v := parsePatchLevel(data); v != "" && minor(v) == "" {
			t.Errorf("the version is %q", v)
		}
	})
}
