package linkage

import (
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the machines of the zoo that hold tiny binaries anew")

// A zooMachine is a machine of testdata/machines whose libraries are made here:
// nobody writes ELF files by hand. Its other records are those of one desktop.
type zooMachine struct {
	comment string
	env     []string
	files   map[string]any // recipes, links ("-> target"), texts, bytes
}

// TestZoo keeps the machines as they are described below.
func TestZoo(t *testing.T) {
	t.Parallel()
	for name, m := range zooMachines() {
		file := "../../testdata/machines/" + name + ".snapshot"
		if *update {
			if err := os.WriteFile(file, []byte(m.text()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ReplaceAll(string(got), "\r\n", "\n") != m.text() {
			t.Errorf("%s is not as described here; run go test ./internal/linkage -update", file)
		}
	}
}

func (m zooMachine) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rocsmith snapshot 1\nos: linux\nunlisted: absent\n# %s\n", strings.ReplaceAll(m.comment, "\n", "\n# "))
	fmt.Fprintf(&b, "# Its libraries are made by internal/linkage/zoo_test.go.\n%s", desktop)
	count := strings.Count(desktop, "\n-- ") + 1
	fmt.Fprintf(&b, "-- env --\nHOME=\"/home/user1\"\n")
	for _, line := range m.env {
		name, value, _ := strings.Cut(line, "=")
		fmt.Fprintf(&b, "%s=%q\n", name, value)
	}
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		count++
		switch c := m.files[p].(type) {
		case elfRecipe:
			writeBase64(&b, p, c.bytes())
		case []byte:
			writeBase64(&b, p, c)
		case string:
			if to, link := strings.CutPrefix(c, "-> "); link {
				fmt.Fprintf(&b, "-- link %s --\n%s\n", p, to)
			} else if c == "" {
				fmt.Fprintf(&b, "-- dir %s --\n", p)
			} else {
				fmt.Fprintf(&b, "-- file %s --\n%s", p, c)
			}
		}
	}
	fmt.Fprintf(&b, "-- end %d --\n", count+1)
	return b.String()
}

func writeBase64(b *strings.Builder, p string, data []byte) {
	fmt.Fprintf(b, "-- file %s base64 --\n", p)
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(data)), 76) {
		b.Write(line)
		b.WriteByte('\n')
	}
}

const (
	system = "/usr/lib/x86_64-linux-gnu"
	site   = "/home/user1/venv/lib/python3.12/site-packages"
)

// join puts trees together; what stands later wins, and nil takes away.
func join(trees ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, tree := range trees {
		for p, c := range tree {
			if c == nil {
				delete(out, p)
			} else {
				out[p] = c
			}
		}
	}
	return out
}

// versioned is a library under the name that it goes by, a link to its file.
func versioned(folder, soname, rest string, e elfRecipe) map[string]any {
	e.soname = soname
	return map[string]any{path.Join(folder, soname): "-> " + soname + rest, path.Join(folder, soname+rest): e}
}

// common is what every machine has: Python, and the libraries of its
// distribution that ROCm stands on.
func common() map[string]any {
	drm := elfRecipe{}
	return join(
		map[string]any{
			"/usr/bin/python3.12": elfRecipe{interp: ld, flags1: flagPIE}, "/var/lib/dpkg/info/rocm-core.list": "/.\n",
			"/home/user1/venv/bin/python3.12": "-> /usr/bin/python3.12", "/home/user1/venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.12.3\n",
		},
		versioned(system, "libdrm_amdgpu.so.1", ".134.0", drm),
		map[string]any{"/etc/ld.so.cache": cacheFor(system + "/libdrm_amdgpu.so.1")},
	)
}

// cacheFor is a cache with some libraries.
func cacheFor(paths ...string) []byte {
	var entries []cacheEntry
	for _, p := range paths {
		entries = append(entries, cacheEntry{path.Base(p), p, 0x303, ""})
	}
	return makeCache(binary.LittleEndian, entries)
}

// A rocmRelease says what its libraries are called.
type rocmRelease struct {
	version, hip, comgr, blas, number string
	symbols                           []string // what its HSA runtime defines
	runpath                           string
}

