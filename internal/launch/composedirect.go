package launch

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/composefile"
)

// A Definition is what a service asks of an engine, read by rocsmith itself.
type Definition struct {
	Image      string
	User       string
	Dir        string
	Entrypoint []string
	Own        bool // the service says nothing of an entrypoint: the image's is run
	Flags      []string
	Variables  []string // NAME=VALUE
	// Ignored are keys that ask for more than one container, or that rocsmith does
	// not know.
	Ignored []string
	// External are volumes that the service expects to be there already.
	External []string
}

// flagsOf are the keys of a service that an engine has a flag for. Lists repeat
// it.
var flagsOf = map[string]string{
	"cap_add": "--cap-add", "cap_drop": "--cap-drop", "security_opt": "--security-opt", "tmpfs": "--tmpfs", "dns": "--dns",
	"extra_hosts": "--add-host", "ipc": "--ipc", "pid": "--pid", "shm_size": "--shm-size", "network_mode": "--network",
	"hostname": "--hostname", "mem_limit": "--memory", "userns_mode": "--userns", "platform": "--platform", "group_add": "--group-add",
}

// switchesOf are the keys that are on or off.
var switchesOf = map[string]string{"privileged": "--privileged", "read_only": "--read-only", "init": "--init"}

// meaningless are the keys that are read elsewhere, or that say nothing of one
// run of a command.
var meaningless = []string{
	"image", "build", "command", "entrypoint", "environment", "env_file", "volumes", "working_dir", "user", "ulimits", "ports", "expose",
	"container_name", "restart", "healthcheck", "profiles", "labels", "logging", "stdin_open", "tty", "stop_grace_period", "stop_signal",
	"pull_policy", "extends", "scale", "annotations", "devices",
}

// Define reads a service of a project.
func Define(s *composefile.Service, p Project) (Definition, error) {
	d := Definition{Image: s.Get("image").String(), User: s.Get("user").String(), Dir: s.Get("working_dir").String()}
	if d.Image == "" {
		return Definition{}, fmt.Errorf("the service %s names no image, and no compose is here that could build one: build it, and name it with image", s.Name)
	}
	for _, key := range s.Keys() {
		flag, known := flagsOf[key]
		onOff, isSwitch := switchesOf[key]
		switch {
		case known:
			for _, v := range s.List(key) {
				d.Flags = append(d.Flags, flag, v.String())
			}
		case isSwitch && s.Get(key).String() == "true":
			d.Flags = append(d.Flags, onOff)
		case !isSwitch && !slices.Contains(meaningless, key) && !strings.HasPrefix(key, "x-"):
			d.Ignored = append(d.Ignored, key)
		}
	}
	for _, device := range s.Devices() {
		text := device.Source
		if !device.CDI() {
			text += ":" + device.Target + ":" + cmp.Or(device.Permissions, "rwm")
		}
		d.Flags = append(d.Flags, "--device", text)
	}
	d.limits(s)
	d.volumes(s, p)
	d.environment(s)
	d.entrypoint(s)
	return d, nil
}

func (d *Definition) limits(s *composefile.Service) {
	limits := s.Get("ulimits")
	for _, name := range limits.Keys() {
		v := limits.Get(name)
		text := v.String()
		if soft, hard := v.Get("soft").String(), v.Get("hard").String(); soft != "" && hard != "" {
			text = soft + ":" + hard
		}
		d.Flags = append(d.Flags, "--ulimit", name+"="+text)
	}
}

// volumes mounts what is no folder of this machine; ServiceMounts are those.
func (d *Definition) volumes(s *composefile.Service, p Project) {
	for _, v := range s.Volumes() {
		switch {
		case v.Type == "tmpfs":
			d.Flags = append(d.Flags, "--tmpfs", v.Target)
		case v.Type == "volume" && v.Source == "":
			d.Flags = append(d.Flags, "--volume", v.Target)
		case v.Type == "volume":
			mount := d.stored(v.Source, p) + ":" + v.Target
			if v.ReadOnly {
				mount += ":ro"
			}
			d.Flags = append(d.Flags, "--volume", mount)
		}
	}
}

// stored is the engine's name of a volume. Compose puts the project in front, unless
// the project names it itself or shares it with others (compose-spec,
// 07-volumes.md).
func (d *Definition) stored(volume string, p Project) string {
	said := p.Volumes[volume]
	for _, key := range []string{"driver", "driver_opts"} {
		if v := said.Get(key); v != nil && !v.Null && v.String() != "local" {
			d.Ignored = append(d.Ignored, "volumes."+volume+"."+key)
		}
	}
	external := said.Get("external")
	name := cmp.Or(said.Get("name").String(), external.Get("name").String())
	if external.String() != "true" && len(external.Keys()) == 0 {
		return cmp.Or(name, p.Name+"_"+volume)
	}
	name = cmp.Or(name, volume)
	d.External = append(d.External, name)
	return name
}

// HasVolumes says which volume is not there: an engine would make an empty one
// without a word.
func (e Engine) HasVolumes(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := e.ask(ctx, "volume", "inspect", name); err != nil {
			return fmt.Errorf("the volume %s is external, so it must be there, and %s has none of this name: %w", name, e.Kind, err)
		}
	}
	return nil
}

func (d *Definition) environment(s *composefile.Service) {
	vars, whole := s.Environment()
	for _, v := range vars {
		if v.Set {
			d.Variables = append(d.Variables, v.Name+"="+v.Text)
		}
	}
	if !whole {
		d.Ignored = append(d.Ignored, "env_file")
	}
}

func (d *Definition) entrypoint(s *composefile.Service) {
	v := s.Get("entrypoint")
	switch {
	case v == nil || v.Null:
		d.Own = true
	case strings.ContainsAny(v.String(), `'"\$`): // words that only a shell could part
		d.Ignored, d.Own = append(d.Ignored, "entrypoint"), true
	case v.String() != "":
		d.Entrypoint = strings.Fields(v.String())
	default: // a list, of which an empty one leaves the image's out, as "" does
		for _, item := range v.Items {
			d.Entrypoint = append(d.Entrypoint, item.String())
		}
	}
}

// Without gives a container what a service does not have yet: neither nodes and
// groups nor variables twice.
func (d Definition) Without(c Container, s *composefile.Service) Container {
	c.Image, c.User, c.Dir, c.Entrypoint, c.Own = d.Image, d.User, d.Dir, d.Entrypoint, d.Own
	c.Flags = d.Flags
	nodes := missingDevices(s, c.Access.Devices)
	c.Access.Devices = nil
	for _, n := range nodes {
		node, _, _ := strings.Cut(n, ":")
		c.Access.Devices = append(c.Access.Devices, node)
	}
	c.Access.Groups = missingGroups(s, c.Access.Groups)
	c.Variables = append(slices.Clone(d.Variables), missingVariables(s, c.Variables)...)
	if c.Dir != "" {
		c.Dir = path.Clean(c.Dir)
	}
	return c
}
