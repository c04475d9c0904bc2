package codeobj

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// isTensile knows the tables of Tensile: a MessagePack map of two or three keys (hipBLASLt's has a version), the first
// of which is "solutions".
func isTensile(head []byte) bool {
	return len(head) > 0 && (head[0] == 0x82 || head[0] == 0x83) && bytes.HasPrefix(head[1:], []byte("\xa9solutions"))
}

// placeholders returns the names, without their endings, of the files that an index of Tensile refers to.
func placeholders(data []byte) ([]string, error) {
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

// A kernelFile is what the name of a file in a folder of kernels says.
type kernelFile struct {
	role role
	stem string // without the ending
	task string // without the target, too
	gfx  string // the target as a bundle would write it: gfx90a:xnack+
}

type role int

const (
	roleOther    role = iota
	roleIndex         // TensileLibrary_lazy_gfx1100.dat
	roleTable         // any other .dat
	roleTuned         // written for this GPU
	roleFallback      // made from source that fits every GPU
	roleHelper        // Kernels.so-000-gfx1100.hsaco, extop_gfx1100.co
)

// parseKernelName reads a name. Features stand behind the processor with a hyphen, where a bundle has a colon.
func parseKernelName(base string) kernelFile {
	stem, ending := base, ""
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		stem, ending = base[:dot], base[dot:]
	}
	k := kernelFile{stem: stem, task: stem}
	if at := strings.LastIndex(stem, "gfx"); at >= 0 {
		k.task = stem[:at]
		processor, features, has := strings.Cut(stem[at:], "-")
		if k.gfx = processor; has {
			k.gfx += ":" + strings.ReplaceAll(features, "+-", "+:")
		}
	}
	switch {
	case ending == ".dat" && strings.HasPrefix(stem, "TensileLibrary_lazy_gfx"):
		k.role = roleIndex
	case ending == ".dat":
		k.role = roleTable
	case ending != ".co" && ending != ".hsaco":
	case strings.HasPrefix(stem, "Kernels.so-"), strings.HasPrefix(stem, "extop_"), strings.HasPrefix(stem, "hipblasltTransform"):
		k.role = roleHelper
	case strings.Contains(stem, "_fallback"):
		k.role = roleFallback
	case strings.HasPrefix(stem, "TensileLibrary"):
		k.role = roleTuned
	default:
		k.role = roleHelper
	}
	return k
}
