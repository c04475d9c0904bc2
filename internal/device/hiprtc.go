package device

import (
	"fmt"
	"strings"
	"unsafe"
)

// compiler is libhiprtc; releases that have no such file have its functions in
// the runtime itself.
func (h *hip) compiler() (compilerAPI, error) {
	return h.rtc.get(func() (compilerAPI, error) {
		var f hiprtcFunctions
		lib, missing := h.open("compiler")
		if missing != nil {
			run, err := h.amdhip()
			if err != nil {
				return nil, err
			}
			if lib = run.library; lib.bind(&f) != nil {
				return nil, missing
			}
		} else if err := lib.bind(&f); err != nil {
			return nil, err
		}
		return &rtc{rtcFunctions(f), lib, "hiprtc", "--offload-arch="}, nil
	})
}

type hiprtcFunctions struct {
	Create         func(program *uintptr, source, name string, headers int32, bodies, names uintptr) int32 `symbol:"hiprtcCreateProgram"`
	Compile        func(program uintptr, options int32, values *unsafe.Pointer) int32                      `symbol:"hiprtcCompileProgram"`
	Destroy        func(program *uintptr) int32                                                            `symbol:"hiprtcDestroyProgram"`
	GetLogSize     func(program uintptr, bytes *uintptr) int32                                             `symbol:"hiprtcGetProgramLogSize"`
	GetLog         func(program uintptr, log *byte) int32                                                  `symbol:"hiprtcGetProgramLog"`
	GetCodeSize    func(program uintptr, bytes *uintptr) int32                                             `symbol:"hiprtcGetCodeSize"`
	GetCode        func(program uintptr, code *byte) int32                                                 `symbol:"hiprtcGetCode"`
	GetErrorString func(code int32) string                                                                 `symbol:"hiprtcGetErrorString"`
	Version        func(major, minor *int32) int32                                                         `symbol:"hiprtcVersion"`
}

// rtcFunctions are those of hiprtc or NVRTC, which differ in their names only.
type rtcFunctions struct {
	Create         func(program *uintptr, source, name string, headers int32, bodies, names uintptr) int32
	Compile        func(program uintptr, options int32, values *unsafe.Pointer) int32
	Destroy        func(program *uintptr) int32
	GetLogSize     func(program uintptr, bytes *uintptr) int32
	GetLog         func(program uintptr, log *byte) int32
	GetCodeSize    func(program uintptr, bytes *uintptr) int32
	GetCode        func(program uintptr, code *byte) int32
	GetErrorString func(code int32) string
	Version        func(major, minor *int32) int32
}

type rtc struct {
	rtcFunctions
	library library
	table   string // of codes.yaml, and how its functions begin
	option  string // that names the target
}

func (c *rtc) name() string {
	var major, minor int32
	if c.Version(&major, &minor) != 0 {
		return c.library.file
	}
	return named(c.library.file, fmt.Sprintf("%d.%d", major, minor))
}

func (c *rtc) check(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &callError{c.table, c.table + call, code, c.GetErrorString(code)}
}

// mostLog bounds what is kept of a compiler's words.
const mostLog = 2000

func (c *rtc) compile(source, target string) ([]byte, error) {
	var program uintptr
	if err := c.check("CreateProgram", c.Create(&program, source, "rocsmith.cu", 0, 0, 0)); err != nil {
		return nil, err
	}
	defer c.Destroy(&program)
	var options []unsafe.Pointer
	if target != "" {
		option := append([]byte(c.option+target), 0)
		options = append(options, unsafe.Pointer(&option[0]))
	}
	if err := c.check("CompileProgram", c.Compile(program, int32(len(options)), unsafe.SliceData(options))); err != nil {
		return nil, fmt.Errorf("%w; the compiler says: %s", err, c.log(program))
	}
	var size uintptr
	if err := c.check("GetCodeSize", c.GetCodeSize(program, &size)); err != nil {
		return nil, err
	}
	if size == 0 || size > 1<<30 {
		return nil, fmt.Errorf("%s compiled to %d bytes of code", c.table, size)
	}
	code := make([]byte, size)
	return code, c.check("GetCode", c.GetCode(program, &code[0]))
}

func (c *rtc) log(program uintptr) string {
	var size uintptr
	if c.GetLogSize(program, &size) != 0 || size == 0 || size > 1<<20 {
		return "nothing"
	}
	log := make([]byte, size)
	if c.GetLog(program, &log[0]) != 0 {
		return "nothing"
	}
	words := strings.ToValidUTF8(text(log), "?")
	return words[:min(len(words), mostLog)]
}
