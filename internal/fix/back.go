package fix

import (
	"slices"
	"strings"
)

// What a plan may wait for before it takes effect, and so does taking it back.
const (
	NewShell = "a new shell"
	NewLogin = "a new login"
	Restart  = "a restart of the machine"
)

// Waits is what has to happen until the whole plan is in effect.
func (p Plan) Waits() []string {
	var out []string
	switch {
	case p.Login || slices.ContainsFunc(p.Cures, func(c Cure) bool { return c.Remedy.NeedsLogin() }):
		out = append(out, NewLogin) // which comes with a new shell
	case len(p.Env) > 0:
		out = append(out, NewShell)
	}
	if slices.ContainsFunc(p.Cures, func(c Cure) bool { return c.Remedy.NeedsRestart() }) {
		out = append(out, Restart)
	}
	return out
}

// ByHand is the way back without rocsmith: the last step first, as what lies in a
// folder has to go before it, and at the end what makes something from the files that
// are back.
func (p Plan) ByHand() []string {
	var out, last []string
	for _, s := range slices.Backward(p.Steps) {
		switch {
		case s.ByHand == "" || slices.Contains(out, s.ByHand):
		case s.Act.Refresh:
			last = append([]string{s.ByHand}, last...)
		default:
			out = append(out, s.ByHand)
		}
	}
	return append(out, last...)
}

const (
	rescueShell = "choose an older kernel or the recovery entry in the boot menu, or start from another medium and chroot into the system, and take the steps above back by hand, as root"
	// modprobe(8) reads the kernel's command line after its files.
	withoutDriver = "press e on the entry in the boot menu, and add modprobe.blacklist=amdgpu to the kernel's words (in the line that begins with linux or options): it starts once without the GPU's driver, which is what reads the changed file"
)

// Rescue are ways to start a machine that does not start any more; none where the
// plan changes nothing that it starts with.
func (p Plan) Rescue() []string {
	if !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Boot }) {
		return nil
	}
	out := slices.Clone(p.Ways)
	if slices.ContainsFunc(p.Steps, func(s Step) bool { return strings.HasPrefix(s.Act.Path, "/etc/modprobe.d/") }) {
		out = append(out, withoutDriver)
	}
	return append(out, rescueShell)
}
