package survey

import (
	"path"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// firmware reads the versions of the programs that run on the GPU itself: from
// sysfs, where newer kernels show them to everybody, else from debugfs, which
// needs root.
func firmware(r host.Reader, device string) machine.Fact[map[string]uint32] {
	const suffix = "_fw_version"
	dir := device + "/fw_version"
	versions := map[string]uint32{}
	for _, file := range matching(r, dir, "*"+suffix) {
		f := number[uint32](r, file)
		if f.Unread() {
			return machine.Unknown[map[string]uint32](f.From, f.Why)
		}
		versions[strings.TrimSuffix(path.Base(file), suffix)] = f.Value
	}
	if _, ok := versions["mes"]; ok {
		return machine.Know(versions, machine.Source(dir))
	}
	if f := debugFirmware(r, device); !f.Absent() || len(versions) == 0 {
		return f
	}
	return machine.Know(versions, machine.Source(dir))
}

func debugFirmware(r host.Reader, device string) machine.Fact[map[string]uint32] {
	f := machine.Missing[map[string]uint32](machine.Source(device + "/fw_version"))
	for _, card := range matching(r, device+"/drm", "card*") {
		file := "/sys/kernel/debug/dri/" + strings.TrimPrefix(path.Base(card), "card") + "/amdgpu_firmware_info"
		f = parsed(text(r, file), parseFirmware)
	}
	return f
}

// parseFirmware reads lines like "MES feature version: 1, firmware version:
// 0x00000080"; MES_KIQ is another firmware than MES.
func parseFirmware(s string) (map[string]uint32, bool) {
	versions := map[string]uint32{}
	for line := range strings.Lines(s) {
		name, rest, found := strings.Cut(line, " feature version:")
		if !found {
			continue
		}
		_, version, _ := strings.Cut(rest, "firmware version:")
		if v, err := strconv.ParseUint(strings.TrimSpace(version), 0, 32); err == nil {
			versions[strings.ToLower(name)] = uint32(v)
		}
	}
	return versions, len(versions) > 0
}
