package compose

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/yamltext"
)

const notMapped = "container-device-not-mapped"

// partners finds services with one of the two kinds of nodes. ROCm opens both:
// /dev/kfd for its queues, and the render node for memory.
func partners(has, lacks string) func(*lint.Pass) {
	return func(p *lint.Pass) {
		v := look(p)
		found := gather(v, under("devices"))
		for _, s := range v.gpus {
			if v.rocm[s] != "" && passes(s, has) && !passes(s, lacks) && !privileged(s) && !otherwise(s) && !slices.ContainsFunc(s.Devices(), open) {
				found.add(s, s.Get("devices"))
			}
		}
		r := reporting(p)
		for _, place := range found.order {
			f := at(p, place.value)
			f.Verdict, f.Cause = check.Fail, notMapped
			f.Message = fmt.Sprintf("The devices of %s have %s and not %s. ROCm opens both, and finds no GPU without either.", place.who(), has, lacks)
			f.Mend = addDevice(p, place, has, lacks)
			if f.Mend == nil {
				f.Advice = advice("compose-device", "Pass "+lacks+" too", "Add "+lacks+" to devices of "+place.who()+": other services share this list")
			}
			r.report(f)
		}
	}
}

// addDevice writes a node beside its partner, in the same form: with its target
// and rights where that has them. /dev/kfd comes first, as everybody writes it.
func addDevice(p *lint.Pass, place *place, has, lacks string) *lint.Mend {
	list := place.value.Node.Resolve()
	if !place.all {
		return nil
	}
	form, index := "", len(list.Items())
	for i, item := range list.Items() {
		if item.Kind() == yamltext.Scalar && below(firstPart(item.Value()), has) {
			form = item.Value()
			if lacks == "/dev/kfd" {
				index = i
			} else {
				index = i + 1
			}
			break
		}
	}
	text := lacks
	if parts := strings.Split(form, ":"); len(parts) > 1 {
		parts[0], parts[1] = lacks, lacks
		text = strings.Join(parts, ":")
	}
	edit, err := list.InsertShared(index, yamltext.Text(text))
	return mend(p, place.value, "Pass "+lacks+" too", edit, err)
}

func firstPart(text string) string {
	first, _, _ := strings.Cut(text, ":")
	return first
}

func privileged(s *composefile.Service) bool { return s.Get("privileged").String() == "true" }

// noDevices finds services that compute with ROCm and are given no GPU.
func noDevices(p *lint.Pass) {
	v := look(p)
	r := reporting(p)
	for _, s := range v.services() {
		why := v.rocm[s]
		if v := reserved(s); v != nil && why != "" && !privileged(s) && !otherwise(s) {
			r.report(reservation(p, s, v, why))
			continue
		}
		if !v.lacksDevices(s) {
			continue
		}
		f := at(p, s.Value)
		f.Verdict, f.Cause = check.Warn, notMapped
		if strings.HasPrefix(why, "it sets") {
			f.Verdict = check.Fail
		}
		f.Message = fmt.Sprintf("Service %s is given no GPU, although %s. Without /dev/kfd and /dev/dri it computes on the CPU, or stops.", s.Name, why)
		f.Mend = passBoth(p, s)
		if f.Mend == nil {
			f.Advice = advice("compose-devices", "Pass the nodes", "Add devices with /dev/kfd and /dev/dri to service "+s.Name)
		}
		r.report(f)
	}
}

// lacksDevices reports a service that computes with ROCm and has no GPU. Where it
// has some nodes, other rules say which are missing.
func (v *view) lacksDevices(s *composefile.Service) bool {
	if v.rocm[s] == "" || privileged(s) || otherwise(s) || v.elsewhere(s) || v.without(s) || s.Get("scale").String() == "0" {
		return false
	}
	return !hasGPU(s)
}

// hasGPU reports a service that is given a GPU in any of the ways of compose.
func hasGPU(s *composefile.Service) bool {
	return len(s.Reservations()) > 0 || slices.ContainsFunc(s.Devices(), func(d composefile.Device) bool {
		return d.CDI() || below(d.Source, "/dev/kfd") || below(d.Source, "/dev/dri") || d.Source == "/dev" || open(d)
	})
}

// without reports a service that is meant to do without a GPU: it says so by its
// name or profile, another one waits for it to end, or another one that is built from
// the same file was given one. A web front, a migration and a download often share the
// image of what computes.
func (v *view) without(s *composefile.Service) bool {
	if variableOf(s) != "" {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(strings.Join(append(slices.Clone(s.Profiles), s.Name), "-")), func(r rune) bool { return strings.ContainsRune("-_.", r) })
	built := s.Get("build") != nil
	return slices.Contains(words, "cpu") || slices.ContainsFunc(v.services(), func(o *composefile.Service) bool {
		waits := o.Get("depends_on", s.Name, "condition").String() == "service_completed_successfully"
		return o.Name != s.Name && (waits || built && o.Get("build") != nil && origin(o) == origin(s) && hasGPU(o))
	})
}

// origin is what an image is built from.
func origin(s *composefile.Service) string {
	build := s.Get("build")
	dir := build.String()
	if c := build.Get("context"); c != nil {
		dir = c.Text
	}
	return strings.Join([]string{path.Join(build.Dir, dir), cmp.Or(build.Get("dockerfile").String(), "Dockerfile"), build.Get("target").String()}, "\n")
}

// elsewhere reports a service that is given nodes by a file which is laid over
// this one.
func (v *view) elsewhere(s *composefile.Service) bool {
	return slices.ContainsFunc(v.services(), func(o *composefile.Service) bool {
		return o != s && o.Name == s.Name && o.Get("image") != nil && s.Get("image") != nil && o.Get("image").Node == s.Get("image").Node && len(o.Devices()) > 0
	})
}

func passBoth(p *lint.Pass, s *composefile.Service) *lint.Mend {
	const title = "Pass /dev/kfd and /dev/dri"
	v := look(p)
	if d := s.Get("devices"); d != nil && !d.Null && v.suits(s, text(d), under("devices"), v.lacksDevices) {
		edit, err := d.Node.Append(yamltext.Text("/dev/kfd")) // and compose/dri-missing the other one
		return mend(p, d, title, edit, err)
	}
	return addition{
		title: title, key: "devices", content: yamltext.List("/dev/kfd", "/dev/dri"),
		beside: "image", after: []string{"image", "build"}, wants: v.lacksDevices,
	}.add(p, s)
}
