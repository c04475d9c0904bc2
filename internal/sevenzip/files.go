package sevenzip

import (
	"io/fs"
	"unicode/utf16"
)

const maxName = 4096 // UTF-16 units, as long as paths are on Linux

// files reads names and what kind each is. Each thing that is told of files is a
// block of its own; times and whatever else is not needed are passed over.
func (c *cursor) files(most int) []file {
	n := c.count("files", most)
	blocks := map[byte]*cursor{}
	for id := c.byte(); id != idEnd; id = c.byte() {
		if blocks[id] != nil && id != idDummy {
			c.fail("its list of files says %#x twice", id)
			return nil
		}
		blocks[id] = &cursor{data: c.take(c.number())}
	}
	if c.err != nil || n == 0 {
		return nil
	}
	block := func(id byte, read func(*cursor)) {
		if b := blocks[id]; b != nil && c.err == nil {
			read(b)
			c.err = b.err
		}
	}
	out := make([]file, n)
	empty := make([]bool, n)
	block(idEmptyStream, func(b *cursor) { empty = b.bits(n) })
	bare := 0
	for _, empty := range empty {
		if empty {
			bare++
		}
	}
	plain, anti := make([]bool, bare), make([]bool, bare)
	block(idEmptyFile, func(b *cursor) { plain = b.bits(bare) })
	block(idAnti, func(b *cursor) { anti = b.bits(bare) })
	attributes := make([]uint32, n)
	block(idAttributes, func(b *cursor) { attributes = b.attributes(n) })
	if blocks[idNames] == nil {
		c.fail("its files have no names")
	}
	block(idNames, func(b *cursor) { b.names(out) })
	for i := range out {
		is := kind{attributes: attributes[i], content: !empty[i]}
		if empty[i] {
			is.file, is.anti = plain[0], anti[0]
			plain, anti = plain[1:], anti[1:]
			out[i].folder = nowhere
		}
		out[i].Mode = is.mode()
	}
	return out
}

func (c *cursor) attributes(n int) []uint32 {
	out := make([]uint32, n)
	known := c.defined(n)
	c.inside()
	for i, known := range known {
		if known {
			out[i] = c.uint32()
		}
	}
	return out
}

// names reads UTF-16, each name up to its zero.
func (c *cursor) names(files []file) {
	c.inside()
	for i := range files {
		var name []uint16
		for {
			b := c.take(2)
			if c.err != nil {
				return
			}
			unit := uint16(b[0]) | uint16(b[1])<<8
			if unit == 0 {
				break
			}
			if name = append(name, unit); len(name) > maxName {
				c.fail("a name is longer than %d letters", maxName)
				return
			}
		}
		files[i].Name = string(utf16.Decode(name))
	}
}

// A kind is what tells files, folders and links apart.
type kind struct {
	attributes uint32
	content    bool
	file       bool // a file without content, and no folder
	anti       bool // what is to be deleted when the archive is unpacked
}

// mode: attributes are those of Windows; those of Unix, where they are there, are the
// upper half (Methods of p7zip and 7-Zip since 2009).
func (k kind) mode() fs.FileMode {
	const (
		reparse   = 0x400
		directory = 0x10
		unix      = 0x8000
		unixType  = 0xf000
		unixFile  = 0x8000
		unixDir   = 0x4000
		unixLink  = 0xa000
	)
	folder := !k.content && !k.file
	said := folder
	if k.attributes&directory != 0 {
		said = true
	}
	if k.attributes&unix != 0 {
		switch k.attributes >> 16 & unixType {
		case unixLink:
			return fs.ModeSymlink
		case unixDir:
			said = true
		case unixFile, 0:
		default:
			return fs.ModeIrregular
		}
	}
	switch {
	case k.attributes&reparse != 0:
		return fs.ModeSymlink
	case k.anti, said != folder:
		return fs.ModeIrregular
	case folder:
		return fs.ModeDir
	}
	return 0
}

// assign gives each file with content its part, in the order of both.
func (c *cursor) assign(files []file, folders []folder) {
	next, folder := 0, 0
	for i := range files {
		if files[i].folder == nowhere {
			continue
		}
		for folder < len(folders) && next == len(folders[folder].parts) {
			folder, next = folder+1, 0
		}
		if folder == len(folders) {
			c.fail("it names more files than it holds")
			return
		}
		files[i].folder, files[i].part, files[i].Size = folder, next, folders[folder].parts[next].size
		next++
	}
	for folder < len(folders) && next == len(folders[folder].parts) {
		folder, next = folder+1, 0
	}
	if folder < len(folders) {
		c.fail("it holds more files than it names")
	}
}
