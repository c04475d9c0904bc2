package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/cdi"
	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
)

func (a *App) cdi() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cdi",
		Short: "Describe the GPUs to container engines, and see whether the description is still true",
		Long: `cdi writes and judges specifications of the Container Device Interface. With one in
/etc/cdi, podman and Docker take --device amd.com/gpu=0 for all that a container needs
of the first GPU: its nodes, with the rights they have outside.`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.cdiGenerate(), a.cdiCheck())
	return cmd
}

// A cdiCall holds the flags of one call of cdi generate.
type cdiCall struct {
	wish     cdi.Wish
	out      string
	from     string
	example  string
	dry, yes bool
}

func (a *App) cdiGenerate() *cobra.Command {
	var call cdiCall
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write the specification of this machine's AMD GPUs",
		Long: `generate prints a specification of amd.com/gpu: each GPU by its number in the order of
HIP and by its address on the PCI bus, and "all". Every node carries its real mode, owner
and group; without them podman would open the node to everybody in the container.

With -o it is written to a file: shown first, asked for, and kept in the journal, so that
rocsmith undo takes it back.

Exit codes: 0 done, 2 could not judge, 3 no AMD GPU here or refused, 4 failed and put
back, 5 you said no.`,
		Example: `  rocsmith cdi generate
  sudo rocsmith cdi generate -o /etc/cdi/amd.json
  podman run --device amd.com/gpu=all …`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.runCDIGenerate(call) },
	}
	f := cmd.Flags()
	f.StringVarP(&call.out, "output", "o", "", "write it to `FILE`, which ends in .json or .yaml")
	f.StringVar(&call.from, "from", "", "describe the machine of the snapshot in `FILE` (- for standard input)")
	f.StringVar(&call.example, "example", "", "describe the embedded machine `NAME` (rocsmith demo lists them)")
	f.BoolVar(&call.wish.Cards, "cards", false, "add the card nodes, for programs that draw on a screen")
	f.BoolVar(&call.wish.Groups, "groups", false, "let containers join the groups of the nodes by themselves (CDI 0.7: older engines do not read it)")
	f.BoolVar(&call.dry, "dry-run", false, "with -o, show the plan and change nothing")
	f.BoolVar(&call.yes, "yes", false, "with -o, do not ask")
	return cmd
}

func (a *App) runCDIGenerate(call cdiCall) error {
	if call.from != "" && call.example != "" {
		return errors.New("choose one of --from and --example")
	}
	reader, err := a.examined(doctorCall{from: call.from, example: call.example})
	if err != nil {
		return err
	}
	if call.out == "" && (call.dry || call.yes) {
		return errors.New("--dry-run and --yes are about the file of -o; without it nothing is written")
	}
	name := call.out
	if name == "" || name == "-" {
		name = cdi.DefaultFile
	}
	text, err := job.GenerateCDI(reader, call.wish, name)
	if errors.Is(err, cdi.ErrNoGPU) || errors.Is(err, cdi.ErrTranslated) {
		a.beside(err.Error())
		return exitError{exitNotApplicable}
	}
	if err != nil {
		return err
	}
	if call.out == "" || call.out == "-" {
		_, err := a.Stdout.Write(text)
		return err
	}
	return a.writeCDI(call, text)
}

func (a *App) writeCDI(call cdiCall, text []byte) error {
	file, err := filepath.Abs(call.out)
	if err != nil {
		return fmt.Errorf("name the file in full: %w", err)
	}
	s := a.surgeon(a.terminal())
	if !call.dry {
		if err := a.recovered(s); err != nil {
			return err
		}
	}
	plan, err := s.PlanFile("Describe the AMD GPUs to container engines", file, text)
	if err != nil {
		return a.refused(err)
	}
	if len(plan.Steps) == 0 {
		a.say("%s holds this already.\n", file)
		return nil
	}
	if err := report.Plan(a.Stdout, plan, a.style()); err != nil {
		return err
	}
	if call.dry {
		return nil
	}
	if err := a.agreed(call.yes, "Write it?"); err != nil {
		return err
	}
	return a.apply(s, plan)
}

func (a *App) cdiCheck() *cobra.Command {
	var file, format string
	var strict, verbose bool
	cmd := &cobra.Command{
		Use:   "check [FILE|FOLDER]...",
		Short: "See whether specifications are still true of this machine",
		Long: `check reads the specifications in /etc/cdi and /var/run/cdi, or those that are named, and
holds them to the machine: nodes that are gone, other rights or numbers, GPUs that are
missing, numbers that lead to another GPU since the driver counts otherwise.

Exit codes: 0 fine (warnings allowed), 1 at least one failure, 2 could not judge,
3 there is no AMD GPU here.`,
		Example: `  rocsmith cdi check
  rocsmith cdi check /etc/cdi/amd.json --format json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if file != "" {
				args = append(args, file)
			}
			write, err := a.writer(format, verbose)
			if err != nil {
				return err
			}
			d := job.CheckCDI(a.Host, a.Version, places(a.Host, args), a.Now)
			if err := write(d); err != nil {
				return err
			}
			if d.Verdict() == check.Unknown && slices.ContainsFunc(d.Findings, unread) {
				return exitError{exitCannotJudge} // there being no GPU does not make up for it
			}
			return exitFor(d, strict)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&file, "output", "o", "", "the `FILE` that generate -o wrote")
	f.StringVar(&format, "format", "text", "text, json or md")
	f.BoolVar(&strict, "strict", false, "exit 1 on warnings too")
	f.BoolVarP(&verbose, "verbose", "v", false, "list every answer (text)")
	return cmd
}

// unread reports a specification of which nothing is known.
func unread(f check.Finding) bool {
	return f.Check == cdi.CheckReadable && f.Verdict == check.Unknown
}

// places are what was named, in full, or where engines look.
func places(r host.Reader, args []string) []string {
	if len(args) == 0 {
		return cdi.Dirs
	}
	out := absolute(args, true)
	for i := range out {
		if r.OS() != "windows" {
			out[i] = filepath.ToSlash(out[i])
		}
	}
	return out
}
