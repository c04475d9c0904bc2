package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocsmith/rocsmith/internal/report"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// An entry is one thing that is known, in the order in which it is shown.
type entry struct {
	title  string
	fields []field
}

type field struct{ name, value string }

func (a *App) kb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kb",
		Short: "Show what is known of GPUs, targets, releases, overrides, kernel parameters, memory and kernels, with its source",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	format := cmd.PersistentFlags().String("format", "text", "text or json")
	for _, c := range []struct {
		use, short, example string
		args                cobra.PositionalArgs
		look                func([]string) ([]entry, error)
	}{
		{"gpu NAME", "A GPU by name, PCI id, chip or gfx", "  rocsmith kb gpu 'RX 6700 XT'\n  rocsmith kb gpu 1002:73df", named("name a GPU: a product, a PCI id or a gfx", 9), lookGPU},
		{"target GFX", "A target: its family, features, kernels and wheels", "  rocsmith kb target gfx1151", named("name one target, like gfx1100", 1), lookTarget},
		{"release VERSION", "A ROCm release and the GPUs it lists", "  rocsmith kb release 7.2", named("name one release, like 7.2", 1), lookRelease},
		{"override VALUE [GFX]", "What HSA_OVERRIDE_GFX_VERSION=VALUE does, to one GPU or to all it is known for", "  rocsmith kb override 10.3.0 gfx1010", named("give a value, like 10.3.0, and perhaps a gfx", 2), lookOverride},
		{"parameter NAME [GFX]", "A kernel parameter of amdgpu, ttm or amdttm, and its default, on one GPU or on all", "  rocsmith kb parameter noretry gfx1010\n  rocsmith kb parameter ttm.pages_limit", named("name a parameter, like noretry, and perhaps a gfx", 2), lookParameter},
		{"memory SIZE", "How to let the GPU of an APU use SIZE of system memory", "  rocsmith kb memory 100G", named("name one size, like 100G", 1), lookMemory},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: c.use, Short: c.short, Example: c.example, Args: c.args,
			RunE: func(_ *cobra.Command, args []string) error {
				entries, err := c.look(args)
				if err != nil {
					return err
				}
				return a.printEntries(entries, *format)
			},
		})
	}
	cmd.AddCommand(a.kbMatrix(format))
	return cmd
}

// named says what is missing in words.
func named(hint string, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) > most {
			return errors.New(hint)
		}
		return nil
	}
}

func (a *App) printEntries(entries []entry, format string) error {
	switch format {
	case "text":
		for i, e := range entries {
			if i > 0 {
				a.say("\n")
			}
			a.say("%s\n", e.title)
			for _, f := range e.fields {
				if f.value != "" {
					a.say("%s", report.Field(f.name, f.value, a.style()))
				}
			}
		}
		return nil
	case "json":
		return a.printJSON(entries)
	}
	return fmt.Errorf("there is no format %q; choose text or json", format)
}

