package gpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/cure"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func runIntegrated(in check.Input) []check.Finding {
	m := in.Machine
	seen := visible(m)
	has := func(kind string) bool {
		return slices.ContainsFunc(seen, func(g machine.GPU) bool { return g.Kind == kind })
	}
	switch {
	case len(m.ComputeGPUs()) < 2:
		return []check.Finding{check.NotHere("GPU", "there is only one GPU to choose")}
	case !has(machine.Discrete) || !has(machine.Integrated):
		return []check.Finding{{Subject: "GPU", Verdict: check.OK, Message: "No integrated GPU stands before the card"}}
	}
	var out []check.Finding
	for _, g := range seen {
		if g.Kind == machine.Integrated {
			out = append(out, shadowing(m, g))
		}
	}
	return out
}

// visible returns the GPUs that the variables leave.
func visible(m *machine.Machine) []machine.GPU {
	if all := layers(m); len(all) > 0 {
		return all[len(all)-1].left
	}
	return m.ComputeGPUs()
}

func shadowing(m *machine.Machine, igpu machine.GPU) check.Finding {
	name, choice, set := chooser(m)
	var cards, numbers []string
	for i, g := range choice {
		if g.Kind == machine.Discrete {
			cards = append(cards, g.Label())
			numbers = append(numbers, strconv.Itoa(i))
		}
	}
	return check.Finding{
		Subject: subject(igpu), Verdict: check.Warn, Cause: "igpu-shadowing",
		Message: fmt.Sprintf("The integrated GPU (%s) is offered beside %s. Programs may pick it, or stop because they hold no code for it; the card itself is fine.",
			igpu.Gfx.Value, strings.Join(cards, ", ")),
		Evidence: []machine.Evidence{{From: igpu.Node.From, Text: Describe(m, igpu)}, {From: m.Variables.From, Text: set}},
		Remedies: []remedy.Remedy{cure.For(m, "set-variable", cure.Values{
			"name": name, "value": strings.Join(numbers, ","), "why": "show programs the card only",
		})},
	}
}

// chooser is the variable to choose GPUs with, and what it counts: the one that is
// set already, because a second one would count what the first leaves.
func chooser(m *machine.Machine) (name string, choice []machine.GPU, set string) {
	if all := layers(m); len(all) > 0 {
		last := all[len(all)-1]
		return last.name, last.before, last.name + "=" + last.value + " leaves it visible"
	}
	return "ROCR_VISIBLE_DEVICES", m.ComputeGPUs(), "no variable hides it"
}
