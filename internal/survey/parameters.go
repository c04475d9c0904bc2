package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// parameters reads the live values of a module, and names those that only root
// may read: they exist, which is knowledge too.
func parameters(r host.Reader, module string) (values machine.Fact[map[string]string], closed []string) {
	dir := "/sys/module/" + module + "/parameters"
	names := list(r, dir)
	if !names.Known() {
		return machine.Fact[map[string]string]{State: names.State, From: names.From, Why: names.Why}, nil
	}
	found := map[string]string{}
	for _, name := range names.Value {
		if f := text(r, path.Join(dir, name)); f.Known() {
			found[name] = f.Value
		} else {
			closed = append(closed, module+"."+name)
		}
	}
	return machine.Know(found, machine.Source(dir)), closed
}

// maxOptions bounds what is kept of files that hold nothing but options.
const maxOptions = 1000

// options takes the lines and words that set parameters apart.
func options(settings machine.Fact[[]machine.Setting]) machine.Fact[[]machine.ParameterSetting] {
	if !settings.Known() {
		return machine.Fact[[]machine.ParameterSetting]{State: settings.State, From: settings.From, Why: settings.Why}
	}
	var out []machine.ParameterSetting
	for _, s := range settings.Value {
		if s.Kind == machine.SetsOption && len(out) < maxOptions {
			out = append(out, parseOptions(s)...)
		}
	}
	known := machine.Know(out[:min(len(out), maxOptions)], settings.From)
	known.Why = settings.Why // a file that could not be read
	return known
}

// parseOptions takes one line apart: "options amdgpu a=1 b=2" of modprobe.d, or
// "amdgpu.a=1" of the kernel command line. Nothing is expanded: neither
// modprobe nor the kernel is a shell, so $(date) stays the text that it is.
func parseOptions(s machine.Setting) []machine.ParameterSetting {
	words := optionWords(s.Text)
	var out []machine.ParameterSetting
	switch {
	case s.File == machine.CommandLineFile:
		for _, word := range words {
			module, rest, _ := strings.Cut(word, ".")
			out = append(out, parameterSetting(s, module, rest))
		}
	case len(words) > 2 && words[0] == "options":
		for _, word := range words[2:] {
			out = append(out, parameterSetting(s, words[1], word))
		}
	}
	return slices.DeleteFunc(out, func(p machine.ParameterSetting) bool { return p.Name == "" })
}

func parameterSetting(s machine.Setting, module, word string) machine.ParameterSetting {
	name, value, _ := strings.Cut(word, "=")
	return machine.ParameterSetting{Module: underscores(module), Name: underscores(name), Value: strings.Trim(value, `"`), Setting: s}
}

// underscores writes a name as the kernel compares it: it takes - for _.
func underscores(name string) string { return strings.ReplaceAll(strings.Trim(name, `"`), "-", "_") }

// optionWords splits at white space outside of double quotes, as the kernel
// does.
func optionWords(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return !quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n')
	})
}
