package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/check/all"
	"github.com/rocsmith/rocsmith/internal/example"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/operation"
	"github.com/rocsmith/rocsmith/internal/report"
)

// A doctorCall holds the flags of one call of doctor.
type doctorCall struct {
	from, example, root string
	format              string
	selection           check.Selection
	require             []string
	services            string
	programs            []string
	probe               string
	requires            bool // --require was given, perhaps empty
	strict, list        bool
	verbose             bool
}

// choices counts the machines that a call names.
func (c doctorCall) choices() int {
	n := 0
	for _, s := range []string{c.from, c.example, c.root} {
		if s != "" {
			n++
		}
	}
	return n
}

// noDoctorArgs guesses which flag was meant.
func noDoctorArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case example.Story(args[0]) != "":
		return fmt.Errorf("doctor takes no argument; did you mean --example %s?", args[0])
	default:
		return fmt.Errorf("doctor takes no argument; to judge a snapshot say --from %s", args[0])
	}
}

func (a *App) doctor() *cobra.Command {
	var call doctorCall
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Judge a machine: can the AMD GPU be used, and what stands in the way?",
		Long: `doctor looks at this machine (or at a snapshot, an example, another root directory),
asks every check, and prints what it found, most decisive first.

Exit codes: 0 fine (warnings allowed), 1 at least one failure, 2 could not judge,
3 there is no AMD GPU here.`,
		Example: `  rocsmith doctor
  rocsmith doctor --format md                 to paste into an issue
  rocsmith doctor --from machine.snapshot     judge another machine
  rocsmith doctor --example whisper-container
  rocsmith doctor --only access --strict
  rocsmith doctor --require gemm,conv2d       exit 1 where one cannot be served
  rocsmith doctor --require gemm --probe F    F is what rocsmith probe --format json wrote
  rocsmith doctor --program ./llama-server    which HIP would it load, and what is missing?`,
		Args: noDoctorArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			call.requires = cmd.Flags().Changed("require")
			return a.runDoctor(call)
		},
	}
	f := cmd.Flags()
	f.StringVar(&call.from, "from", "", "judge the snapshot in `FILE` (- for standard input)")
	f.StringVar(&call.example, "example", "", "judge the embedded machine `NAME` (rocsmith demo lists them)")
	f.StringVar(&call.root, "root", "", "judge the system below `DIR`, a mounted root")
	f.StringVar(&call.format, "format", "text", "text, json or md")
	f.StringSliceVar(&call.selection.Only, "only", nil, "ask only the checks that match `GLOB`, and what they need (may be repeated)")
	f.StringSliceVar(&call.selection.Skip, "skip", nil, "leave out the checks that match `GLOB` (may be repeated)")
	f.StringSliceVar(&call.require, "require", nil, "the operations that an application needs, `LIST` (rocsmith kb operation names them); with --services, names of services too")
	f.StringVar(&call.services, "services", "", "judge the services in `FILE`, a table of lines \"name: [gemm, conv2d]\"")
	f.StringVar(&call.probe, "probe", "", "with --require or --services, judge by `FILE` too, the JSON of rocsmith probe (- for standard input)")
	f.StringSliceVar(&call.programs, "program", nil, "ask what the loader would do with `FILE`, a program or library that uses ROCm (may be repeated)")
	f.BoolVar(&call.strict, "strict", false, "exit 1 on warnings too")
	f.BoolVarP(&call.verbose, "verbose", "v", false, "list every check with its answer (text)")
	f.BoolVar(&call.list, "list-checks", false, "name all checks and stop")
	names := cobra.FixedCompletions(example.Names(), cobra.ShellCompDirectiveNoFileComp)
	formats := cobra.FixedCompletions([]string{"text", "json", "md"}, cobra.ShellCompDirectiveNoFileComp)
	// The flags exist: they were made a few lines above.
	_ = cmd.RegisterFlagCompletionFunc("example", names)
	_ = cmd.RegisterFlagCompletionFunc("format", formats)
	_ = cmd.RegisterFlagCompletionFunc("require", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return operation.IDs(), cobra.ShellCompDirectiveNoFileComp // read when asked: the table costs time
	})
	return cmd
}

func (a *App) runDoctor(call doctorCall) error {
	if call.list {
		return a.listChecks()
	}
	debug.SetGCPercent(400) // it ends after some milliseconds and 20 MB; collecting costs more than it frees
	if call.choices() > 1 {
		return errors.New("choose one of --from, --example and --root")
	}
	write, err := a.writer(call.format, call.verbose)
	if err != nil {
		return err
	}
	probed, err := a.probed(call)
	if err != nil {
		return err
	}
	reader, err := a.examined(call)
	if err != nil {
		return err
	}
	question, err := call.question()
	if err != nil {
		return err
	}
	question.Probed = probed
	question.Programs = a.programs(call.programs, call.choices() == 0)
	d, err := job.Diagnose(reader, a.Version, question, a.Now)
	if err != nil {
		return err
	}
	if err := write(d); err != nil {
		return err
	}
	d = asked(d, question)
	if len(question.Probed.Results) > 0 && d.Verdict() == check.OK {
		return nil // work was done on a GPU, whatever the machine's files say of one
	}
	return exitFor(d, call.strict)
}

// asked is what the exit code answers: where operations or services were named,
// only whether those can be served.
func asked(d report.Diagnosis, q job.Question) report.Diagnosis {
	if len(q.Operations)+len(q.Services) == 0 {
		return d
	}
	d.Findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f check.Finding) bool { return f.Area() != "require" })
	return d
}

