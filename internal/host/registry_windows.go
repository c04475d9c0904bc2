package host

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func (l live) Registry(key, value string) (string, error) {
	text, err := bounded(l, func() (string, error) { return readRegistry(key, value) })
	if err != nil {
		return "", fmt.Errorf("read registry %s %s: %w", key, value, named(err))
	}
	return text, nil
}

func readRegistry(key, value string) (string, error) {
	rootName, path, _ := strings.Cut(key, `\`)
	root, ok := registryRoot(rootName)
	if !ok {
		return "", fmt.Errorf("no registry root is called %q", rootName)
	}
	// The 64-bit view is where drivers write, whatever this program is.
	k, err := registry.OpenKey(root, path, registry.READ|registry.WOW64_64KEY)
	if err != nil {
		return "", err
	}
	defer func() { _ = k.Close() }()
	if value == "" {
		names, err := k.ReadSubKeyNames(-1)
		slices.Sort(names)
		return strings.Join(names, "\n"), err
	}
	return registryText(k, value)
}

func registryRoot(name string) (registry.Key, bool) {
	switch strings.ToUpper(name) {
	case "HKLM", "HKEY_LOCAL_MACHINE":
		return registry.LOCAL_MACHINE, true
	case "HKCU", "HKEY_CURRENT_USER":
		return registry.CURRENT_USER, true
	case "HKCR", "HKEY_CLASSES_ROOT":
		return registry.CLASSES_ROOT, true
	case "HKU", "HKEY_USERS":
		return registry.USERS, true
	case "HKCC", "HKEY_CURRENT_CONFIG":
		return registry.CURRENT_CONFIG, true
	}
	return 0, false
}

// registryText returns a value as text: numbers in decimal, bytes in hex.
func registryText(k registry.Key, name string) (string, error) {
	size, kind, err := k.GetValue(name, nil)
	if err != nil {
		return "", err
	}
	if size > MaxFile {
		return "", ErrTooBig
	}
	switch kind {
	case registry.SZ, registry.EXPAND_SZ:
		text, _, err := k.GetStringValue(name)
		return text, err
	case registry.MULTI_SZ:
		texts, _, err := k.GetStringsValue(name)
		return strings.Join(texts, "\n"), err
	case registry.DWORD, registry.QWORD:
		number, _, err := k.GetIntegerValue(name)
		return strconv.FormatUint(number, 10), err
	}
	data := make([]byte, size)
	n, _, err := k.GetValue(name, data)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(data[:min(n, len(data))]), nil
}

func (l live) FileVersion(path string) (string, error) {
	return onPath(l, opVersion, path, func() (string, error) { return fileVersion(path) })
}

// fileVersion reads the fixed part of the version resource, which is what the
// properties dialogue of Windows shows.
func fileVersion(path string) (string, error) {
	size, err := windows.GetFileVersionInfoSize(path, nil)
	if err != nil {
		return "", err
	}
	if size == 0 || size > MaxFile {
		return "", ErrTooBig
	}
	block := make([]byte, size)
	if err := windows.GetFileVersionInfo(path, 0, size, unsafe.Pointer(&block[0])); err != nil {
		return "", err
	}
	var info *windows.VS_FIXEDFILEINFO
	length := uint32(unsafe.Sizeof(*info))
	err = windows.VerQueryValue(unsafe.Pointer(&block[0]), `\`, unsafe.Pointer(&info), &length)
	if err != nil {
		return "", err
	}
	if info == nil || length < uint32(unsafe.Sizeof(*info)) {
		return "", errors.New("the version resource holds no version")
	}
	ms, ls := info.FileVersionMS, info.FileVersionLS
	return fmt.Sprintf("%d.%d.%d.%d", ms>>16, ms&0xffff, ls>>16, ls&0xffff), nil
}
