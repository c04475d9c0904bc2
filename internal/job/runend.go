package job

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/report"
)

// explained says why a command ended as it did, as explain --here does, and keeps
// what that rests on.
func (r Runner) explained(reader host.Reader, q RunQuestion, out report.Run) report.Run {
	after := nextLogin{reader, given(out.Settings)} // as the command saw the machine
	log, err := after.KernelLog()
	out.KernelLog = out.End.Since(log)
	if err != nil {
		out.End.Unseen = append(out.End.Unseen, fmt.Sprintf("the kernel log could not be read: %v", err))
	}
	if out.Case.Dir == "" {
		if out.Case, err = r.newCase(); err != nil { // the explanation is still worth having
			q.Say(fmt.Sprintf("the case is not kept: %v", err))
		}
	}
	catalogue, err := q.Catalogue()
	if err != nil { // a catalogue of one's own that cannot be read must not hide how the command ended
		out.End.Unseen = append(out.End.Unseen, fmt.Sprintf("nothing is explained: %v", err))
		r.keep(q, out)
		return out
	}
	request := ExplainRequest{Catalogue: catalogue, Machine: after, Inputs: r.inputs(&out)}
	const usual = 3
	request.Top = usual
	out.Log, out.Explanation, err = Explain(context.Background(), request, r.Version, r.Now)
	if err != nil {
		out.End.Unseen = append(out.End.Unseen, fmt.Sprintf("the output could not be explained: %v", err))
	}
	r.keep(q, out)
	return out
}

// inputs are the texts that a run left.
func (r Runner) inputs(out *report.Run) []explain.Input {
	in := []explain.Input{{Name: "output", Reader: bytes.NewReader(out.End.Tail)}}
	if len(out.KernelLog) > 0 {
		in = append(in, explain.Input{Name: "kernel log", Reader: strings.NewReader(strings.Join(out.KernelLog, "\n") + "\n")})
	}
	for _, t := range launch.Traces(out.Case) {
		in = append(in, explain.Input{Name: t.Name, Reader: bytes.NewReader(t.Data)})
	}
	return in
}

// given are settings as a reader of the environment sees them.
func given(settings []launch.Setting) []fix.Setting {
	var out []fix.Setting
	for _, s := range settings {
		if !s.Prepend {
			out = append(out, fix.Setting{Name: s.Name, Value: s.Value, Unset: s.Unset})
		}
	}
	return out
}

func (r Runner) newCase() (launch.Case, error) {
	dir, err := StateDir(r.Host)
	if err != nil {
		return launch.Case{}, err
	}
	return launch.NewCase(filepath.Join(dir, "runs"), r.Now())
}

// keep writes the case, and says what of it could not be written.
func (r Runner) keep(q RunQuestion, out report.Run) {
	if out.Case.Dir == "" {
		return
	}
	var doctor, explanation, story bytes.Buffer
	_ = report.JSON(&doctor, out.Environment.Diagnosis)
	_ = report.ExplainJSON(&explanation, out.Explanation)
	_ = report.RunStory(&story, out)
	var missing []error
	for name, data := range map[string][]byte{
		"output": out.End.Tail, "kernel-log": []byte(strings.Join(out.KernelLog, "\n")), "run.json": story.Bytes(),
		"doctor.json": doctor.Bytes(), "explain.json": explanation.Bytes(),
	} {
		if err := out.Case.Put(name, data); err != nil {
			missing = append(missing, err)
		}
	}
	if len(missing) > 0 {
		q.Say(fmt.Sprintf("the case is not kept whole: %v", missing[0]))
	}
}

// watchGPU watches the node that every program of ROCm opens, and those that programs
// of Vulkan and OpenCL open without it.
func watchGPU(q RunQuestion, env report.Environment) *launch.Watch {
	s, shares := q.Place.(interface{ sharesNodes() bool })
	m := env.Diagnosis.Machine
	if !shares || !s.sharesNodes() || len(m.TargetGPUs()) == 0 || env.System != "linux" || !m.RenderNodes.Known() {
		return launch.WatchOpens() // nothing will be known
	}
	nodes := []string{"/dev/kfd"}
	for _, n := range m.RenderNodes.Value {
		nodes = append(nodes, n.Path)
	}
	return launch.WatchOpens(nodes...)
}

// longEnough is how long a command runs that somebody would want to be on the GPU,
// where nobody said so.
const longEnough = 10 * time.Second

// onProcessor says that the work was done on the processor although there is a GPU,
// and on what that rests; "" where it was not, or where nobody can tell.
func onProcessor(q RunQuestion, d report.Diagnosis, end launch.End, untouched bool) string {
	gpus := d.Machine.TargetGPUs()
	if len(gpus) == 0 || end.Interrupted {
		return ""
	}
	if who, line, said := launch.OnProcessor(end.Tail); said {
		return fmt.Sprintf("a line of %s says that it computes on the processor, although there is a GPU (%s): %s", who, gpus[0].Label(), line)
	}
	if untouched && (q.RequireGPU || end.Duration >= longEnough) {
		// Containers have nodes of their own, and a server that runs already has them open.
		return fmt.Sprintf("nothing opened /dev/kfd or a render node while it ran: it computed nothing on the GPU (%s), unless a container or a server did it", gpus[0].Label())
	}
	return ""
}
