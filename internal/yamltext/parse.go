// Package yamltext reads YAML together with the place of every node in the text, and edits the text at those places.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// What is read is bounded: a project file is small, and aliases can make a small
// one stand for billions of nodes.
const (
	MaxSize     = 4 << 20
	maxDepth    = 200
	maxExpanded = 500_000 // nodes, with each alias counted as what it stands for
)

// A File is a text and the documents in it.
type File struct {
	Data []byte
	Docs []*Node // roots; a document without content has none

	lines []int // where each line begins
}

// An Error is why a text cannot be read, and in which line.
type Error struct {
	Line   int // counted from 1
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Root is the only document of most files; nil where there is no content.
func (f *File) Root() *Node {
	if len(f.Docs) == 0 {
		return nil
	}
	return f.Docs[0]
}

// Line tells in which line a place is, counted from 1.
func (f *File) Line(offset int) int {
	low, high := 0, len(f.lines)
	for low+1 < high {
		if mid := (low + high) / 2; f.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	return low + 1
}

// Parse reads a text. Keys that stand twice, aliases of themselves and what is
// too large are errors, as broken syntax is; errors are of type *Error.
func Parse(data []byte) (*File, error) {
	if len(data) > MaxSize {
		return nil, &Error{1, fmt.Sprintf("it has %d bytes; more than %d are not read", len(data), MaxSize)}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{1, "it is UTF-16; only UTF-8 is read"}
	}
	f := &File{Data: data, lines: lineStarts(data)}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, f.syntaxError(err)
		}
		if len(doc.Content) == 0 {
			continue
		}
		root, err := f.build(doc.Content[0])
		if err != nil {
			return nil, err
		}
		f.Docs = append(f.Docs, root)
	}
}

// builder makes nodes with places of those that the parser gives.
type builder struct {
	file *File
	made map[*yaml.Node]*Node // to lead aliases to
	last reading
}

func (f *File) build(root *yaml.Node) (*Node, error) {
	b := &builder{file: f, made: map[*yaml.Node]*Node{}}
	n, err := b.node(root, nil, 0)
	if err != nil {
		return nil, err
	}
	c := expansion{sizes: map[*Node]int{}}
	if err := c.check(n); err != nil {
		return nil, err
	}
	return n, nil
}

func (b *builder) node(y *yaml.Node, parent *Node, depth int) (*Node, error) {
	n := &Node{
		Line: y.Line, Anchor: y.Anchor,
		file: b.file, parent: parent, value: y.Value, tag: y.Tag, style: y.Style,
	}
	if depth > maxDepth {
		return nil, &Error{y.Line, fmt.Sprintf("it is nested more than %d levels deep", maxDepth)}
	}
	b.made[y] = n
	n.Start = b.file.offset(&b.last, y.Line, y.Column)
	if b.file.loneTag(n.Start) && isTagged(y) {
		n.style |= yaml.TaggedStyle
	}
	var err error
	switch y.Kind {
	case yaml.AliasNode:
		err = b.alias(n, y)
	case yaml.SequenceNode:
		n.kind = Sequence
		err = b.sequence(n, y, depth)
	case yaml.MappingNode:
		n.kind = Mapping
		err = b.mapping(n, y, depth)
	default:
		n.kind = Scalar
		n.End = n.scalarEnd()
	}
	return n, err
}

// isTagged tells whether a tag without a name, at which a node begins, is its own and
// not that of its first key. What a scalar says is found behind it in any case.
func isTagged(y *yaml.Node) bool {
	if y.Kind == yaml.ScalarNode {
		return y.Value == "" && y.Style == 0 && y.Anchor == ""
	}
	return y.Kind == yaml.SequenceNode || len(y.Content) == 0 || y.Content[0].Line != y.Line || y.Content[0].Column != y.Column
}

func (b *builder) alias(n *Node, y *yaml.Node) error {
	n.End = skipName(b.file.Data, n.Start+1)
	n.target = b.made[y.Alias]
	if n.target == nil {
		return &Error{y.Line, fmt.Sprintf("the alias %s leads to another document", y.Value)}
	}
	n.target.uses++
	return nil
}

func (b *builder) sequence(n *Node, y *yaml.Node, depth int) error {
	at := n.contentStart()
	for _, child := range y.Content {
		item, err := b.node(child, n, depth+1)
		if err != nil {
			return err
		}
		if item.empty() {
			item.place(b.file.afterIndicator(at, '-'))
		}
		at = item.End
		n.items = append(n.items, item)
	}
	n.End = n.collectionEnd(at)
	return nil
}

func (b *builder) mapping(n *Node, y *yaml.Node, depth int) error {
	at := n.contentStart()
	seen := map[string]int{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, err := b.node(y.Content[i], n, depth+1)
		if err != nil {
			return err
		}
		if line, twice := seen[key.value]; twice && key.kind == Scalar && key.target == nil {
			return &Error{key.Line, fmt.Sprintf("the key %q stands here and in line %d", key.value, line)}
		}
		if key.kind == Scalar && key.target == nil {
			seen[key.value] = key.Line
		}
		value, err := b.node(y.Content[i+1], n, depth+1)
		if err != nil {
			return err
		}
		colon := b.file.afterIndicator(key.End, ':')
		if colon == key.End && value.bare() { // "? key" alone: the parser gives the place of what comes next
			value.style = 0
		}
		if value.empty() {
			value.place(colon)
		}
		at = value.End
		n.entries = append(n.entries, Entry{Key: key, Value: value})
	}
	n.End = n.collectionEnd(at)
	return nil
}

// expansion refuses aliases that contain themselves, and those that stand for
// more than anybody writes.
type expansion struct {
	sizes map[*Node]int // 0 while it is being counted
}

func (c *expansion) check(n *Node) error {
	_, err := c.size(n)
	return err
}

func (c *expansion) size(n *Node) (int, error) {
	if size, known := c.sizes[n]; known {
		if size == 0 {
			return 0, &Error{n.Line, fmt.Sprintf("the anchor %s contains itself", n.Anchor)}
		}
		return size, nil
	}
	c.sizes[n] = 0
	total := 1
	for child := range n.children() {
		size, err := c.size(child)
		if err != nil {
			return 0, err
		}
		if total += size; total > maxExpanded {
			return 0, &Error{n.Line, fmt.Sprintf("with its aliases it stands for more than %d nodes", maxExpanded)}
		}
	}
	c.sizes[n] = total
	return total, nil
}
