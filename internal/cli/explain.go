package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/cause"
	"github.com/rocsmith/rocsmith/internal/explain"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

// An explainCall holds the flags of one call of explain.
type explainCall struct {
	journal         bool
	containers      []string
	pods            []string
	here            bool
	from, catalogue string
	gpus, env       []string
	top             int
	format          string
}

func (a *App) explain() *cobra.Command {
	var call explainCall
	cmd := &cobra.Command{
		Use:   "explain [FILE…]",
		Short: "Read a log and say what went wrong, on which lines that rests, and what to do",
		Long: `explain reads logs (files, or standard input) of any length, and names the cause of the
failure in them, how sure it is, the lines it rests on, and the cure. Harmless texts are
called so. Only the log counts, unless --here or --from brings the machine in: then what
the doctor finds there confirms a cause or strikes it.

Exit codes: 0 nothing is broken, 1 a failure is explained, 2 unknown, or it could not be
read.`,
		Example: `  rocsmith explain train.log
  python train.py 2>&1 | rocsmith explain
  rocsmith explain --here crash.log           the log is from this machine
  rocsmith explain --container whisper        what docker logs or podman logs prints
  rocsmith explain --gpu gfx1151 --env HSA_OVERRIDE_GFX_VERSION=11.0.0 crash.log`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runExplain(cmd.Context(), call, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&call.journal, "journal", false, "read the journal of this boot (journalctl)")
	f.StringSliceVar(&call.containers, "container", nil, "read the log of the container `NAME` (docker or podman)")
	f.StringSliceVar(&call.pods, "pod", nil, "read the log of the pod `[NAMESPACE/]NAME` (kubectl)")
	f.BoolVar(&call.here, "here", false, "the log was written on this machine: hold it to what the doctor finds")
	f.StringVar(&call.from, "from", "", "the log was written on the machine in `FILE`: a snapshot, the JSON of rocm-cli or RDHC, or the text of torch's collect_env")
	f.StringSliceVar(&call.gpus, "gpu", nil, "the GPU was a `GFX` (may be repeated)")
	f.StringArrayVar(&call.env, "env", nil, "the program had the variable `NAME=VALUE` (may be repeated)")
	f.IntVar(&call.top, "top", 3, "name at most `N` causes")
	f.StringVar(&call.catalogue, "catalogue", "", "add the causes in the YAML files of `DIR`, or put them in place of those of the same id")
	f.StringVar(&call.format, "format", "text", "text, json or md")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "json", "md"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *App) runExplain(ctx context.Context, call explainCall, names []string) error {
	write, err := a.explanationWriter(call.format)
	if err != nil {
		return err
	}
	request, err := a.explainRequest(call)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	inputs, err := a.openLogs(ctx, call, names)
	defer func() {
		for _, in := range inputs {
			_ = in.Close()
		}
	}()
	if err != nil {
		return err
	}
	for _, in := range inputs {
		request.Inputs = append(request.Inputs, explain.Input{Name: in.name, Reader: in})
	}
	tell, done := a.progress()
	request.Progress = tell
	log, e, err := job.Explain(ctx, request, a.Version, a.Now)
	done()
	if err != nil {
		return err
	}
	if err := write(log, e); err != nil {
		return err
	}
	switch e.Verdict {
	case explain.Failure:
		return exitError{exitFailure}
	case explain.Unknown:
		return exitError{exitCannotJudge}
	}
	return nil
}

func (a *App) explanationWriter(format string) (func(explain.Log, explain.Explanation) error, error) {
	switch format {
	case "text":
		return func(l explain.Log, e explain.Explanation) error { return report.ExplainText(a.Stdout, l, e, a.style()) }, nil
	case "json":
		return func(_ explain.Log, e explain.Explanation) error { return report.ExplainJSON(a.Stdout, e) }, nil
	case "md":
		return func(l explain.Log, e explain.Explanation) error {
			return report.ExplainMarkdown(a.Stdout, a.Version, l, e)
		}, nil
	}
	return nil, fmt.Errorf("there is no format %q; choose text, json or md", format)
}

var gfxName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gfx[0-9a-f]{3,4}$`) })

// explainRequest is what is known besides the log.
func (a *App) explainRequest(call explainCall) (job.ExplainRequest, error) {
	q := job.ExplainRequest{Top: call.top, Surroundings: explain.Surroundings{Env: map[string]string{}}}
	if call.here && call.from != "" {
		return q, errors.New("choose one of --here and --from")
	}
	for _, gpu := range call.gpus {
		processor, _, _ := strings.Cut(gpu, ":")
		if !gfxName().MatchString(processor) {
			return q, fmt.Errorf("%q is no gfx; rocsmith kb gpu NAME finds the gfx of a card", gpu)
		}
		q.Surroundings.GPUs = append(q.Surroundings.GPUs, processor)
	}
	for _, pair := range call.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return q, fmt.Errorf("--env takes NAME=VALUE, not %q", pair)
		}
		q.Surroundings.Env[name] = value
	}
	var err error
	if q.Catalogue, err = a.catalogue(call.catalogue); err != nil {
		return q, err
	}
	if call.here {
		q.Machine = a.Host
	}
	if call.from != "" {
		err = a.explainFrom(call.from, &q)
	}
	return q, err
}

// explainFrom reads what another tool says of the machine.
func (a *App) explainFrom(file string, q *job.ExplainRequest) error {
	data, err := readBounded(file, maxInput)
	switch {
	case err != nil:
		return fmt.Errorf("read the machine: %w", err)
	case bytes.HasPrefix(data, []byte("rocsmith snapshot ")):
		q.Machine, err = a.openSnapshot(file)
		return err
	case bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")), bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")):
		s, err := explain.FromJSON(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		q.Surroundings = q.Surroundings.Plus(s)
		return nil
	}
	q.Inputs = append(q.Inputs, explain.Input{Name: file, Reader: bytes.NewReader(data)})
	return nil
}

// catalogue is the embedded one, with what the user keeps in a folder of their own and what the call names.
func (a *App) catalogue(dir string) (cause.Catalogue, error) {
	c, err := cause.Embedded()
	if err != nil {
		return c, err
	}
	own := a.ownCauses()
	for _, d := range []string{own, dir} {
		if _, err := os.Stat(d); d == "" || d == own && err != nil {
			continue
		} else if err != nil {
			return c, fmt.Errorf("read the catalogue: %w", err)
		}
		more, err := cause.Parse(os.DirFS(d), ".")
		if err != nil {
			return c, fmt.Errorf("the catalogue in %s: %w", d, err)
		}
		c = c.Plus(more)
	}
	return c, c.Validate()
}

// ownCauses is the folder in which a user keeps causes; "" where they have no home.
func (a *App) ownCauses() string {
	for _, at := range []struct{ name, below string }{{"XDG_CONFIG_HOME", ""}, {"APPDATA", ""}, {"HOME", ".config"}} {
		if dir := a.Getenv(at.name); filepath.IsAbs(dir) {
			return filepath.Join(dir, at.below, "rocsmith", "causes")
		}
	}
	return ""
}

// A namedLog is a log that is read once.
type namedLog struct {
	name string
	io.Reader
	close func() error
}

func (l namedLog) Close() error { return l.close() }

// openLogs opens what the call names; nothing named is standard input.
func (a *App) openLogs(ctx context.Context, call explainCall, names []string) ([]namedLog, error) {
	var out []namedLog
	var sources []host.LogSource
	if call.journal {
		sources = append(sources, host.LogSource{Journal: true})
	}
	for _, name := range call.containers {
		sources = append(sources, host.LogSource{Container: name})
	}
	for _, name := range call.pods {
		sources = append(sources, host.LogSource{Pod: name})
	}
	if len(names)+len(sources) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		if name == "-" {
			out = append(out, namedLog{"standard input", a.Stdin, func() error { return nil }})
			continue
		}
		f, err := openLog(name)
		if err != nil {
			return out, err
		}
		out = append(out, namedLog{name, f, f.Close})
	}
	for _, s := range sources {
		r, err := host.OpenLog(ctx, s)
		if err != nil {
			return out, err
		}
		out = append(out, namedLog{s.String(), r, r.Close})
	}
	return out, nil
}

func openLog(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; name the logs in it", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return f, nil
}

// progress tells on a terminal how much of a large log was read; done wipes that away.
func (a *App) progress() (tell func(int64), done func()) {
	f, ok := a.Stderr.(*os.File)
	if !ok || Columns(f) == 0 {
		return nil, func() {}
	}
	const step = 128 << 20
	next := int64(step)
	tell = func(read int64) {
		if read >= next {
			next = read + step
			_, _ = fmt.Fprintf(f, "\r%d MB read", read/1e6)
		}
	}
	return tell, func() {
		if next > step {
			_, _ = fmt.Fprint(f, "\r\x1b[K")
		}
	}
}
