package job

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/probe"
)

// A ProbeQuestion is what somebody wants to be shown.
type ProbeQuestion struct {
	Tasks   []string // globs of tasks or operations; empty is all
	Device  int
	Isolate bool
	Timeout time.Duration

	// At most one of these says where.
	Environment, Container, Image string

	Getenv func(string) string // of rocsmith itself
	// Variables gives the child those of the reader in place of rocsmith's own.
	Variables bool
	Progress  func(operation.Task)
}

// Probe does real work on a GPU of this machine, and judges it together with
// what the doctor finds.
func Probe(ctx context.Context, r host.Reader, version string, q ProbeQuestion, now func() time.Time) (report probe.Report, err error) {
	tasks, err := selectTasks(operation.Tasks(), q.Tasks)
	if err != nil {
		return probe.Report{}, err
	}
	program, err := probe.Find(q.Getenv, r.OS())
	if err != nil {
		return probe.Report{}, err
	}
	d, err := Diagnose(r, version, Question{}, now)
	if err != nil {
		return probe.Report{}, err
	}
	place, err := q.place(r, d.Machine, program)
	if err != nil {
		return probe.Report{}, err
	}
	defer func() {
		if left := place.Close(); left != nil {
			report.Left = left.Error()
		}
	}()
	if q.Variables {
		place = withVariables(place, variables(r))
	}
	start := now()
	outcomes, err := probe.Run(ctx, probe.Request{
		Start: place.Start, Tasks: tasks, Device: q.Device, Isolate: q.Isolate, Timeout: q.Timeout,
		Reader: r, Caches: growing(d.Machine), Progress: q.Progress,
	})
	if err != nil {
		return probe.Report{}, err
	}
	report = probe.Judge(probe.Judging{Machine: d.Machine, Found: d.Findings, Outcomes: outcomes, Device: q.Device, Explain: func(text string) string { return causeOf(ctx, d.Machine, text) }})
	report.Version, report.Where, report.Took = version, place.Name, now().Sub(start)
	return report, nil
}

// causeOf names the cause that a library's own words give away: by what is known of the probe's own libraries, else by
// the catalogue that logs are held to. What is only possible is not named beside a verdict that says more.
func causeOf(ctx context.Context, m *machine.Machine, text string) string {
	if known := probe.CauseInWords(text); known != "" {
		return known
	}
	c, err := cause.Embedded()
	if err != nil {
		return ""
	}
	around := explain.Surroundings{}
	for _, g := range m.TargetGPUs() {
		around.GPUs = append(around.GPUs, g.Gfx.Value)
	}
	log, err := explain.Read(ctx, []explain.Input{{Name: "the probe", Reader: strings.NewReader(text)}}, c, nil)
	if err != nil {
		return ""
	}
	e, err := explain.Judge(log, c, around)
	if err != nil || len(e.Causes) == 0 || e.Causes[0].Confidence == explain.Possible {
		return ""
	}
	return e.Causes[0].Cause.ID
}

func (q ProbeQuestion) place(r host.Reader, m *machine.Machine, program string) (probe.Place, error) {
	switch {
	case q.Environment != "":
		return probe.InEnvironment(r, program, q.Environment)
	case q.Container != "":
		return probe.InContainer(q.Getenv, program, q.Container)
	case q.Image != "":
		return probe.InImage(q.Getenv, program, q.Image, devices(m))
	}
	return probe.Here(program, nil), nil
}

func withVariables(p probe.Place, env []string) probe.Place {
	start := p.Start
	p.Start = func() (probe.Launch, error) {
		l, err := start()
		l.Env = env
		return l, err
	}
	return p
}

// devices are the nodes that this machine has, with the groups that own them.
func devices(m *machine.Machine) probe.Devices {
	var d probe.Devices
	give := func(node string, nodes ...machine.Node) {
		for _, n := range nodes {
			if !n.Stat.Known() {
				continue
			}
			if !slices.Contains(d.Nodes, node) {
				d.Nodes = append(d.Nodes, node)
			}
			if gid := n.Stat.Value.GID; gid != 0 && !slices.Contains(d.GIDs, gid) {
				d.GIDs = append(d.GIDs, gid)
			}
		}
	}
	give("/dev/kfd", m.KFD)
	give("/dev/dri", m.RenderNodes.Value...)
	return d
}

// growing are the folders that kernels are compiled into.
func growing(m *machine.Machine) []string {
	var out []string
	for _, f := range []machine.Fact[string]{m.Caches.MIOpen.Kernels, m.Caches.MIOpen.Tuning} {
		if f.Known() && !slices.Contains(out, f.Value) {
			out = append(out, f.Value)
		}
	}
	for _, f := range m.Caches.Others {
		if f.Use == machine.ComgrCache {
			out = append(out, f.Path)
		}
	}
	return out
}

// selectTasks picks the tasks that match a glob, by their id or their operation,
// and what those need.
func selectTasks(all []operation.Task, globs []string) ([]operation.Task, error) {
	if len(globs) == 0 {
		return all, nil
	}
	wanted := map[string]bool{"identity": true} // whose results they are
	for _, glob := range globs {
		found := false
		for _, t := range all {
			byID, err := path.Match(glob, t.ID)
			if err != nil {
				return nil, fmt.Errorf("--op %s: %w", glob, err)
			}
			byOperation, _ := path.Match(glob, t.Operation) // the same pattern, which is sound
			if byID || byOperation {
				wanted[t.ID], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no task matches --op %s; choose from %s", glob, strings.Join(ids(all), ", "))
		}
	}
	for _, t := range slices.Backward(all) { // needs stand before those who need them
		for _, n := range t.Needs {
			wanted[n] = wanted[n] || wanted[t.ID]
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(t operation.Task) bool { return !wanted[t.ID] }), nil
}

func ids(tasks []operation.Task) []string {
	out := make([]string, len(tasks))
	for i, t := range tasks {
		out[i] = t.ID
	}
	return out
}
