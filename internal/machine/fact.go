package machine

import (
	"encoding/json"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A State says how well a fact is known. The zero value is Unread, so that a
// fact nobody filled in never passes for a good one.
type State string

// The states of a fact.
const (
	Unread State = ""       // we did not look, or could not: Why says why
	Absent State = "absent" // we looked; it is not there
	Known  State = "known"
)

// A Source says where a fact was read: a path, a variable, a system call.
type Source string

// A Fact is a value that knows where it comes from and how well it is known.
type Fact[T any] struct {
	Value T
	State State
	From  Source
	Why   string // why it is unread, or how it was inferred
}

// Know is a fact that was read.
func Know[T any](v T, from Source) Fact[T] {
	return Fact[T]{Value: v, State: Known, From: from}
}

// Missing is a fact of absence: we looked there and found nothing.
func Missing[T any](from Source) Fact[T] {
	return Fact[T]{State: Absent, From: from}
}

// Unknown is a fact that could not be read, and why.
func Unknown[T any](from Source, why string) Fact[T] {
	return Fact[T]{From: from, Why: why}
}

// Known reports whether the value may be used.
func (f Fact[T]) Known() bool { return f.State == Known }

// Absent reports whether we looked and found nothing.
func (f Fact[T]) Absent() bool { return f.State == Absent }

// Unread reports whether nothing may be concluded.
func (f Fact[T]) Unread() bool { return f.State == Unread }

// Or returns the value, or the fallback where it is not known.
func (f Fact[T]) Or(fallback T) T {
	if f.Known() {
		return f.Value
	}
	return fallback
}

// MarshalJSON writes the value only where it is known, so that a reader of the
// JSON cannot mistake a zero for a measurement.
func (f Fact[T]) MarshalJSON() ([]byte, error) {
	out := struct {
		Value any    `json:"value,omitempty"`
		State string `json:"state"`
		From  Source `json:"from,omitempty"`
		Why   string `json:"why,omitempty"`
	}{State: string(f.State), From: f.From, Why: f.Why}
	if f.Unread() {
		out.State = "unread"
	}
	if f.Known() {
		out.Value = &f.Value
	}
	return json.Marshal(out)
}

// Cite is the evidence that a fact of the knowledge base gives: how well it is
// known, and where it was read.
func Cite(p rocm.Provenance) Evidence {
	return Evidence{From: Source(p.Grade()), Text: p.Source}
}

// Evidence is a line that a person can check by hand: where it stands, and what
// it says.
type Evidence struct {
	From Source `json:"from"`
	Text string `json:"text"`
}
