package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// open reports a device that is a variable without a value: it may be any node.
func open(d composefile.Device) bool {
	source := d.Value.Get("source")
	return !d.Value.Known() || source != nil && !source.Known()
}

// otherwise reports a service that has GPUs without naming them in devices: through
// AMD's container runtime, or as folders with the right to open what is in them.
// (AMD Container Toolkit, "Running workloads"; docker run, --device-cgroup-rule)
func otherwise(s *composefile.Service) bool {
	if s.Get("runtime").String() == "amd" {
		return true
	}
	vars, _ := s.Environment()
	if slices.ContainsFunc(vars, func(v composefile.Variable) bool {
		return v.Name == "AMD_VISIBLE_DEVICES" && v.Text != "none" && v.Text != "void"
	}) {
		return true // of no use but where AMD's runtime is the engine's default
	}
	return len(s.List("device_cgroup_rules")) > 0 && slices.ContainsFunc(s.Volumes(), func(v composefile.Volume) bool {
		return v.Source == "/dev" || below(v.Source, "/dev/kfd") || below(v.Source, "/dev/dri")
	})
}

// reserved is the first GPU that a service asks a driver of the engine for and that
// is none of AMD's by its name; nil where there is none.
func reserved(s *composefile.Service) *composefile.Value {
	for _, v := range s.Reservations() {
		can := items(v.Get("capabilities"))
		if len(can) > 0 && !slices.ContainsFunc(can, func(c *composefile.Value) bool { return c.Text == "gpu" || c.Text == "nvidia" }) {
			continue // another kind of device
		}
		driver := v.Get("driver").String()
		if driver == "" && !slices.ContainsFunc(items(v.Get("device_ids")), amds) || driver == "nvidia" {
			return v
		}
	}
	return nil
}

func items(v *composefile.Value) []*composefile.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

func amds(v *composefile.Value) bool { return strings.HasPrefix(v.Text, "amd.com/") }

// reservation tells of GPUs that are asked for as those of NVIDIA are.
func reservation(p *lint.Pass, s *composefile.Service, v *composefile.Value, why string) lint.Finding {
	f := at(p, v)
	f.Verdict, f.Cause = check.Warn, notMapped
	f.Message = fmt.Sprintf("Service %s asks the engine for GPUs and names no driver, although %s. Docker takes that for AMD only with AMD's container runtime, or in newer versions with a CDI specification; elsewhere the service does not start.", s.Name, why)
	if v.Get("driver").String() == "nvidia" {
		f.Verdict = check.Fail
		f.Message = fmt.Sprintf("Service %s asks for GPUs of NVIDIA, although %s. Without NVIDIA's driver it does not start, and with it ROCm finds no GPU.", s.Name, why)
	}
	f.Advice = advice("compose-devices", "Pass the nodes instead", "In service "+s.Name+" take this request out, and add devices with /dev/kfd and /dev/dri")
	return f
}
