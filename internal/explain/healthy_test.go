package explain

import "testing"

// healthy are logs of programs that ran as they should, or failed for reasons that have nothing to do with AMD GPUs.
// Lines are separated as in a log.
var healthy = map[string]string{
	"training":                    "Epoch 3/10: loss 0.4312, acc 0.871, lr 3.0e-04\nUsing device: cuda:0\nGPU memory: 11.2 GiB of 24.0 GiB\nepoch done, no errors\nCheckpoint saved to out/step_1200.pt",
	"training on ROCm":            "PyTorch 2.9.1+rocm6.4, device AMD Radeon RX 7900 XTX\nIs CUDA available: True\nstep 100 | loss 1.93 | 3.2 it/s\nSaving model\nDone in 512 s",
	"lightning":                   "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs\n`Trainer.fit` stopped: `max_epochs=3` reached.",
	"pip installs torch for ROCm": "Looking in indexes: https://download.pytorch.org/whl/rocm6.4\nCollecting torch\n  Downloading torch-2.9.1%2Brocm6.4-cp312-cp312-manylinux_2_28_x86_64.whl (4.5 GB)\nInstalling collected packages: pytorch-triton-rocm, torch\nSuccessfully installed pytorch-triton-rocm-3.5.1 torch-2.9.1+rocm6.4",
	"pip list":                    "Package           Version\n----------------- -------\nbitsandbytes      0.48.1\nflash-attn        2.8.3\nnumba             0.62.1\nonnxruntime       1.23.2\ntorch             2.9.1+rocm6.4",
	"pip, nothing to do":          "Requirement already satisfied: numpy in ./venv/lib/python3.12/site-packages (2.3.4)\nRequirement already satisfied: llvmlite<0.46 in ./venv/lib/python3.12/site-packages",
	"cmake":                       "-- The HIP compiler identification is Clang 19.0.0\n-- Check for working HIP compiler: /opt/rocm/llvm/bin/clang++ - skipped\n-- HIP and hipBLAS found\n-- Could NOT find ROCM (missing: ROCM_DIR)\n-- Configuring done (2.1s)\n-- Generating done (0.1s)\n-- Build files have been written to: /src/build",
	"ninja":                       "[1/340] Building HIP object ggml/src/ggml-hip/CMakeFiles/ggml-hip.dir/acc.cu.o\n[340/340] Linking CXX executable bin/llama-server\n0 errors, 12 warnings",
	"llama.cpp":                   "ggml_cuda_init: found 1 ROCm devices:\n  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32\nllama_model_load_from_file_impl: using device ROCm0 (AMD Radeon RX 7900 XTX) - 24500 MiB free\nload_tensors: offloaded 33/33 layers to GPU\nload_tensors:        ROCm0 model buffer size =  4403.49 MiB\nmain: server is listening on http://127.0.0.1:8080",
	"ollama":                      `level=INFO source=routes.go:1259 msg="server config" env="map[CUDA_VISIBLE_DEVICES: GPU_DEVICE_ORDINAL: HIP_VISIBLE_DEVICES: HSA_OVERRIDE_GFX_VERSION: ROCR_VISIBLE_DEVICES:]"` + "\n" + `level=INFO source=routes.go:1310 msg="Listening on 127.0.0.1:11434 (version 0.9.0)"` + "\n" + `level=INFO source=types.go:130 msg="inference compute" id=0 library=rocm variant="" compute=gfx1100 driver=6.12 name=1002:744c total="24.0 GiB" available="23.1 GiB"`,
	"vLLM":                        "INFO 11-02 10:00:01 [__init__.py:241] Automatically detected platform rocm.\nINFO 11-02 10:00:09 [config.py:1604] Using max model len 8192\nINFO 11-02 10:00:40 [gpu_worker.py:276] Available KV cache memory: 17.31 GiB\nINFO:     Application startup complete.",
	"ComfyUI":                     "Total VRAM 24560 MB, total RAM 64211 MB\npytorch version: 2.9.1+rocm6.4\nAMD arch: gfx1100\nROCm version: (6, 4)\nSet vram state to: NORMAL_VRAM\nDevice: cuda:0 AMD Radeon RX 7900 XTX : native\nTo see the GUI go to: http://127.0.0.1:8188\nPrompt executed in 12.3 seconds",
	"docker":                      "[+] Running 2/2\n ✔ Network app_default  Created\n ✔ Container app-web-1  Started\nAttaching to web-1\nweb-1  | ready for connections\ndocker run --device /dev/kfd --device /dev/dri --group-add 992 --shm-size 8g rocm/pytorch",
	"boot of a healthy machine":   "[    2.1] [drm] amdgpu kernel modesetting enabled.\n[    2.1] amdgpu: Virtual CRAT table created for CPU\n[    2.1] amdgpu: Topology: Add CPU node\n[    2.4] amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from VFCT\n[    2.4] amdgpu 0000:03:00.0: amdgpu: Trusted Memory Zone (TMZ) feature not supported\n[    2.6] amdgpu 0000:03:00.0: amdgpu: PCIE atomic ops is not supported\n[    2.9] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n[    3.0] kfd kfd: amdgpu: Allocated 3969056 bytes on gart\n[    3.0] kfd kfd: amdgpu: added device 1002:744c\n[    3.1] [drm] Initialized amdgpu 3.64.0 for 0000:03:00.0 on minor 1\n[    3.2] amdgpu 0000:03:00.0: amdgpu: Using BACO for runtime pm",
	"suspend and resume":          "[  900.1] amdgpu 0000:03:00.0: amdgpu: PSP is resuming...\n[  900.2] amdgpu 0000:03:00.0: amdgpu: SMU is resuming...\n[  900.3] amdgpu 0000:03:00.0: amdgpu: SMU is resumed successfully!\n[  900.4] [drm] ring gfx_0.0.0 uses VM inv eng 0 on hub 0",
	"rocminfo":                    "ROCk module version 6.12.12 is loaded\n=====================\nHSA System Attributes\n=====================\nRuntime Version:         1.18\n  Name:                    gfx1100\n  Marketing Name:          AMD Radeon RX 7900 XTX\n*** Done ***",
	"rocm-smi":                    "============ ROCm System Management Interface ============\nGPU  Temp   AvgPwr  SCLK  MCLK  Fan  Perf  PwrCap  VRAM%  GPU%\n0    41.0c  18.0W   0Mhz  96Mhz  0%   auto  327.0W    4%   0%\n==================== End of ROCm SMI Log ====================",
	"dkms":                        "amdgpu/6.12.12-2202139.24.04, 6.8.0-45-generic, x86_64: installed (Original modules exist)",
	"RCCL":                        "node1:77:77 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.2<0>\nnode1:77:77 [0] NCCL INFO NET/Plugin : No plugin found (librccl-net.so), using internal implementation\nnode1:77:90 [0] NCCL INFO comm 0x55 rank 0 nranks 2 cudaDev 0 busId 3000 - Init COMPLETE",
	"Kubernetes":                  "Capacity:\n  amd.com/gpu:        8\nAllocatable:\n  amd.com/gpu:        8\nNormal  Started  12s  kubelet  Started container worker",
	"ls of the nodes":             "crw-rw---- 1 root render 235,   0 Nov  2 10:00 /dev/kfd\ncrw-rw---- 1 root render 226, 128 Nov  2 10:00 /dev/dri/renderD128\nuid=1000(ada) gid=1000(ada) groups=1000(ada),992(render)",
	"tests":                       "===== 312 passed, 4 skipped, 2 warnings in 81.2s =====\ntest_out_of_memory_is_reported PASSED\ntest_invalid_argument PASSED",
	"a question and its answer":   ">>> import torch\n>>> torch.cuda.is_available()\nTrue\n>>> torch.cuda.device_count()\n1",

	"NVIDIA, no driver":      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
	"NVIDIA, out of memory":  "GPU 0: NVIDIA GeForce RTX 3060\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 11.76 GiB total capacity)",
	"NVIDIA, Xid":            "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.",
	"NVIDIA, DKMS":           "Error! Bad return status for module build on kernel: 6.8.0-45-generic (x86_64)\nConsult /var/lib/dkms/nvidia/550.54.14/build/make.log for more information.",
	"KeyError":               "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    x = config['lr']\nKeyError: 'lr'",
	"FileNotFoundError":      "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
	"HTTP":                   "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: https://example.org/model.safetensors\nOSError: We couldn't connect to the hub to load this file",
	"disk full":              "OSError: [Errno 28] No space left on device: '/home/ada/data/shard_12.bin'",
	"npm":                    "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! A complete log of this run can be found in: /root/.npm/_logs/x.log",
	"a program of one's own": "main.cpp:14:5: error: use of undeclared identifier 'foo'\n1 error generated.\nmake: *** [Makefile:12: main.o] Error 1",
	"segmentation fault":     "./game: line 3: 4242 Segmentation fault (core dumped) ./engine",
	"a program was killed":   "Killed",
	"SQLite of a program":    "sqlite3.OperationalError: database is locked",
	"git":                    "fatal: not a git repository (or any of the parent directories): .git",
	"systemd":                "nginx.service: Main process exited, code=exited, status=1/FAILURE\nnginx.service: Failed with result 'exit-code'.",
	"Java":                   "java.lang.OutOfMemoryError: Java heap space",
	"PostgreSQL":             "FATAL:  password authentication failed for user \"ada\"",
	"permission":             "bash: ./run.sh: Permission denied\nmkdir: cannot create directory '/srv/data': Permission denied",
	"Rust":                   "error[E0308]: mismatched types\n  --> src/main.rs:4:9\nerror: could not compile `app` (bin \"app\") due to 1 previous error",
	"Windows":                "C:\\Users\\ada> python app.py\nPermissionError: [WinError 5] Access is denied: 'C:\\\\data'",
	"prose":                  "The release notes say that invalid arguments are now reported, that ROCm users may run as root, and that out of memory errors on the host are rarer.",
}

// None of them is told to be a failure of an AMD GPU with any confidence; most of them in no way.
func TestHealthyLogs(t *testing.T) {
	t.Parallel()
	c := written(t)
	m, err := newMatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range healthy {
		e := explainedBy(t, m, c, text, Surroundings{})
		if e.Verdict == Failure {
			t.Errorf("%s is explained by %s (%s %.2f)", name, e.Causes[0].Cause.ID, e.Causes[0].Confidence, e.Causes[0].Score)
		}
	}
}
