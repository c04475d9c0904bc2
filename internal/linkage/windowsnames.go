package linkage

import (
	"slices"
	"strings"
)

// isAPISet tells whether a name is one that Windows maps to a library of its own:
// there need not be a file of that name.
func isAPISet(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "api-ms-win-") || strings.HasPrefix(name, "ext-ms-")
}

// isKnownLibrary tells whether Windows takes the library from System32 in any
// case.
func isKnownLibrary(name string) bool {
	return slices.Contains(knownLibraries, bare(name))
}

// isSystemLibrary tells whether every Windows 10 and newer has the library.
func isSystemLibrary(name string) bool {
	return isKnownLibrary(name) || slices.Contains(systemLibraries, bare(name))
}

func bare(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".dll") }

// knownLibraries are those of HKLM\System\CurrentControlSet\Control\Session
// Manager\KnownDLLs on Windows 11, and ntdll, which is there before any of them.
var knownLibraries = strings.Fields(`
	advapi32 clbcatq combase comdlg32 coml2 difxapi gdi32 gdiplus imagehlp imm32 kernel32 kernelbase msctf msvcrt
	normaliz nsi ntdll ole32 oleaut32 psapi rpcrt4 sechost setupapi shcore shell32 shlwapi user32 wldap32 wow64
	wow64cpu wow64win ws2_32
`)

// systemLibraries are others of System32 that GPU and Python programs import.
// Those of Visual C++ (vcruntime140, msvcp140, vcomp140) are not among them: they
// come with a package of their own, and are missing on many machines.
var systemLibraries = strings.Fields(`
	authz avrt bcrypt bcryptprimitives cabinet cfgmgr32 credui crypt32 cryptbase cryptsp d2d1 d3d10 d3d11 d3d12 d3d9
	d3dcompiler_47 dbghelp dcomp dnsapi dwmapi dwrite dxcore dxgi dxva2 fwpuclnt hid iphlpapi mf mfplat mfreadwrite
	mpr msimg32 mswsock ncrypt netapi32 newdev ntmarta oleacc opengl32 pdh powrprof profapi propsys rasapi32 secur32
	sensapi sspicli srvcli tdh ucrtbase urlmon userenv usp10 uxtheme version wer wevtapi win32u winhttp wininet winmm
	winspool.drv wintrust wlanapi wmiutils wsock32 wtsapi32 xinput1_4 xmllite
`)
