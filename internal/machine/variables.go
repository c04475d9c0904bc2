package machine

// A VariableSource is a line of a shell's file that sets a variable.
type VariableSource struct {
	Name  string `json:"name"`
	Value string `json:"value"` // as written: nothing was evaluated
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// A PathKind is what a path leads to.
type PathKind string

// The kinds of paths.
const (
	PathMissing   PathKind = "missing"
	PathDirectory PathKind = "directory"
	PathFile      PathKind = "file"
	PathOther     PathKind = "other" // a link that leads nowhere, a device
)

// A VariablePath is what a set variable points to.
type VariablePath struct {
	Name     string         `json:"name"`
	Path     string         `json:"path"`
	Kind     Fact[PathKind] `json:"kind"`
	Writable Fact[bool]     `json:"writable"` // asked only of what is there and will be written to
}

// SourcesOf returns the lines that set a variable, in the order in which they
// were found.
func (m *Machine) SourcesOf(name string) []VariableSource {
	var found []VariableSource
	for _, s := range m.VariableSources.Value {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}
