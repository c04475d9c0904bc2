package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
)

// An Environment is what a process needs on a machine.
type Environment struct {
	Diagnosis Diagnosis
	Findings  []check.Finding // those of the diagnosis, or what is found where the settings are in force
	System    string          // "linux", "windows"
	Settings  []launch.Setting
	Unchanged []launch.Setting // that a cure would change, and that are left to whoever set them
	Needs     grant.Needs
}

// A Shell is a language that an environment can be written in.
type Shell string

// The languages.
const (
	Bash       Shell = "bash" // and every other shell that follows POSIX
	Zsh        Shell = "zsh"
	Fish       Shell = "fish"
	PowerShell Shell = "powershell"
	Cmd        Shell = "cmd" // a batch file
	Dotenv     Shell = "dotenv"
	EnvJSON    Shell = "json"
	Docker     Shell = "docker"  // a file for docker run --env-file
	Systemd    Shell = "systemd" // a drop-in for a service
)

// Shells lists the languages.
func Shells() []string {
	return []string{string(Bash), string(Zsh), string(Fish), string(PowerShell), string(Cmd), string(Dotenv), string(EnvJSON), string(Docker), string(Systemd)}
}

// WriteEnvironment writes the settings, each with why it is needed.
func WriteEnvironment(w io.Writer, e Environment, shell Shell) error {
	if shell == EnvJSON {
		return environmentJSON(w, e)
	}
	l, ok := languages()[shell]
	if !ok {
		return fmt.Errorf("there is no shell %q; choose %s", shell, strings.Join(Shells(), ", "))
	}
	var b strings.Builder
	if len(e.Settings) == 0 {
		b.WriteString(l.remark(nothingNeeded(e)))
	}
	if len(e.Settings) > 0 {
		b.WriteString(l.before)
	}
	for _, s := range e.Settings {
		b.WriteString(l.remark(s.Why + " (" + s.Check + ")"))
		b.WriteString(l.setting(s, e.System))
	}
	for _, s := range e.Unchanged {
		b.WriteString(l.remark(s.Name + " is left as you set it: " + s.Why + " (" + s.Check + ")"))
	}
	if l.needs != nil {
		b.WriteString(l.needs(e.Needs))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the environment: %w", err)
	}
	return nil
}

// nothingNeeded says why there is nothing to set.
func nothingNeeded(e Environment) string {
	switch {
	case e.Diagnosis.NoAMDGPU():
		return "there is no AMD GPU here, so no variable is needed"
	case e.Diagnosis.Machine.GPUs.Unread():
		return "not judged: whether there is a GPU could not be read; no variable is set"
	}
	if len(e.Unchanged) > 0 {
		return "no variable is changed: what you chose yourself stays, unless it leaves no GPU"
	}
	return "no variable is needed: nothing that rocsmith found is cured by one"
}

// A language is how settings are written in one.
type language struct {
	comment string // what begins one
	before  string
	set     func(name, value string) (string, bool) // false where the language has no way to say it
	unset   func(name string) string                // "" where there is none
	prepend func(name, value, system string) (string, bool)
	posix   bool // it understands the lines that make folders
	needs   func(grant.Needs) string
}

// remark is a line that a person reads and the shell does not.
func (l language) remark(text string) string {
	text = harmless(text)
	if l.comment == "rem " { // cmd expands variables and takes commands even there
		text = strings.NewReplacer("%", "%%", "&", "and", "|", "/", "<", "", ">", "", "^", "").Replace(text)
	}
	return l.comment + text + "\n"
}

func (l language) setting(s launch.Setting, system string) string {
	if !isVariable(s.Name) {
		return l.remark("the name " + s.Name + " cannot be written here")
	}
	switch {
	case s.Unset && l.unset == nil:
		return l.remark("not written, because this language has no way to: unset " + s.Name)
	case s.Unset:
		return l.unset(s.Name) + "\n"
	case s.Prepend && l.prepend == nil:
		return l.remark("not written, because this language has no way to: put " + s.Value + " before what " + s.Name + " holds")
	}
	say := l.set
	if s.Prepend {
		say = func(name, value string) (string, bool) { return l.prepend(name, value, system) }
	}
	line, ok := say(s.Name, s.Value)
	if !ok {
		return l.remark("not written, because this language has no way to say its value: " + s.Name)
	}
	return l.folder(s) + line + "\n"
}

func (l language) folder(s launch.Setting) string {
	switch {
	case l.posix && s.Make != "":
		return s.Make + "\n"
	case !l.posix && s.Folder != "":
		return l.remark("the folder has to exist, and be yours: " + s.Folder)
	}
	return ""
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

type jsonEnvironment struct {
	Schema int           `json:"schema"`
	Set    []jsonSetting `json:"set"`
	Unset  []jsonSetting `json:"unset"`
	// Unchanged have the value that they keep.
	Unchanged []jsonSetting `json:"unchanged,omitempty"`
	Note      string        `json:"note,omitempty"`
}

type jsonSetting struct {
	Name    string `json:"name"`
	Value   string `json:"value,omitempty"`
	Prepend bool   `json:"prepend,omitempty"`
	Folder  string `json:"folder,omitempty"`
	Why     string `json:"why"`
	Check   string `json:"check"`
}

// EnvironmentSchema is the number of the JSON format of env.
const EnvironmentSchema = 1

func environmentJSON(w io.Writer, e Environment) error {
	out := jsonEnvironment{Schema: EnvironmentSchema, Set: []jsonSetting{}, Unset: []jsonSetting{}}
	for _, s := range e.Settings {
		j := jsonSetting{s.Name, s.Value, s.Prepend, s.Folder, s.Why, s.Check}
		if s.Unset {
			out.Unset = append(out.Unset, j)
		} else {
			out.Set = append(out.Set, j)
		}
	}
	for _, s := range e.Unchanged {
		out.Unchanged = append(out.Unchanged, jsonSetting{Name: s.Name, Value: s.Value, Why: s.Why, Check: s.Check})
	}
	if len(e.Settings) == 0 {
		out.Note = nothingNeeded(e)
	}
	return asJSON(w, out)
}
