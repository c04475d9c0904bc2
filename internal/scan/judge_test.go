package scan

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocsmith/rocsmith/internal/codeobj"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// judged judges files as if they had been read, with what they ask for.
func judged(t *testing.T, r Request, targets []string, files map[string]asks, objects map[string][]codeobj.Object) Report {
	t.Helper()
	s := &scanner{fsys: fstest.MapFS{}, request: r, targets: targets}
	for name, a := range files {
		f := codeobj.File{Path: name, Kind: codeobj.KindELF, Objects: objects[name]}
		f.Infrastructure = strings.Contains(name, "libamdhip64") || strings.Contains(name, "libhsa-runtime64")
		i, ok := item(f)
		if !ok {
			if i, ok = cudaOnly(f, a); !ok {
				i, ok = withoutCode(f, a)
			}
		}
		if !ok {
			continue
		}
		i.Needs, i.search = slices.Concat(a.hip, a.cuda), a.search
		s.items = append(s.items, i)
	}
	return s.judgement()
}

func code(t *testing.T, version int, names ...string) []codeobj.Object {
	t.Helper()
	var out []codeobj.Object
	for _, name := range names {
		out = append(out, codeobj.Object{Target: gpu(t, name), Text: name, Form: codeobj.FormELF, CodeObject: version})
	}
	return out
}

func on(t *testing.T, names ...string) Request {
	t.Helper()
	var r Request
	for _, name := range names {
		r.GPUs = append(r.GPUs, gpu(t, name))
	}
	return r
}

// A library that compiles its kernels runs without GPU code, and that is no promise
// that anything runs.
func TestNoCodeNeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asks asks
		why  string
	}{
		"lib/libMIOpen.so.1.0": {asks{hip: []string{"libamdhip64.so.6"}}, "It holds no GPU code: it compiles its kernels when they are first used."},
		"lib/libjit.so":        {asks{hip: []string{"libhiprtc.so.7"}}, "asks for libhiprtc.so.7, by which it compiles"},
	} {
		r := judged(t, on(t, "gfx1201"), []string{name}, map[string]asks{name: c.asks}, nil)
		if len(r.Items) != 1 || r.Overall() != NoGPUCode || len(r.Advice) > 0 {
			t.Fatalf("%s: %s, %+v", name, r.Overall(), r)
		}
		if v := r.Items[0].Verdicts["gfx1201"]; v.Result != NotNeeded || !v.Result.Runs() || !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// What MIOpen holds is for some GPUs; for others it compiles.
func TestCompilesWhatItLacks(t *testing.T) {
	t.Parallel()
	const name = "lib/libMIOpen.so.1.0"
	objects := map[string][]codeobj.Object{name: code(t, 5, "gfx90a", "gfx942")}
	for gpu, want := range map[string]struct {
		result  Result
		overall Overall
	}{"gfx942": {Exact, Runs}, "gfx1201": {NotNeeded, NoGPUCode}} {
		r := judged(t, on(t, gpu), nil, map[string]asks{name: {}}, objects)
		if v := r.Items[0].Verdicts[gpu]; v.Result != want.result || r.Overall() != want.overall {
			t.Errorf("%s: %+v, %s", gpu, v, r.Overall())
		}
	}
}

// The runtime and wrappers are not judged; who asks about them is told why.
func TestUnjudged(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"libhsa-runtime64.so.1.15.0": "is a part of the runtime",
		"libamdhip64.so.6":           "is a part of the runtime",
		"libhipblas.so.2.4":          "hands its work to rocBLAS. Scan that.",
		"libhipblaslt.so.1":          "hipblaslt/library",
	} {
		files := map[string]asks{name: {}}
		objects := map[string][]codeobj.Object{}
		if strings.HasPrefix(want, "is a part") {
			objects[name] = code(t, 4, "gfx700", "gfx1201")
		}
		r := judged(t, on(t, "gfx1201"), []string{name}, files, objects)
		if len(r.Items) > 0 || r.Overall() != NoGPUCode || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].What, want) {
			t.Errorf("%s: %s, %+v", name, r.Overall(), r)
		}
		files["librocrand.so.1"], objects["librocrand.so.1"] = asks{}, code(t, 4, "gfx1201")
		if r := judged(t, on(t, "gfx1201"), []string{"."}, files, objects); len(r.Notes) > 0 || r.Overall() != Runs {
			t.Errorf("%s beside others: %s, %+v", name, r.Overall(), r)
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	objects := map[string][]codeobj.Object{
		"librocblas.so.4": code(t, 4, "gfx1010", "gfx1100"), "librocrand.so.1": code(t, 4, "gfx1010", "gfx1100"), "librccl.so.1": code(t, 4, "gfx1201", "gfx1010", "gfx1100"),
	}
	files := map[string]asks{"librocblas.so.4": {}, "librocrand.so.1": {}, "librccl.so.1": {}}
	r := judged(t, on(t, "gfx1201", "gfx1100"), nil, files, objects)
	want := "RCCL has gfx1201; rocBLAS and rocRAND have not: programs that use one of them will stop."
	if len(r.Notes) != 1 || r.Notes[0].What != want {
		t.Errorf("got %+v, want %q", r.Notes, want)
	}
	if got, want := difference("gfx1010", []string{"rocBLAS"}, []string{"hipBLASLt"}), "rocBLAS has gfx1010, hipBLASLt has not: rocBLAS does the work of hipBLASLt, only slower."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(r.Advice) != 1 || !slices.Equal(r.Advice[0].Names, []string{"rocBLAS", "rocRAND"}) {
		t.Errorf("one advice for both: %+v", r.Advice)
	}
}

