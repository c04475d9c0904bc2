package linkage

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// An elfRecipe describes a tiny ELF file: the parts that a loader looks at, and
// nothing to run.
type elfRecipe struct {
	soname, interp, rpath, runpath string
	needs                          []string
	wants                          map[string][]string // versions by library; one that begins with "?" is weak
	offers                         []string
	defines, undefined             []string // names of symbols
	flags1                         uint64
	machine                        uint16 // 0 is x86-64
	bits                           int    // 0 is 64
	big                            bool   // byte order
	exec                           bool   // ET_EXEC
	pad                            int    // bytes before the tables
	names                          int    // bytes behind the names
}

// An elfWriter puts an image together whose addresses are its offsets.
type elfWriter struct {
	recipe  elfRecipe
	order   binary.ByteOrder
	bits    int
	data    bytes.Buffer
	names   bytes.Buffer
	dynamic []uint64
}

func (e elfRecipe) bytes() []byte {
	w := elfWriter{recipe: e, order: binary.LittleEndian, bits: e.bits}
	if e.big {
		w.order = binary.BigEndian
	}
	if w.bits == 0 {
		w.bits = 64
	}
	w.names.WriteByte(0)
	const segments = 3
	w.data.Write(make([]byte, w.size(52+segments*32, 64+segments*56)+e.pad))
	w.align()
	w.entries()
	w.versions()
	w.symbols()
	interp := w.data.Len()
	if e.interp != "" {
		w.data.WriteString(e.interp + "\x00")
	}
	interpEnd := w.data.Len()
	w.align()
	w.names.Write(make([]byte, e.names))
	w.tag(tagStringTable, uint64(w.data.Len()))
	w.tag(tagStringSize, uint64(w.names.Len()))
	w.data.Write(w.names.Bytes())
	w.align()
	dynamic := w.data.Len()
	w.tag(tagNull, 0)
	for _, v := range w.dynamic {
		w.number(v)
	}
	return w.header(dynamic, interp, interpEnd)
}

func (w *elfWriter) size(in32, in64 int) int {
	if w.bits == 32 {
		return in32
	}
	return in64
}

func (w *elfWriter) number(v uint64) {
	if w.bits == 32 {
		w.put(uint32(v))
		return
	}
	w.put(v)
}

func (w *elfWriter) put(v any) {
	if err := binary.Write(&w.data, w.order, v); err != nil {
		panic(err)
	}
}

func (w *elfWriter) align() {
	for w.data.Len()%8 != 0 {
		w.data.WriteByte(0)
	}
}

func (w *elfWriter) tag(tag, value uint64) { w.dynamic = append(w.dynamic, tag, value) }

// name puts a string into the string table.
func (w *elfWriter) name(s string) uint64 {
	if i := strings.Index(w.names.String(), "\x00"+s+"\x00"); i >= 0 {
		return uint64(i + 1)
	}
	at := w.names.Len()
	w.names.WriteString(s + "\x00")
	return uint64(at)
}

func (w *elfWriter) entries() {
	e := w.recipe
	for _, n := range e.needs {
		w.tag(tagNeeded, w.name(n))
	}
	for _, t := range []struct {
		tag  uint64
		text string
	}{{tagSoname, e.soname}, {tagRPath, e.rpath}, {tagRunPath, e.runpath}} {
		if t.text != "" {
			w.tag(t.tag, w.name(t.text))
		}
	}
	if e.flags1 != 0 {
		w.tag(tagFlags1, e.flags1)
	}
}

func (w *elfWriter) versions() {
	index := uint16(1)
	if len(w.recipe.offers) > 0 {
		w.tag(tagOffers, uint64(w.data.Len()))
		w.tag(tagOffersCount, uint64(len(w.recipe.offers)))
	}
	for i, v := range w.recipe.offers {
		next := uint32(28)
		if i == len(w.recipe.offers)-1 {
			next = 0
		}
		w.put([]uint16{1, 0, index + 1, 1})
		w.put([]uint32{0, 20, next, uint32(w.name(v)), 0})
		index++
	}
	if len(w.recipe.wants) > 0 {
		w.tag(tagWants, uint64(w.data.Len()))
		w.tag(tagWantsCount, uint64(len(w.recipe.wants)))
	}
	left := len(w.recipe.wants)
	for _, library := range w.recipe.needs { // in their order, so that the file is always the same
		list := w.recipe.wants[library]
		if len(list) == 0 {
			continue
		}
		left--
		w.wants(library, list, left == 0, &index)
	}
	w.align()
}

