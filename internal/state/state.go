// Package state keeps what rocsmith changed on this machine, and is the only room that changes it: each step has its before-image on the disk before it is done.
package state

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind says what an act does. The set is closed: each kind can be taken back.
type Kind string

// The kinds of acts.
const (
	Write   Kind = "write"    // the content of a file, made anew or in place of the old
	Copy    Kind = "copy"     // a file from elsewhere, under a name that nobody has
	Move    Kind = "move"     // another name in the same folder
	MakeDir Kind = "make-dir" // one folder
	Own     Kind = "own"      // another owner, of a file or a folder and all that is in it
	Install Kind = "install"  // packages of a Python environment, by pip or uv
	Run     Kind = "run"      // a command that knows its way back
)

// An Act is one change, as it was planned.
type Act struct {
	Kind Kind   `json:"kind"`
	Path string `json:"path,omitempty"` // real: no part of it is a link
	To   string `json:"to,omitempty"`   // of a move: the new name, in the same folder
	// Before is what the plan showed. Where it is not so any more, nothing is done.
	Before Image `json:"before"`
	// New is the content of a file to write. Rights and owner stay what they were;
	// what did not exist gets Mode, and the owner of its folder.
	New  []byte `json:"new,omitempty"`
	Mode uint32 `json:"mode,omitempty"`
	// From is the file to copy, which must have this size and SHA-256.
	From string `json:"from,omitempty"`
	Size int64  `json:"size,omitempty"`
	Sum  string `json:"sum,omitempty"`

	// UID and GID are the new owner.
	UID uint32 `json:"uid,omitempty"`
	GID uint32 `json:"gid,omitempty"`

	Argv []string `json:"argv,omitempty"`
	// First must succeed before an installer is let loose: it tells whether what is
	// to come after a removal can be had.
	First []string `json:"first,omitempty"`
	Back  []string `json:"back,omitempty"` // the command that takes it back; none where nothing has to be
	// Touches are the files that a command changes, so that they can be compared
	// and brought back.
	Touches []string `json:"touches,omitempty"`
	// Refresh is a command that makes something anew from files (a boot image): it
	// is its own way back, once the files are what they were.
	Refresh bool `json:"refresh,omitempty"`
}

// An Image is a file as it was: all that undo has to bring back, and all that
// tells whether it is still the same.
type Image struct {
	Absent bool              `json:"absent,omitempty"`
	Folder bool              `json:"folder,omitempty"`
	Data   []byte            `json:"data,omitempty"` // of a plain file that is to be written
	Sum    string            `json:"sum,omitempty"`  // SHA-256 of it
	Mode   uint32            `json:"mode,omitempty"` // permission, setuid, setgid and sticky bits
	UID    uint32            `json:"uid,omitempty"`
	GID    uint32            `json:"gid,omitempty"`
	Access Moment            `json:"access,omitzero"`
	Change Moment            `json:"change,omitzero"` // of the content
	Xattrs map[string][]byte `json:"xattrs,omitempty"`
	Flags  uint32            `json:"flags,omitempty"` // of chattr(1), those that a new file can have
	Device uint64            `json:"device,omitempty"`
	Inode  uint64            `json:"inode,omitempty"`
	Size   int64             `json:"size,omitempty"`
}

// MaxImage bounds what an image holds. What rocsmith rewrites are text files.
const MaxImage = 4 << 20

// A Moment is a time as the file system keeps it.
type Moment struct {
	Seconds int64 `json:"s"`
	Nanos   int64 `json:"ns,omitempty"`
}

// A Status says how far a step or an entry came.
type Status string

// The statuses.
const (
	Planned    Status = "planned"
	Doing      Status = "doing"
	Done       Status = "done"
	Undoing    Status = "undoing"
	Undone     Status = "undone"
	RolledBack Status = "rolled-back"
	// Kept is a step whose undo would destroy what somebody else did since.
	Kept Status = "kept"
)

