package explain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// An Input is one log.
type Input struct {
	Name   string
	Reader io.Reader
}

// Limits of what is kept while a log is read. What is read is not limited.
const (
	chunkSize = 1 << 20
	maxLine   = 8 << 10 // of a longer line, what stands around a word
	maxShown  = 400     // of a line, as evidence
)

// A Log is what some inputs hold of what is known.
type Log struct {
	Names   []string
	Lines   int64
	Bytes   int64
	Binary  []string // inputs that are no text
	Matches []Match  // by input and line
}

// A Match is a line that has the form of a signature.
type Match struct {
	Signature cause.Signature
	Input     int // which of the names
	Line      int64
	Last      int64 // the last line like it
	Count     int   // of lines like it
	Text      string
	Values    map[string]string // what the pattern captured
	from, to  int               // where in the line
	stamp     string            // the time at its beginning, comparable as text
	frame     bool
}

// Read goes through logs once and keeps the lines that have a known form. Progress is told in bytes.
func Read(ctx context.Context, inputs []Input, c cause.Catalogue, progress func(read int64)) (Log, error) {
	m, err := newMatcher(c)
	if err != nil {
		return Log{}, err
	}
	return m.read(ctx, inputs, progress)
}

func (m *matcher) read(ctx context.Context, inputs []Input, progress func(read int64)) (Log, error) {
	var log Log
	k := newKeeper()
	for i, in := range inputs {
		log.Names = append(log.Names, in.Name)
		r, err := textOf(in.Reader)
		if err != nil {
			return log, fmt.Errorf("read %s: %w", in.Name, err)
		}
		p := pass{input: i, matcher: m, keeper: k, progress: progress, already: log.Bytes}
		if err := p.run(ctx, r); err != nil {
			return log, fmt.Errorf("read %s: %w", in.Name, err)
		}
		log.Lines += p.lines
		log.Bytes += p.bytes
		if p.binary {
			log.Binary = append(log.Binary, in.Name)
		}
	}
	log.Matches = k.matches()
	return log, nil
}

// A chunk is a piece of a log that ends with a line. Its beginning repeats the line before it.
type chunk struct {
	number int
	data   []byte
	from   int   // where the new part begins
	lines  int64 // before the new part
	found  []line
}

// A pass is the reading of one input: one goroutine reads, others search, and what they found is kept in the order of
// the log.
type pass struct {
	input    int
	matcher  *matcher
	keeper   *keeper
	progress func(int64)
	already  int64
	lines    int64
	bytes    int64
	binary   bool
}

func (p *pass) run(ctx context.Context, r io.Reader) error {
	workers := runtime.GOMAXPROCS(0)
	todo, done := make(chan *chunk, workers), make(chan *chunk, workers)
	free := make(chan *chunk, 2*workers+2)
	for range cap(free) {
		free <- &chunk{}
	}
	var searching sync.WaitGroup
	for range workers {
		searching.Go(func() {
			s := p.matcher.searcher()
			for c := range todo {
				c.found = s.search(c)
				done <- c
			}
		})
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		p.keep(done, free)
	}()
	err := p.cut(ctx, r, todo, free)
	close(todo)
	searching.Wait()
	close(done)
	<-kept
	return err
}

// keep takes chunks in their order.
func (p *pass) keep(done <-chan *chunk, free chan<- *chunk) {
	waiting, next := map[int]*chunk{}, 0
	for c := range done {
		for waiting[c.number] = c; waiting[next] != nil; next++ {
			ready := waiting[next]
			delete(waiting, next)
			for _, l := range ready.found {
				p.keeper.add(p.input, l)
			}
			free <- ready
		}
	}
}

// cut reads the log in pieces that end with a line. A line that is longer than a piece is cut through, with enough of
// its end repeated that no word is missed.
func (p *pass) cut(ctx context.Context, r io.Reader, todo chan<- *chunk, free <-chan *chunk) error {
	var rest, before []byte
	for number := 0; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := <-free
		c.number = number
		ended, err := p.fill(c, r, before, rest)
		if err != nil {
			return err
		}
		if number == 0 {
			p.binary = isBinary(c.data)
		}
		rest = rest[:0]
		if end := bytes.LastIndexByte(c.data[c.from:], '\n'); !ended && end >= 0 {
			rest = append(rest, c.data[c.from+end+1:]...)
			c.data = c.data[:c.from+end+1]
		}
		p.count(c, ended)
		before = append(before[:0], lastLine(c.data)...)
		todo <- c
		if p.progress != nil {
			p.progress(p.already + p.bytes)
		}
		if ended {
			return nil
		}
	}
}

// fill reads the next piece behind what the last one left.
func (p *pass) fill(c *chunk, r io.Reader, before, rest []byte) (ended bool, err error) {
	c.data = append(append(c.data[:0], before...), rest...)
	c.from = len(before)
	start := len(c.data)
	c.data = grow(c.data, start+chunkSize)
	n, err := io.ReadFull(r, c.data[start:])
	c.data = c.data[:start+n]
	p.bytes += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true, nil
	}
	return false, err
}

// count numbers the lines of a piece.
func (p *pass) count(c *chunk, ended bool) {
	c.lines = p.lines
	p.lines += int64(bytes.Count(c.data[c.from:], []byte{'\n'}))
	if ended && len(c.data) > c.from && c.data[len(c.data)-1] != '\n' {
		p.lines++
	}
}

func grow(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	out := make([]byte, n)
	copy(out, b)
	return out
}

// lastLine is the end of a chunk that the next one repeats.
func lastLine(data []byte) []byte {
	const most = 1 << 10
	end := len(data)
	if end > 0 && data[end-1] == '\n' {
		end--
	}
	from := bytes.LastIndexByte(data[:end], '\n') + 1
	return data[max(from, len(data)-most):]
}

// isBinary knows what no person wrote.
func isBinary(data []byte) bool {
	const look = 8 << 10
	return bytes.IndexByte(data[:min(len(data), look)], 0) >= 0
}
