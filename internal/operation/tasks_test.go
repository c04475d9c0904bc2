package operation

import (
	"slices"
	"testing"
)

func TestTasksAreSound(t *testing.T) {
	t.Parallel()
	all, err := knownTasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"copy", "compile", "gemm", "gemm-lt", "conv2d", "conv1d", "batchnorm", "softmax", "layernorm"} {
		if !slices.ContainsFunc(all, func(t Task) bool { return t.Operation == id }) {
			t.Errorf("no task shows that %s works", id)
		}
	}
	if all[0].ID != "init" {
		t.Errorf("the first task is %s", all[0].ID)
	}
}

func TestLookupTask(t *testing.T) {
	t.Parallel()
	if got, ok := LookupTask("gemm/fp32"); !ok || got.Library != "rocBLAS" || !slices.Contains(got.Needs, "gemm/identity") {
		t.Errorf("got %+v, %v", got, ok)
	}
	if got, ok := LookupTask("gemm"); ok {
		t.Errorf("gemm is the task %+v", got)
	}
}

func TestParseTasksRefuses(t *testing.T) {
	t.Parallel()
	const good = "- {id: a, operation: copy, library: c, title: d, limit: 1s}\n"
	if _, err := parseTasks([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		good + good,
		"- {id: a, operation: copy, library: c, title: d}",
		"- {id: a, operation: copies, library: c, title: d, limit: 1s}",
		"- {id: a, operation: copy, library: c, title: d, limit: soon}",
		"- {id: b, operation: copy, library: c, title: d, limit: 1s, needs: [a]}\n" + good,
		"- {id: a, operation: copy, library: c, title: d, limit: 1s, needs: [a]}",
		"- {id: a, colour: d}",
		"- [",
	} {
		if _, err := parseTasks([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