func TestRuntime(t *testing.T) {
	t.Parallel()
	objects := code(t, 6, "gfx1100")
	for name, c := range map[string]struct {
		needs  string
		host   *Host
		beside string
		want   Result
		why    string
	}{
		"another machine":            {"libamdhip64.so.6", nil, "", Exact, ""},
		"the major is there":         {"libamdhip64.so.6", &Host{Runtimes: []Runtime{{"libamdhip64.so.6", "6.4.43484"}}}, "", Exact, ""},
		"another major":              {"libamdhip64.so.6", &Host{Runtimes: []Runtime{{"libamdhip64.so.7", ""}, {"libamdhip64.so.7", "7.2.1"}}}, "", NoRuntime, "it asks for libamdhip64.so.6, and this machine has libamdhip64.so.7."},
		"none":                       {"libamdhip64.so.6", &Host{}, "", NoRuntime, "this machine has no runtime of HIP"},
		"not seen":                   {"libamdhip64.so.6", &Host{Unseen: true}, "", Exact, ""},
		"it brings its own":          {"libamdhip64.so.6", &Host{}, "lib/libamdhip64.so.6.4.43484", Exact, ""},
		"its own without a number":   {"libamdhip64.so", &Host{}, "lib/libamdhip64.so", Exact, ""},
		"beside it is another one":   {"libamdhip64.so.6", &Host{}, "lib/libamdhip64.so.7.2.1", NoRuntime, "it asks for libamdhip64.so.6"},
		"code too new for the major": {"libamdhip64.so.5", nil, "", NoRuntime, "its code is of version 6, which HIP 6.3 and newer load, and the runtime is of HIP 5"},
		"code too new, its own":      {"libamdhip64.so.6", nil, "lib/libamdhip64.so.6.2.41133", NoRuntime, "the runtime is of HIP 6.2.41133: programs stop with HSA_STATUS_ERROR_INVALID_CODE_OBJECT"},
		"code too new, the machine":  {"libamdhip64.so.6", &Host{Runtimes: []Runtime{{"libamdhip64.so.6", "6.1.0"}}}, "", NoRuntime, "HIP 6.1.0"},
		"one of two is new enough":   {"libamdhip64.so.6", &Host{Runtimes: []Runtime{{"libamdhip64.so.6", "6.1.0"}, {"libamdhip64.so.6", "6.4.1"}}}, "", Exact, ""},
		"its version is not known":   {"libamdhip64.so.6", &Host{Runtimes: []Runtime{{"libamdhip64.so.6", ""}}}, "", Exact, ""},
		"Windows":                    {"amdhip64_6.dll", &Host{Runtimes: []Runtime{{"amdhip64_7.dll", ""}}}, "", NoRuntime, "it asks for amdhip64_6.dll, and this machine has amdhip64_7.dll."},
	} {
		q := on(t, "gfx1100")
		q.Host = c.host
		files := map[string]asks{"lib/x.so": {hip: []string{c.needs}}}
		if c.beside != "" {
			files[c.beside] = asks{}
		}
		r := judged(t, q, nil, files, map[string][]codeobj.Object{"lib/x.so": objects})
		if v := r.Items[0].Verdicts["gfx1100"]; v.Result != c.want || !strings.Contains(v.Why, c.why) {
			t.Errorf("%s: %+v, want %s", name, v, c.want)
		}
		if (r.Overall() == Runs) != c.want.Runs() {
			t.Errorf("%s: overall %s", name, r.Overall())
		}
	}
}

