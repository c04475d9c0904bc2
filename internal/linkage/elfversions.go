package linkage

import "fmt"

// A versionName is a version that is wanted, as offsets of names.
type versionName struct {
	library, version uint64
	index            uint16 // what the table of symbols calls it
	weak             bool
}

const (
	versionsStep = 1 << 10 // most tables are shorter
	versionsMax  = 256 << 10
	maxVersions  = 4096
	flagWeak     = 2
)

// A chain reads records that say how far the next one is, and reads on where
// they go beyond what was read.
type chain struct {
	f     *elfFile
	start int64
	left  uint64
	count int
}

func (f *elfFile) chainAt(addr uint64) (*chain, error) {
	start, left, err := f.offsetOf(addr)
	if err != nil {
		return nil, err
	}
	return &chain{f: f, start: start, left: left}, nil
}

// at returns n bytes at an offset in the chain. Offered and wanted versions stand
// one behind the other in most files, so one range often serves both.
func (c *chain) at(off uint64, n int) ([]byte, error) {
	c.count++
	if c.count > maxVersions {
		return nil, fmt.Errorf("%w: %d versions", ErrTooMuch, c.count)
	}
	if off > versionsMax || off+uint64(n) > c.left { //nolint:gosec // n is the size of a record
		return nil, damaged("a table of versions leaves its place, at %d", off)
	}
	at := c.start + int64(off)
	if w := c.f.versions; at >= w.off && at+int64(n) <= w.off+int64(len(w.data)) {
		return w.data[at-w.off:][:n], nil
	}
	data, err := c.f.upTo(at, int(min(versionsStep, c.left-off))) //nolint:gosec // at most versionsStep
	if err != nil {
		return nil, err
	}
	if len(data) < n {
		return nil, fmt.Errorf("%w: in a table of versions", ErrCutShort)
	}
	c.f.versions = window{at, data}
	return data[:n], nil
}

// A window is a range that was read.
type window struct {
	off  int64
	data []byte
}

// readWants reads DT_VERNEED (Linux Standard Base, symbol versioning): a record
// for each library, and below it one for each version.
func (f *elfFile) readWants() ([]versionName, error) {
	if f.dynamic.wants == 0 || f.dynamic.wantsCount == 0 {
		return nil, nil
	}
	c, err := f.chainAt(f.dynamic.wants)
	if err != nil {
		return nil, fmt.Errorf("the wanted versions: %w", err)
	}
	var out []versionName
	for off, i := uint64(0), uint64(0); i < f.dynamic.wantsCount; i++ {
		need, err := c.at(off, 16)
		if err != nil {
			return nil, err
		}
		count, file := f.order.Uint16(need[2:]), uint64(f.order.Uint32(need[4:]))
		aux, next := off+uint64(f.order.Uint32(need[8:])), uint64(f.order.Uint32(need[12:]))
		for range count {
			version, err := c.at(aux, 16)
			if err != nil {
				return nil, err
			}
			out = append(out, versionName{
				library: file, version: uint64(f.order.Uint32(version[8:])),
				index: f.order.Uint16(version[6:]), weak: f.order.Uint16(version[4:])&flagWeak != 0,
			})
			aux += uint64(f.order.Uint32(version[12:]))
		}
		if next == 0 {
			break
		}
		off += next
	}
	return out, nil
}

// A versionOffer is a version that is defined.
type versionOffer struct {
	name  uint64
	index uint16
}

// offered reads DT_VERDEF; the first of the names below a record is its own, the
// others are those that it builds on. The first record is the name of the file.
func (f *elfFile) offered() ([]versionOffer, error) {
	if f.dynamic.offers == 0 || f.dynamic.offersCount == 0 {
		return nil, nil
	}
	c, err := f.chainAt(f.dynamic.offers)
	if err != nil {
		return nil, fmt.Errorf("the offered versions: %w", err)
	}
	var out []versionOffer
	for off, i := uint64(0), uint64(0); i < f.dynamic.offersCount; i++ {
		def, err := c.at(off, 20)
		if err != nil {
			return nil, err
		}
		index := f.order.Uint16(def[4:])
		aux, next := off+uint64(f.order.Uint32(def[12:])), uint64(f.order.Uint32(def[16:]))
		name, err := c.at(aux, 8)
		if err != nil {
			return nil, err
		}
		out = append(out, versionOffer{uint64(f.order.Uint32(name)), index})
		if next == 0 {
			break
		}
		off += next
	}
	return out, nil
}
