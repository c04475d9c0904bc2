package compose

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rocsmith/rocsmith/internal/lint"
)

// files is how many compose files are made; scripts/soak makes more.
var files = flag.Int("files", 1000, "compose files to make and mend")

// TestGeneratedFiles mends made files and reads them before and after with a
// reader of its own: nothing but what a mend is for may differ, and every comment
// stays.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	setting, _ := lint.OnExample("")
	mends := 0
	for seed := range *files {
		text, refusals := generate(uint64(seed))
		files := map[string]string{"compose.yaml": text, "Dockerfile": "FROM rocm/pytorch:rocm7.2\n"} // all of them are for AMD GPUs
		project := lint.Example{Files: files}.Project(false)
		if len(project.Problems) > 0 {
			t.Fatalf("seed %d cannot be read: %s\n%s", seed, project.Problems[0].What, text)
		}
		mended := lint.MendAll(project, setting, Rules)
		if len(mended.Refused) > 0 {
			t.Fatalf("seed %d: refused: %s\n%s", seed, mended.Refused[0].Why, text)
		}
		after := text
		for _, c := range mended.Changes {
			after = string(c.After)
			mends++
		}
		if why := differs(text, after, refusals); why != "" {
			t.Fatalf("seed %d: %s\nbefore\n%s\nafter\n%s", seed, why, text, after)
		}
		for _, f := range mended.Left.Found {
			if f.Mend != nil {
				t.Fatalf("seed %d: a second run would mend %s %s\n%s", seed, f.Place(), f.Rule.ID, after)
			}
		}
	}
	if mends < *files/3 {
		t.Errorf("only %d of %d files had anything to mend", mends, *files)
	}
}

// differs says what is not as it should be.
func differs(before, after string, refusals bool) string {
	a, b := decode(before), decode(after)
	for name, s := range services(a) {
		got, want := services(b)[name], expected(s)
		if !reflect.DeepEqual(got, want) && (!refusals || !partly(s, got, want)) {
			return fmt.Sprintf("service %s is\n%v\nwant\n%v", name, got, want)
		}
	}
	delete(a, "services")
	delete(b, "services")
	for key := range a {
		if !strings.HasPrefix(key, "x-") && !reflect.DeepEqual(a[key], b[key]) {
			return key + " changed"
		}
	}
	if len(a) != len(b) || len(services(a)) != len(services(b)) {
		return "keys came or went"
	}
	return lost(before, after)
}

// partly reports that each key is as it was or as it should be: where text is
// shared, some mends are refused.
func partly(before, got, want map[string]any) bool {
	for _, key := range slices.Concat(keys(before), keys(got), keys(want)) {
		if !reflect.DeepEqual(got[key], before[key]) && !reflect.DeepEqual(got[key], want[key]) && key != "group_add" {
			return false
		}
	}
	return true
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// touched are the words that stand in lines which a mend may change.
var touched = []string{"render", "video", "992", "audio", "1005", "44", "110", "/dev/", "shm_size", "group_add", "devices", "{"}

// lost finds lines that are gone though no mend is about them, comments above all,
// and line ends of another kind.
func lost(before, after string) string {
	left := map[string]int{}
	for line := range strings.Lines(after) {
		left[strings.TrimRight(line, "\r\n")]++
	}
	for line := range strings.Lines(before) {
		bare := strings.TrimRight(line, "\r\n")
		left[bare]--
		mine := slices.ContainsFunc(touched, func(word string) bool { return strings.Contains(line, word) })
		if !mine && left[bare] < 0 {
			return fmt.Sprintf("the line %q is gone", bare)
		}
	}
	if strings.Contains(before, "\r\n") && strings.Count(after, "\n") != strings.Count(after, "\r\n") {
		return "a line ends otherwise than the others"
	}
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") {
		return "the end of the file changed"
	}
	return ""
}

func decode(text string) map[string]any {
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		return nil
	}
	return out
}

func services(top map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	all, _ := top["services"].(map[string]any)
	for name, s := range all {
		m, _ := s.(map[string]any)
		if groups, has := m["group_add"].([]any); has {
			for i, g := range groups {
				groups[i] = fmt.Sprint(g)
			}
		}
		out[name] = m
	}
	return out
}

// expected is what the rules should make of a service, computed from its values
// alone.
func expected(s map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range s {
		out[k] = v
	}
	if out["ipc"] == "host" {
		delete(out, "shm_size")
	}
	nodes := list(s["devices"])
	gpu := strings.Contains(fmt.Sprint(s["image"]), "rocm")
	hasKFD, hasDRI := node(nodes, "/dev/kfd"), node(nodes, "/dev/dri")
	computes := gpu || hasKFD >= 0
	if !computes && hasDRI < 0 {
		return out
	}
	if computes {
		if made := expectedDevices(nodes, hasKFD, hasDRI); made != nil {
			out["devices"] = made
		}
	}
	if made := expectedGroups(list(s["group_add"]), s["user"] != nil); made != nil {
		out["group_add"] = made
	}
	return out
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func node(nodes []any, name string) int {
	return slices.IndexFunc(nodes, func(v any) bool { return strings.HasPrefix(fmt.Sprint(v), name) })
}

func expectedDevices(nodes []any, kfd, dri int) []any {
	form := func(like any, name string) any {
		parts := strings.Split(fmt.Sprint(like), ":")
		parts[0] = name
		if len(parts) > 1 {
			parts[1] = name
		}
		return strings.Join(parts, ":")
	}
	switch {
	case kfd >= 0 && dri >= 0:
		return nil
	case kfd >= 0:
		return slices.Insert(slices.Clone(nodes), kfd+1, form(nodes[kfd], "/dev/dri"))
	case dri >= 0:
		return slices.Insert(slices.Clone(nodes), dri, form(nodes[dri], "/dev/kfd"))
	}
	return append(slices.Clone(nodes), "/dev/kfd", "/dev/dri")
}

// expectedGroups are texts: whether a number is quoted follows its neighbours.
func expectedGroups(groups []any, user bool) []any {
	if len(groups) == 0 && !user {
		return nil
	}
	var out []any
	needs := !slices.ContainsFunc(groups, func(v any) bool { return v == "110" || v == "render" })
	changed := needs
	for i, g := range groups {
		gid := map[any]string{"video": "44", "render": "110"}[g]
		if g == "992" && needs {
			gid, needs, changed = "110", false, true
		}
		if gid == "" {
			out = append(out, g)
			continue
		}
		changed = true
		twin := slices.ContainsFunc(groups, func(v any) bool { return v == gid })
		for _, earlier := range groups[:i] {
			twin = twin || earlier == g
		}
		if !twin {
			out = append(out, gid)
		}
	}
	if needs {
		out = append(out, "110")
	}
	if !changed {
		return nil
	}
	return out
}
