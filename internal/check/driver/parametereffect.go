package driver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// without is the finding for a setting that makes no difference on any GPU
// here: it does not reach them, or says what holds without it.
func (t trial) without() *check.Finding {
	reached := slices.DeleteFunc(slices.Clone(t.gfx), func(gfx string) bool { return !t.row.Reaches(gfx) })
	if len(t.gfx) > 0 && len(reached) == 0 {
		f := t.finding(check.Warn, "%s has no effect on %s. It acts on %s only (%s).", t.word(), listed(t.gfx), families(t.row.ActsOn), t.row.Meaning)
		f.Remedies = t.removal()
		return &f
	}
	same := t.row.Initial != "" && rocm.SameParameterValue(t.row.Initial, t.set.Value)
	if !same {
		same = len(reached) > 0
		for _, gfx := range reached {
			value, known := t.row.DefaultOn(gfx, t.kernel)
			same = same && known && rocm.SameParameterValue(value, t.set.Value)
		}
	}
	if !same {
		return nil
	}
	f := t.finding(check.Warn, "%s changes nothing%s. %s holds without it too.", t.word(), t.here(reached), t.meant())
	for _, gfx := range reached {
		if next, from, ok := t.row.NextDefault(gfx, t.kernel); ok && !rocm.SameParameterValue(next, t.set.Value) {
			f.Message += fmt.Sprintf(" From kernel %s on the default for %s is %s, and then the line would change it.", from, gfx, next)
		}
	}
	f.Remedies = t.removal()
	return &f
}

// here names what was compared: the GPUs, and the kernel where it matters.
func (t trial) here(reached []string) string {
	if len(reached) == 0 || rocm.SameParameterValue(t.row.Initial, t.set.Value) {
		return ""
	}
	where := on(reached)
	if t.kernel != "" && slices.ContainsFunc(t.row.Defaults, func(d rocm.ParameterDefault) bool { return d.From != "" }) {
		where += " with kernel " + cut(t.kernel, 20)
	}
	return where
}

// meant is the value with its meaning in words.
func (t trial) meant() string {
	if says := t.row.Meant(t.set.Value); says != "" {
		return fmt.Sprintf("%s means %s, which", short(t.set.Value), says)
	}
	return short(t.set.Value)
}

// notTaken is a value that the running driver does not have.
func (t trial) notTaken() *check.Finding {
	live := t.m.Driver.Live(t.set.Module)
	value, known := live.Value[t.set.Name]
	if !known || rocm.SameParameterValue(value, t.set.Value) {
		return nil
	}
	f := t.finding(check.Warn, "%s is written, but the driver runs with %s. Files are read when the driver starts, from a copy in the early boot image: it is older than the file, or the machine was not restarted since.", t.word(), quote(value))
	if t.set.OnCommandLine() {
		f.Message = fmt.Sprintf("%s is on the kernel command line, but the driver runs with %s. It did not accept the value, or somebody changed it since.", t.word(), quote(value))
	}
	f.Evidence = append(f.Evidence, machine.Evidence{From: live.From + machine.Source("/"+t.set.Name), Text: "it says " + quote(value)})
	if !t.set.OnCommandLine() {
		f.Remedies = []remedy.Remedy{cure.For(t.m, "rebuild-initramfs", nil)}
	}
	return &f
}

func quote(value string) string { return `"` + cut(value, 24) + `"` }

// changed is a setting that does something, which is what settings are for.
func (t trial) changed() check.Finding {
	var changes, others []string
	for _, gfx := range t.gfx {
		switch value, known := t.row.DefaultOn(gfx, t.kernel); {
		case !t.row.Reaches(gfx):
			others = append(others, "on "+gfx+" it has no effect")
		case known && rocm.SameParameterValue(value, t.set.Value):
			others = append(others, "on "+gfx+" it is the default anyway")
		case known:
			changes = append(changes, fmt.Sprintf("on %s from %s to %s", gfx, value, cut(t.set.Value, 8)))
		}
	}
	f := t.finding(check.OK, "%s takes the place of the default. The default: %s.", t.word(), t.row.Default)
	if len(changes) > 0 {
		f.Message = fmt.Sprintf("%s changes the default %s.", t.word(), changes[0])
		others = append(others, changes[1:]...)
	}
	f.Message += " " + t.explanation()
	if len(others) > 0 {
		f.Message += " Elsewhere: " + strings.Join(others, "; ") + "."
	}
	return f
}

