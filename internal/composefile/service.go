package composefile

import (
	"path"
	"strings"
	"unicode"

	"github.com/rocsmith/rocsmith/internal/yamltext"
)

// A Device is an entry of devices.
type Device struct {
	Source, Target, Permissions string
	Value                       *Value
}

// CDI reports a device that is named as a CDI specification names it,
// vendor/class=name, and not by its path.
func (d Device) CDI() bool {
	return !strings.HasPrefix(d.Source, "/") && strings.Contains(d.Source, "=")
}

// Devices are the nodes that a service is given.
func (s *Service) Devices() []Device {
	var out []Device
	for _, v := range s.list("devices") {
		d := parseDevice(v.Text)
		if v.Kind == yamltext.Mapping {
			d = Device{Source: v.Get("source").String(), Target: v.Get("target").String(), Permissions: v.Get("permissions").String()}
			if d.Target == "" {
				d.Target = d.Source
			}
		}
		d.Value = v
		out = append(out, d)
	}
	return out
}

func parseDevice(text string) Device {
	parts := strings.SplitN(text, ":", 3)
	d := Device{Source: parts[0], Target: parts[0], Permissions: "rwm"}
	if len(parts) > 1 && parts[1] != "" {
		d.Target = parts[1]
	}
	if len(parts) > 2 {
		d.Permissions = parts[2]
	}
	return d
}

// list are the items of a key, of which one may stand without a list.
func (s *Service) list(keys ...string) []*Value {
	v := s.Get(keys...)
	if v == nil {
		return nil
	}
	return asList(v).Items
}

// Groups are the entries of group_add.
func (s *Service) Groups() []*Value { return s.list("group_add") }

// List are the entries of any list of a service.
func (s *Service) List(keys ...string) []*Value { return s.list(keys...) }

// Reservations are the devices that a service asks an engine's drivers for: those
// of deploy.resources and of gpus.
func (s *Service) Reservations() []*Value {
	return append(s.list("deploy", "resources", "reservations", "devices"), s.list("gpus")...)
}

// A Volume is an entry of volumes.
type Volume struct {
	Type     string // "bind", "volume", "tmpfs"
	Source   string // of a bind mount below the project its path, else as written
	Target   string
	ReadOnly bool
	SELinux  string // "z", "Z"
	// Creates tells that the engine makes the source where it is missing.
	Creates bool
	// Inside tells that the source is a path below the project's top.
	Inside bool
	Value  *Value
}

// Volumes are the folders and volumes that a service mounts.
func (s *Service) Volumes() []Volume {
	var out []Volume
	for _, v := range s.list("volumes") {
		m := parseVolume(v.Text)
		if v.Kind == yamltext.Mapping {
			m = longVolume(v)
		}
		m.Value = v
		if m.Type == "bind" && strings.HasPrefix(m.Source, ".") {
			m.Source = path.Join(v.Dir, m.Source)
			m.Inside = m.Source != ".." && !strings.HasPrefix(m.Source, "../")
		}
		out = append(out, m)
	}
	return out
}

func longVolume(v *Value) Volume {
	m := Volume{Type: v.Get("type").String(), Source: v.Get("source").String(), Target: v.Get("target").String()}
	m.ReadOnly = v.Get("read_only").String() == "true"
	m.SELinux = v.Get("bind", "selinux").String()
	m.Creates = v.Get("bind", "create_host_path").String() != "false" && m.Type == "bind"
	if m.Type == "bind" && m.Source != "" && !strings.ContainsAny(m.Source[:1], "./~") && !windowsPath(m.Source) {
		m.Source = "./" + m.Source
	}
	return m
}

func parseVolume(text string) Volume {
	parts := splitVolume(text)
	m := Volume{Type: "volume", Target: parts[0]}
	if len(parts) > 1 {
		m.Source, m.Target = parts[0], parts[1]
	}
	if strings.HasPrefix(m.Source, ".") || strings.HasPrefix(m.Source, "/") || strings.HasPrefix(m.Source, "~") || windowsPath(m.Source) {
		m.Type, m.Creates = "bind", true
	}
	if len(parts) > 2 {
		for option := range strings.SplitSeq(parts[2], ",") {
			switch option {
			case "ro":
				m.ReadOnly = true
			case "z", "Z":
				m.SELinux = option
			}
		}
	}
	return m
}

func windowsPath(text string) bool {
	return strings.HasPrefix(text, `\\`) || len(text) > 1 && text[1] == ':' && unicode.IsLetter(rune(text[0]))
}

// splitVolume splits at colons, but not behind the letter of a drive.
func splitVolume(text string) []string {
	var out []string
	start := 0
	for i := range len(text) {
		if text[i] == ':' && (i-start != 1 || !unicode.IsLetter(rune(text[start]))) {
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// A Variable is one that a service's processes see.
type Variable struct {
	Name, Text string
	// Set is false where the shell is to give the value and has none, or is not
	// known.
	Set bool
	// Value is where environment says so, Setting where an env file does.
	Value   *Value
	Setting *Setting
}

// Environment are the variables of a service: those of its env files, and over
// them those of environment. Whole is false where an env file was not read.
func (s *Service) Environment() (vars []Variable, whole bool) {
	place := map[string]int{}
	add := func(v Variable) {
		if i, there := place[v.Name]; there {
			vars[i] = v
			return
		}
		place[v.Name] = len(vars)
		vars = append(vars, v)
	}
	own := s.ownEnvironment()
	whole = true
	for _, f := range s.list("env_file") {
		settings, read := s.project.envFile(f, own)
		whole = whole && read
		for _, set := range settings {
			add(Variable{Name: set.Name, Text: set.Value, Set: true, Setting: set})
		}
	}
	for _, v := range own {
		add(v)
	}
	return vars, whole
}

// ownEnvironment is what environment itself says.
func (s *Service) ownEnvironment() []Variable {
	env := s.Get("environment")
	if env == nil {
		return nil
	}
	var out []Variable
	for _, v := range asPairs(env).Items {
		name, text, set := strings.Cut(v.String(), "=")
		if !set {
			text, set = s.project.passed(name)
		}
		out = append(out, Variable{Name: name, Text: text, Set: set, Value: v})
	}
	return out
}
