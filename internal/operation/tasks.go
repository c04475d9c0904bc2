package operation

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed data/tasks.yaml
var taskData []byte

var knownTasks = sync.OnceValues(func() ([]Task, error) { return parseTasks(taskData) })

// Tasks returns what a probe can do, in the order in which it is asked.
func Tasks() []Task {
	all, err := knownTasks()
	if err != nil {
		panic(err) // broken data, which is part of the program; a test reads it
	}
	return slices.Clone(all)
}

// LookupTask finds a task.
func LookupTask(id string) (Task, bool) {
	all := Tasks()
	i := slices.IndexFunc(all, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return all[i], true
}

// parseTasks wants a task to stand after those that it needs, which also rules
// out circles.
func parseTasks(data []byte) ([]Task, error) {
	var all []Task
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("read the tasks: %w", err)
	}
	earlier := map[string]bool{}
	var errs []error
	for _, t := range all {
		if err := t.sound(earlier); err != nil {
			errs = append(errs, fmt.Errorf("task %q: %w", t.ID, err))
		}
		earlier[t.ID] = true
	}
	return all, errors.Join(errs...)
}

func (t Task) sound(earlier map[string]bool) error {
	switch {
	case t.ID == "" || t.Title == "" || t.Library == "" || t.Limit <= 0:
		return errors.New("id, title, library and limit must be set")
	case earlier[t.ID]:
		return errors.New("it stands twice")
	}
	if _, ok := Lookup(t.Operation); !ok {
		return fmt.Errorf("there is no operation %q", t.Operation)
	}
	for _, n := range t.Needs {
		if !earlier[n] {
			return fmt.Errorf("it needs %q, which does not stand before it", n)
		}
	}
	return nil
}
