package arch

import (
	"path"
	"slices"
)

// A room is a package's place in the house: its floor, and what it may import.
type room struct {
	floor int
	may   []string // rooms, area, ground or below
}

const (
	below    = "below"              // every room on a lower floor
	ground   = "ground"             // every room on floor 0
	area     = "internal/check/*"   // the checks of one area
	all      = "internal/check/all" // the list of all checks, a room of its own
	rules    = "internal/lint/*"    // the rules of one area
	allRules = "internal/lint/all"  // the list of all rules

	sevenTest   = "internal/sevenzip/sevenziptest"
	programTest = "internal/programtest"
)

// groundOrder holds the rooms of floor 0: each may import those after it.
var groundOrder = []string{
	"internal/cause", "internal/machine", "internal/rocm", "internal/operation", "internal/remedy",
}

// house is the table of docs/design.md. A room stands here before its first
// line of code is written.
var house = map[string]room{
	"cmd/rocsmith":         {6, []string{"internal/cli", "internal/host"}}, // main hands the live door in
	"cmd/rocsmith-probe":   {6, []string{"internal/device"}},
	"internal/cli":         {5, []string{below}},
	"internal/job":         {4, []string{below}},
	"internal/report":      {3, []string{below}},
	all:                    {3, []string{"internal/check", area}},
	"internal/survey":      {2, []string{below}},
	area:                   {2, []string{ground, "internal/check", "internal/cure"}},
	"internal/explain":     {2, []string{below}},
	"internal/kernelset":   {2, []string{below}},
	"internal/scan":        {2, []string{below}},
	"internal/lint":        {1, []string{ground, "internal/check", "internal/grant", "internal/yamltext", "internal/tomltext", "internal/dockerfile"}}, // as check is to its areas
	rules:                  {2, []string{below}},
	allRules:               {3, []string{"internal/lint", rules}},
	"internal/sevenzip":    {1, []string{sevenTest}},
	sevenTest:              {1, nil},
	programTest:            {1, nil},
	"internal/yamltext":    {1, nil},
	"internal/tomltext":    {1, nil},
	"internal/composefile": {1, []string{"internal/yamltext"}},
	"internal/dockerfile":  {1, []string{"internal/shelltext"}},
	"internal/shelltext":   {1, nil},
	"internal/cdi":         {2, []string{below}},
	"internal/probe":       {2, []string{below}},
	"internal/device":      {2, []string{ground}},
	"internal/fix":         {2, []string{below}},
	"internal/stack":       {2, []string{below}},
	"internal/launch":      {2, []string{below}},
	"internal/profile":     {2, []string{below}},
	"internal/host":        {1, nil},
	"internal/check":       {1, []string{ground}},
	"internal/cure":        {1, []string{ground}},
	"internal/grant":       {1, []string{ground}},
	"internal/codeobj":     {1, []string{ground}},
	"internal/pydist":      {1, []string{ground}},
	"internal/linkage":     {1, []string{ground}},
	"internal/image":       {1, []string{ground, "internal/tomltext"}},
	"internal/state":       {1, []string{ground}},
	"internal/example":     {1, []string{"internal/host"}}, // an example is a snapshot, and host reads snapshots
	"internal/arch":        {7, nil},                       // tests only: nobody may import it
}

// keepers says who alone may import what is dangerous in other hands.
var keepers = map[string][]string{
	"os/exec":                      {"internal/host", "internal/probe", "internal/launch", "internal/state"}, // state: what a cure runs, beside its before-image
	"github.com/ebitengine/purego": {"internal/device"},                                                      // it links libc, and then rocsmith starts in no scratch container
	module + "/internal/device":    {"cmd/rocsmith-probe"},
	module + "/" + sevenTest:       {}, // for tests
	module + "/" + programTest:     {}, // for tests
}

// ownFilesPerSystem are the rooms that may hold files for one operating system
// only. Elsewhere a decision depends on data, so that it is tested everywhere.
var ownFilesPerSystem = []string{"internal/host", "internal/launch", "internal/state", "internal/device", "internal/probe"}

const module = "github.com/rocsmith/rocsmith"

// find returns the row of a package, and its name in the table.
func find(pkg string) (string, room, bool) {
	if i := slices.Index(groundOrder, pkg); i >= 0 {
		return pkg, room{0, groundOrder[i+1:]}, true
	}
	if r, ok := house[pkg]; ok {
		return pkg, r, true
	}
	switch path.Dir(pkg) {
	case "internal/check":
		return area, house[area], true
	case "internal/lint":
		return rules, house[rules], true
	}
	return "", room{}, false
}

// allowed tells whether one package may import another, both known.
func allowed(from, to string) bool {
	_, importer, _ := find(from)
	name, imported, _ := find(to)
	return slices.ContainsFunc(importer.may, func(may string) bool {
		switch may {
		case below:
			return imported.floor < importer.floor
		case ground:
			return slices.Contains(groundOrder, name)
		}
		return may == name
	})
}