// A folder that a library names in its search path counts.
func TestSearchPath(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"opt/rocm/lib/libamdhip64.so.6": {}, "v/x/lib/libamdhip64.so.6": {}}
	for dir, want := range map[string]int{"/opt/rocm/lib": 1, "$ORIGIN/lib": 1, "${ORIGIN}/../x/lib": 1, "lib": 0, "/usr/lib": 0} {
		got := around{fsys: fsys}.offers(Item{Path: "v/x/a.so", search: []string{dir}}, Runtime{Name: "libamdhip64.so.6"})
		if len(got) != want {
			t.Errorf("%s: %v, want %d", dir, got, want)
		}
	}
}

func TestRuntimeOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]Runtime{
		"libamdhip64.so.6.4.43484": {"libamdhip64.so.6", "6.4.43484"}, "libamdhip64.so.7": {"libamdhip64.so.7", ""}, "libamdhip64.so": {"libamdhip64.so", ""},
		"amdhip64_7.dll": {"amdhip64_7.dll", ""}, "libamdhip64.so.x": {}, "libamdhip64.something": {}, "librocblas.so.4": {}, "": {},
	} {
		if got, ok := RuntimeOf(file); got != want || ok != (want.Name != "") {
			t.Errorf("RuntimeOf(%q) = %+v, %v", file, got, ok)
		}
	}
}

// Of files that differ in the GPU of their names, one is needed.
func TestPartsForOthers(t *testing.T) {
	t.Parallel()
	files := map[string]asks{"lib/x_gfx1100.so": {}, "lib/x_gfx1201.so": {}, "lib/libMIOpenCKGroupedConv_gfx942.so": {}}
	objects := map[string][]codeobj.Object{
		"lib/x_gfx1100.so": code(t, 5, "gfx1100"), "lib/x_gfx1201.so": code(t, 5, "gfx1201"), "lib/libMIOpenCKGroupedConv_gfx942.so": code(t, 5, "gfx942"),
	}
	r := judged(t, on(t, "gfx1201"), nil, files, objects)
	var got []Result
	for _, i := range r.Items {
		got = append(got, i.Verdicts["gfx1201"].Result)
	}
	if !slices.Equal(got, []Result{NotNeeded, NotNeeded, Exact}) || r.Overall() != Runs {
		t.Errorf("%v, %s", got, r.Overall())
	}
	if r := judged(t, on(t, "gfx1030"), nil, files, objects); r.Overall() != No {
		t.Errorf("for a GPU that none of them is for: %s", r.Overall())
	}
	alone := judged(t, on(t, "gfx1201"), nil, map[string]asks{"lib/libMIOpenCKGroupedConv_gfx942.so": {}}, objects)
	if alone.Overall() != No {
		t.Errorf("a way to compute that is not for this GPU, alone: %s", alone.Overall())
	}
}