var (
	release64 = rocmRelease{"6.4.0", "6.4.60400", "3", "4", "60400", []string{"hsa_init@ROCR_1"}, "$ORIGIN"}
	release72 = rocmRelease{"7.2.0", "7.2.70200", "3", "5", "70200", []string{"hsa_init@ROCR_1", "hsa_amd_enable_logging@ROCR_1"}, "$ORIGIN"}
)

// under is the release as AMD's packages install it.
func (r rocmRelease) under(root string) map[string]any {
	libs := root + "/lib"
	hipName, hipRest, _ := strings.Cut(r.hip, ".")
	hip, blas := "libamdhip64.so."+hipName, "librocblas.so."+r.blas
	return join(
		map[string]any{root + "/.info/version": r.version + "-1\n"},
		versioned(libs, hip, "."+hipRest, elfRecipe{
			runpath: r.runpath, needs: []string{"libhsa-runtime64.so.1"}, wants: map[string][]string{"libhsa-runtime64.so.1": {"ROCR_1"}},
			undefined: r.symbols, offers: []string{"hip_" + r.version[:3]}, defines: []string{"hipInit@hip_" + r.version[:3]},
		}),
		versioned(libs, "libhsa-runtime64.so.1", ".15."+r.number, elfRecipe{
			runpath: r.runpath, needs: []string{"libdrm_amdgpu.so.1"}, offers: []string{"ROCR_1"}, defines: r.symbols,
		}),
		versioned(libs, "libamd_comgr.so."+r.comgr, ".0."+r.number, elfRecipe{runpath: r.runpath}),
		versioned(libs, blas, ".4."+r.number, elfRecipe{runpath: r.runpath, needs: []string{hip}}),
		versioned(libs, "libMIOpen.so.1", ".0."+r.number, elfRecipe{runpath: r.runpath, needs: []string{blas, hip}}),
		kernels(libs),
	)
}

// kernels are those of rocBLAS for the GPU of the desktop: a healthy library has
// them beside it.
func kernels(libs string) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"TensileLibrary_lazy_gfx1100.dat", "TensileLibrary_Type_HH_gfx1100.dat", "TensileLibrary_Type_HH_gfx1100.co", "Kernels.so-000-gfx1100.hsaco"} {
		out[libs+"/rocblas/library/"+name] = "only its name is read\n"
	}
	return out
}

