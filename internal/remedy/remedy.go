// Package remedy holds cures as data, so that a cure can be shown, stored, refused, applied and undone.
package remedy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Remedy is one way to cure a finding.
type Remedy struct {
	ID    string `json:"id"`
	Title string `json:"title"` // a verb phrase: "Add ada to group render"
	Risk  Risk   `json:"risk"`
	Steps []Step `json:"steps"`
	// Proof names checks that must be ok afterwards, and with probe/ in front work
	// on the GPU that must pass: "probe/conv2d".
	Proof []string `json:"proof"`
	// Apply says that rocsmith may take the steps itself: what is left to a person
	// comes after them, and without it nothing is worse than before.
	Apply bool `json:"apply,omitempty"`
}

// Risk says what a remedy costs the person who applies it.
type Risk string

// The risks, mildest first.
const (
	Safe       Risk = "safe"       // can be undone, takes effect without a login or reboot
	Disruptive Risk = "disruptive" // needs a new login, a restart or a reboot
	Final      Risk = "final"      // cannot be undone by rocsmith
)

// A Kind says what a step does. The set is closed: what rocsmith applies must
// be something it can show beforehand and take back afterwards.
type Kind string

// The kinds of steps.
const (
	EditFile  Kind = "edit-file"  // change lines of a file
	WriteFile Kind = "write-file" // write a file of our own
	CopyFile  Kind = "copy-file"  // a file from elsewhere, whose sum is known
	// KernelWord changes a word of the kernel's command line (Old, New) where the
	// boot loader keeps it.
	KernelWord  Kind = "kernel-word"
	ChangeOwner Kind = "change-owner" // of a file or folder, to Value: "1000:1000"
	JoinGroup   Kind = "join-group"   // add a user to a group
	SetEnv      Kind = "set-env"      // set or unset a variable
	MoveAside   Kind = "move-aside"   // rename, never delete
	Command     Kind = "command"      // a command line to run
	Manual      Kind = "manual"       // something only a person can do
)

// A Step is one thing to do. Text says it to a person; the other fields say it
// to a program.
type Step struct {
	Kind    Kind   `json:"kind"`
	Text    string `json:"text"`
	Command string `json:"command,omitempty"` // a line to paste
	Path    string `json:"path,omitempty"`
	User    string `json:"user,omitempty"`
	Group   string `json:"group,omitempty"`
	Name    string `json:"name,omitempty"`    // variable
	Value   string `json:"value,omitempty"`   // its value; with SetEnv, none means unset
	Content string `json:"content,omitempty"` // of a file to write
	Root    bool   `json:"root,omitempty"`    // needs root
	From    string `json:"from,omitempty"`    // the file to copy, with its size and SHA-256
	Size    int64  `json:"size,omitempty"`
	Sum     string `json:"sum,omitempty"`
	// An edit is about a line, counted from 1; 0 is wherever Old stands. What goes
	// is the assignment of Name, or the word Old, or the whole line. New is written
	// for it. A file to write may replace one that holds Old and nothing else.
	Line int    `json:"line,omitempty"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// NeedsLogin reports whether a remedy takes effect with a new login only. What is left
// to a person is written for people, and its words decide.
func (r Remedy) NeedsLogin() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.Kind == Manual && strings.Contains(s.Text, logOut) })
}

// NeedsRestart reports whether it takes effect with a start of the machine only.
func (r Remedy) NeedsRestart() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		return s.Kind == Manual && strings.Contains(s.Text, "restart") && !strings.Contains(s.Text, logOut) // "or restart" is one way to log in anew
	})
}

const logOut = "log out"

// forbidden are the fragments no cure may contain: they destroy what cannot be
// brought back, or take the display away under the user's hands.
var forbidden = []string{"rm -rf", "rm -fr", "prune", "rmmod", "modprobe -r"}

// Work is the operation that a proof names, if it is one to be done on the GPU.
func Work(proof string) (operation string, ok bool) { return strings.CutPrefix(proof, "probe/") }

// Applies reports whether rocsmith may take this remedy itself, and would change
// something by it.
func (r Remedy) Applies() bool { return r.Apply && slices.ContainsFunc(r.Steps, Step.Changes) }

// Changes tells a step that changes a machine from one that is only passed on to
// a person; to unset a variable is a word for the shells that are open.
func (s Step) Changes() bool { return s.Kind != Manual && (s.Kind != SetEnv || s.Value != "") }

// Validate says what is wrong with a remedy.
func (r Remedy) Validate() error {
	var errs []error
	if r.ID == "" || r.Title == "" {
		errs = append(errs, errors.New("a remedy needs an id and a title"))
	}
	if !slices.Contains([]Risk{Safe, Disruptive, Final}, r.Risk) {
		errs = append(errs, fmt.Errorf("unknown risk %q", r.Risk))
	}
	if len(r.Steps) == 0 {
		errs = append(errs, errors.New("no steps"))
	}
	for i, s := range r.Steps {
		if err := s.validate(); err != nil {
			errs = append(errs, fmt.Errorf("step %d: %w", i+1, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remedy %s: %w", r.ID, err)
	}
	return nil
}

func (s Step) validate() error {
	if s.Text == "" {
		return errors.New("no text")
	}
	for _, f := range forbidden {
		if strings.Contains(s.Command, f) || strings.Contains(s.Text, f) {
			return fmt.Errorf("contains %q", f)
		}
	}
	need, known := needs[s.Kind]
	switch {
	case !known:
		return fmt.Errorf("unknown kind %q", s.Kind)
	case !need.met(s):
		return fmt.Errorf("a %s step needs %s", s.Kind, need.what)
	}
	return nil
}

// needs are the fields without which a step says nothing to a program.
var needs = map[Kind]struct {
	what string
	met  func(Step) bool
}{
	EditFile:    {"a path", func(s Step) bool { return s.Path != "" }},
	WriteFile:   {"a path and content", func(s Step) bool { return s.Path != "" && s.Content != "" }},
	MoveAside:   {"a path", func(s Step) bool { return s.Path != "" }},
	CopyFile:    {"a path, a source and its sum", func(s Step) bool { return s.Path != "" && s.From != "" && s.Sum != "" }},
	KernelWord:  {"a word", func(s Step) bool { return s.Old+s.New != "" }},
	ChangeOwner: {"a path and an owner", func(s Step) bool { return s.Path != "" && s.Value != "" }},
	JoinGroup:   {"a user and a group", func(s Step) bool { return s.User != "" && s.Group != "" }},
	SetEnv:      {"a variable", func(s Step) bool { return s.Name != "" }},
	Command:     {"a command", func(s Step) bool { return s.Command != "" }},
	Manual:      {"", func(Step) bool { return true }},
}
