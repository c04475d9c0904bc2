package yamltext

// RootOf reads a file for what only looks: nil where it cannot be parsed, which
// somebody else has to say.
func RootOf(data []byte) *Node {
	file, err := Parse(data)
	if err != nil {
		return nil
	}
	return file.Root()
}

// Child is the value of a key, nil where there is none, or no mapping at all.
func (n *Node) Child(key string) *Node {
	if n == nil || n.Kind() != Mapping {
		return nil
	}
	return n.Get(key)
}

// Mappings visits the mappings at and below a node. What aliases stand for is
// visited where it stands.
func (n *Node) Mappings(visit func(*Node)) {
	if n == nil || n.Alias() {
		return
	}
	switch n.Kind() {
	case Mapping:
		visit(n)
		for _, e := range n.Entries() {
			if !e.Merged {
				e.Value.Mappings(visit)
			}
		}
	case Sequence:
		for _, item := range n.Items() {
			item.Mappings(visit)
		}
	}
}
