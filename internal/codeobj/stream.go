package codeobj

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// A Budget bounds what is kept of a file that comes as a stream. A zero is the default.
type Budget struct {
	Whole  int64 // a file up to here is kept as it is
	Recent int64 // of a larger one, the last so many bytes outside of GPU code
	Chosen int64 // and of tables, headers and data that will be asked for
}

// A table and the first bytes of each entry take 5 kB for a bundle, a compressed bundle 20 to 100 kB; the largest known
// library has some hundreds of them.
const (
	defaultWhole  = 8 << 20
	defaultChosen = 48 << 20
	deepWhole     = 128 << 20
)

func (b Budget) withDefaults(deep bool) Budget {
	whole := int64(defaultWhole)
	if deep {
		whole = deepWhole
	}
	b.Whole = cmp.Or(b.Whole, whole)
	b.Recent = cmp.Or(b.Recent, b.Whole)
	b.Chosen = cmp.Or(b.Chosen, defaultChosen)
	return b
}

// errNotKept is what a reader gets who asks for bytes that went by. It is never silent: who reads a file hears of it.
var errNotKept = errors.New("it is packed, too much of it would have to be kept, and these bytes were not: unpack it first")

// A Gathered is a file that came as a stream, as far as Read will ask for it. Payloads of GPU code are not kept, only
// the tables before them and their first bytes.
type Gathered struct {
	extents []extent // in the order of the file
	size    int64
	missed  bool
}

// Size is how long the stream was.
func (g *Gathered) Size() int64 { return g.size }

// Missed reports whether anybody asked for bytes that were not kept. Then what was found may not be all.
func (g *Gathered) Missed() bool { return g.missed }

// ReadAt fails where bytes were not kept.
func (g *Gathered) ReadAt(p []byte, off int64) (int, error) {
	i, exact := slices.BinarySearchFunc(g.extents, off, func(e extent, off int64) int { return cmp.Compare(e.at, off) })
	if !exact {
		i--
	}
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at >= g.size {
			return n, io.EOF
		}
		if i < 0 || i >= len(g.extents) || at >= g.extents[i].at+g.extents[i].size || at < g.extents[i].at {
			g.missed = true
			return n, errNotKept
		}
		n += g.extents[i].copyTo(p[n:], at)
		i++
	}
	return n, nil
}

const (
	lookahead = 192 << 10 // a table, or the first block of a compressed bundle, is seen whole
	window    = 512 << 10
)

// A Gatherer makes streams readable. It uses its memory again, so a Gathered is good until the next is made.
type Gatherer struct {
	Budget Budget

	window []byte
	free   [][]byte // blocks
}

// Gather reads a stream to its end. The name and the first bytes say what the file is; one that holds no GPU code by
// itself is read no further. The size is what an archive says of it, and decides only how much is kept.
func (g *Gatherer) Gather(name string, size int64, r io.Reader, o Options) (*Gathered, error) {
	if g.window == nil {
		g.window = make([]byte, window)
	}
	s := &stream{from: r, buffer: g.window, store: store{budget: g.Budget.withDefaults(o.Deep), free: g.free}}
	defer func() { g.free = s.store.free }()
	if err := s.fill(headSize, headSize); err != nil {
		return nil, err
	}
	head := s.ahead()[:min(headSize, len(s.ahead()))]
	s.kind = identify(baseName(name), head)
	switch s.kind {
	case KindSPIRV, KindBitcode, KindTensile, KindMIOpen, KindNone:
		return &Gathered{extents: []extent{{size: int64(len(head)), data: slices.Clone(head)}}, size: max(size, int64(len(head)))}, nil
	}
	s.hopping = !o.Deep && size > s.store.budget.Whole
	if err := s.gather(); err != nil {
		return nil, err
	}
	return s.store.finish(s.at), nil
}

// A stream is the reading of one.
type stream struct {
	from    io.Reader
	ended   bool
	kind    Kind
	hopping bool // over payloads
	failed  int  // magic numbers with nothing behind them
	blob    int64
	store   store

	buffer   []byte
	low, end int   // of what was read into it and not looked at
	at       int64 // where that begins in the file
}

// ahead is what was read and not looked at.
func (s *stream) ahead() []byte { return s.buffer[s.low:s.end] }

// fill sees to it that at least so many bytes are ahead, unless the stream has ended. When it has to read, it reads as
// many as are wanted: to make place for them costs time.
func (s *stream) fill(least, wanted int) error {
	if s.end-s.low >= least || s.ended {
		return nil
	}
	s.end = copy(s.buffer, s.ahead())
	s.low = 0
	for s.end < wanted && !s.ended {
		n, err := s.from.Read(s.buffer[s.end:])
		s.end += n
		if errors.Is(err, io.EOF) {
			s.ended = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) pass(n int) { s.low, s.at = s.low+n, s.at+int64(n) }

func (s *stream) gather() error {
	for {
		if err := s.fill(lookahead+1, window); err != nil {
			return err
		}
		if len(s.ahead()) == 0 {
			return nil
		}
		if s.at == 0 {
			s.begin()
		}
		ready := len(s.ahead())
		if !s.ended {
			ready -= lookahead
		}
		n, h := s.find(ready)
		s.store.keep(s.ahead()[:n], s.at)
		s.pass(n)
		if err := s.hop(h); err != nil {
			return err
		}
	}
}

// hop goes over a payload and keeps what was chosen of it.
func (s *stream) hop(h hop) error {
	start, end := s.at, s.at+h.length
	for s.at < end {
		if err := s.fill(1, 1); err != nil {
			return err
		}
		data := s.ahead()
		if len(data) == 0 {
			return nil // cut short, which the reader will say
		}
		data = data[:min(int64(len(data)), end-s.at)]
		for _, k := range h.keep {
			from, to := max(start+k.from, s.at), min(start+k.to, s.at+int64(len(data)))
			if from < to {
				s.store.choose(data[from-s.at:to-s.at], from)
			}
		}
		s.pass(len(data))
	}
	return nil
}

// begin looks at the front of a file for what will be asked for.
func (s *stream) begin() {
	s.store.pin(0, frontSize)
	switch s.kind {
	case KindCodeObject:
		s.store.budget.Recent = 0 // its header says all
	case KindELF:
		s.store.pinELF(s.ahead())
	case KindPE:
		s.store.pinPE(s.ahead())
	case KindKpack:
		s.blob = s.store.pinKpack(s.ahead())
	}
}
