package env

import (
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// oncePerProcess answers those who set os.environ in a running program.
const oncePerProcess = " MIOpen reads each variable once per process, so a change counts from the next start."

func runValues(in check.Input) []check.Finding {
	m := in.Machine
	if m.Variables.Unread() {
		return notRead(m, "what the variables of ROCm are set to")
	}
	var out []check.Finding
	said := false
	for _, s := range settings(m) {
		rule, wrong := rocm.JudgeSetting(s.Name, s.Value)
		if !wrong || rule.Unverified {
			continue
		}
		f := judgeValue(m, s, rule)
		if s.set && !said && strings.HasPrefix(s.Name, "MIOPEN_") {
			f.Message += oncePerProcess
			said = true
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		return []check.Finding{{Subject: "environment", Verdict: check.OK, Message: "No variable of ROCm has a value known to be wrong"}}
	}
	return out
}

// judgeValue only warns: no setting alone keeps every program from the GPU. A
// MIOpen that throws keeps those with convolutions from it.
func judgeValue(m *machine.Machine, s setting, rule rocm.SettingRule) check.Finding {
	subject := s.text()
	switch {
	case rule.AnyValue():
		subject = s.Name
	case s.Value == "":
		subject = s.Name + ", which is set to nothing,"
	}
	f := check.Finding{
		Subject: s.Name, Verdict: check.Warn,
		Message:  subject + " " + rule.Says + ". " + rule.Why + s.where(),
		Evidence: append(s.evidence(m), provenance(rule.Provenance)),
	}
	if rule.Word == rocm.SettingBuildTime && m.Container.Known() {
		// Images that were built for some GPUs keep the list in their environment.
		f.Verdict = check.OK
		return f
	}
	if rule.Better != "" {
		f.Remedies = []remedy.Remedy{cure.For(m, "env-set", cure.Values{"name": s.Name, "value": rule.Better})}
	}
	f.Remedies = append(f.Remedies, s.unset(m))
	return f
}
