// Package lint defines what a rule about project files is, what it finds, and how found mistakes are mended by edits of text.
package lint

import (
	"io/fs"
	"sync"
	"time"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// A Kind is what a project file is for.
type Kind string

// The kinds of files.
const (
	Compose      Kind = "compose"
	Dockerfile   Kind = "dockerfile"
	Requirements Kind = "requirements" // and constraints
	PyProject    Kind = "pyproject"
	Kubernetes   Kind = "kubernetes"
	DevContainer Kind = "devcontainer"
	Quadlet      Kind = "quadlet"
	Script       Kind = "script" // shell
	EnvFile      Kind = "env"
)

// A File is one project file, as it was read.
type File struct {
	Path string // its name in the project's FS
	Kind Kind
	Data []byte
}

// A Project is what lint was pointed at.
type Project struct {
	// FS begins at the top of the project, so that files can name others above
	// them: includes, env files. No link in it leads out of the project.
	FS fs.FS
	// Files were read and are well formed; Problems are those that were not.
	Files    []*File
	Problems []Problem
	// Ignored is what .rocsmith-ignore says, and what comments in files say.
	Ignored []*Suppression
	// Shown is how a user would name a path of the project; nil leaves it as it is.
	Shown func(path string) string

	mu     sync.Mutex
	shared map[string]any
	opened map[string]*File // beyond Files
	made   []string         // folders that mends would have made
}

// A Problem is a file, or a line of one, that could not be judged.
type Problem struct {
	File *File // its data may be missing
	Line int   // 0 where the whole file is meant
	What string
	// Template tells that another program makes the file before it is used, so
	// that it need not be what it will be.
	Template bool
}

// Of returns the files of a kind.
func (p *Project) Of(kind Kind) []*File {
	var out []*File
	for _, f := range p.Files {
		if f.Kind == kind {
			out = append(out, f)
		}
	}
	return out
}

// Shared makes something once for a project: rules of one area look at the same
// parsed files.
func Shared[T any](p *Project, key string, build func() T) T {
	p.mu.Lock()
	v, there := p.shared[key].(T)
	p.mu.Unlock()
	if there {
		return v
	}
	v = build() // which may ask for files, and for other shared things
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared == nil {
		p.shared = map[string]any{}
	}
	p.shared[key] = v
	return v
}

// A Setting is where the project is to run.
type Setting struct {
	// Machine is this one, or the one of a snapshot; its facts may be unread.
	Machine *machine.Machine
	Needs   grant.Needs
	Engine  grant.Engine // the zero value where none was found
	// Podman starts its units, also where compose is Docker's; the zero value where
	// there is none.
	Podman grant.Engine
	// Getenv asks for a variable that files name, as whoever starts them has it; nil
	// where that is not known.
	Getenv func(name string) (value string, set bool)
	// Owner is who owns a folder, or the nearest above it where it is not there: of
	// the project by its path in it, elsewhere in full. nil where the machine is
	// another one than that which the files are on.
	Owner func(folder string) (uid uint32, there bool, err error)
	// Image looks into an image, if an engine keeps it where it can be read; nil where
	// nobody can look.
	Image  func(name string) (ImageCode, bool)
	Strict bool
	Now    time.Time
}

// ImageCode is the GPU code in the files of an image.
type ImageCode struct {
	Store string          // the folder in which an engine keeps the image
	Files []CodeFile      // that hold code
	Runs  map[string]bool // by the machine's gfx: whether any of them runs
}

// A CodeFile is a file, or a folder of kernels, with the GPUs that it is built for.
type CodeFile struct {
	Path    string
	Targets []string
}

// A Rule is one thing that project files should hold to. It is a value in a
// list, as checks are.
type Rule struct {
	ID    string // "compose/group-name": area/name, stable for ever
	Title string // the good state as a sentence
	Why   string // Markdown; docs/rules.md is made from it
	// Bad breaks the rule, Good does not; where the rule mends, Good is what becomes
	// of Bad. Both are held to it by a test.
	Bad, Good Example
	Strict    bool // asked only with --strict
	Run       func(*Pass)
}

// An Example is a small project on a machine.
type Example struct {
	Files map[string]string
	// On names a machine of the examples that tests know; "" is one with /dev/kfd
	// and /dev/dri/renderD128 of gid 110 and cards of gid 44.
	On string
}

// A Pass is one rule looking at one project.
type Pass struct {
	*Project
	Setting
	report func(Finding)
}

// Report takes a finding.
func (p *Pass) Report(f Finding) { p.report(f) }

// A Finding is a mistake at a place in a file.
type Finding struct {
	File *File
	Line int // counted from 1; 0 where the whole file is meant
	// Verdict is fail where it cannot work, warn where it may bite, unknown where
	// the file cannot be judged.
	Verdict check.Verdict
	Cause   string // id in the cause catalogue, where it names one
	Message string // the headline sentence, then why it matters
	// Evidence beyond the line itself, which the engine adds.
	Evidence []machine.Evidence
	// Mend is what rocsmith would write; nil where only a person can decide.
	Mend *Mend
	// Advice is for a person, where there is no mend or beside it.
	Advice []remedy.Remedy
}

// ByHand is advice of one step for a person.
func ByHand(id, title, text string) remedy.Remedy {
	return remedy.Remedy{ID: id, Title: title, Risk: remedy.Safe, Steps: []remedy.Step{{Kind: remedy.Manual, Text: text}}}
}

// A Mend is a change of text that cures a finding, or a folder that was missing.
type Mend struct {
	Title string // a verb phrase: "Write gid 110 instead of render"
	Edits []Edit
	// Folders are made, with those above them, for the owner of what is there
	// already: of the project by their path in it, elsewhere in full.
	Folders []string
}

// An Edit replaces bytes of a file.
type Edit struct {
	File       *File
	Start, End int
	New        string
}
