package scan

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A Host is the machine on which something shall run.
type Host struct {
	Runtimes []Runtime // of HIP
	Folders  []string  // in which its programs look for libraries before all others
	Unseen   bool      // which runtimes it has could not be seen
	NVIDIA   string    // its GPU, where it has none of AMD's
}

// A Runtime is a library of HIP that programs of a machine can load.
type Runtime struct {
	Name string // "libamdhip64.so.6", "amdhip64_6.dll"
	HIP  string // "6.4.43484"; "" where it is not known
}

// RuntimeOf reads the name of a file: "libamdhip64.so.6.4.43484" goes by the name
// libamdhip64.so.6 and is of HIP 6.4. It is not ok for other libraries.
func RuntimeOf(file string) (Runtime, bool) {
	name := strings.ToLower(file)
	if strings.HasPrefix(name, "amdhip64") && strings.HasSuffix(name, ".dll") {
		return Runtime{Name: name}, true
	}
	rest, ok := strings.CutPrefix(name, "libamdhip64.so")
	version := strings.TrimPrefix(rest, ".")
	switch {
	case !ok || rest != "" && version == rest:
		return Runtime{}, false
	case version == "":
		return Runtime{Name: name}, true
	}
	major, _, exact := strings.Cut(version, ".")
	if _, err := strconv.ParseUint(major, 10, 8); err != nil {
		return Runtime{}, false
	}
	r := Runtime{Name: "libamdhip64.so." + major}
	if exact {
		r.HIP = version
	}
	return r, true
}

// major is the number of a runtime; 0 where its name has none.
func (r Runtime) major() int {
	digits := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(r.Name, "libamdhip64.so."), "amdhip64_"), ".dll")
	n, _ := strconv.Atoi(digits)
	return n
}

// around is where an item looks for its runtime.
type around struct {
	fsys     fs.FS
	runtimes []Item // among what was scanned
	host     *Host
}

// judge holds what runs by its code against the runtimes that it can get.
func (a around) judge(items []Item) {
	for n := range items {
		i := &items[n]
		want, asked := i.runtime()
		if !asked {
			continue
		}
		found := a.offers(*i, want)
		for gpu, v := range i.Verdicts {
			if !v.Result.Runs() {
				continue
			}
			if lacks := a.missing(want, found); lacks != "" {
				i.Verdicts[gpu] = Verdict{NoRuntime, strings.TrimSuffix(v.Why, ".") + "; " + lacks}
			} else if old := i.tooNew(gpu, want, found); old != "" {
				i.Verdicts[gpu] = Verdict{NoRuntime, strings.TrimSuffix(v.Why, ".") + "; " + old}
			}
		}
	}
}

// runtime is the one that an item asks for.
func (i *Item) runtime() (Runtime, bool) {
	for _, need := range i.Needs {
		if r, ok := RuntimeOf(need); ok {
			return r, true
		}
	}
	return Runtime{}, false
}

// offers are the runtimes that fit, of those that lie in what was scanned, in the
// folders that the item names, and on the machine. One without a number in its name
// came with who asks for it.
func (a around) offers(i Item, want Runtime) []Runtime {
	var out []Runtime
	for _, r := range a.runtimes {
		if have, ok := RuntimeOf(path.Base(r.Path)); ok && (have.Name == want.Name || have.major() == 0) {
			out = append(out, have)
		}
	}
	search := i.search
	if a.host != nil {
		search = slices.Concat(search, a.host.Folders)
	}
	for _, dir := range search {
		dir = strings.NewReplacer("$ORIGIN", "/"+path.Dir(i.Path), "${ORIGIN}", "/"+path.Dir(i.Path)).Replace(dir)
		if _, err := fs.Stat(a.fsys, strings.TrimPrefix(path.Join(path.Clean(dir), want.Name), "/")); err == nil && path.IsAbs(dir) {
			out = append(out, want)
		}
	}
	if a.host != nil {
		for _, have := range a.host.Runtimes {
			if have.Name == want.Name {
				out = append(out, have)
			}
		}
	}
	return out
}

// missing says that this machine has no such runtime. Of another machine nothing is
// known, nor of a runtime that is asked for without a number.
func (a around) missing(want Runtime, found []Runtime) string {
	switch {
	case a.host == nil || a.host.Unseen || len(found) > 0 || want.major() == 0:
		return ""
	case len(a.host.Runtimes) == 0:
		return fmt.Sprintf("it asks for %s, and this machine has no runtime of HIP.", want.Name)
	}
	var have []string
	for _, r := range a.host.Runtimes {
		if !slices.Contains(have, r.Name) {
			have = append(have, r.Name)
		}
	}
	return fmt.Sprintf("it asks for %s, and this machine has %s.", want.Name, joined(have, "and"))
}

// tooNew says that code is of a version that the runtime does not load. Where the
// runtime is not known to be older, nothing is said.
func (i *Item) tooNew(gpu string, want Runtime, found []Runtime) string {
	version := i.versionFor(gpu)
	rule, ok := rocm.CodeObjectRuntime(version)
	if !ok {
		return ""
	}
	hip, old := olderThan(rule.HIP, want, found)
	if !old {
		return ""
	}
	return fmt.Sprintf("its code is of version %d, which HIP %s and newer load, and the runtime is of HIP %s: programs stop with %s.", version, rule.HIP, hip, rule.Says)
}

// olderThan is the newest runtime that can be had, where all of them are older than
// a version.
func olderThan(first string, want Runtime, found []Runtime) (hip string, old bool) {
	least, _, _ := strings.Cut(first, ".")
	major, _ := strconv.Atoi(least)
	switch {
	case want.major() != 0 && want.major() < major:
		return fmt.Sprint(want.major()), true
	case want.major() > major || len(found) == 0:
		return "", false
	}
	for _, r := range found {
		if r.HIP == "" || rocm.CompareKernel(r.HIP, first) >= 0 {
			return "", false
		}
		if hip == "" || rocm.CompareKernel(r.HIP, hip) > 0 {
			hip = r.HIP
		}
	}
	return hip, true
}

// versionFor is the version of the code that would be loaded for a GPU; 0 where it
// was not read.
func (i *Item) versionFor(gpu string) int {
	id, err := rocm.ParseTargetID(gpu)
	if err != nil {
		return 0
	}
	version := 0
	for _, t := range i.Targets {
		target, err := rocm.ParseTargetID(t.Target)
		if err != nil {
			continue
		}
		if match, _ := rocm.Runs(rocm.Code{Target: target}, id); match == rocm.MatchExact || match == rocm.MatchGeneric {
			version = max(version, t.CodeObject)
		}
	}
	return version
}
