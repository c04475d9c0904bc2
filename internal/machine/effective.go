package machine

import (
	"strconv"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// OverrideVariable makes the Linux runtime report another instruction set.
const OverrideVariable = rocm.OverrideVariable

// Override returns the variable that overrides the gfx of a GPU, as the runtime
// reads it: the one for this KFD node first, then the one for all. The part of
// the runtime that reads it is not there on Windows (libhsakmt topology.c).
func (m *Machine) Override(g GPU) (v Variable, set bool) {
	if m.OS == "windows" {
		return Variable{}, false
	}
	if g.Node.Known() {
		name := OverrideVariable + "_" + strconv.Itoa(g.Node.Value)
		if value, ok := m.Variable(name); ok {
			return Variable{name, value}, true
		}
	}
	value, ok := m.Variable(OverrideVariable)
	return Variable{OverrideVariable, value}, ok
}

// EffectiveGfx is the gfx that programs see: the real one, unless a valid
// override says otherwise. It is "" where the real one is not known.
func (m *Machine) EffectiveGfx(g GPU) string {
	if !g.Gfx.Known() {
		return ""
	}
	// Windows has no KFD, and its runtime does not read the variable (libhsakmt
	// topology.c is where it is read).
	if v, set := m.Override(g); set && m.OS != "windows" {
		if gfx, err := rocm.ParseOverride(v.Value); err == nil {
			return gfx
		}
	}
	return g.Gfx.Value
}