// explanation is what the table says of the parameter, as sentences.
func (t trial) explanation() string {
	var out []string
	if says := t.row.Meant(t.set.Value); says != "" {
		out = append(out, fmt.Sprintf("%s means %s.", short(t.set.Value), says))
	}
	out = append(out, "It is about this: "+t.row.Meaning+".")
	if t.row.Danger != "" {
		out = append(out, "Mind: "+t.row.Danger+".")
	}
	if t.row.Unverified {
		out = append(out, "This is not verified.")
	}
	return strings.Join(out, " ")
}

// families writes beginnings of gfx names as people do.
func families(beginnings []string) string {
	var out []string
	for _, b := range beginnings {
		if _, ok := rocm.LookupTarget(b); !ok {
			b += "x"
		}
		out = append(out, b)
	}
	return strings.Join(out, " and ")
}

// successor is what to write in place of a deprecated parameter; the value is
// "" where it cannot be converted.
func (t trial) successor() (succeeds, name, value string) {
	full := t.row.Successor
	if fromPackage(t.m) && t.row.SuccessorDKMS != "" {
		full = t.row.SuccessorDKMS
	}
	succeeds, name, _ = strings.Cut(full, ".")
	n, err := strconv.ParseInt(t.set.Value, 0, 64)
	const most = 1 << 40 // beyond every machine's memory in whatever unit
	if err != nil || n <= 0 || n > most || t.row.SuccessorFactor == 0 {
		return succeeds, name, ""
	}
	return succeeds, name, strconv.FormatInt(n*int64(t.row.SuccessorFactor), 10)
}

// converted says a value in the unit of the successor.
func converted(row rocm.Parameter, old, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("; %s %s are %s pages of 4 KiB", old, row.Values, value)
}

// removal is the cure for what is better not there.
func (t trial) removal() []remedy.Remedy {
	s := t.set
	if s.OnCommandLine() {
		return t.onCommandLine("remove-kernel-parameter", "")
	}
	edit := commentOut(s.Setting)
	if len(strings.Fields(s.Text)) > 3 { // options amdgpu a=1, and more
		edit = fmt.Sprintf("in %s, take %q out of the line %q", s.File, s.Name+"="+s.Value, s.Text)
	}
	return []remedy.Remedy{cure.For(t.m, "change-parameter", edited(s.Setting, s.Name+"="+s.Value, "", cure.Values{"title": "Remove " + t.word(), "edit": edit}))}
}

// replacement is the cure for what belongs elsewhere.
func (t trial) replacement(module, name, value string) []remedy.Remedy {
	s := t.set
	if name == "pages_limit" && t.tooMuch(value) {
		return t.removal()
	}
	if s.OnCommandLine() {
		return t.onCommandLine("replace-kernel-parameter", module+"."+name+"="+value)
	}
	line := fmt.Sprintf("options %s %s=%s", module, name, value)
	edit := fmt.Sprintf("in %s, write %q in place of %q", s.File, line, s.Text)
	if len(strings.Fields(s.Text)) > 3 {
		edit = fmt.Sprintf("in %s, take %q out of the line %q and add the line %q", s.File, s.Name+"="+s.Value, s.Text, line)
	}
	return []remedy.Remedy{cure.For(t.m, "change-parameter", edited(s.Setting, s.Name+"="+s.Value, line, cure.Values{"title": "Set " + short(module+"."+name+"="+value) + " instead", "edit": edit}))}
}

// tooMuch is a limit that leaves the system less than a quarter of its memory:
// near all of it the machine can freeze, so nobody is told to write that.
func (t trial) tooMuch(pages string) bool {
	n, err := strconv.ParseInt(pages, 0, 64)
	ram := t.m.Memory.Total
	return err == nil && ram.Known() && n > ram.Value/4*3/rocm.PageSize
}

// onCommandLine names a cure for a word that the boot loader passes.
func (t trial) onCommandLine(id, replacement string) []remedy.Remedy {
	values := cure.Values{"text": t.set.Text}
	if replacement != "" {
		values["new"] = replacement
	}
	return []remedy.Remedy{cure.For(t.m, id, values)}
}