// A package with libraries for both makes of GPUs is not a CUDA build.
func TestBothMakes(t *testing.T) {
	t.Parallel()
	cuda := asks{cuda: []string{"libcudart.so.12"}}
	files := map[string]asks{"bnb/lib_rocm71.so": {}, "bnb/lib_cuda128.so": cuda}
	objects := map[string][]codeobj.Object{"bnb/lib_rocm71.so": code(t, 5, "gfx1100")}
	if r := judged(t, on(t, "gfx1100"), nil, files, objects); r.Overall() != Runs || len(r.Items) != 1 {
		t.Errorf("%s, %+v", r.Overall(), r.Items)
	}
	files["bnb/other.so"] = cuda
	if r := judged(t, on(t, "gfx1100"), nil, files, objects); r.Overall() != Partial {
		t.Errorf("a file for CUDA without a twin: %s", r.Overall())
	}
	q := Request{Host: &Host{NVIDIA: "NVIDIA's RTX 4090"}}
	for name, c := range map[string]struct {
		files map[string]asks
		want  Overall
	}{
		"AMD's code": {map[string]asks{"a/x.so": {}}, No}, "a CUDA build": {map[string]asks{"b/y.so": cuda}, Runs}, "both": {map[string]asks{"a/x.so": {}, "b/y.so": cuda}, Partial},
	} {
		if r := judged(t, q, nil, c.files, map[string][]codeobj.Object{"a/x.so": code(t, 5, "gfx1100")}); r.Overall() != c.want || r.NVIDIA == "" || (len(r.Notes) == 1) != (c.want != Runs) {
			t.Errorf("%s where there is only NVIDIA's GPU: %s", name, r.Overall())
		}
	}
}

func TestTuningData(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"rocm/share/miopen/db/gfx906_60.HIP.fdb.txt": {Data: []byte("x")}, "rocm/share/miopen/db/gfx90878.kdb": {Data: []byte("SQLite format 3\x00")},
		"rocm/share/miopen/db/gfx90878.db.txt": {Data: []byte("x")}, "rocm/share/miopen/db/gfx942e4.db.txt": {Data: []byte("x")},
	}
	r := Files(fsys, []string{"rocm"}, on(t, "gfx1201", "gfx908"))
	if len(r.Items) != 1 || r.Items[0].Path != "rocm/share/miopen/db" || r.Items[0].Kind != "miopen-db" || r.Overall() != NoGPUCode {
		t.Fatalf("%s, %+v", r.Overall(), r)
	}
	if got := targetsOf(r.Items[0]); !slices.Equal(got, []string{"gfx906", "gfx908", "gfx942"}) || r.Items[0].Targets[1].Count != 2 {
		t.Errorf("%+v", r.Items[0].Targets)
	}
	for gpu, want := range map[string]string{"gfx1201": "has none for gfx1201: the first use of each operation is slow, and nothing fails", "gfx908": "has some for gfx908"} {
		if v := r.Items[0].Verdicts[gpu]; v.Result != NotNeeded || !strings.Contains(v.Why, want) {
			t.Errorf("%s: %+v", gpu, v)
		}
	}
	if one := Files(fsys, []string{"rocm/share/miopen/db/gfx90878.kdb"}, Request{}); len(one.Items) != 1 || one.Items[0].Path != "rocm/share/miopen/db/gfx90878.kdb" {
		t.Errorf("a single one: %+v", one)
	}
}

// A library whose code was split off does not run without the archive for the GPU.
func TestSplitOff(t *testing.T) {
	t.Parallel()
	const site = "v/lib/python3.12/site-packages/"
	fsys := fstest.MapFS{
		site + "torch-2.14.0+rocm7.14.dist-info/METADATA": {},
		site + "torch/lib/kpacked.so":                     {Data: fixture(t, "kpack/kpacked.so")},
	}
	r := Files(fsys, []string{"v"}, on(t, "gfx1201"))
	if r.Overall() != No || len(r.Items) != 1 || !strings.Contains(r.Items[0].Verdicts["gfx1201"].Why, `none with code for gfx1201 is there: programs stop with "device kernel image is invalid"`) {
		t.Fatalf("%s, %+v", r.Overall(), r)
	}
	if len(r.Advice) != 1 || !strings.Contains(r.Advice[0].Says, "amd-torch-device-gfx1201") || !strings.Contains(r.Advice[0].Command, `"torch[device-gfx1201]"`) {
		t.Errorf("%+v", r.Advice)
	}
}

