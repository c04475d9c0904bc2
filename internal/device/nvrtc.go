package device

import "unsafe"

// compiler is NVRTC.
func (c *cuda) compiler() (compilerAPI, error) {
	return c.rtc.get(func() (compilerAPI, error) {
		lib, err := c.open("compiler")
		if err != nil {
			return nil, err
		}
		var f nvrtcFunctions
		if err := lib.bind(&f); err != nil {
			return nil, err
		}
		return &rtc{rtcFunctions(f), lib, "nvrtc", "--gpu-architecture="}, nil
	})
}

type nvrtcFunctions struct {
	Create         func(program *uintptr, source, name string, headers int32, bodies, names uintptr) int32 `symbol:"nvrtcCreateProgram"`
	Compile        func(program uintptr, options int32, values *unsafe.Pointer) int32                      `symbol:"nvrtcCompileProgram"`
	Destroy        func(program *uintptr) int32                                                            `symbol:"nvrtcDestroyProgram"`
	GetLogSize     func(program uintptr, bytes *uintptr) int32                                             `symbol:"nvrtcGetProgramLogSize"`
	GetLog         func(program uintptr, log *byte) int32                                                  `symbol:"nvrtcGetProgramLog"`
	GetCodeSize    func(program uintptr, bytes *uintptr) int32                                             `symbol:"nvrtcGetCUBINSize"`
	GetCode        func(program uintptr, code *byte) int32                                                 `symbol:"nvrtcGetCUBIN"`
	GetErrorString func(code int32) string                                                                 `symbol:"nvrtcGetErrorString"`
	Version        func(major, minor *int32) int32                                                         `symbol:"nvrtcVersion"`
}
