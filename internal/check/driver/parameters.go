package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func runParameters(in check.Input) []check.Finding {
	m := in.Machine
	if _, none := concerned(m); none != nil {
		return none
	}
	set := m.Driver.Options
	switch {
	case len(set.Value) == 0 && set.Why != "" && closed(set.Why):
		return []check.Finding{check.NotHere("parameters", "this user may not read all places where parameters are set ("+set.Why+")")}
	case set.Unread() || len(set.Value) == 0 && set.Why != "":
		return []check.Finding{check.CannotTell("parameters", "which kernel parameters somebody set", set.From, set.Why)}
	case len(set.Value) == 0:
		return []check.Finding{{
			Subject: "parameters", Verdict: check.OK, Message: "No kernel parameter was changed",
			Evidence: []machine.Evidence{{From: set.From, Text: "nothing is set for amdgpu, ttm or amdttm"}},
		}}
	}
	var out []check.Finding
	for i, s := range set.Value {
		out = append(out, newTrial(m, s, set.Value[i+1:]).judge())
	}
	return out
}

// A trial is one setting and all that its judgement needs.
type trial struct {
	m      *machine.Machine
	set    machine.ParameterSetting
	row    rocm.Parameter // zero where nothing is known of it
	kernel string         // "" where AMD's package brings a driver of its own
	gfx    []string       // the GPUs that the driver holds, each kind once
	later  *machine.ParameterSetting
}

func newTrial(m *machine.Machine, s machine.ParameterSetting, rest []machine.ParameterSetting) trial {
	t := trial{m: m, set: s, kernel: m.Kernel.Value}
	t.row, _ = rocm.LookupParameter(s.Module, s.Name)
	if fromPackage(m) {
		t.kernel = ""
	}
	for _, g := range m.AMDGPUs() {
		held := g.Bound.Value == module || g.Node.Known()
		if held && g.Gfx.Known() && !slices.Contains(t.gfx, g.Gfx.Value) {
			t.gfx = append(t.gfx, g.Gfx.Value)
		}
	}
	for _, other := range rest {
		if other.Module == s.Module && other.Name == s.Name {
			t.later = &other
		}
	}
	return t
}

// fromPackage reports that AMD's driver package is at work. It loads a memory
// manager of its own, amdttm, and its code does not follow the kernel's version.
func fromPackage(m *machine.Machine) bool {
	return m.Driver.AMDTTM.Known() || m.Driver.FromDKMS.Known() && m.Driver.Module.Value.Version != ""
}

// word is the setting as the kernel command line would write it, short enough
// for a headline.
func (t trial) word() string {
	if t.set.Value == "" {
		return short(t.name())
	}
	return short(t.name() + "=" + t.set.Value)
}

func (t trial) name() string { return t.set.Module + "." + t.set.Name }

func short(s string) string { return cut(s, 40) }

