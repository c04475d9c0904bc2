package linkage

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func imports(names ...string) peRecipe { return peRecipe{imports: names} }

func TestWindowsSearch(t *testing.T) {
	t.Parallel()
	module := peRecipe{imports: []string{"amdhip64_6.dll", "KERNEL32.dll", "api-ms-win-crt-runtime-l1-1-0.dll"}}
	const system = "C:/Windows/System32/"
	for _, c := range []struct {
		name  string
		files map[string]any
		set   WindowsSettings
		want  []string
	}{
		{
			"System32 before PATH",
			map[string]any{"C:/app/m.pyd": module, system + "amdhip64_6.dll": imports(), "C:/rocm/amdhip64_6.dll": imports(), system + "kernel32.dll": "not read"},
			WindowsSettings{Path: []string{"C:/rocm"}},
			[]string{system + "amdhip64_6.dll (System32)"},
		},
		{
			"the working directory before PATH",
			map[string]any{"C:/app/m.pyd": module, "C:/proj/amdhip64_6.dll": imports(), "C:/rocm/amdhip64_6.dll": imports(), system + "kernel32.dll": ""},
			WindowsSettings{WorkDir: "C:/proj", Path: []string{`C:\rocm`}},
			[]string{"C:/proj/amdhip64_6.dll (working directory)"},
		},
		{
			"PATH as it is written",
			map[string]any{"C:/app/m.pyd": module, "C:/rocm/amdhip64_6.dll": imports(), system + "kernel32.dll": ""},
			WindowsSettings{Path: []string{"C:/none", `C:\rocm\`}},
			[]string{"C:/rocm/amdhip64_6.dll (PATH)"},
		},
		{
			"Python does not look into PATH",
			map[string]any{"C:/app/m.pyd": module, "C:/rocm/amdhip64_6.dll": imports(), system + "kernel32.dll": ""},
			WindowsSettings{Order: FlagsOrder, Path: []string{"C:/rocm"}},
			[]string{"missing amdhip64_6.dll for C:/app/m.pyd"},
		},
		{
			"an added folder before System32, the library's own before both",
			map[string]any{
				"C:/app/m.pyd": imports("amdhip64_6.dll", "rocblas.dll"), "C:/app/rocblas.dll": imports("amd_comgr_2.dll"), "C:/rocm/rocblas.dll": imports(),
				"C:/rocm/amdhip64_6.dll": imports(), system + "amdhip64_6.dll": imports(), system + "amd_comgr_2.dll": imports(),
			},
			WindowsSettings{Order: FlagsOrder, Added: []string{"C:/rocm"}},
			[]string{"C:/rocm/amdhip64_6.dll (AddDllDirectory)", "C:/app/rocblas.dll (folder of the library)", system + "amd_comgr_2.dll (System32)"},
		},
		{
			"a missing library of a library",
			map[string]any{"C:/app/m.pyd": imports("a.dll"), "C:/app/a.dll": imports("b"), "C:/app/b.dll": imports("vcruntime140.dll"), system + "x": ""},
			WindowsSettings{Order: FlagsOrder},
			[]string{"C:/app/a.dll (folder of the library)", "C:/app/b.dll (folder of the library)", "missing vcruntime140.dll for C:/app/m.pyd C:/app/a.dll C:/app/b.dll"},
		},
		{
			"a library for another machine",
			map[string]any{"C:/app/m.pyd": imports("a.dll"), "C:/app/a.dll": peRecipe{bits: 32}},
			WindowsSettings{Order: FlagsOrder},
			[]string{"refused C:/app/a.dll"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := NewWindowsLoader(tree(c.files), c.set).Load(`C:\app\m.pyd`)
			if err != nil || !reflect.DeepEqual(summary(got), c.want) {
				t.Errorf("got  %q, %v\nwant %q", summary(got), err, c.want)
			}
		})
	}
}

func TestFolderOfTheProgram(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{"D:/tool/x.exe": peRecipe{program: true, imports: []string{"dbghelp.dll"}}, "D:/tool/dbghelp.dll": imports(), "C:/Windows/System32/dbghelp.dll": imports()})
	got, err := NewWindowsLoader(files, WindowsSettings{}).Load("D:/tool/x.exe")
	if err != nil || got.Libraries[1].Path != "D:/tool/dbghelp.dll" {
		t.Errorf("got %q, %v", summary(got), err)
	}
}

// What is loaded late is marked, with all that it brings; what is also wanted at
// once is not.
func TestDelayed(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{
		"C:/app/m.pyd":          peRecipe{imports: []string{"a.dll"}, delayed: []string{"late.dll", "b.dll", "gone.dll"}},
		"C:/app/a.dll":          imports("b.dll"),
		"C:/app/b.dll":          imports(),
		"C:/app/late.dll":       imports("inner.dll", "gone2.dll"),
		"C:/app/inner.dll":      peRecipe{delayed: []string{"deepest.dll"}},
		"C:/app/deepest.dll":    imports(),
		"C:/Windows/System32/x": "",
	})
	got, err := NewWindowsLoader(files, WindowsSettings{Order: FlagsOrder}).Load("C:/app/m.pyd")
	if err != nil {
		t.Fatal(err)
	}
	late := map[string]bool{}
	for _, l := range got.Libraries {
		late[l.Path] = l.Delayed
	}
	want := map[string]bool{
		"C:/app/m.pyd": false, "C:/app/a.dll": false, "C:/app/b.dll": false,
		"C:/app/late.dll": true, "C:/app/inner.dll": true, "C:/app/deepest.dll": true,
	}
	if !reflect.DeepEqual(late, want) {
		t.Errorf("got %v", late)
	}
	if len(got.Missing) != 2 || !got.Missing[0].Delayed || !got.Missing[1].Delayed {
		t.Errorf("missing: %+v", got.Missing)
	}
}

// Libraries of the system are not missing where System32 was not seen; others
// may be there, so nothing is said of them.
func TestSystemUnseen(t *testing.T) {
	t.Parallel()
	files := tree(map[string]any{"C:/app/m.pyd": imports("ntdll.dll", "dxgi.dll", "amdhip64_6.dll", "ext-ms-win-x.dll")})
	got, err := NewWindowsLoader(unseenFolder{files, "C:/Windows/System32"}, WindowsSettings{}).Load("C:/app/m.pyd")
	if err != nil || !reflect.DeepEqual(summary(got), []string{"C:/Windows/System32/dxgi.dll (System32)", "unseen C:/Windows/System32"}) || got.Faults[0].Name != "amdhip64_6.dll" {
		t.Errorf("got %q, %v", summary(got), err)
	}
	got, err = NewWindowsLoader(files, WindowsSettings{}).Load("C:/app/m.pyd")
	if err != nil || !reflect.DeepEqual(summary(got), []string{"C:/Windows/System32/dxgi.dll (System32)", "missing amdhip64_6.dll for C:/app/m.pyd"}) {
		t.Errorf("without System32: %q, %v", summary(got), err)
	}
}

type unseenFolder struct {
	fstest.MapFS
	name string
}

func (u unseenFolder) Stat(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, u.name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: errNotRecorded}
	}
	return u.MapFS.Stat(name)
}