// installed is a Python package as pip leaves it, without its files.
func installed(name, version string) map[string]any {
	folder := site + "/" + strings.ReplaceAll(name, "-", "_") + "-" + version + ".dist-info/METADATA"
	return map[string]any{folder: fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\n", name, version)}
}

// versionFile is how torch says what it is built for.
func versionFile(version, hip string) string {
	return "__version__ = '" + version + "'\ncuda: Optional[str] = None\nhip: Optional[str] = '" + hip + "'\n"
}

// torch64 is a torch that brings ROCm 6.4 along, with names as in its wheel.
func torch64() map[string]any {
	libs := site + "/torch/lib/"
	return join(installed("torch", "2.9.1+rocm6.4"), kernels(site+"/torch/lib"), map[string]any{
		site + "/torch/_C.cpython-312-x86_64-linux-gnu.so": elfRecipe{runpath: "$ORIGIN/lib", needs: []string{"libtorch_python.so"}, undefined: []string{"PyModule_Create2"}},
		site + "/torch/version.py":                         versionFile("2.9.1+rocm6.4", "6.4.43484"),
		libs + "libtorch_python.so":                        elfRecipe{soname: "libtorch_python.so", runpath: "$ORIGIN", needs: []string{"libtorch_hip.so"}},
		libs + "libtorch_hip.so":                           elfRecipe{soname: "libtorch_hip.so", runpath: "$ORIGIN", needs: []string{"libamdhip64.so.6", "librocblas.so.4"}},
		libs + "libamdhip64.so.6":                          elfRecipe{soname: "libamdhip64.so.6", runpath: "$ORIGIN", needs: []string{"libhsa-runtime64.so.1"}, wants: map[string][]string{"libhsa-runtime64.so.1": {"ROCR_1"}}, undefined: []string{"hsa_init@ROCR_1"}},
		libs + "libhsa-runtime64.so.1":                     elfRecipe{soname: "libhsa-runtime64.so.1", runpath: "$ORIGIN", needs: []string{"libdrm_amdgpu.so.1"}, offers: []string{"ROCR_1"}, defines: []string{"hsa_init@ROCR_1"}},
		libs + "libamd_comgr.so.3":                         lib("libamd_comgr.so.3"),
		libs + "librocblas.so.4":                           elfRecipe{soname: "librocblas.so.4", runpath: "$ORIGIN", needs: []string{"libamdhip64.so.6"}},
	})
}

// inFolder moves the libraries of a release made below /x.
func inFolder(tree map[string]any, folder string) map[string]any {
	out := map[string]any{}
	for p, c := range tree {
		if rest, found := strings.CutPrefix(p, "/x/lib/"); found {
			out[folder+"/lib/"+rest] = c
		}
	}
	return out
}

const opt64, opt72 = "/opt/rocm-6.4.0", "/opt/rocm-7.2.0"

func zooMachines() map[string]zooMachine {
	venv := "VIRTUAL_ENV=/home/user1/venv"
	rocm := map[string]any{"/opt/rocm": "-> rocm-7.2.0"}
	inCache := map[string]any{"/etc/ld.so.cache": cacheFor(system+"/libdrm_amdgpu.so.1", opt72+"/lib/libamdhip64.so.7", opt72+"/lib/libhsa-runtime64.so.1")}
	module := "/ctranslate2/_ext.cpython-312-x86_64-linux-gnu.so"
	return map[string]zooMachine{
		"runtime-healthy": {
			comment: "ROCm 7.2 of AMD's packages and a torch with its own ROCm 6.4: everything finds what it\nneeds, and nothing gets in the other's way.",
			env:     []string{venv, "PATH=/opt/rocm/bin:/usr/bin", "ROCM_PATH=/opt/rocm"},
			files:   join(common(), release72.under(opt72), rocm, inCache, torch64()),
		},
		"runtime-library-missing": {
			comment: "libdrm_amdgpu is not installed. The HSA runtime needs it, HIP needs that, and everything needs\nHIP: one library at the bottom stops all of them.",
			env:     []string{venv},
			files: join(common(), release72.under(opt72), rocm, torch64(), map[string]any{
				system + "/libdrm_amdgpu.so.1": nil, system + "/libdrm_amdgpu.so.1.134.0": nil, "/etc/ld.so.cache": cacheFor(),
			}),
		},
		"runtime-ldconfig-not-run": {
			comment: "ROCm 7.2 without RUNPATH: its folder is written in /etc/ld.so.conf.d, and ldconfig was not run.",
			files: join(common(), func() map[string]any { r := release72; r.runpath = ""; return r.under(opt72) }(), rocm, map[string]any{
				"/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n", "/etc/ld.so.conf.d/10-rocm-opencl.conf": "/opt/rocm/lib\n",
			}),
		},
		"runtime-folder-not-searched": {
			comment: "ROCm 7.2 from an archive, unpacked below /opt. A ctranslate2 built for it does not know where.",
			env:     []string{venv},
			files: join(common(), installed("ctranslate2", "4.8.1"), release72.under(opt72), map[string]any{
				"/var/lib/dpkg/info/rocm-core.list": nil, "/var/lib/dpkg/info/base-files.list": "/.\n",
				site + module: elfRecipe{needs: []string{"libamdhip64.so.7"}},
			}),
		},
		"runtime-built-for-other-rocm": {
			comment: "A ctranslate2 that is built for ROCm 6, where ROCm 7.2 is installed, and an onnxruntime whose\nprovider needs a library that no package here has.",
			env:     []string{venv},
			files: join(common(), installed("ctranslate2", "4.8.1"), installed("onnxruntime-migraphx", "1.23.0"), release72.under(opt72), rocm, inCache, map[string]any{
				site + module: elfRecipe{needs: []string{"libamdhip64.so.6", "libcuda.so.1"}},
				site + "/onnxruntime/capi/libonnxruntime_providers_migraphx.so": elfRecipe{needs: []string{"libamdhip64.so.7", "libmigraphx_c.so.3"}},
			}),
		},
		"runtime-pointer-file": {
			comment: "A torch whose libtorch_hip.so is a pointer of Git LFS instead of the library.",
			env:     []string{venv},
			files:   join(common(), torch64(), map[string]any{site + "/torch/lib/libtorch_hip.so": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "/opt": ""}),
		},
		"runtime-comgr-missing": {
			comment: "ROCm 7.2 without libamd_comgr. HIP loads it with dlopen, so ldd shows nothing.",
			files: join(common(), release72.under(opt72), rocm, inCache, map[string]any{
				opt72 + "/lib/libamd_comgr.so.3": nil, opt72 + "/lib/libamd_comgr.so.3.0.70200": nil,
			}),
		},
		"runtime-library-path-over-wheel": {
			comment: "LD_LIBRARY_PATH=/opt/rocm/lib, where a ROCm 7.2 lies: torch's own HIP 6.4 gets the HSA runtime of 7.2,\nbecause LD_LIBRARY_PATH is searched before RUNPATH.",
			env:     []string{venv, "LD_LIBRARY_PATH=/opt/rocm/lib"},
			files:   join(common(), release72.under(opt72), rocm, inCache, torch64()),
		},
		"runtime-wheels-of-rocm": {
			comment: "A torch for AMD's own wheels: its libraries are in _rocm_sdk_core, where no search path leads. Its Python\ncode loads them by their path first, so nothing is missing.",
			env:     []string{venv},
			files: join(common(), installed("rocm-sdk-core", "7.2.0"), installed("torch", "2.9.1+rocm7.2.0"), map[string]any{
				"/opt": "",
				site + "/torch/_C.cpython-312-x86_64-linux-gnu.so": elfRecipe{runpath: "$ORIGIN/lib", needs: []string{"libtorch_hip.so"}},
				site + "/torch/version.py":                         versionFile("2.9.1+rocm7.2.0", "7.2.26015"),
				site + "/torch/lib/libtorch_hip.so":                elfRecipe{soname: "libtorch_hip.so", runpath: "$ORIGIN", needs: []string{"libMIOpen.so.1", "libamdhip64.so.7"}},
			}, inFolder(release72.under("/x"), site+"/_rocm_sdk_core")),
		},
		"runtime-two-hips": {
			comment: "A bitsandbytes that was built for ROCm 7 beside a torch with ROCm 6.4: HIP would be there twice.",
			env:     []string{venv},
			files: join(common(), release72.under(opt72), rocm, inCache, torch64(), map[string]any{
				site + "/bitsandbytes/libbitsandbytes_rocm64.so": elfRecipe{needs: []string{"libamdhip64.so.7"}},
			}),
		},
		"runtime-undefined-symbol": {
			comment: "A module built with ROCm 7.2, whose HIP is in its own folder, and LD_LIBRARY_PATH with the HSA runtime of\nROCm 6.4, which lacks a function.",
			env:     []string{venv, "LD_LIBRARY_PATH=/opt/rocm-6.4.0/lib:/home/user1/lib"},
			files: join(common(), installed("ctranslate2", "4.8.1"), release64.under(opt64), map[string]any{
				site + module: elfRecipe{runpath: "$ORIGIN", needs: []string{"libamdhip64.so.7"}},
				site + "/ctranslate2/libamdhip64.so.7": elfRecipe{
					soname: "libamdhip64.so.7", runpath: "$ORIGIN", needs: []string{"libhsa-runtime64.so.1"}, wants: map[string][]string{"libhsa-runtime64.so.1": {"ROCR_1"}},
					undefined: []string{"hsa_init@ROCR_1", "hsa_amd_enable_logging@ROCR_1"},
				},
			}),
		},
		"runtime-version-not-found": {
			comment: "A torch built on a newer distribution: its library wants a version that libstdc++ here does not have.",
			env:     []string{venv},
			files: join(common(), torch64(), map[string]any{
				"/opt": "", "/etc/ld.so.cache": cacheFor(system+"/libdrm_amdgpu.so.1", system+"/libstdc++.so.6"),
				system + "/libstdc++.so.6": elfRecipe{soname: "libstdc++.so.6", offers: []string{"GLIBCXX_3.4", "GLIBCXX_3.4.30"}},
				site + "/torch/lib/libtorch_hip.so": elfRecipe{
					soname: "libtorch_hip.so", runpath: "$ORIGIN", needs: []string{"libamdhip64.so.6", "libstdc++.so.6"},
					wants: map[string][]string{"libstdc++.so.6": {"GLIBCXX_3.4", "GLIBCXX_3.4.32"}},
				},
			}),
		},
		"runtime-two-installations": {
			comment: "ROCm 6.4 and 7.2 side by side. ROCM_PATH means the one, PATH the other.",
			env:     []string{"ROCM_PATH=/opt/rocm-6.4.0", "PATH=/opt/rocm/bin:/usr/bin"},
			files:   join(common(), release64.under(opt64), release72.under(opt72), rocm, inCache),
		},
		"runtime-two-installations-agreed": {
			comment: "ROCm 6.4 and 7.2 side by side, and all variables mean 7.2.",
			env:     []string{"ROCM_PATH=/opt/rocm", "PATH=/opt/rocm-7.2.0/bin:/usr/bin"},
			files:   join(common(), release64.under(opt64), release72.under(opt72), rocm, inCache),
		},
		"runtime-stale-path": {
			comment: "ROCm 6.4 was removed, and LD_LIBRARY_PATH still names it.",
			env:     []string{"LD_LIBRARY_PATH=/opt/rocm-6.4.0/lib"},
			files:   join(common(), release72.under(opt72), rocm, inCache),
		},
	}
}

// desktop is a machine on which all else is well: one Radeon RX 7900 XTX.
const desktop = `-- file /etc/os-release --
PRETTY_NAME="Ubuntu 24.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
VERSION_CODENAME=noble
ID=ubuntu
ID_LIKE=debian
-- file /proc/sys/kernel/osrelease --
6.14.0-33-generic
-- file /proc/cmdline --
BOOT_IMAGE=/boot/vmlinuz root=/dev/nvme0n1p2 ro quiet splash
-- file /etc/passwd --
root:x:0:0:root:/root:/bin/bash
user1:x:1000:1000:User 1:/home/user1:/bin/bash
-- file /etc/group --
root:x:0:
video:x:44:user1
render:x:110:user1
user1:x:1000:
-- process --
uid=1000
gid=1000
groups=44,110
capeff=0000000000000000
uidmap=0,0,4294967295
gidmap=0,0,4294967295
-- file /sys/class/kfd/kfd/topology/nodes/0/gpu_id --
0
-- file /sys/class/kfd/kfd/topology/nodes/0/properties --
cpu_cores_count 24
simd_count 0
gfx_target_version 0
drm_render_minor 0
-- file /sys/module/amdgpu/initstate --
live
-- file /sys/bus/pci/devices/0000:03:00.0/class --
0x030000
-- file /sys/bus/pci/devices/0000:03:00.0/vendor --
0x1002
-- file /sys/bus/pci/devices/0000:03:00.0/device --
0x744c
-- file /sys/bus/pci/devices/0000:03:00.0/revision --
0xc8
-- link /sys/bus/pci/devices/0000:03:00.0/driver --
../../../../bus/pci/drivers/amdgpu
-- dir /sys/bus/pci/devices/0000:03:00.0/drm/renderD128 --
-- file /sys/class/kfd/kfd/topology/nodes/1/gpu_id --
1001
-- file /sys/class/kfd/kfd/topology/nodes/1/properties --
simd_count 192
gfx_target_version 110000
vendor_id 4098
device_id 29772
location_id 768
domain 0
drm_render_minor 128
num_xcc 1
-- stat /dev/kfd --
char 0660 uid=0 gid=110 size=0 dev=234:0
-- open /dev/kfd --
-- stat /dev/dri/renderD128 --
char 0660 uid=0 gid=110 size=0 dev=226:128
-- open /dev/dri/renderD128 --
-- kernel-log --
[    5.200] kfd kfd: amdgpu: added device 1002:744c
`
