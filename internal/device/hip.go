package device

import (
	"fmt"
	"unsafe"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// hip is the backend for AMD's GPUs.
type hip struct {
	search
	run     once[*hipRuntime]
	rtc     once[compilerAPI]
	rocblas once[multiplier]
	lt      once[multiplier]
	miopen  once[layerAPI]
}

func (h *hip) runtime() (runtimeAPI, error) { return h.amdhip() }

func (h *hip) amdhip() (*hipRuntime, error) {
	return h.run.get(func() (*hipRuntime, error) {
		lib, err := h.open("runtime")
		if err != nil {
			return nil, err
		}
		r := &hipRuntime{}
		err = lib.bind(&r.hipFunctions)
		r.library = lib
		return r, err
	})
}

// hipFunctions are those of libamdhip64. Functions whose structs differ between
// major versions are asked for by their versioned names alone.
type hipFunctions struct {
	Init               func(flags uint32) int32                                                                                                                            `symbol:"hipInit"`
	GetDeviceCount     func(count *int32) int32                                                                                                                            `symbol:"hipGetDeviceCount"`
	SetDevice          func(device int32) int32                                                                                                                            `symbol:"hipSetDevice"`
	DeviceGetName      func(name *byte, length, device int32) int32                                                                                                        `symbol:"hipDeviceGetName"`
	DeviceGetPCIBusID  func(name *byte, length, device int32) int32                                                                                                        `symbol:"hipDeviceGetPCIBusId"`
	PropertiesR0600    func(properties *byte, device int32) int32                                                                                                          `symbol:"hipGetDevicePropertiesR0600,optional"`
	PropertiesR0000    func(properties *byte, device int32) int32                                                                                                          `symbol:"hipGetDevicePropertiesR0000,optional"`
	RuntimeGetVersion  func(version *int32) int32                                                                                                                          `symbol:"hipRuntimeGetVersion"`
	DriverGetVersion   func(version *int32) int32                                                                                                                          `symbol:"hipDriverGetVersion"`
	MemGetInfo         func(free, total *uint64) int32                                                                                                                     `symbol:"hipMemGetInfo"`
	Malloc             func(p *uintptr, bytes uintptr) int32                                                                                                               `symbol:"hipMalloc"`
	Free               func(p uintptr) int32                                                                                                                               `symbol:"hipFree"`
	Memset             func(p uintptr, value int32, bytes uintptr) int32                                                                                                   `symbol:"hipMemset"`
	MemcpyToDevice     func(to uintptr, from *byte, bytes uintptr, kind int32) int32                                                                                       `symbol:"hipMemcpy"`
	MemcpyToHost       func(to *byte, from uintptr, bytes uintptr, kind int32) int32                                                                                       `symbol:"hipMemcpy"`
	MemcpyWithin       func(to, from, bytes uintptr, kind int32) int32                                                                                                     `symbol:"hipMemcpy"`
	DeviceSynchronize  func() int32                                                                                                                                        `symbol:"hipDeviceSynchronize"`
	GetLastError       func() int32                                                                                                                                        `symbol:"hipGetLastError"`
	GetErrorName       func(code int32) string                                                                                                                             `symbol:"hipGetErrorName"`
	GetErrorString     func(code int32) string                                                                                                                             `symbol:"hipGetErrorString"`
	ModuleLoadData     func(module *uintptr, image *byte) int32                                                                                                            `symbol:"hipModuleLoadData"`
	ModuleGetFunction  func(function *uintptr, module uintptr, name string) int32                                                                                          `symbol:"hipModuleGetFunction"`
	ModuleLaunchKernel func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, parameters *unsafe.Pointer, extra uintptr) int32 `symbol:"hipModuleLaunchKernel"`
}

// hipMemcpyKind.
const (
	hipHostToDevice   = 1
	hipDeviceToHost   = 2
	hipDeviceToDevice = 3
)

type hipRuntime struct {
	hipFunctions
	library library
}

func (r *hipRuntime) name() string {
	var v int32
	if r.RuntimeGetVersion(&v) != 0 {
		return r.library.file
	}
	return named(r.library.file, hipVersion(v))
}

// hipVersion writes 60443484 as 6.4.43484.
func hipVersion(v int32) string {
	return fmt.Sprintf("%d.%d.%d", v/10_000_000, v/100_000%100, v%100_000)
}

func (r *hipRuntime) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{"hip", call, code, fmt.Sprintf("%s (%s)", r.GetErrorName(code), r.GetErrorString(code))}
}

// count asks hipInit first: it, too, answers 100 where there is no GPU.
func (r *hipRuntime) count() (int, error) {
	var n int32
	err := r.check("hipInit", r.Init(0))
	if err == nil {
		err = r.check("hipGetDeviceCount", r.GetDeviceCount(&n))
	}
	if err == nil && n <= 0 {
		err = refuse(operation.NoDevice, "hipGetDeviceCount counts %d GPUs", n)
	}
	if verdict(err) == operation.NoDevice {
		err = nodesSay(err)
	}
	return int(n), err
}

