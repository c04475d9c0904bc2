package pydist

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oracle is a Python with pip, whose answers are compared with ours. It is
// scripts/real that names one: a bare checkout needs no Python.
func oracle(t *testing.T) string {
	t.Helper()
	python := os.Getenv("ROCSMITH_REAL_PYTHON")
	if python == "" {
		t.Skip("ROCSMITH_REAL_PYTHON names no Python to compare with")
	}
	return python
}

const askPackaging = `
import json, sys
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.markers import Marker
for line in sys.stdin:
    q = json.loads(line)
    if "marker" in q:
        print(int(Marker(q["marker"]).evaluate(q["env"])))
    else:
        print(int(SpecifierSet(q["specifier"]).contains(q["version"], prereleases=True)))
`

type question struct {
	Specifier string            `json:"specifier,omitempty"`
	Version   string            `json:"version,omitempty"`
	Marker    string            `json:"marker,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

// ask has packaging answer questions, one line each.
func ask(t *testing.T, python string, questions []question) []bool {
	t.Helper()
	var in, problems bytes.Buffer
	for _, q := range questions {
		if err := json.NewEncoder(&in).Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(python, "-c", askPackaging)
	command.Stdin, command.Stderr = &in, &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var answers []bool
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		answers = append(answers, lines.Text() == "1")
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

// maybe is one of some texts, or mostly none.
func maybe(random *rand.Rand, from ...string) string {
	if random.IntN(4) > 0 {
		return ""
	}
	return pick(random, from...)
}

func someRelease(random *rand.Rand) string {
	parts := []string{pick(random, "0", "1", "2")}
	for range random.IntN(3) {
		parts = append(parts, pick(random, "0", "1", "2", "10"))
	}
	return maybe(random, "1!", "", "") + strings.Join(parts, ".")
}

// somePublic gives a version with a suffix three numbers: old packaging does not
// fill "1.1a1" up with zeros before it looks for the prefix 1.1.0, new does.
func somePublic(random *rand.Rand) string {
	suffix := maybe(random, "a1", "rc1", ".rc2", "b0") + maybe(random, ".post1", "-1", ".post2") + maybe(random, ".dev0", "dev1")
	if suffix == "" {
		return someRelease(random)
	}
	return maybe(random, "1!", "", "") + pick(random, "0", "1", "2") + "." + pick(random, "0", "1") + "." + pick(random, "0", "1", "10") + suffix
}

func someClause(random *rand.Rand) string {
	switch pick(random, "prefix", "compatible", "equal", "order", "order") {
	case "prefix":
		return pick(random, "==", "!=") + someRelease(random) + ".*"
	case "compatible":
		return "~=" + maybe(random, "1!") + "1." + pick(random, "0", "1", "2.0", "2.1rc1", "0.post1", "1.dev1", "1a1")
	case "equal":
		return pick(random, "==", "!=") + somePublic(random) + maybe(random, "+rocm6.4", "+cpu")
	}
	return pick(random, "<", "<=", ">", ">=") + somePublic(random)
}

func TestLikePackaging(t *testing.T) {
	t.Parallel()
	python := oracle(t)
	random := rand.New(rand.NewPCG(3, 4))
	var questions []question
	for len(questions) < 20_000 {
		q := question{Specifier: someClause(random), Version: somePublic(random) + maybe(random, "+rocm6.4", "+cpu", "+rocm-6.4")}
		if random.IntN(2) == 0 {
			q.Specifier += "," + someClause(random)
		}
		if _, err := ParseSpecifier(q.Specifier); err == nil {
			questions = append(questions, q)
		}
	}
	for i, want := range ask(t, python, questions) {
		s, err := ParseSpecifier(questions[i].Specifier)
		if err != nil || s.Contains(questions[i].Version) != want {
			t.Errorf("%s contains %s: packaging says %t (%v)", questions[i].Specifier, questions[i].Version, want, err)
		}
	}
}

func someTerm(random *rand.Rand, depth int) string {
	if depth < 3 && random.IntN(3) == 0 {
		return "(" + someTerm(random, depth+1) + pick(random, " and ", " or ") + someTerm(random, depth+1) + ")"
	}
	version := pick(random, "3.8", "3.10", "3.12", "3.12.3", "3.13.0rc1", "4")
	switch random.IntN(4) {
	case 0:
		return pick(random, "python_version", "python_full_version") + pick(random, "<", "<=", ">", ">=", "==", "!=") + "'" + version + "'"
	case 1:
		// Old packaging refuses a pre-release on the left, new does not.
		return `"` + strings.TrimSuffix(version, "rc1") + `"` + pick(random, " < ", " >= ", " == ") + "python_full_version"
	case 2:
		return pick(random, "sys_platform", "platform_machine", "os_name", "extra") + pick(random, " == ", " != ", " in ", " not in ") +
			pick(random, "'linux'", "'x86_64'", "'posix nt'", `"x"`)
	}
	return "python_version" + pick(random, " in ", " not in ") + "'3.10, 3.12'"
}

func TestMarkersLikePackaging(t *testing.T) {
	t.Parallel()
	python := oracle(t)
	random := rand.New(rand.NewPCG(5, 6))
	env := map[string]string{
		"os_name": "posix", "sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.12", "python_full_version": "3.12.3", "extra": "",
	}
	var questions []question
	for range 5000 {
		text := someTerm(random, 0) + pick(random, " and ", " or ") + someTerm(random, 0) + pick(random, " and ", " or ") + someTerm(random, 0)
		questions = append(questions, question{Marker: text, Env: env})
	}
	for i, want := range ask(t, python, questions) {
		m, err := ParseMarker(questions[i].Marker)
		if err != nil || m.Applies(ubuntu) != want {
			t.Errorf("%s: packaging says %t (%v)", questions[i].Marker, want, err)
		}
	}
}

// complaint is a line of pip check, about a missing package or a wrong version.
var complaint = regexp.MustCompile(`^(\S+) (\S+) (?:requires (\S+), which is not installed\.|has requirement (\S+?)[<>=!~\[; @].*, but you have \S+ (\S+)\.)$`)

func TestLikePipCheck(t *testing.T) {
	t.Parallel()
	python := oracle(t)
	venv := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := os.DirFS("/")
	found := Find(files, Reach{OS: "linux", Extra: []string{venv}})
	if len(found) == 0 || len(found[0].Sites) != 1 || found[0].Kind != Venv {
		t.Fatalf("the environment was not found: %+v", found)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		name := fmt.Sprintf("p%d", i)
		version := someRelease(random)
		text := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\nProvides-Extra: x\n", name, version)
		for range random.IntN(6) {
			text += fmt.Sprintf("Requires-Dist: p%d%s%s\n", random.IntN(80), someClause(random), maybe(random, "; "+someTerm(random, 2)))
		}
		dir := filepath.Join("/", found[0].Sites[0], name+"-"+version+".dist-info")
		if err := os.Mkdir(dir, 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "METADATA"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := exec.Command(python, "-m", "pip", "--python", filepath.Join(venv, "bin", "python"), "check").CombinedOutput() // it fails on complaints
	var want, got []string
	for line := range strings.Lines(string(out)) {
		if m := complaint.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			want = append(want, m[1]+" "+m[3]+m[4]+" "+m[5])
		}
	}
	s, err := List(files, found[0].Sites[0])
	if err != nil {
		t.Fatal(err)
	}
	s.ReadMetadata(files)
	for _, u := range Resolve(s.Distributions, MarkersFor(found[0], "linux", "x86_64")).Unmet {
		got = append(got, u.By.Name+" "+u.Requirement.Name+" "+u.Found)
	}
	slices.Sort(want)
	slices.Sort(got)
	if want = slices.Compact(want); !slices.Equal(slices.Compact(got), want) || len(want) < 20 {
		t.Errorf("got %d\n%s\nwant %d\n%s", len(got), strings.Join(got, "\n"), len(want), strings.Join(want, "\n"))
	}
}
