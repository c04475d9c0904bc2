package sevenzip

// A folder is files that were packed together, by one coder or by several, of which
// one reads what the other wrote.
type folder struct {
	coders []coder
	links  []link
	inputs []int // which inputs the packed bytes are, in their order
	packed []section
	sizes  []int64 // what each coder writes
	sum    checksum
	parts  []part
}

// A coder has one output, and as a rule one input.
type coder struct {
	method     uint64
	inputs     int
	first      int // number of its first input within the folder
	properties []byte
}

// A link says that an input is what a coder writes.
type link struct{ input, coder int }

// A part is the content of one file.
type part struct {
	size int64
	sum  checksum
}

const maxCoders = 32 // of a folder, and their inputs: as many as 7-Zip reads

// streams reads where packed bytes are, and how they are unpacked.
func (c *cursor) streams(s source) []folder {
	var packed []section
	var folders []folder
	id := c.byte()
	if id == idPackInfo {
		packed = c.packed(s)
		id = c.byte()
	}
	if id == idUnpackInfo {
		folders = c.folders(s.limits.Files)
		id = c.byte()
	}
	for i := range folders {
		folders[i].parts = []part{{folders[i].sizes[folders[i].last()], folders[i].sum}}
	}
	if id == idSubStreams {
		c.parts(folders, s.limits.Files)
		id = c.byte()
	}
	if id != idEnd {
		c.fail("its list of files goes on with %#x", id)
	}
	for i := range folders {
		n := len(folders[i].inputs)
		if n > len(packed) {
			c.fail("it has fewer packed streams than are needed")
			return nil
		}
		folders[i].packed, packed = packed[:n], packed[n:]
	}
	return folders
}

// packed reads where the packed bytes are: one stream behind the other.
func (c *cursor) packed(s source) []section {
	at := startHeader + c.size()
	sections := make([]section, c.count("packed streams", s.limits.Files))
	id := c.byte()
	if id == idSize {
		for i := range sections {
			size := c.size()
			if at > s.size || size > s.size-at {
				c.fail("packed bytes would stand behind its end")
				return nil
			}
			sections[i] = section{at, size}
			at += size
		}
		id = c.byte()
	}
	if id == idCRC {
		c.checksums(len(sections)) // those of the files tell more
		id = c.byte()
	}
	if id != idEnd {
		c.fail("its list of files goes on with %#x", id)
	}
	return sections
}

func (c *cursor) folders(most int) []folder {
	c.want(idFolder)
	n := c.count("folders", most)
	c.inside()
	var folders []folder
	for coders := 0; len(folders) < n && c.err == nil; {
		f := c.folder()
		if coders += len(f.coders); coders > 4*most {
			c.fail("it has more than %d coders", 4*most)
		}
		folders = append(folders, f)
	}
	c.want(idCodersUnpackSize)
	total := int64(0)
	for i := range folders {
		for range folders[i].coders {
			size := c.size()
			folders[i].sizes = append(folders[i].sizes, size)
			if total += size; total > largest {
				c.fail("it would unpack to %d TiB", total>>40)
			}
		}
	}
	id := c.byte()
	if id == idCRC {
		for i, sum := range c.checksums(len(folders)) {
			folders[i].sum = sum
		}
		id = c.byte()
	}
	if id != idEnd {
		c.fail("its list of files goes on with %#x", id)
	}
	if c.err != nil {
		return nil
	}
	return folders
}

// folder reads coders and how they are connected. All outputs but one are an input.
func (c *cursor) folder() folder {
	var f folder
	n, inputs := c.count("coders of a folder", maxCoders), 0
	for range n {
		f.coders = append(f.coders, c.coder(inputs))
		if inputs += f.coders[len(f.coders)-1].inputs; inputs > maxCoders {
			c.fail("a folder has more than %d inputs", maxCoders)
		}
	}
	if n == 0 || inputs < n || c.err != nil {
		c.fail("a folder has no coder, or one without an input")
		return f
	}
	linked := make([]bool, inputs)
	for range n - 1 {
		l := link{c.count("inputs", inputs-1), c.count("outputs", n-1)}
		linked[l.input] = true
		f.links = append(f.links, l)
	}
	if inputs == n {
		for i, linked := range linked {
			if !linked {
				f.inputs = append(f.inputs, i)
			}
		}
		f.inputs = f.inputs[:1] // more where a link stands twice, which unpacking finds
		return f
	}
	for range inputs - (n - 1) {
		f.inputs = append(f.inputs, c.count("inputs", inputs-1))
	}
	return f
}

// coder reads one; the lowest half of the first byte is how long its number is.
func (c *cursor) coder(first int) coder {
	const (
		length     = 0x0f
		several    = 0x10 // inputs or outputs
		properties = 0x20
		reserved   = 0xc0
	)
	flags := c.byte()
	id := c.take(uint64(flags & length))
	k := coder{inputs: 1, first: first}
	if len(id) == 0 || len(id) > 8 || flags&reserved != 0 {
		c.fail("a coder has no number that is known")
		return k
	}
	for _, b := range id {
		k.method = k.method<<8 | uint64(b)
	}
	if flags&several != 0 {
		k.inputs = c.count("inputs of a coder", maxCoders)
		if outputs := c.number(); outputs != 1 {
			c.fail("a coder has %d outputs", outputs)
		}
	}
	if flags&properties != 0 {
		k.properties = c.take(c.number())
	}
	return k
}

// last is the coder whose output is no input: what it writes are the files.
func (f *folder) last() int {
	linked := make([]bool, len(f.coders))
	for _, l := range f.links {
		linked[l.coder] = true
	}
	for i, linked := range linked {
		if !linked {
			return i
		}
	}
	return 0 // not reached: there are fewer links than coders
}

// parts reads which files a folder holds. The size of the last is what the others
// leave.
func (c *cursor) parts(folders []folder, most int) {
	id := c.byte()
	if id == idNumUnpackStream {
		left := most
		for i := range folders {
			n := c.count("files in a folder", left)
			left -= n
			if n != 1 {
				folders[i].parts = make([]part, n)
			}
		}
		id = c.byte()
	}
	sized := id == idSize
	for i := range folders {
		c.sizes(&folders[i], sized)
	}
	if sized {
		id = c.byte()
	}
	if id == idCRC {
		c.sums(folders)
		id = c.byte()
	}
	if id != idEnd {
		c.fail("its list of files goes on with %#x", id)
	}
}

func (c *cursor) sizes(f *folder, sized bool) {
	if len(f.parts) < 2 {
		return
	}
	if !sized {
		c.fail("it does not say how large its files are")
	}
	left, last := f.sizes[f.last()], len(f.parts)-1
	for i := range last {
		size := c.size()
		if left -= size; left < 0 {
			c.fail("files are larger than what they are packed in")
			return
		}
		f.parts[i].size = size
	}
	f.parts[last].size = left
}

// sums reads the checksums of files that do not have that of their folder.
func (c *cursor) sums(folders []folder) {
	var unknown []*checksum
	for i := range folders {
		for j := range folders[i].parts {
			if sum := &folders[i].parts[j].sum; !sum.known {
				unknown = append(unknown, sum)
			}
		}
	}
	for i, sum := range c.checksums(len(unknown)) {
		*unknown[i] = sum
	}
}
