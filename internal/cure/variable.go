package cure

import (
	"fmt"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// WithoutLines adds to a cure that it takes a variable out of each of these
// lines: three files that set it are three lines to change, or the next login
// has it again.
func WithoutLines(m *machine.Machine, r remedy.Remedy, lines []machine.VariableSource) remedy.Remedy {
	steps := make([]remedy.Step, 0, len(lines)+len(r.Steps))
	for _, l := range lines {
		one := For(m, "env-remove-line", Values{"name": l.Name, "file": l.File, "line": fmt.Sprint(l.Line)})
		steps = append(steps, one.Steps[0])
	}
	r.Steps = append(steps, r.Steps...)
	return r
}