// A Step is an act and what became of it.
type Step struct {
	Act
	Status Status `json:"status"`
	After  Image  `json:"after"`
	// Befores and Afters are the files that a command touches, in their order. Of a
	// copy, Befores is the file that was moved aside for it.
	Befores []Image `json:"befores,omitempty"`
	Afters  []Image `json:"afters,omitempty"`
	// Between are those files after the command that takes it back, and before
	// they are what they were to the last byte.
	Between []Image `json:"between,omitempty"`
	// Owners are the files that change hands, and whose they were.
	Owners []Owned `json:"owners,omitempty"`
	// Had and Has are the versions of packages before and after an installer ran.
	Had  map[string]string `json:"had,omitempty"`
	Has  map[string]string `json:"has,omitempty"`
	Note string            `json:"note,omitempty"` // what went wrong, or what a command said
}

// Name is what a step is about, to people: a file or a command.
func (s *Step) Name() string {
	if s.Path == "" {
		return strings.Join(s.Argv, " ")
	}
	return s.Path
}

// An Owned is a file that belonged to somebody.
type Owned struct {
	Path   string `json:"path"`
	UID    uint32 `json:"uid"`
	GID    uint32 `json:"gid"`
	Mode   uint32 `json:"mode"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// A Proof is the answer of a check to a cure.
type Proof struct {
	Check   string    `json:"check"`
	Before  string    `json:"before"`
	After   string    `json:"after"`
	Waits   string    `json:"waits,omitempty"` // for what: a login, a restart
	Says    string    `json:"says,omitempty"`  // the check, where something is wrong and nothing is waited for
	AskedAt time.Time `json:"asked_at"`
	// Restarted is what the check said after the start of the machine that it
	// waited for.
	Restarted   string    `json:"restarted,omitempty"`
	RestartedAt time.Time `json:"restarted_at,omitzero"`
}

// An Expected is a parameter of a module that has another value after a restart.
type Expected struct {
	Parameter string `json:"parameter"` // "ttm.pages_limit"
	Want      string `json:"want"`
	Found     string `json:"found,omitempty"` // after the restart; none where it cannot be read
}

// A Trial is work on the GPU that was done, or could not be, to prove a cure.
type Trial struct {
	Task    string    `json:"task"`              // the operation: "conv2d"
	Verdict string    `json:"verdict,omitempty"` // of the probe; none where it could not be asked
	Why     string    `json:"why,omitempty"`
	Where   string    `json:"where,omitempty"` // the environment whose libraries were used
	File    string    `json:"file,omitempty"`  // of a cache, that grew most meanwhile, with its bytes
	Before  int64     `json:"before,omitempty"`
	After   int64     `json:"after,omitempty"`
	AskedAt time.Time `json:"asked_at"`
}

// Failed reports work that was begun and went wrong. That it could not be begun
// says nothing of the cure.
func (t Trial) Failed() bool {
	switch t.Verdict {
	case "", "pass", "skipped", "no-library", "no-device", "no-permission", "cannot-start":
		return false
	}
	return true
}

// An Entry is one run of fix in the journal.
type Entry struct {
	Schema  int       `json:"schema"`
	ID      string    `json:"id"`               // "2026-11-15-1"
	Number  int       `json:"number,omitempty"` // of all entries: clocks are set, numbers grow
	Time    time.Time `json:"time"`
	Version string    `json:"version"` // of rocsmith
	Status  Status    `json:"status"`
	Titles  []string  `json:"titles"` // of the cures
	Cures   []Cure    `json:"cures,omitempty"`
	Steps   []Step    `json:"steps"`
	Proofs  []Proof   `json:"proofs,omitempty"`
	Trials  []Trial   `json:"trials,omitempty"`
	// Boot is the start of the machine in which it was made, and Expects what the
	// next one has to bring.
	Boot    string     `json:"boot,omitempty"`
	Expects []Expected `json:"expects,omitempty"`
	// Wrote are the files that it left, those of root's part among them.
	Wrote []Wrote `json:"wrote,omitempty"`
	// RootPart tells that root was asked to take steps that belong to this entry;
	// its journal names this one with For, "1000/2026-11-15-1".
	RootPart bool   `json:"root_part,omitempty"`
	For      string `json:"for,omitempty"`
	// RootSteps say what root was asked to do.
	RootSteps []string `json:"root_steps,omitempty"`
	// Waits is what it waits for until it is in effect, and undo until it is not.
	Waits []string `json:"waits,omitempty"`
	// ByHand is how to take it back without rocsmith, and Rescue how to start a
	// machine that does not start any more: the plan that said so is not on the screen
	// any more when somebody needs it.
	ByHand []string `json:"by_hand,omitempty"`
	Rescue []string `json:"rescue,omitempty"`
	// UndoneAt is when it was taken back.
	UndoneAt time.Time `json:"undone_at,omitzero"`
}

// A Wrote is a file as rocsmith left it.
type Wrote struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Sum  string `json:"sum"`
}

// Leaves is the file that an act will leave as rocsmith's own; it is not ok where
// it leaves none. What was there before, and what is new in somebody's home, is
// theirs to go on with: that they do is no news.
func (a Act) Leaves() (Wrote, bool) {
	switch {
	case a.Kind == Copy:
		return Wrote{a.Path, a.Size, a.Sum}, true
	case a.Kind == Write && a.Before.Absent && strings.HasPrefix(a.Path, "/etc/"):
		return Wrote{a.Path, int64(len(a.New)), sumOf(a.New)}, true
	}
	return Wrote{}, false
}

// Others are the files of an entry in force that are not what rocsmith wrote any
// more. Those that cannot be read are not known to be others.
func (e Entry) Others() []string {
	var out []string
	for _, w := range e.Wrote {
		if same, err := Holds(w.Path, w.Size, w.Sum); e.Standing() && err == nil && !same {
			out = append(out, w.Path)
		}
	}
	return out
}

// A Cure is what an entry was for.
type Cure struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Check   string `json:"check"`
	Subject string `json:"subject,omitempty"`
	Cause   string `json:"cause,omitempty"`
}

// Schema is the number of the journal's format.
const Schema = 1

// Open reports an entry that was not brought to its end: the process was killed,
// or the machine lost power.
func (e Entry) Open() bool { return e.Status == Doing || e.Status == Undoing }

// Standing reports an entry whose changes are in force.
func (e Entry) Standing() bool { return e.Status == Done || e.Status == Kept }

// Errors that callers tell apart.
var (
	ErrBusy        = errors.New("another rocsmith is changing this machine")
	ErrChanged     = errors.New("it is not what the plan showed any more")
	ErrUnsupported = errors.New("rocsmith changes nothing on this system yet; the cures are shown to be done by hand")
	ErrKept        = errors.New("something of what was done as root could not be taken back, and was left")
	ErrStopped     = errors.New("stopped before root was asked; nothing was changed")
	ErrTooLarge    = errors.New("it is too large to keep a copy of")
	ErrInterrupted = errors.New("stopped by you")
	ErrUnbegun     = errors.New("stopped by you before anything was done")
)

// Began is what a rocsmith that another one starts as root prints before anything
// else, and ExitKept how it ends where ErrKept is meant.
const (
	Began    = "rocsmith runs as root\n"
	ExitKept = 1
)

// A DamagedError is a journal file that cannot be trusted.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the journal %s is damaged (%v); nothing was changed. Move the file aside to go on without it", e.File, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// A NewerError is a journal file that a newer rocsmith wrote.
type NewerError struct{ File string }

func (e *NewerError) Error() string {
	return fmt.Sprintf("the journal %s was written by a newer rocsmith; use that one, which knows how to take it back. Nothing was changed", e.File)
}

// A RollbackError is an act that failed after which everything is as before.
type RollbackError struct{ Err error }

func (e *RollbackError) Error() string { return e.Err.Error() + "; everything was put back" }

func (e *RollbackError) Unwrap() error { return e.Err }

// A Conflict is a file that somebody else changed since rocsmith did.
type Conflict struct {
	Path               string
	Before, After, Now Image
	Why                string
	// Command tells that a command is meant, which makes something from files and
	// failed; the files themselves are back.
	Command bool
}

func (c Conflict) Error() string { return c.Path + ": " + c.Why }
