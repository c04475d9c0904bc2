package codeobj

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/klauspost/compress/zlib"
)

// isTensile knows the tables of Tensile: a MessagePack map of two or three keys (hipBLASLt's has a version), the first
// of which is "solutions".
func isTensile(head []byte) bool {
	return len(head) > 0 && (head[0] == 0x82 || head[0] == 0x83) && bytes.HasPrefix(head[1:], []byte("\xa9solutions"))
}

// placeholders returns the names, without their endings, of the files that an index of Tensile refers to.
func placeholders(data []byte) ([]string, error) {
	data, err := plainTable(data)
	if err != nil {
		return nil, err
	}
	if !isTensile(data) {
		return nil, fmt.Errorf("it is no table of Tensile")
	}
	doc, err := decodeDocument(data)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	found := map[string]bool{}
	collect(field[any](doc, "library"), found)
	return slices.Sorted(maps.Keys(found)), nil
}

// plainTable decompresses a table, which newer releases of hipBLASLt ship as one stream of zlib (.dat.zlib).
func plainTable(data []byte) ([]byte, error) {
	const deflated = 0x78 // a window of 32 KiB, the one that is ever written; no table begins so
	if len(data) == 0 || data[0] != deflated {
		return data, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decompress the index: %w", err)
	}
	defer func() { _ = z.Close() }()
	plain, err := io.ReadAll(io.LimitReader(z, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("decompress the index: %w", err)
	}
	return plain, nil // a longer one is refused when it is read
}

// collect walks through a tree whose depth was bounded when it was decoded.
func collect(node any, found map[string]bool) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			collect(child, found)
		}
	case map[string]any:
		if name := field[string](node, "value"); field[string](node, "type") == "Placeholder" && name != "" {
			found[name] = true
			return
		}
		for _, child := range node {
			collect(child, found)
		}
	}
}

// A kernelFile is what a folder of kernels does with a file of that name.
type kernelFile struct {
	role  role
	stem  string // without the ending
	task  string // without the target, too
	gfx   string // the target as a bundle would write it: gfx90a:xnack+
	index bool   // without it, nothing is found for this GPU
}

type role int

const (
	roleOther    role = iota
	roleIndex         // it refers to other files: TensileLibrary_lazy_gfx1100.dat
	roleTable         // any other .dat
	roleTuned         // written for this GPU
	roleFallback      // made from source that fits every GPU
	roleHelper        // Kernels.so-000-gfx1100.hsaco, extop_gfx1100.co, and code under names of somebody else
)

// parseKernelName reads a name. What holds code is told by the ending here, and by bytes later.
func parseKernelName(base string) kernelFile {
	stem, extension, known := cutKernelExtension(base)
	if !known {
		return kernelFile{stem: base, task: base}
	}
	name, _ := ParseKernelName(base)
	k := kernelFile{role: roleHelper, stem: stem, task: name.Task, gfx: name.Target.String(), index: name.Kind == KernelIndex}
	if name.Kind == "" {
		k.task = stem
	}
	switch {
	case name.Lazy():
		k.role = roleIndex
	case extension == "dat":
		k.role = roleTable
	case name.Kind == KernelFallback:
		k.role = roleFallback
	case name.Kind == KernelTuned, name.Kind == KernelCompiled:
		k.role = roleTuned
	}
	return k
}