// question reads what the application needs. Names of services choose among
// those of the table; where none is named, all of them are asked for.
func (c doctorCall) question() (job.Question, error) {
	for i, name := range c.require {
		c.require[i] = strings.TrimSpace(name)
	}
	if c.requires && len(c.require) == 0 {
		return job.Question{}, errors.New("--require names no operation; rocsmith kb operation names them")
	}
	q := job.Question{Selection: c.selection, Operations: c.require}
	if c.services == "" {
		return q, operation.Known(c.require)
	}
	data, err := readBounded(c.services, operation.MaxServices)
	if err != nil {
		return q, fmt.Errorf("read the table of services: %w", err)
	}
	services, err := operation.ParseServices(data)
	if err != nil {
		return q, fmt.Errorf("%s: %w", c.services, err)
	}
	q.Operations = slices.DeleteFunc(slices.Clone(c.require), func(name string) bool {
		i := slices.IndexFunc(services, func(s operation.Service) bool { return s.Name == name })
		if i >= 0 {
			q.Services = append(q.Services, services[i])
		}
		return i >= 0
	})
	if len(q.Services) == 0 {
		q.Services = services
	}
	if err := operation.Known(q.Operations); err != nil {
		return q, fmt.Errorf("%w, or from the services of %s: %s", err, c.services, strings.Join(names(services), ", "))
	}
	return q, nil
}

// probed reads what real work on the GPU showed.
func (a *App) probed(c doctorCall) (operation.Results, error) {
	if c.probe == "" {
		return operation.Results{}, nil
	}
	if !c.requires && c.services == "" {
		return operation.Results{}, errors.New("--probe answers --require or --services; say what is needed")
	}
	if c.probe == "-" && c.from == "-" {
		return operation.Results{}, errors.New("only one of --from and --probe can be standard input")
	}
	data, err := a.readProbe(c.probe)
	if err != nil {
		return operation.Results{}, fmt.Errorf("read the report of a probe: %w", err)
	}
	results, err := operation.ParseResults(data)
	if err != nil {
		return results, fmt.Errorf("%s: %w", c.probe, err)
	}
	return results, nil
}

func (a *App) readProbe(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(a.Stdin, operation.MaxResults+1))
	}
	return readBounded(file, operation.MaxResults)
}

func names(services []operation.Service) []string {
	out := make([]string, len(services))
	for i, s := range services {
		out[i] = s.Name
	}
	return out
}

// absolute names files of this machine in full; those of another are taken as
// they are written.
func absolute(files []string, here bool) []string {
	var out []string
	for _, f := range files {
		if full, err := filepath.Abs(f); err == nil && here {
			f = full
		}
		out = append(out, f)
	}
	return out
}

// programs are files as a shell finds them: a bare name that is no file here is
// looked for in PATH.
func (a *App) programs(files []string, here bool) []string {
	out := absolute(files, here)
	for i, f := range files {
		if !here || strings.ContainsAny(f, `/\`) || isFile(out[i]) {
			continue
		}
		for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
			if p := filepath.Join(dir, f); filepath.IsAbs(p) && isFile(p) {
				out[i] = p
				break
			}
		}
	}
	return out
}

func isFile(p string) bool {
	st, err := os.Stat(p)
	return err == nil && !st.IsDir()
}

// readBounded reads a file of a person; one that is larger than it may be is cut
// one byte later, for its parser to refuse.
func readBounded(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// exitFor turns the verdict into an exit code. A failure outweighs the missing
// GPU: somebody passed nodes that do not work.
func exitFor(d report.Diagnosis, strict bool) error {
	switch v := d.Verdict(); {
	case v == check.Fail, v == check.Warn && strict:
		return exitError{exitFailure}
	case d.NoAMDGPU():
		return exitError{exitNotApplicable}
	case v == check.Unknown:
		return exitError{exitCannotJudge}
	}
	return nil
}

func (a *App) writer(format string, verbose bool) (func(report.Diagnosis) error, error) {
	switch format {
	case "text":
		style := a.style()
		style.Verbose = verbose
		return func(d report.Diagnosis) error { return report.Text(a.Stdout, d, style) }, nil
	case "json":
		return func(d report.Diagnosis) error { return report.JSON(a.Stdout, d) }, nil
	case "md":
		return func(d report.Diagnosis) error { return report.Markdown(a.Stdout, d) }, nil
	}
	return nil, fmt.Errorf("there is no format %q; choose text, json or md", format)
}

// examined opens the machine that a call is about.
func (a *App) examined(call doctorCall) (host.Reader, error) {
	switch {
	case call.from != "":
		return a.openSnapshot(call.from)
	case call.example != "":
		return example.Open(call.example)
	case call.root != "":
		if st, err := os.Stat(call.root); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("--root %s: this is not a directory that can be read", call.root)
		}
		return host.Root(a.Host, call.root), nil
	}
	return a.Host, nil
}

// maxInput bounds what is read from a snapshot file.
const maxInput = 64 << 20

func (a *App) openSnapshot(file string) (host.Reader, error) {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("open the snapshot: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read the snapshot %s: %w", file, err)
	}
	s, err := host.ParseSnapshot(data)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot %s: %w", file, err)
	}
	return s, nil
}

func (a *App) listChecks() error {
	width := 0
	for _, c := range all.Checks() {
		width = max(width, len(c.ID))
	}
	for _, c := range all.Checks() {
		if _, err := fmt.Fprintf(a.Stdout, "%-*s  %s\n", width, c.ID, c.Title); err != nil {
			return fmt.Errorf("list the checks: %w", err)
		}
	}
	return nil
}