func (w *elfWriter) wants(library string, list []string, last bool, index *uint16) {
	next := uint32(16 + 16*len(list))
	if last {
		next = 0
	}
	w.put([]uint16{1, uint16(len(list))})
	w.put([]uint32{uint32(w.name(library)), 16, next})
	for i, v := range list {
		plain, weak := strings.CutPrefix(v, "?")
		flags := uint16(0)
		if weak {
			flags = flagWeak
		}
		step := uint32(16)
		if i == len(list)-1 {
			step = 0
		}
		*index++
		w.put(uint32(0))
		w.put([]uint16{flags, *index})
		w.put([]uint32{uint32(w.name(plain)), step})
	}
}

// symbols writes the table, its versions ("name@VERSION"), and a hash table that
// holds no more than their count.
func (w *elfWriter) symbols() {
	e := w.recipe
	if len(e.defines)+len(e.undefined) == 0 {
		return
	}
	w.tag(tagSymbols, uint64(w.data.Len()))
	w.data.Write(make([]byte, w.size(16, 24)))
	versions := []uint16{0}
	for i, s := range append(append([]string{}, e.defines...), e.undefined...) {
		section := uint16(1)
		if i >= len(e.defines) {
			section = 0
		}
		name, version, _ := strings.Cut(s, "@")
		w.symbol(uint32(w.name(name)), section)
		versions = append(versions, w.versionIndex(version))
	}
	w.tag(tagVersions, uint64(w.data.Len()))
	w.put(versions)
	w.align()
	w.tag(tagHash, uint64(w.data.Len()))
	w.put([]uint32{1, uint32(len(versions)), 0})
	w.put(make([]uint32, len(versions)))
	w.align()
}

func (w *elfWriter) symbol(name uint32, section uint16) {
	const global, function = 1 << 4, 2
	w.put(name)
	if w.bits == 32 {
		w.put([]uint32{0, 0})
	}
	w.put([]uint8{global | function, 0})
	w.put(section)
	if w.bits == 64 {
		w.put([]uint64{0, 0})
	}
}

// versionIndex counts as versions does: offers first, then wants.
func (w *elfWriter) versionIndex(version string) uint16 {
	index := uint16(1)
	if version == "" {
		return index
	}
	for _, v := range w.recipe.offers {
		index++
		if v == version {
			return index
		}
	}
	for _, library := range w.recipe.needs {
		for _, v := range w.recipe.wants[library] {
			index++
			if strings.TrimPrefix(v, "?") == version {
				return index
			}
		}
	}
	panic("no version " + version)
}

func (w *elfWriter) header(dynamic, interp, interpEnd int) []byte {
	image := w.data
	w.data = bytes.Buffer{}
	kind, machine := uint16(typeDyn), w.recipe.machine
	if w.recipe.exec {
		kind = typeExec
	}
	if machine == 0 {
		machine = 62
	}
	class, order := byte(w.bits/32), byte(1)
	if w.recipe.big {
		order = 2
	}
	w.data.WriteString("\x7fELF")
	w.data.Write([]byte{class, order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	w.put([]uint16{kind, machine})
	w.put(uint32(1))
	w.number(0)
	w.number(uint64(w.size(52, 64)))
	w.number(0)
	w.put(uint32(0))
	segments := 2
	if w.recipe.interp != "" {
		segments = 3
	}
	w.put([]uint16{uint16(w.size(52, 64)), uint16(w.size(32, 56)), uint16(segments), 0, 0, 0})
	w.segment(segmentLoad, 0, image.Len())
	w.segment(segmentDynamic, dynamic, image.Len()-dynamic)
	if segments == 3 {
		w.segment(3, interp, interpEnd-interp)
	}
	out := image.Bytes()
	copy(out, w.data.Bytes())
	return out
}

func (w *elfWriter) segment(kind uint32, from, size int) {
	w.put(kind)
	if w.bits == 64 {
		w.put(uint32(4))
	}
	w.number(uint64(from))
	w.number(uint64(from))
	w.number(uint64(from))
	w.number(uint64(size))
	w.number(uint64(size))
	if w.bits == 32 {
		w.put(uint32(4))
	}
	w.number(8)
}