func TestPackageNames(t *testing.T) {
	t.Parallel()
	const site = "v/lib/python3.12/site-packages/"
	plain := &fstest.MapFile{Data: fixture(t, "plain.so")}
	fsys := fstest.MapFS{
		site + "rocm_sdk_core-7.2.0.dist-info/RECORD":  {Data: []byte("_rocm_sdk_core/lib/librocrand.so.1,sha256=a,1\nx,,\n")},
		site + "amd_torch_device-1.0.dist-info/RECORD": {Data: []byte("torch/lib/device.so,,\n")},
		site + "torch-2.9.1+rocm6.4.dist-info/RECORD":  {Data: []byte("torch/lib/own.so,,\n")},
		site + "_rocm_sdk_core/lib/librocrand.so.1":    plain,
		site + "torch/lib/device.so":                   plain,
		site + "torch/lib/own.so":                      plain,
		site + "torch/lib/unlisted.so":                 plain,
		site + "nobody/x.so":                           plain,
	}
	r := Files(fsys, []string{"v"}, Request{})
	got := map[string]string{}
	for _, i := range r.Items {
		got[strings.TrimPrefix(i.Path, site)] = i.Package
	}
	for file, want := range map[string]string{
		"_rocm_sdk_core/lib/librocrand.so.1": "rocm-sdk-core 7.2.0", "torch/lib/device.so": "amd-torch-device 1.0", "torch/lib/own.so": "torch 2.9.1+rocm6.4",
		"torch/lib/unlisted.so": "torch 2.9.1+rocm6.4", "nobody/x.so": "nobody",
	} {
		if got[file] != want {
			t.Errorf("%s belongs to %q, want %q", file, got[file], want)
		}
	}
	if got := ofWheel("a/torch-2.8.0+rocm6.4-cp312-cp312-linux_x86_64.whl!torch/lib/a.so"); got != "torch 2.8.0+rocm6.4" {
		t.Errorf("of a wheel: %q", got)
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	none := map[string]Verdict{"gfx1151": {Result: None}}
	lacking := func(pkg string) Item {
		return Item{Path: "v/lib/python3.12/site-packages/x.so", Package: pkg, Verdicts: none}
	}
	gpus := []rocm.TargetID{{Processor: "gfx1151"}}
	got := advise([]Item{lacking("torch 2.9.1+rocm6.4"), lacking("torchvision 0.24.1+rocm6.4"), lacking("vllm 0.15.0"), lacking("mine 1.0"), lacking("other 2.0"), lacking("onnxruntime-gpu 1.22")}, gpus)
	if len(got) != 4 {
		t.Fatalf("%+v", got)
	}
	if a := got[0]; len(a.Names) != 2 || !strings.Contains(a.Command, `"torch==`) || !strings.Contains(a.Command, " torchvision ") || !strings.Contains(a.Command, "--index-url https://download.pytorch.org/whl/rocm") || a.Source == "" {
		t.Errorf("torch: %+v", a)
	}
	if a := got[1]; !strings.Contains(a.Command, "wheels.vllm.ai/rocm") {
		t.Errorf("vllm: %+v", a)
	}
	if a := got[2]; !slices.Equal(a.Names, []string{"mine 1.0", "other 2.0"}) || !strings.Contains(a.Says, "use a build that holds gfx1151") {
		t.Errorf("what is not known: %+v", a)
	}
	if a := got[3]; !strings.Contains(a.Says, "onnxruntime-migraphx") {
		t.Errorf("onnxruntime: %+v", a)
	}
}
