package host

import (
	"cmp"
	"slices"
	"strings"
)

// A verb is the kind of a question, as a snapshot writes it.
type verb string

const (
	verbFile     verb = "file"
	verbRange    verb = "range"
	verbDir      verb = "dir"
	verbLink     verb = "link"
	verbStat     verb = "stat"
	verbStatfs   verb = "statfs"
	verbXattr    verb = "xattr"
	verbAccess   verb = "access"
	verbOpen     verb = "open"
	verbEnv      verb = "env"
	verbProcess  verb = "process"
	verbLog      verb = "kernel-log"
	verbRegistry verb = "registry"
	verbVersion  verb = "fileversion"
	verbAsk      verb = "ask"
	verbEnd      verb = "end"
)

// A shape says how the records of one verb look.
type shape struct {
	args   int                // how many arguments; anyNumber for at least one
	path   bool               // the first argument is a path
	follow bool               // the question follows a final symbolic link
	line   bool               // the answer is a value that does not end its line
	check  func([]byte) error // says what is wrong with an answer; nil: any bytes are right
}

const anyNumber = -1

// shapes lists every verb that is a record of its own. The variables of the
// environment share one record and have their own syntax.
var shapes = map[verb]shape{
	verbFile:     {args: 1, path: true, follow: true},
	verbRange:    {args: 3, path: true, follow: true},
	verbDir:      {args: 1, path: true, follow: true, check: checked(parseEntries)},
	verbLink:     {args: 1, path: true, line: true},
	verbStat:     {args: 1, path: true, check: checked(parseStat)},
	verbStatfs:   {args: 1, path: true, follow: true, check: checked(parseFileSystem)},
	verbXattr:    {args: 2, path: true, follow: true},
	verbAccess:   {args: 2, path: true, follow: true, check: noBody},
	verbOpen:     {args: 1, path: true, follow: true, check: noBody},
	verbProcess:  {check: checked(parseProcess)},
	verbLog:      {},
	verbRegistry: {args: 2, line: true},
	verbVersion:  {args: 1, path: true, follow: true, line: true},
	verbAsk:      {args: anyNumber},
}

// checked turns a parser into a check.
func checked[T any](parse func([]byte) (T, error)) func([]byte) error {
	return func(body []byte) error {
		_, err := parse(body)
		return err
	}
}

// A record is one question with its answer.
type record struct {
	verb  verb
	args  []string
	body  []byte
	fault fault
}

// heading is the question as a snapshot writes it, and so its identity.
func (r record) heading() string { return heading(r.verb, r.args...) }

func heading(v verb, args ...string) string {
	var b strings.Builder
	b.WriteString(string(v))
	for _, arg := range args {
		b.WriteByte(' ')
		b.WriteString(quoteWord(arg))
	}
	return b.String()
}

// sorted returns the records in the order in which they are written: by verb,
// then by argument, so that two snapshots of one machine can be compared line
// by line.
func sorted(records map[string]record) []record {
	list := make([]record, 0, len(records))
	for _, r := range records {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.verb, b.verb), slices.Compare(a.args, b.args))
	})
	return list
}