// cut shortens foreign text so that a headline stays one.
func cut(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func (t trial) finding(v check.Verdict, format string, args ...any) check.Finding {
	f := check.Finding{Subject: short(t.name()), Verdict: v, Message: fmt.Sprintf(format, args...), Evidence: []machine.Evidence{t.set.Evidence()}}
	if t.row.Source != "" {
		f.Evidence = append(f.Evidence, machine.Cite(t.row.Provenance))
	}
	return f
}

// judge asks first whether the setting is one at all, then what it does.
func (t trial) judge() check.Finding {
	switch {
	case t.m.Container.Known() && !t.set.OnCommandLine():
		return check.NotHere(short(t.name()), fmt.Sprintf("%s stands in the container's own %s, which the host never reads", t.word(), t.set.File))
	case t.set.Name == "pages_limit" && t.integrated():
		return check.NotHere(short(t.name()), t.word()+" is weighed against the memory of this machine (memory/limit)")
	case strings.ContainsAny(t.set.Value, "$`"):
		return t.unexpanded()
	case t.misplaced():
		return t.wrongManager()
	case !t.exists():
		return t.unknownName()
	case t.later != nil && !rocm.SameParameterValue(t.later.Value, t.set.Value):
		return t.overruled()
	case t.row.Deprecated != "" && !t.row.Unverified:
		return t.deprecated()
	case t.row.Name == "":
		return check.NotHere(short(t.name()), t.word()+" is set, and nothing is known of it that matters for compute")
	case !t.row.Text && t.set.Value != "" && !rocm.IsParameterNumber(t.set.Value):
		return t.noNumber()
	}
	return t.judgeEffect()
}

// integrated reports that the GPU lives on the machine's memory, where the limit
// is a question of its own.
func (t trial) integrated() bool {
	return slices.ContainsFunc(t.m.ComputeGPUs(), func(g machine.GPU) bool { return g.Kind == machine.Integrated })
}

// exists asks the running driver, and the table only where it cannot be asked.
func (t trial) exists() bool {
	if rocm.IsModuleWide(t.set.Name) {
		return true
	}
	if live := t.m.Driver.Live(t.set.Module); live.Known() && len(live.Value)+len(t.m.Driver.Closed) > 0 {
		_, found := live.Value[t.set.Name]
		return found || slices.Contains(t.m.Driver.Closed, t.name())
	}
	_, known := rocm.KnownParameterName(t.set.Module, t.set.Name)
	return known
}

// unexpanded is text that somebody expected a shell to replace.
func (t trial) unexpanded() check.Finding {
	f := t.finding(check.Warn, "%s holds shell text that nothing expands. modprobe.d and the kernel command line are no shell, so the driver is given these very characters; where it wants a number it then refuses to load.", t.word())
	f.Remedies = t.removal()
	return f
}

func (t trial) noNumber() check.Finding {
	f := t.finding(check.Warn, "%s is no number. The driver wants one (%s), and may refuse to load with this.", t.word(), t.row.Values)
	f.Remedies = t.removal()
	return f
}

// misplaced is a limit set for the memory manager that this driver does not use.
func (t trial) misplaced() bool {
	return t.set.Module == "ttm" && fromPackage(t.m) || t.set.Module == "amdttm" && !fromPackage(t.m) && t.m.Driver.AMDTTM.Absent()
}

func (t trial) wrongManager() check.Finding {
	right, driver := "amdttm", "AMD's driver package is at work here, and it brings a memory manager of its own, amdttm"
	if t.set.Module == "amdttm" {
		right, driver = "ttm", "the driver of the kernel is at work here, and it uses the kernel's memory manager, ttm"
	}
	f := t.finding(check.Warn, "%s acts on nothing. This is because %s, which has a parameter %s of its own.", t.word(), driver, right+"."+t.set.Name)
	if live := t.m.Driver.Live(right); live.Known() {
		if value, ok := live.Value[t.set.Name]; ok {
			f.Evidence = append(f.Evidence, machine.Evidence{From: live.From + machine.Source("/"+t.set.Name), Text: value})
		}
	}
	f.Remedies = t.replacement(right, t.set.Name, t.set.Value)
	if t.isSet(right, t.set.Name) {
		f.Remedies = t.removal()
	}
	return f
}

func (t trial) unknownName() check.Finding {
	has := ""
	if kernels, known := rocm.KnownParameterName(t.set.Module, t.set.Name); known && len(kernels) > 0 {
		has = fmt.Sprintf(" Other kernels have it (seen in %s).", strings.Join(kernels, ", "))
	}
	f := t.finding(check.Warn, "%s has no parameter %s, so setting it does nothing. The kernel notes an unknown parameter in its log and goes on.%s", t.set.Module, short(t.set.Name), has)
	live := t.m.Driver.Live(t.set.Module)
	if live.Known() {
		f.Evidence = append(f.Evidence, machine.Evidence{From: live.From, Text: "there is no " + short(t.set.Name)})
	}
	f.Remedies = t.removal()
	nearModule, near, ok := rocm.NearestParameter(t.set.Module, t.set.Name)
	if has != "" || !ok {
		return f
	}
	f.Message += fmt.Sprintf(" Probably %s.%s was meant.", nearModule, near)
	if row, _ := rocm.LookupParameter(nearModule, near); row.Deprecated != "" {
		meant := t
		meant.row = row
		succeeds, name, value := meant.successor()
		f.Message += fmt.Sprintf(" That one is deprecated in favour of %s.%s%s.", succeeds, name, converted(row, t.set.Value, value))
	}
	return f
}

func (t trial) overruled() check.Finding {
	f := t.finding(check.Warn, "%s is overruled by %s. Of two values for one parameter the later one counts.", t.word(), short(t.name()+"="+t.later.Value))
	f.Subject = short(t.name()) + " in " + t.set.File
	f.Evidence = append(f.Evidence, t.later.Evidence())
	f.Remedies = t.removal()
	return f
}

func (t trial) deprecated() check.Finding {
	succeeds, name, value := t.successor()
	f := t.finding(check.Warn, "%s is deprecated, and %s.%s took its place. Since then %s%s.", t.word(), succeeds, name, t.row.Deprecated, converted(t.row, t.set.Value, value))
	if value == "" || t.isSet(succeeds, name) {
		f.Remedies = t.removal()
		return f
	}
	f.Remedies = t.replacement(succeeds, name, value)
	return f
}

// isSet reports whether somebody gave a parameter a value.
func (t trial) isSet(module, name string) bool {
	return slices.ContainsFunc(t.m.Driver.Options.Value, func(s machine.ParameterSetting) bool { return s.Module == module && s.Name == name })
}

// judgeEffect says what a known parameter does to each GPU of this machine.
func (t trial) judgeEffect() check.Finding {
	if none := t.without(); none != nil {
		return *none
	}
	if f := t.notTaken(); f != nil {
		return *f
	}
	if f := t.harmful(); f != nil {
		return *f
	}
	return t.changed()
}

// harmful is a value that is known to do more harm than good. A row that nobody
// verified accuses nobody.
func (t trial) harmful() *check.Finding {
	var hurt []string
	var reason string
	for _, gfx := range orAny(t.gfx) {
		if why, bad := t.row.Caution(t.set.Value, gfx, t.kernel); bad {
			hurt, reason = append(hurt, gfx), why
		}
	}
	if len(hurt) == 0 || t.row.Unverified {
		return nil
	}
	f := t.finding(check.Warn, "%s does harm%s. The reason: %s.", t.word(), on(hurt), reason)
	f.Remedies = t.removal()
	return &f
}

// orAny stands for a GPU whose gfx is not known.
func orAny(gfx []string) []string {
	if len(gfx) == 0 {
		return []string{""}
	}
	return gfx
}

func on(gfx []string) string {
	if len(gfx) == 0 || gfx[0] == "" {
		return ""
	}
	return " on " + listed(gfx)
}

// listed names the first few.
func listed(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
