package explain

import (
	"slices"
	"testing"
)

// Every text that is known to name a failure leads to a cause, the likeliest first. GPU is what the user names.
var breadth = []struct{ gpu, log, first string }{
	// The failure signatures of the requirements.
	{"", "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine", "wrong-torch-build-cuda"},
	{"", "Unable to open /dev/kfd read-write: Permission denied", "device-permission-group"},
	{"", "Unable to open /dev/kfd read-write: Bad address", "kfd-bad-state"},
	{"", "Unable to open /dev/kfd read-write: Invalid argument", "kfd-bad-state"},
	{"", "Unable to open /dev/kfd read-write: Cannot allocate memory", "kfd-bad-state"},
	{"gfx803", "Unable to open /dev/kfd read-write: Cannot allocate memory", "pcie-atomics-missing"},
	{"", "Unable to open /dev/kfd read-write: No such file or directory", "device-node-missing"},
	{"", "docker: Error response from daemon: Unable to find group render: no matching entries in group file.", "container-gid-mismatch"},
	{"", "docker: Error response from daemon: Unable to find group keep-groups: no matching entries in group file.", "container-gid-mismatch"},
	{"", "ImportError: Numba needs NumPy 2.0 or less. Got NumPy 2.3.", "python-numpy-numba"},
	{"", "ModuleNotFoundError: No module named 'llvmlite'", "python-missing-dep"},
	{"", "HIP API error = 0100", "device-permission-group"},
	{"", "RuntimeError: HIP error: no ROCm-capable device is detected", "device-permission-group"},
	{"", ":1:comgrctx.cpp  :33 : Failed to load COMGR library.", "comgr-missing"},
	{"", "RuntimeError: cuBLAS failed with status CUBLAS_STATUS_INVALID_VALUE", "symbol-abi-mismatch"},
	{"", "RuntimeError: CUDA error: HIPBLAS_STATUS_UNKNOWN", "symbol-abi-mismatch"},
	{"gfx1012", "rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: Illegal seek for GPU arch : gfx1012", "missing-tensile-kernels"},
	{"gfx1012", "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!", "no-kernel-image-for-arch"},
	{"", "RuntimeError: HIP error: no kernel image is available for execution on the device", "no-kernel-image-for-arch"},
	{"", "HIP error: Invalid device function", "no-kernel-image-for-arch"},
	{"", "MIOpen Error: sqlite_db.cpp:201: Internal error while accessing SQLite database: attempt to write a readonly database\nRuntimeError: miopenStatusInternalError", "miopen-db-readonly"},
	{"", "MIOpen Error: Internal error while accessing SQLite database: unable to open database file", "miopen-db-readonly"},
	{"", "MIOpen Error: Internal error while accessing SQLite database: disk I/O error", "miopen-db-shared-fs"},
	{"", "MIOpen Error: Internal error while accessing SQLite database: locking protocol", "miopen-db-shared-fs"},
	{"", "MIOpen Error: Internal error while accessing SQLite database: database is locked", "miopen-db-shared-fs"},
	{"", "MIOpen Error: MIOPEN_DEVICE_ARCH used, escaping launching kernel", "miopen-variable"},
	{"", "MIOpen Error: Invalid value for env variable (value='2')", "miopen-variable"},
	{"", "MIOpen Error: db.cpp:12: Db lock has failed to lock.", "miopen-db-shared-fs"},
	{"", "MIOpen Error: Error creating file </tmp/miopen-lockfiles/a.lock> for locking", "miopen-db-readonly"},
	{"", "Queue at 0x7f00 inactivated due to async error: HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION", "memory-aperture-violation"},
	{"", "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f00. Reason: Page not present or supervisor privilege.", "page-fault-gpu-hang"},
	{"", "HSA_OVERRIDE_GFX_VERSION 1030 is invalid", "hsa-override-wrong"},
	{"", "error: Invalid attribute group entry (Producer: 'LLVM19.0.0git' Reader: 'LLVM 17.0.6')", "build-clang-mismatch"},
	{"gfx1151", "amdgpu: unknown parameter 'gtt_size' ignored", "gtt-limit-apu"},

	// Codes without words, and the words of several programs.
	{"", "HIP error 98", "no-kernel-image-for-arch"},
	{"", "HIP error: 209", "no-kernel-image-for-arch"},
	{"", "hipModuleLoadData failed with 209", "no-kernel-image-for-arch"},
	{"", "hipGetDeviceCount returned 100", "device-permission-group"},
	{"", "HIP error 101 at main.cpp:12", "visible-devices-misset"},
	{"", "HIP error 2", "out-of-memory-vram"},
	{"", "ROCm error: 700", "page-fault-gpu-hang"},
	{"", "HIP error: initialization error", "driver-runtime-mismatch"},
	{"", "HIP error: driver version is insufficient for runtime version", "driver-runtime-mismatch"},
	{"", "HIP error: shared object symbol not found", "symbol-abi-mismatch"},
	{"", "HIP error: named symbol not found", "no-kernel-image-for-arch"},
	{"", "HIP error: uncorrectable ECC error encountered", "hardware-fault"},
	{"", "HIP error: peer access is not supported between these two devices", "iommu-p2p"},
	{"", "HIP error: the launch timed out and was terminated", "gpu-reset-ring-timeout"},
	{"", "hsa api call failure at: rocminfo.cc:1329\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources.", "kfd-bad-state"},
	{"", "hsa api call failure at: rocminfo.cc:1329\nCall returned HSA_STATUS_ERROR: A generic error has occurred.", "unsupported-arch-dropped"},
	{"", "hsa api call failure at line 900, file: rocminfo.cc. Call returned 4104", "kfd-bad-state"},
	{"", "Callback: Queue 0x7f00 aborting with error : HSA_STATUS_ERROR_INVALID_ISA: code: 0x100f", "no-kernel-image-for-arch"},
	{"", "RuntimeError: HIPRTC_ERROR_COMPILATION", "build-clang-mismatch"},
	{"", "rocblas_status_internal_error", "missing-tensile-kernels"},
	{"", "RuntimeError: CUDA error: HIPBLAS_STATUS_NOT_SUPPORTED when calling `hipblasLtMatmul`", "missing-hipblaslt-kernels"},
	{"", "RuntimeError: miopenStatusUnknownError", "miopen-kernel-compile-failed"},
	{"", "RuntimeError: miopenStatusInternalError", "miopen-db-readonly"},
	{"", "ncclInvalidArgument: Invalid value for an argument", "rccl-multi-gpu"},
	{"", "hipIpcGetMemHandle failed : invalid argument", "rccl-multi-gpu"},
	{"", "hipMemCreate: out of memory", "kfd-system-memory-limit"},
	{"", "docker: Error response from daemon: error gathering device information while adding custom device \"/dev/kfd\": no such file or directory.", "device-node-missing"},
	{"", "WSL environment detected.\nNo WDDM adapters found.", "wsl-unsupported"},
	{"", "ERROR: clGetPlatformIDs(-1001)", "library-not-found"},
	{"", "HIP binary kernel for this graphics card compute capability (9.0) not found.", "no-kernel-image-for-arch"},
	{"", "clang++: error: invalid target ID 'gfx1250'", "build-clang-mismatch"},
	{"", "device ID 0x7590 is not supported in libhsakmt", "kernel-too-old"},
	{"", "/opt/rocm/include/hip/hip_runtime.h:12:10: fatal error: 'cmath' file not found", "build-clang-mismatch"},
	{"", "MIOpen(HIP): Warning [BuildHip] /tmp/comgr-1a2b/include/a.hpp:3:10: fatal error: 'limits' file not found\nMIOpen Error: hipoc_program.cpp:304: Code object build failed. Source: a.cpp", "miopen-kernel-compile-failed"},

	// The kernel.
	{"", "kfd kfd: amdgpu: skipped device 1002:67df, PCI rejects atomics 730<0", "pcie-atomics-missing"},
	{"", "kfd kfd: amdgpu: GC IP 0b0501 not supported in kfd", "kernel-too-old"},
	{"", "kfd kfd: amdgpu: TONGA  not supported in kfd", "unsupported-arch-dropped"},
	{"", "amdgpu 0000:03:00.0: Direct firmware load for amdgpu/gc_12_0_1_mec.bin failed with error -2", "firmware-missing"},
	{"", "amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE", "gpu-reset-ring-timeout"},
	{"", "amdgpu 0000:03:00.0: amdgpu: MES ring buffer is full.", "gpu-reset-ring-timeout"},
	{"", "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3", "gpu-reset-ring-timeout"},
	{"", "amdgpu 0000:03:00.0: amdgpu: VRAM is lost due to GPU reset!", "gpu-reset-ring-timeout"},
	{"", "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770)", "page-fault-gpu-hang"},
	{"", "amdgpu: qcm fence wait loop timeout expired", "gpu-reset-ring-timeout"},
	{"", "[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!", "out-of-memory-vram"},
	{"", "modprobe: ERROR: could not insert 'amdgpu': Key was rejected by service", "secure-boot-dkms"},
	{"", "AMD-Vi: Event logged [IO_PAGE_FAULT device=03:00.0 domain=0x1 address=0x0 flags=0x0]", "iommu-p2p"},

	// Windows.
	{"", "The code execution cannot proceed because amdhip64_7.dll was not found.", "hip-sdk-driver-mismatch"},
	{"", "amd_comgr_3.dll was not found", "comgr-missing"},
	{"", "could not find `hipGraphDebugDotPrint` in `amdhip64_6.dll`", "hip-sdk-driver-mismatch"},
	{"", "OSError: [WinError 126] The specified module could not be found. Error loading \"c10_hip.dll\"", "dll-dependency-missing"},
	{"", "AMD driver is too old. Update your AMD driver to enable GPU inference.", "hip-sdk-driver-mismatch"},
}

func TestBreadth(t *testing.T) {
	t.Parallel()
	c := written(t)
	m, err := newMatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range breadth {
		var s Surroundings
		if one.gpu != "" {
			s.GPUs = []string{one.gpu}
		}
		got := ids(explainedBy(t, m, c, one.log, s))
		if len(got) == 0 || got[0] != one.first {
			t.Errorf("%q is explained by %v, not %s", one.log, got[:min(3, len(got))], one.first)
		}
	}
}

// What names no cause by itself is recognised all the same, and said in a sentence.
func TestRecognised(t *testing.T) {
	t.Parallel()
	c := written(t)
	for _, text := range []string{
		"RuntimeError: HIP error: invalid configuration argument",
		"hipErrorStreamCaptureInvalidated",
		"RuntimeError: context has already been set",
		"amdgpu: unknown parameter 'noretrys' ignored",
		"E: Unable to locate package rocm-hip-sdk",
	} {
		e := explained(t, c, text, Surroundings{})
		if !slices.ContainsFunc(e.Recognised, func(n Note) bool { return n.Says != "" }) {
			t.Errorf("nothing is said about %q", text)
		}
	}
}
