package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// seal writes an entry with its sum in front, so that damage shows.
func seal(e Entry) ([]byte, error) {
	body, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the journal: %w", err)
	}
	body = append(body, '\n')
	return append([]byte(magic+sumOf(body)+"\n"), body...), nil
}

const (
	family = "rocsmith journal "
	magic  = family + "1 "
)

var entryID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{1,6}$`) })

// ValidID reports whether a word can be the id of an entry; it becomes part of
// the name of a file.
func ValidID(id string) bool { return entryID().MatchString(id) }

// parse reads what seal wrote, and nothing else.
func parse(data []byte) (Entry, error) {
	var e Entry
	head, body, found := bytes.Cut(data, []byte("\n"))
	sum, ours := strings.CutPrefix(string(head), magic)
	switch {
	case !ours && found && newer(string(head)):
		return e, errNewer
	case !found || !ours:
		return e, errors.New("its first line is not that of a journal")
	case sum != sumOf(body):
		return e, errors.New("its content does not match its sum")
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return e, err
	}
	if e.Schema > Schema {
		return e, errNewer
	}
	return e, e.validate()
}

// errNewer is a format that a later rocsmith will know.
var errNewer = errors.New("its format is a newer one")

// newer reports the first line of a format with a greater number.
func newer(head string) bool {
	rest, ours := strings.CutPrefix(head, family)
	number, _, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	return ours && err == nil && n > Schema
}

func (e Entry) validate() error {
	switch {
	case e.Schema != Schema:
		return fmt.Errorf("it has format %d, and this rocsmith knows %d", e.Schema, Schema)
	case !ValidID(e.ID):
		return fmt.Errorf("%q is not an id", e.ID)
	}
	for i, s := range e.Steps {
		if err := s.Act.validate(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// validate wants paths in their shortest form: what is shown is what is meant.
func (a Act) validate() error {
	switch a.Kind {
	case Write, MakeDir, Own:
		if !clean(a.Path) {
			return fmt.Errorf("%q is not a full path", a.Path)
		}
	case Copy:
		if !clean(a.Path) || !clean(a.From) || len(a.Sum) != sha256.Size*2 || a.Size < 0 || !a.Before.Absent {
			return fmt.Errorf("%q to %q is not a copy with its sum", a.From, a.Path)
		}
	case Move:
		if !clean(a.Path) || !clean(a.To) || path.Dir(a.Path) != path.Dir(a.To) || a.Path == a.To {
			return fmt.Errorf("%q to %q is not a new name in the same folder", a.Path, a.To)
		}
	case Install:
		if !clean(a.Path) || len(a.Argv) == 0 || !path.IsAbs(a.Argv[0]) || !slices.Contains(a.Argv, "pip") || len(a.First) > 0 && a.First[0] != a.Argv[0] {
			return fmt.Errorf("%q is not a call of an installer for an environment", a.Argv)
		}
	case Run:
		return a.validCommand()
	default:
		return fmt.Errorf("unknown kind %q", a.Kind)
	}
	return nil
}

// errNoText is a name that the journal cannot keep, and by which undo would find
// nothing.
var errNoText = errors.New("its name is not in UTF-8, and the journal is")

func (a Act) validCommand() error {
	if slices.ContainsFunc(slices.Concat(a.Argv, a.Back), func(w string) bool { return !utf8.ValidString(w) }) {
		return fmt.Errorf("%q: %w", a.Argv, errNoText)
	}
	if len(a.Argv) == 0 || !path.IsAbs(a.Argv[0]) || len(a.Back) > 0 && !path.IsAbs(a.Back[0]) {
		return errors.New("a command is named by its full path")
	}
	for _, t := range a.Touches {
		if !clean(t) {
			return fmt.Errorf("%q is not a full path", t)
		}
	}
	return nil
}

func clean(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && p != "/" && !strings.Contains(p, "\x00") && utf8.ValidString(p)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// nextID names an entry by its day and its number on that day. A clock that was
// set back must not make a number that is taken.
func nextID(now time.Time, taken []string) string {
	day, most := now.Format("2006-01-02"), 0
	for _, id := range taken {
		if rest, found := strings.CutPrefix(id, day+"-"); found {
			if n, err := strconv.Atoi(rest); err == nil {
				most = max(most, n)
			}
		}
	}
	return fmt.Sprintf("%s-%d", day, most+1)
}
