package survey

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// modprobeDirs in the order of modprobe.d(5): a file hides files of the same
// name in later directories.
var modprobeDirs = []string{"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"}

func settings(r host.Reader, cmdline machine.Fact[string]) machine.Fact[[]machine.Setting] {
	var found []machine.Setting
	files := map[string]string{}
	for _, dir := range slices.Backward(modprobeDirs) {
		names := list(r, dir)
		if names.Unread() {
			return machine.Unknown[[]machine.Setting](names.From, names.Why)
		}
		for _, name := range names.Value {
			if strings.HasSuffix(name, ".conf") {
				files[name] = path.Join(dir, name)
			}
		}
	}
	fact := machine.Know(found, "/etc/modprobe.d and the kernel command line")
	if cmdline.Unread() {
		fact.Why = string(cmdline.From) + ": " + cmdline.Why
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := text(r, files[name])
		if content.Unread() {
			fact.Why = files[name] + ": " + content.Why
		}
		fact.Value = append(fact.Value, parseModprobe(files[name], content.Value)...)
	}
	// modprobe reads the command line after its files, and of two values for one
	// parameter the kernel keeps the later one.
	fact.Value = append(fact.Value, parseCommandLine(cmdline.Value)...)
	return fact
}

// parseModprobe keeps the lines of a modprobe.d file that concern amdgpu, or
// that give a GPU to vfio-pci.
func parseModprobe(file, s string) []machine.Setting {
	var out []machine.Setting
	number, first, above := 0, 1, ""
	for line := range strings.Lines(s) {
		number++
		// A backslash at the end joins a line with the next one.
		if begun, more := strings.CutSuffix(strings.TrimRight(line, "\r\n"), "\\"); more {
			above += begun + " "
			continue
		}
		words, at := strings.Fields(above+line), first
		above, first = "", number+1
		if kind := modprobeKind(words); kind != "" {
			out = append(out, machine.Setting{File: file, Line: at, Text: strings.Join(words, " "), Kind: kind})
		}
	}
	return out
}

func modprobeKind(words []string) machine.SettingKind {
	if len(words) < 2 {
		return ""
	}
	command, subject := words[0], strings.ReplaceAll(words[1], "-", "_")
	switch {
	case command == "blacklist" && subject == "amdgpu":
		return machine.Blacklists
	case command == "install" && subject == "amdgpu" && len(words) > 2 && (strings.HasSuffix(words[2], "/false") || strings.HasSuffix(words[2], "/true")):
		return machine.Blacklists
	case command == "options" && subject == "vfio_pci" && slices.ContainsFunc(words[2:], isAMDIDs):
		return machine.BindsVFIO
	case command == "options" && slices.Contains([]string{"amdgpu", "amdttm", "ttm"}, subject):
		return machine.SetsOption
	}
	return ""
}

func isAMDIDs(word string) bool {
	ids, found := strings.CutPrefix(word, "ids=")
	return found && slices.ContainsFunc(strings.Split(ids, ","), func(id string) bool { return strings.HasPrefix(id, "1002:") })
}

// parseCommandLine keeps the words of the kernel command line that concern the
// driver.
func parseCommandLine(s string) []machine.Setting {
	var out []machine.Setting
	for word := range strings.FieldsSeq(s) {
		key, value, _ := strings.Cut(word, "=")
		kind := machine.SettingKind("")
		switch {
		case key == "modprobe.blacklist" || key == "module_blacklist" || key == "rd.driver.blacklist":
			if slices.Contains(strings.Split(value, ","), "amdgpu") {
				kind = machine.Blacklists
			}
		case word == "nomodeset" || word == "amdgpu.modeset=0":
			kind = machine.Blacklists
		case key == "vfio-pci.ids" && isAMDIDs("ids="+value):
			kind = machine.BindsVFIO
		case strings.HasPrefix(key, "amdgpu.") || strings.HasPrefix(key, "ttm.") || strings.HasPrefix(key, "amdttm."):
			kind = machine.SetsOption
		}
		if kind != "" {
			out = append(out, machine.Setting{File: machine.CommandLineFile, Text: word, Kind: kind})
		}
	}
	return out
}
