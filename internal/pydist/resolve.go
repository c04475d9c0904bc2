package pydist

import (
	"cmp"
	"slices"
	"strings"
)

// A Resolution is what the distributions of one environment want of each other,
// and what of it they do not get.
type Resolution struct {
	Unmet []Unmet // sorted by who wants it, then by what

	dists  []Distribution
	byName map[string]int   // the one that Python would find
	needs  map[string][]int // what is wanted, by those who want it directly
}

// An Unmet is a requirement that applies and is not met.
type Unmet struct {
	By          *Distribution
	Requirement Requirement // for Requires-Python, of "python"
	Kind        UnmetKind
	Found       string // the version that is there; "" where there is none
	FoundPath   string
}

// An UnmetKind says in what way a requirement is not met.
type UnmetKind string

// The kinds of unmet requirements.
const (
	Missing      UnmetKind = "missing"
	WrongVersion UnmetKind = "wrong-version"
	WrongPython  UnmetKind = "wrong-python"
)

// Resolve follows the requirements of all distributions, given in the order of
// the search path: of two with one name Python finds the first. No extras are
// assumed; those that a requirement names apply to what it names. A version
// that is none of PEP 440 is taken as it is, and so is a URL: nothing says what
// version it stands for.
func Resolve(dists []Distribution, env Markers) Resolution {
	r := resolver{
		Resolution: Resolution{dists: dists, byName: make(map[string]int, len(dists)), needs: make(map[string][]int)},
		evaluation: newEvaluation(env),
		seen:       make([][]bool, len(dists)),
		extras:     make(map[wish]bool),
		told:       make(map[told]bool),
	}
	for i, d := range dists {
		if _, taken := r.byName[d.Name]; !taken {
			r.byName[d.Name] = i
			r.queue = append(r.queue, wish{dist: i})
		}
	}
	for len(r.queue) > 0 {
		next := r.queue[0]
		r.queue = r.queue[1:]
		r.follow(next)
	}
	slices.SortStableFunc(r.Unmet, func(a, b Unmet) int {
		return cmp.Or(
			strings.Compare(a.By.Name, b.By.Name),
			strings.Compare(a.Requirement.Name, b.Requirement.Name),
			strings.Compare(a.Requirement.Specifier.String(), b.Requirement.Specifier.String()),
		)
	})
	return r.Resolution
}

// A wish is a distribution with one of its extras, "" for the plain one.
type wish struct {
	dist  int
	extra string
}

type resolver struct {
	Resolution
	evaluation
	queue  []wish
	seen   [][]bool // which requirements of which distribution were followed
	extras map[wish]bool
	told   map[told]bool
}

// told is what was noted already: who wants what, and what of it is unmet.
type told struct {
	by   int
	name string
	what string
}

// follow looks at the requirements that apply for one wish.
func (r *resolver) follow(w wish) {
	d := &r.dists[w.dist]
	if w.extra == "" {
		r.seen[w.dist] = make([]bool, len(d.Requires))
		r.python(d)
	}
	for i, req := range d.Requires {
		if r.seen[w.dist][i] || !r.marker(req.Marker, w.extra) {
			continue
		}
		r.seen[w.dist][i] = true
		r.meet(w.dist, req)
	}
}

func (r *resolver) python(d *Distribution) {
	if r.env.PythonVersion == "" && r.env.PythonFullVersion == "" {
		return
	}
	for _, version := range r.env.fullVersions() {
		if d.Python.contains(version, r.known) {
			return
		}
	}
	r.Unmet = append(r.Unmet, Unmet{
		By: d, Requirement: Requirement{Name: "python", Specifier: d.Python}, Kind: WrongPython,
		Found: cmp.Or(r.env.PythonFullVersion, r.env.PythonVersion),
	})
}

// meet looks for what one requirement names, and passes its extras on.
func (r *resolver) meet(by int, req Requirement) {
	if edge := (told{by, req.Name, ""}); !r.told[edge] {
		r.told[edge] = true
		r.needs[req.Name] = append(r.needs[req.Name], by)
	}
	i, there := r.byName[req.Name]
	if !there {
		r.report(by, Unmet{Requirement: req, Kind: Missing})
		return
	}
	found := &r.dists[i]
	if _, ok := r.known.parse(found.Version); ok && !req.Specifier.contains(found.Version, r.known) {
		r.report(by, Unmet{Requirement: req, Kind: WrongVersion, Found: found.Version, FoundPath: found.Path})
	}
	for _, extra := range req.Extras {
		w := wish{dist: i, extra: extra}
		if !r.extras[w] {
			r.extras[w] = true
			r.queue = append(r.queue, w)
		}
	}
}

// report drops what was said already: metadata often lists a requirement twice,
// under two markers.
func (r *resolver) report(by int, u Unmet) {
	key := told{by, u.Requirement.Name, "unmet " + u.Requirement.Specifier.String()}
	if r.told[key] {
		return
	}
	r.told[key] = true
	u.By = &r.dists[by]
	r.Unmet = append(r.Unmet, u)
}

// Chains tells who wants a package, and through whom: one chain for each
// distribution that wants it directly, from one that nobody wants down to that
// one. Each is the shortest there is, and of equals the first by name.
func (r Resolution) Chains(name string) [][]*Distribution {
	direct := r.sorted(r.needs[Normalize(name)])
	chains := make([][]*Distribution, 0, len(direct))
	for _, d := range direct {
		chains = append(chains, r.chain(d))
	}
	return chains
}

// chain searches upwards, in breadth, for somebody whom nobody wants. In a
// circle there is none, and then the chain is the distribution itself.
func (r Resolution) chain(from int) []*Distribution {
	below := map[int]int{from: -1}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		above := r.sorted(r.needs[r.dists[queue[0]].Name])
		above = slices.DeleteFunc(above, func(i int) bool { return i == queue[0] })
		if len(above) == 0 {
			return r.down(queue[0], below)
		}
		for _, i := range above {
			if _, seen := below[i]; !seen {
				below[i] = queue[0]
				queue = append(queue, i)
			}
		}
	}
	return []*Distribution{&r.dists[from]}
}

// down walks back from the top of a chain.
func (r Resolution) down(top int, below map[int]int) []*Distribution {
	var chain []*Distribution
	for i := top; i >= 0; i = below[i] {
		chain = append(chain, &r.dists[i])
	}
	return chain
}

// sorted orders distributions by name.
func (r Resolution) sorted(indexes []int) []int {
	out := slices.Clone(indexes)
	slices.SortFunc(out, func(a, b int) int { return strings.Compare(r.dists[a].Name, r.dists[b].Name) })
	return out
}
