package device

import (
	"fmt"
	"unsafe"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// cuda is the backend for NVIDIA's GPUs. rocsmith has no business with them but
// one: what a probe does and how it judges can be proved there, too.
type cuda struct {
	search
	run    once[*cudaDriver]
	rtc    once[compilerAPI]
	cublas once[multiplier]
	lt     once[multiplier]
	cudnn  once[layerAPI]
}

func (c *cuda) runtime() (runtimeAPI, error) {
	return c.run.get(func() (*cudaDriver, error) {
		lib, err := c.open("runtime")
		if err != nil {
			return nil, err
		}
		d := &cudaDriver{}
		err = lib.bind(&d.cudaFunctions)
		d.library = lib
		return d, err
	})
}

type cudaFunctions struct {
	Init              func(flags uint32) int32                                                                                                                            `symbol:"cuInit"`
	DriverGetVersion  func(version *int32) int32                                                                                                                          `symbol:"cuDriverGetVersion"`
	DeviceGetCount    func(count *int32) int32                                                                                                                            `symbol:"cuDeviceGetCount"`
	DeviceGetName     func(name *byte, length, device int32) int32                                                                                                        `symbol:"cuDeviceGetName"`
	DeviceGetPCIBusID func(name *byte, length, device int32) int32                                                                                                        `symbol:"cuDeviceGetPCIBusId"`
	DeviceAttribute   func(value *int32, attribute, device int32) int32                                                                                                   `symbol:"cuDeviceGetAttribute"`
	PrimaryCtxRetain  func(context *uintptr, device int32) int32                                                                                                          `symbol:"cuDevicePrimaryCtxRetain"`
	CtxSetCurrent     func(context uintptr) int32                                                                                                                         `symbol:"cuCtxSetCurrent"`
	CtxSynchronize    func() int32                                                                                                                                        `symbol:"cuCtxSynchronize"`
	MemGetInfo        func(free, total *uint64) int32                                                                                                                     `symbol:"cuMemGetInfo_v2"`
	MemAlloc          func(p *uintptr, bytes uintptr) int32                                                                                                               `symbol:"cuMemAlloc_v2"`
	MemFree           func(p uintptr) int32                                                                                                                               `symbol:"cuMemFree_v2"`
	MemsetD8          func(p uintptr, value uint8, bytes uintptr) int32                                                                                                   `symbol:"cuMemsetD8_v2"`
	MemcpyToDevice    func(to uintptr, from *byte, bytes uintptr) int32                                                                                                   `symbol:"cuMemcpyHtoD_v2"`
	MemcpyToHost      func(to *byte, from uintptr, bytes uintptr) int32                                                                                                   `symbol:"cuMemcpyDtoH_v2"`
	MemcpyWithin      func(to, from, bytes uintptr) int32                                                                                                                 `symbol:"cuMemcpyDtoD_v2"`
	GetErrorName      func(code int32, name **byte) int32                                                                                                                 `symbol:"cuGetErrorName"`
	ModuleLoadData    func(module *uintptr, image *byte) int32                                                                                                            `symbol:"cuModuleLoadData"`
	ModuleGetFunction func(function *uintptr, module uintptr, name string) int32                                                                                          `symbol:"cuModuleGetFunction"`
	LaunchKernel      func(function uintptr, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, stream uintptr, parameters *unsafe.Pointer, extra uintptr) int32 `symbol:"cuLaunchKernel"`
}

// CUdevice_attribute.
const (
	cudaMajor = 75
	cudaMinor = 76
)

type cudaDriver struct {
	cudaFunctions
	library library
}

func (d *cudaDriver) name() string { return named(d.library.file, d.version()) }

func (d *cudaDriver) version() string {
	var v int32
	if d.DriverGetVersion(&v) != 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", v/1000, v%1000/10)
}

func (d *cudaDriver) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	var name *byte
	said := ""
	if d.GetErrorName(code, &name) == 0 && name != nil {
		said = text(unsafe.Slice(name, 64))
	}
	return &callError{"cuda", call, code, said}
}

