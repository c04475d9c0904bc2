package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
		Short: "Show what is known of GPUs, targets, releases, overrides, kernel parameters, memory, kernels, operations and causes, with its source",
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
		{"target GFX", "A target: its family, features, kernels and wheels", "  rocsmith kb target gfx1151", named("name one target, like gfx1100", 4), lookTarget},
		{"release VERSION", "A ROCm release and the GPUs it lists", "  rocsmith kb release 7.2", named("name one release, like 7.2", 2), lookRelease},
		{"override VALUE [GPU]", "What HSA_OVERRIDE_GFX_VERSION=VALUE does, to one GPU or to all it is known for", "  rocsmith kb override 10.3.0 gfx1010", named("give a value, like 10.3.0, and perhaps a GPU", 5), lookOverride},
		{"parameter NAME [GFX]", "A kernel parameter of amdgpu, ttm or amdttm, and its default, on one GPU or on all", "  rocsmith kb parameter noretry gfx1010\n  rocsmith kb parameter ttm.pages_limit", named("name a parameter, like noretry, and perhaps a gfx", 2), lookParameter},
		{"memory SIZE", "How to let the GPU of an APU use SIZE of system memory", "  rocsmith kb memory 100G", named("name one size, like 100G", 1), lookMemory},
		{"operation [NAME]", "What programs do on a GPU, which library does it, and the checks that must hold for it", "  rocsmith kb operation conv2d", cobra.MaximumNArgs(1), lookOperation},
		{"cause [ID]", "A cause of failures: what it means, the lines of logs that give it away, what decides, and the cures", "  rocsmith kb cause miopen-db-readonly", cobra.MaximumNArgs(1), lookCause},
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

// manyEntries is where a list is more help than all that is known of each.
const manyEntries = 4

func (a *App) printEntries(entries []entry, format string) error {
	switch format {
	case "text":
		return a.print(a.entriesText(entries))
	case "json":
		return a.printJSON(entries)
	}
	return fmt.Errorf("there is no format %q; choose text or json", format)
}

func (a *App) entriesText(entries []entry) string {
	var b strings.Builder
	if len(entries) > manyEntries {
		for _, e := range entries {
			b.WriteString(e.title + e.line() + "\n")
		}
		fmt.Fprintf(&b, "\n%d entries; name one of them to see all that is known, or say --format json.\n", len(entries))
		return b.String()
	}
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.title + "\n")
		for _, f := range e.fields {
			if f.value != "" {
				b.WriteString(report.Field(f.name, f.value, a.style()))
			}
		}
	}
	return b.String()
}

// line is what tells an entry from its neighbours in a list.
func (e entry) line() string {
	s := ""
	for _, f := range e.fields {
		if f.value != "" && (f.name == "gfx" || f.name == "pci id" || f.name == "does") {
			s += "  " + f.value
		}
	}
	return s
}

// print writes a result; one that gets lost is an error.
func (a *App) print(text string) error {
	if _, err := io.WriteString(a.Stdout, text); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
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
	query := strings.ToLower(strings.Join(args, ""))
	if g, ok := rocm.LookupGeneric(query); ok {
		return []entry{{g.Name, append([]field{
			{"members", strings.Join(g.Members, " ")}, {"restrictions", strings.Join(g.Restrictions, "; ")}, {"note", g.Note},
		}, sourceFields(g.Provenance)...)}}, nil
	}
	t, err := targetNamed(args)
	if err != nil {
		return nil, err
	}
	return []entry{targetEntry(t)}, nil
}

// targetNamed understands what people call a target: gfx1100, "gfx 1100", 1100,
// gfx90a:xnack-, 11.0.0, or a GPU whose target is meant.
func targetNamed(args []string) (rocm.Target, error) {
	query := strings.ToLower(strings.Join(args, ""))
	query, _, _ = strings.Cut(query, ":")
	if gfx, err := rocm.ParseOverride(query); err == nil {
		query = gfx
	}
	for _, name := range []string{query, "gfx" + query} {
		if t, ok := rocm.LookupTarget(name); ok {
			return t, nil
		}
	}
	targets := map[string]bool{}
	for _, p := range rocm.FindProducts(strings.Join(args, " ")) {
		targets[p.Gfx] = true
	}
	if len(targets) == 1 {
		for gfx := range targets {
			if t, ok := rocm.LookupTarget(gfx); ok {
				return t, nil
			}
		}
	}
	return rocm.Target{}, fmt.Errorf("no target is called %q; names look like gfx1100 or gfx11-generic", strings.Join(args, " "))
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
	r, ok := releaseNamed(strings.ToLower(strings.Join(args, "")))
	if !ok {
		return nil, fmt.Errorf("no ROCm release %q is known; the newest known is %s", strings.Join(args, " "), rocm.NewestRelease().Version)
	}
	return []entry{{"ROCm " + r.Version, append([]field{
		{"date", r.Date}, {"stream", r.Stream}, {"gfx", strings.Join(r.Gfx, " ")}, {"deprecated", strings.Join(r.Deprecated, " ")},
		{"driver", r.Driver}, {"prefix", r.InstallPrefix}, {"notes", strings.Join(r.Notes, "; ")},
	}, sourceFields(r.Provenance)...)}}, nil
}

// releaseNamed understands 7.2, v7.2.0, rocm-7.2, "rocm 7.2", 7 and latest.
func releaseNamed(query string) (rocm.Release, bool) {
	query = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(query, "rocm"), "v"), "-_v")
	if query == "latest" || query == "newest" {
		return rocm.NewestRelease(), true
	}
	if r, ok := rocm.LookupRelease(query); ok {
		return r, true
	}
	for _, r := range slices.Backward(rocm.Releases()) {
		if query != "" && strings.HasPrefix(r.Version, query+".") {
			return r, true
		}
	}
	return rocm.Release{}, false
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
	value := strings.TrimPrefix(args[0], rocm.OverrideVariable+"=")
	gfx, err := rocm.ParseOverride(value)
	if err != nil {
		return nil, err
	}
	reals := sameMajor(gfx)
	if len(args) > 1 {
		t, err := targetNamed(args[1:])
		if err != nil {
			return nil, err
		}
		reals = []string{t.Gfx}
	}
	var out []entry
	for _, real := range reals {
		o, err := rocm.JudgeOverride(real, value)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{fmt.Sprintf("%s on %s: %s", rocm.OverrideVariable+"="+value, real, o.Verdict), append([]field{
			{"runs as", o.Impersonates}, {"why", o.Why}, {"caution", o.Caution}, {"better", o.Better},
		}, sourceFields(o.Provenance)...)})
	}
	if len(args) == 1 && len(out) == 0 {
		return nil, fmt.Errorf("%s stands for %s, which no known GPU is close to", value, gfx)
	}
	return out, nil
}
