package codeobj

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A bundle is what clang-offload-bundler writes: a magic number, the number of entries, and for each its offset, size
// and name. The runtime reads the first 4096 bytes only, so a longer table is not legal; we read on, within bounds.
const (
	tableStart  = int64(len(magicBundle)) + 8
	tableGuess  = 4096
	maxEntries  = 4096
	maxEntryID  = 1024
	entryHeader = 24
	maxTable    = 1 << 20
)

// An entry is one row of a bundle's table.
type entry struct {
	offset, size uint64 // from the bundle's first byte
	id           string
}

// parseTable reads the table at the front of a bundle. Where data ends within the table, more says so.
func parseTable(data []byte) (entries []entry, length int64, more bool, err error) {
	if len(data) < int(tableStart) {
		return nil, 0, true, nil
	}
	if !bytes.HasPrefix(data, []byte(magicBundle)) {
		return nil, 0, false, fmt.Errorf("it is no bundle")
	}
	count := binary.LittleEndian.Uint64(data[len(magicBundle):])
	if count > maxEntries {
		return nil, 0, false, fmt.Errorf("%w: a bundle with %d entries", errTooMuch, count)
	}
	rest := data[tableStart:]
	for range count {
		if len(rest) < entryHeader {
			return nil, 0, true, nil
		}
		e := entry{offset: binary.LittleEndian.Uint64(rest), size: binary.LittleEndian.Uint64(rest[8:])}
		n := binary.LittleEndian.Uint64(rest[16:])
		if n > maxEntryID {
			return nil, 0, false, fmt.Errorf("%w: an entry's name of %d bytes", errTooMuch, n)
		}
		if rest = rest[entryHeader:]; uint64(len(rest)) < n {
			return nil, 0, true, nil
		}
		e.id, rest = string(rest[:n]), rest[n:]
		entries = append(entries, e)
	}
	return entries, int64(len(data) - len(rest)), false, nil
}

// readTable reads the table of the bundle that a part begins with, and of which the head was read already.
func readTable(p part, head []byte) (entries []entry, length int64, err error) {
	if entries, length, more, err := parseTable(head); err != nil || !more {
		return entries, length, err
	}
	for size := tableGuess; ; size *= 4 {
		data, err := p.upTo(0, size)
		if err != nil {
			return nil, 0, err
		}
		entries, length, more, err := parseTable(data)
		if err != nil || !more {
			return entries, length, err
		}
		if len(data) < size {
			return nil, 0, fmt.Errorf("%w: in the table of a bundle", errCutShort)
		}
		if size >= maxTable {
			return nil, 0, fmt.Errorf("%w: a table of more than %d bytes", errTooMuch, maxTable)
		}
	}
}

// bundle lists the bundle that a part begins with, and returns its length. Where the table cannot be read it is 0.
func (s *scan) bundle(p part, head []byte) int64 {
	entries, end, err := readTable(p, head)
	if err != nil {
		s.failed(p.where, fmt.Sprintf("the bundle at %d", p.start), err)
		return 0
	}
	s.file.Bundles++
	for _, e := range entries {
		payload, err := p.cut(e.offset, e.size)
		if err != nil {
			s.problem(p.where, "the entry %s of the bundle at %d: %v", quoted(e.id), p.start, err)
			continue
		}
		end = max(end, payload.start+payload.size-p.start)
		s.entry(p, e.id, payload)
		if s.stopped {
			break
		}
	}
	return end
}

// entry lists one entry of a table: in, for problems, is what the table stands in.
func (s *scan) entry(in part, name string, payload part) {
	id := s.entryID(name)
	if id.host || id.other {
		return
	}
	if payload.size == 0 {
		s.problem(in.where, "the entry %s at %d is empty", quoted(name), in.start)
		return
	}
	head, err := payload.into(s.head[:], 0, elfHeader)
	if err != nil {
		s.failed(in.where, fmt.Sprintf("the entry %s at %d", quoted(name), payload.start), err)
		return
	}
	s.add(s.object(in.where, name, head, Object{Where: in.where, Offset: payload.start, Size: payload.size}))
}

// object completes an object from the name of its entry and the first bytes of its payload, and says where the two
// contradict each other. The runtime chooses by the name, so the name is kept.
func (s *scan) object(where, name string, head []byte, o Object) Object {
	id := s.entryID(name)
	o.Target, o.Text, o.Form = id.target, id.text, formOf(head)
	if id.err != nil {
		s.problem(where, "the entry at %d: %v", o.Offset, id.err)
	}
	g, isELF := readGPUELF(head)
	if !isELF {
		if o.Form == FormOther || o.Form == FormELF {
			o.Form = FormOther
			s.problem(where, "the entry %s at %d holds neither machine code nor SPIR-V nor bitcode", quoted(name), o.Offset)
		}
		return o
	}
	o.CodeObject, o.GenericVersion = g.version, g.generic
	switch {
	case g.version == 2:
	case g.err != nil:
		s.problem(where, "the entry %s at %d: %v", quoted(name), o.Offset, g.err)
	case id.err != nil:
		o.Target = g.target
	case !g.agrees(id.target):
		s.problem(where, "the entry at %d is named %s, and its code is for %s", o.Offset, quoted(id.text), g.target)
	}
	return o
}

func formOf(head []byte) Form {
	switch identify("", head) {
	case KindCodeObject:
		return FormELF
	case KindSPIRV:
		return FormSPIRV
	case KindBitcode, KindArchive: // an archive of bitcode, in libraries made with -fgpu-rdc
		return FormBitcode
	}
	return FormOther
}

// entryID reads the name of an entry, such as hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+ or host-x86_64-unknown-linux--.
func (s *scan) entryID(name string) entryID {
	if id, ok := s.targets[name]; ok {
		return id
	}
	id := parseEntryID(name)
	if len(s.targets) < maxEntries {
		s.targets[name] = id
	}
	return id
}

func parseEntryID(name string) entryID {
	kind, triple, _ := strings.Cut(name, "-")
	if kind == "host" {
		return entryID{host: true}
	}
	if !strings.HasPrefix(triple, "amdgcn") && !strings.HasPrefix(triple, "spirv64-amd") {
		return entryID{other: true}
	}
	_, text, found := strings.Cut(triple, "amdhsa-")
	if text = strings.TrimLeft(text, "-"); !found {
		text = name
	}
	target, err := rocm.ParseTargetID(text)
	if err != nil {
		err = fmt.Errorf("%s names no target that we know", quoted(name))
	}
	return entryID{text: printable(text), target: target, err: err}
}

// quoted writes a name from a file for people: whatever it holds, it stays on one line.
func quoted(name string) string { return fmt.Sprintf("%q", name) }

func printable(text string) string {
	q := quoted(text)
	return q[1 : len(q)-1]
}