func (d *cudaDriver) count() (int, error) {
	if err := d.check("cuInit", d.Init(0)); err != nil {
		return 0, err
	}
	var n int32
	err := d.check("cuDeviceGetCount", d.DeviceGetCount(&n))
	if err == nil && n <= 0 {
		err = refuse(operation.NoDevice, "cuDeviceGetCount counts %d GPUs", n)
	}
	return int(n), err
}

// use takes the context that the CUDA runtime's own libraries use.
func (d *cudaDriver) use(device int) error {
	var context uintptr
	if err := d.check("cuDevicePrimaryCtxRetain", d.PrimaryCtxRetain(&context, int32(device))); err != nil {
		return err
	}
	return d.check("cuCtxSetCurrent", d.CtxSetCurrent(context))
}

func (d *cudaDriver) identity(device int) (identity, error) {
	id := identity{runtime: d.version(), driver: d.version()}
	n := int32(device)
	name, bus := make([]byte, 256), make([]byte, 64)
	if err := d.check("cuDeviceGetName", d.DeviceGetName(&name[0], int32(len(name)), n)); err != nil {
		return id, err
	}
	id.name = text(name)
	if d.DeviceGetPCIBusID(&bus[0], int32(len(bus)), n) == 0 {
		id.bus = text(bus)
	}
	var major, minor int32
	if err := d.check("cuDeviceGetAttribute", d.DeviceAttribute(&major, cudaMajor, n)); err != nil {
		return id, err
	}
	if err := d.check("cuDeviceGetAttribute", d.DeviceAttribute(&minor, cudaMinor, n)); err != nil {
		return id, err
	}
	id.target = fmt.Sprintf("sm_%d%d", major, minor)
	return id, d.check("cuMemGetInfo_v2", d.MemGetInfo(&id.free, &id.total))
}

func (d *cudaDriver) alloc(bytes int) (pointer, error) {
	var p uintptr
	err := d.check(fmt.Sprintf("cuMemAlloc_v2 of %d bytes", bytes), d.MemAlloc(&p, uintptr(bytes)))
	return pointer(p), err
}

func (d *cudaDriver) free(p pointer) { d.MemFree(uintptr(p)) }

func (d *cudaDriver) fill(p pointer, value byte, bytes int) error {
	return d.check("cuMemsetD8_v2", d.MemsetD8(uintptr(p), value, uintptr(bytes)))
}

func (d *cudaDriver) toDevice(to pointer, from []byte) error {
	return d.check("cuMemcpyHtoD_v2", d.MemcpyToDevice(uintptr(to), unsafe.SliceData(from), uintptr(len(from))))
}

func (d *cudaDriver) toHost(to []byte, from pointer) error {
	return d.check("cuMemcpyDtoH_v2", d.MemcpyToHost(unsafe.SliceData(to), uintptr(from), uintptr(len(to))))
}

func (d *cudaDriver) within(to, from pointer, bytes int) error {
	return d.check("cuMemcpyDtoD_v2", d.MemcpyWithin(uintptr(to), uintptr(from), uintptr(bytes)))
}

func (d *cudaDriver) wait() error { return d.check("cuCtxSynchronize", d.CtxSynchronize()) }

// lastError is what waiting says: the driver keeps no other.
func (d *cudaDriver) lastError() error { return d.wait() }

func (d *cudaDriver) load(code []byte, name string) (kernel, error) {
	var module, function uintptr
	err := d.check("cuModuleLoadData", d.ModuleLoadData(&module, unsafe.SliceData(code)))
	if err == nil {
		err = d.check("cuModuleGetFunction", d.ModuleGetFunction(&function, module, name))
	}
	return kernel(function), err
}

func (d *cudaDriver) launch(k kernel, blocks, threads int, arguments ...uint64) error {
	code := d.LaunchKernel(uintptr(k), uint32(blocks), 1, 1, uint32(threads), 1, 1, 0, 0, &addresses(arguments)[0], 0)
	return d.check("cuLaunchKernel", code)
}