func (a *App) printJSON(entries []entry) error {
	type object map[string]string
	out := struct {
		Schema  int      `json:"schema"`
		Entries []object `json:"entries"`
	}{Schema: 1, Entries: []object{}}
	for _, e := range entries {
		o := object{"title": e.title}
		for _, f := range e.fields {
			o[strings.ReplaceAll(f.name, " ", "_")] = f.value
		}
		out.Entries = append(out.Entries, o)
	}
	enc := json.NewEncoder(a.Stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func sourceFields(p rocm.Provenance) []field {
	confidence := string(p.Confidence)
	if p.Unverified {
		confidence += ", unverified: a hint only"
	}
	return []field{{"confidence", confidence}, {"source", p.Source}}
}

func lookGPU(args []string) ([]entry, error) {
	query := strings.Join(args, " ")
	var out []entry
	for _, p := range rocm.FindProducts(query) {
		id := ""
		if p.Device != "" {
			id = p.Vendor + ":" + p.Device
		}
		out = append(out, entry{p.Name, append([]field{
			{"gfx", p.Gfx}, {"pci id", id}, {"kind", p.Kind}, {"chip", p.Chip}, {"codename", p.Codename}, {"generation", p.Generation},
		}, sourceFields(p.Provenance)...)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no GPU is known by %q; try a PCI id (lspci -nn) or a gfx name", query)
	}
	return out, nil
}

func lookTarget(args []string) ([]entry, error) {
	name := strings.ToLower(args[0])
	if t, ok := rocm.LookupTarget(name); ok {
		return []entry{targetEntry(t)}, nil
	}
	if g, ok := rocm.LookupGeneric(name); ok {
		return []entry{{g.Name, append([]field{
			{"members", strings.Join(g.Members, " ")}, {"restrictions", strings.Join(g.Restrictions, "; ")}, {"note", g.Note},
		}, sourceFields(g.Provenance)...)}}, nil
	}
	return nil, fmt.Errorf("no target is called %q; names look like gfx1100 or gfx11-generic", args[0])
}

func targetEntry(t rocm.Target) entry {
	var features []string
	if t.XNACK {
		features = append(features, "xnack")
	}
	if t.SRAMECC {
		features = append(features, "sramecc")
	}
	value, _ := rocm.OverrideValue(t.Gfx)
	fields := []field{
		{"generation", t.Generation}, {"kind", t.Kind}, {"chips", strings.Join(t.Chips, ", ")}, {"family", t.Generic},
		{"features", strings.Join(features, " ")}, {"override", value}, {"status", t.Status}, {"note", t.Note},
	}
	for _, k := range rocm.KernelRules(t.Gfx) {
		fields = append(fields, field{"kernel", k.Text + " (" + k.Provenance.String() + ")"})
	}
	if w, ok := rocm.DeviceWheels(t.Gfx); ok {
		fields = append(fields, field{"wheels", fmt.Sprintf("pip install --index-url %s \"torch[device-%s]\"", w.Index, t.Gfx)})
	}
	return entry{t.Gfx, append(fields, sourceFields(t.Provenance)...)}
}

func lookRelease(args []string) ([]entry, error) {
	r, ok := rocm.LookupRelease(args[0])
	if !ok {
		return nil, fmt.Errorf("no ROCm release %q is known; the newest known is %s", args[0], rocm.NewestRelease().Version)
	}
	return []entry{{"ROCm " + r.Version, append([]field{
		{"date", r.Date}, {"stream", r.Stream}, {"gfx", strings.Join(r.Gfx, " ")}, {"deprecated", strings.Join(r.Deprecated, " ")},
		{"driver", r.Driver}, {"prefix", r.InstallPrefix}, {"notes", strings.Join(r.Notes, "; ")},
	}, sourceFields(r.Provenance)...)}}, nil
}

// sameMajor are the GPUs for which somebody may think of an override: those of
// the same major version, other families included.
func sameMajor(gfx string) []string {
	want, _ := rocm.TargetVersionOf(gfx)
	var out []string
	for _, t := range rocm.Targets() {
		if v, ok := rocm.TargetVersionOf(t.Gfx); ok && t.Status == "" && v/10000 == want/10000 {
			out = append(out, t.Gfx)
		}
	}
	return out
}

func lookOverride(args []string) ([]entry, error) {
	gfx, err := rocm.ParseOverride(args[0])
	if err != nil {
		return nil, err
	}
	var reals []string
	switch {
	case len(args) == 2:
		reals = []string{strings.ToLower(args[1])}
	default:
		reals = sameMajor(gfx)
	}
	var out []entry
	for _, real := range reals {
		o, err := rocm.JudgeOverride(real, args[0])
		if err != nil {
			return nil, err
		}
		out = append(out, entry{fmt.Sprintf("%s on %s: %s", rocm.OverrideVariable+"="+args[0], real, o.Verdict), append([]field{
			{"runs as", o.Impersonates}, {"why", o.Why}, {"caution", o.Caution}, {"better", o.Better},
		}, sourceFields(o.Provenance)...)})
	}
	if len(args) == 1 && len(out) == 0 {
		return nil, fmt.Errorf("%s stands for %s, which no known GPU is close to", args[0], gfx)
	}
	return out, nil
}