func (r *hipRuntime) use(device int) error {
	return r.check("hipSetDevice", r.SetDevice(int32(device)))
}

func (r *hipRuntime) identity(device int) (identity, error) {
	var id identity
	name, bus := make([]byte, 256), make([]byte, 64)
	d := int32(device)
	if err := r.check("hipDeviceGetName", r.DeviceGetName(&name[0], int32(len(name)), d)); err != nil {
		return id, err
	}
	id.name = text(name)
	if r.DeviceGetPCIBusID(&bus[0], int32(len(bus)), d) == 0 {
		id.bus = text(bus)
	}
	var err error
	if id.target, err = r.target(d); err != nil {
		return id, err
	}
	var v int32
	if err := r.check("hipRuntimeGetVersion", r.RuntimeGetVersion(&v)); err != nil {
		return id, err
	}
	id.runtime = hipVersion(v)
	if r.DriverGetVersion(&v) == 0 {
		id.driver = hipVersion(v)
	}
	return id, r.check("hipMemGetInfo", r.MemGetInfo(&id.free, &id.total))
}

// Where gcnArchName stands in hipDeviceProp_t, of hip_runtime_api.h in HIP 5 and 6. The
// buffer is larger than any release's struct (1472 bytes in HIP 6).
const (
	archInR0600      = 1160
	archInR0000      = 396
	propertiesBuffer = 16 << 10
)

// target reads the gfx name by a layout that the function's own name fixes, and
// is empty where the runtime has no such function.
func (r *hipRuntime) target(device int32) (string, error) {
	properties := make([]byte, propertiesBuffer)
	call, from, function := "hipGetDevicePropertiesR0600", archInR0600, r.PropertiesR0600
	if function == nil {
		call, from, function = "hipGetDevicePropertiesR0000", archInR0000, r.PropertiesR0000
	}
	if function == nil {
		return "", nil
	}
	if err := r.check(call, function(&properties[0], device)); err != nil {
		return "", err
	}
	return text(properties[from : from+256]), nil
}

func (r *hipRuntime) alloc(bytes int) (pointer, error) {
	var p uintptr
	err := r.check(fmt.Sprintf("hipMalloc of %d bytes", bytes), r.Malloc(&p, uintptr(bytes)))
	return pointer(p), err
}

func (r *hipRuntime) free(p pointer) { r.Free(uintptr(p)) }

func (r *hipRuntime) fill(p pointer, value byte, bytes int) error {
	return r.check("hipMemset", r.Memset(uintptr(p), int32(value), uintptr(bytes)))
}

func (r *hipRuntime) toDevice(to pointer, from []byte) error {
	return r.check("hipMemcpy to the GPU", r.MemcpyToDevice(uintptr(to), unsafe.SliceData(from), uintptr(len(from)), hipHostToDevice))
}

func (r *hipRuntime) toHost(to []byte, from pointer) error {
	return r.check("hipMemcpy from the GPU", r.MemcpyToHost(unsafe.SliceData(to), uintptr(from), uintptr(len(to)), hipDeviceToHost))
}

func (r *hipRuntime) within(to, from pointer, bytes int) error {
	return r.check("hipMemcpy on the GPU", r.MemcpyWithin(uintptr(to), uintptr(from), uintptr(bytes), hipDeviceToDevice))
}

func (r *hipRuntime) wait() error { return r.check("hipDeviceSynchronize", r.DeviceSynchronize()) }

func (r *hipRuntime) lastError() error { return r.check("hipGetLastError", r.GetLastError()) }

func (r *hipRuntime) load(code []byte, name string) (kernel, error) {
	var module, function uintptr
	err := r.check("hipModuleLoadData", r.ModuleLoadData(&module, unsafe.SliceData(code)))
	if err == nil {
		err = r.check("hipModuleGetFunction", r.ModuleGetFunction(&function, module, name))
	}
	return kernel(function), err
}

func (r *hipRuntime) launch(k kernel, blocks, threads int, arguments ...uint64) error {
	code := r.ModuleLaunchKernel(uintptr(k), uint32(blocks), 1, 1, uint32(threads), 1, 1, 0, 0, &addresses(arguments)[0], 0)
	return r.check("hipModuleLaunchKernel", code)
}

// addresses are those of a kernel's arguments, which it reads as many bytes of
// as it declares.
func addresses(arguments []uint64) []unsafe.Pointer {
	all := make([]unsafe.Pointer, len(arguments))
	for i := range arguments {
		all[i] = unsafe.Pointer(&arguments[i])
	}
	return all
}
