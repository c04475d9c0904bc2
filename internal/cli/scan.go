package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
	"github.com/rocsmith/rocsmith/internal/scan"
)

// A scanCall holds the flags of one call of scan.
type scanCall struct {
	gpus, require []string
	format        string
	deep          bool
}

func (a *App) scan() *cobra.Command {
	var call scanCall
	cmd := &cobra.Command{
		Use:   "scan TARGET…",
		Short: "Say which GPUs files, folders and wheels hold code for, and whether they run on yours",
		Long: `scan reads the GPU code in programs, libraries, kernel folders, virtual environments,
wheels, zips, .7z archives, tarballs and Debian packages from their bytes, without ROCm, and
says for each whether it runs on a GPU: one that you name, or those of this machine. Without
either it lists what is there. Nothing is unpacked to disk or run. Where it cannot look it says so.

Exit codes: 0 it runs, there is no GPU code, or nothing was asked; 1 some or all of it
does not run, or --require was given and there is no GPU code; 2 something could not be
read.`,
		Example: `  rocsmith scan .venv
  rocsmith scan --gpu gfx1151 torch-2.9.1+rocm6.4-cp312-cp312-linux_x86_64.whl
  rocsmith scan --require gfx1100,gfx1201 build/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name what to scan: a file, a folder, a virtual environment or a wheel")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for flag, names := range map[string][]string{"gpu": call.gpus, "require": call.require} {
				if cmd.Flags().Changed(flag) && len(names) == 0 { // a variable that is not set must not open a gate
					return fmt.Errorf("--%s names no GPU; name one, as in --%s gfx1100", flag, flag)
				}
			}
			return a.runScan(call, args)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&call.gpus, "gpu", nil, "judge for `GFX`, as in gfx1100 or gfx90a:xnack+ (may be repeated)")
	f.StringSliceVar(&call.require, "require", nil, "exit 1 unless there is code, and it runs on each of `GFX,…`")
	f.BoolVar(&call.deep, "deep", false, "look at every byte, for code outside of the known places; slow")
	f.StringVar(&call.format, "format", "text", "text, json, md, sarif or junit")
	return cmd
}

func (a *App) runScan(call scanCall, targets []string) error {
	if formats := []string{"text", "json", "md", "sarif", "junit"}; !slices.Contains(formats, call.format) {
		return fmt.Errorf("there is no format %q; choose %s", call.format, strings.Join(formats, ", "))
	}
	request := scan.Request{Deep: call.deep}
	for _, name := range slices.Concat(call.gpus, call.require) {
		gpu, err := rocm.ParseTargetID(name)
		if err != nil {
			return fmt.Errorf("%w; rocsmith kb gpu %s may know the card", err, name)
		}
		if !slices.Contains(request.GPUs, gpu) {
			request.GPUs = append(request.GPUs, gpu)
		}
	}
	full := absolute(targets, true)
	named := make([]job.ScanTarget, len(targets))
	for i := range targets {
		named[i] = job.ScanTarget{Given: targets[i], Path: full[i]}
	}
	r := job.Scan(a.Host, named, request)
	if err := a.showScan(call.format, strings.Join(targets, ", "), r); err != nil {
		return err
	}
	switch overall := r.Overall(); {
	case overall == scan.Partial, overall == scan.No:
		return exitError{exitFailure}
	case overall == scan.Unknown:
		return exitError{exitCannotJudge}
	case len(call.require) > 0 && len(r.Items) == 0:
		a.beside(fmt.Sprintf("code for %s was required, and there is none at all", strings.Join(call.require, ", ")))
		return exitError{exitFailure} // a build that lost its GPU code must not pass a gate
	}
	return nil
}

func (a *App) showScan(format, target string, r scan.Report) error {
	switch format {
	case "json":
		return report.ScanJSON(a.Stdout, r)
	case "md":
		return report.ScanMarkdown(a.Stdout, target, r)
	case "sarif":
		return report.ScanSARIF(a.Stdout, a.Version, r)
	case "junit":
		return report.ScanJUnit(a.Stdout, r)
	}
	return report.ScanText(a.Stdout, target, r, a.style())
}
