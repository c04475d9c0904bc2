package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/cause"
)

// worth is how far a signature goes towards being sure.
var worth = map[cause.Strength]float64{cause.Decisive: 0.93, cause.Strong: 0.75, cause.Supportive: 0.45, cause.Weak: 0.2}

const (
	againstFactor = 0.35 // what is left of a score when something speaks against it
	lessSpecific  = 0.3  // of the worth of a line about which another signature says more
	earlier       = 0.9  // of what was not said last
	certainFrom   = 0.9
	likelyFrom    = 0.55
)

// Judge weighs what a log holds.
func Judge(log Log, c cause.Catalogue, s Surroundings) (Explanation, error) {
	s = s.learn(log.Matches)
	j := judge{log: log, catalogue: c, surroundings: s, suspects: map[string]*suspect{}}
	j.gather()
	j.harmless()
	j.unspecific()
	j.weigh()
	out := j.answer()
	return out, j.cures(out.Causes)
}

type judge struct {
	log          Log
	catalogue    cause.Catalogue
	surroundings Surroundings
	counted      []hit
	harmlessHits []hit
	suspects     map[string]*suspect
}

// A hit is a match that counts.
type hit struct {
	Match
	factor float64
	order  int // among all lines
}

type suspect struct {
	cause    cause.Cause
	unsure   float64 // the product of what each signature leaves open
	against  bool
	excluded bool
	hits     []hit
	last     int
}

// gather finds the matches that count in these surroundings, those of signatures that refer to others included.
func (j *judge) gather() {
	present, byName := map[string]bool{}, map[string][]int{}
	order := j.order()
	for i, m := range j.log.Matches {
		if !m.frame {
			present[m.Signature.Name] = true
			byName[m.Signature.Name] = append(byName[m.Signature.Name], i)
		}
	}
	for _, sig := range j.catalogue.Signatures {
		for _, i := range byName[cmp.Or(sig.Like, sig.Name)] {
			m := j.log.Matches[i]
			if sig.Like != "" {
				sig.Layer = cmp.Or(sig.Layer, m.Signature.Layer)
				sig.Says = cmp.Or(sig.Says, m.Signature.Says)
				m.Signature = sig
			}
			if j.surroundings.fits(sig.When, m, present) {
				j.counted = append(j.counted, hit{m, 1, order[i]})
			}
		}
	}
	slices.SortStableFunc(j.counted, func(a, b hit) int { return cmp.Compare(a.order, b.order) })
}

// order gives each match its place among all: by time where every line has one, else by input and line.
func (j *judge) order() []int {
	index := make([]int, len(j.log.Matches))
	for i := range index {
		index[i] = i
	}
	stamped := len(j.log.Names) > 1 && !slices.ContainsFunc(j.log.Matches, func(m Match) bool { return m.stamp == "" })
	slices.SortStableFunc(index, func(a, b int) int {
		x, y := j.log.Matches[a], j.log.Matches[b]
		if stamped {
			return cmp.Compare(x.stamp, y.stamp)
		}
		return cmp.Or(cmp.Compare(x.Input, y.Input), cmp.Compare(x.Last, y.Last))
	})
	out := make([]int, len(index))
	place := 0
	for n, i := range index {
		if n > 0 && !sameLine(j.log.Matches[i], j.log.Matches[index[n-1]]) {
			place++
		}
		out[i] = place
	}
	return out
}

func sameLine(a, b Match) bool { return a.Input == b.Input && a.Line == b.Line }

// harmless takes out the lines that are known to mean nothing. What decides stays, unless a harmless line says more of the
// same words.
func (j *judge) harmless() {
	type place struct {
		input int
		line  int64
	}
	claims := map[place][]hit{}
	benign := func(h hit) bool {
		c, ok := j.catalogue.Cause(h.Signature.Cause)
		return ok && c.Family == cause.Benign
	}
	for _, h := range j.counted {
		if benign(h) {
			at := place{h.Input, h.Line}
			claims[at] = append(claims[at], h)
			j.harmlessHits = append(j.harmlessHits, h)
		}
	}
	j.counted = slices.DeleteFunc(j.counted, func(h hit) bool {
		claim := claims[place{h.Input, h.Line}]
		covers := func(c hit) bool { return c.from <= h.from && c.to >= h.to }
		return len(claim) > 0 && (h.Signature.Strength != cause.Decisive || slices.ContainsFunc(claim, covers))
	})
}

// unspecific lowers what is said of a line by one signature when another says more of the same words, for another cause.
func (j *judge) unspecific() {
	for i := range j.counted {
		a := &j.counted[i]
		for _, b := range j.counted {
			longer := b.to-b.from > a.to-a.from
			if sameLine(a.Match, b.Match) && a.Signature.Cause != b.Signature.Cause && b.Signature.Cause != "" &&
				longer && b.from <= a.from && b.to >= a.to && worth[b.Signature.Strength] >= worth[a.Signature.Strength] {
				a.factor = lessSpecific
			}
		}
	}
}

func (j *judge) weigh() {
	last := 0
	for _, h := range j.counted {
		if h.Signature.Cause != "" && worth[h.Signature.Strength] > 0 {
			last = max(last, h.order)
		}
	}
	said := map[string]float64{} // the best of each signature: repeated lines count once
	for _, h := range j.counted {
		if h.Signature.Cause == "" || h.Signature.Strength == cause.Sign { // a sign is there to be referred to
			continue
		}
		s := j.suspect(h.Signature.Cause)
		if s == nil {
			continue
		}
		switch h.Signature.Strength {
		case cause.Against:
			s.against = true
			continue
		case cause.Excluding:
			s.excluded = true
			continue
		}
		s.hits = append(s.hits, h)
		s.last = max(s.last, h.order)
		w := worth[h.Signature.Strength] * h.factor
		if h.order < last {
			w *= earlier
		}
		if before := said[h.Signature.Name]; w > before {
			s.unsure *= (1 - w) / (1 - before)
			said[h.Signature.Name] = w
		}
	}
}

// suspect returns the row of a cause, unless it cannot happen on this platform.
func (j *judge) suspect(id string) *suspect {
	if s, ok := j.suspects[id]; ok {
		return s
	}
	c, ok := j.catalogue.Cause(id)
	if !ok || !j.possible(c) {
		return nil
	}
	j.suspects[id] = &suspect{cause: c, unsure: 1}
	return j.suspects[id]
}

// anyGPU are the families of causes that a machine without an AMD GPU can have, too.
var anyGPU = []string{cause.Benign, "python", "loader", "build", "fleet"}

// possible is false where the log is known to come from a platform, or from a GPU, that does not have this cause.
func (j *judge) possible(c cause.Cause) bool {
	if j.surroundings.foreign && !slices.Contains(anyGPU, c.Family) {
		return false
	}
	if len(c.Platforms) == 0 || len(j.surroundings.Platform) == 0 {
		return true
	}
	windows := slices.Contains(j.surroundings.Platform, cause.PlatformWindows)
	if slices.Equal(c.Platforms, []cause.Platform{cause.PlatformWindows}) {
		return windows
	}
	return !windows || slices.Contains(c.Platforms, cause.PlatformWindows)
}

func (s *suspect) score() float64 {
	score := 1 - s.unsure
	if s.against {
		score *= againstFactor
	}
	return score
}

func (j *judge) answer() Explanation {
	out := Explanation{Verdict: Unknown, GPUs: j.surroundings.GPUs}
	for _, id := range slices.Sorted(maps.Keys(j.suspects)) {
		if s := j.suspects[id]; !s.excluded && len(s.hits) > 0 {
			out.Causes = append(out.Causes, j.tell(s))
		}
	}
	j.ask(&out)
	slices.SortStableFunc(out.Causes, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(layerOf(j.suspects[a.Cause.ID]), layerOf(j.suspects[b.Cause.ID])),
			cmp.Compare(j.lastOf(b), j.lastOf(a)))
	})
	out.Harmless = j.notes(j.harmlessHits)
	out.Recognised = j.notes(slices.DeleteFunc(slices.Clone(j.counted), func(h hit) bool { return h.Signature.Cause != "" || h.Signature.Says == "" }))
	switch {
	case len(out.Causes) > 0:
		out.Verdict = Failure
	case len(out.Harmless) > 0 && !j.failed():
		out.Verdict = Benign
	}
	if len(out.Causes) > 0 && out.Causes[0].Confidence != Certain {
		out.Decide = out.Causes[0].Cause.Decide
	}
	return out
}

// failed reports a line that says that something failed, and is not known to be harmless: beside it a harmless warning
// does not make a log harmless.
func (j *judge) failed() bool {
	return slices.ContainsFunc(j.counted, func(h hit) bool { return slices.Contains(h.Signature.Tells, "failure") })
}

func (j *judge) lastOf(s Suspect) int {
	if row := j.suspects[s.Cause.ID]; row != nil {
		return row.last
	}
	return 0
}

var layers = []cause.Layer{cause.LayerKernel, cause.LayerLoader, cause.LayerHIP, cause.LayerBuild, cause.LayerEngine, cause.LayerPython, cause.LayerApp}

// layerOf is the lowest layer that speaks for a cause: what breaks below is seen above as well.
func layerOf(s *suspect) int {
	lowest := len(layers)
	if s == nil {
		return lowest
	}
	for _, h := range s.hits {
		if i := slices.Index(layers, h.Signature.Layer); i >= 0 {
			lowest = min(lowest, i)
		}
	}
	return lowest
}

func (j *judge) tell(s *suspect) Suspect {
	out := Suspect{Cause: s.cause, Score: s.score(), Values: map[string]string{}}
	out.Confidence = grade(out.Score)
	best := slices.Clone(s.hits)
	slices.SortStableFunc(best, func(a, b hit) int {
		return cmp.Or(cmp.Compare(worth[b.Signature.Strength]*b.factor, worth[a.Signature.Strength]*a.factor), cmp.Compare(b.order, a.order))
	})
	for _, h := range best {
		for name, value := range h.Values {
			if _, known := out.Values[name]; !known && value != "" {
				out.Values[name] = value
			}
		}
		const most = 3
		if e := j.evidence(h); len(out.Evidence) < most && !slices.Contains(out.Evidence, e) {
			out.Evidence = append(out.Evidence, e)
		}
		if out.Why == "" && h.Signature.Says != "" {
			out.Why = filled(h.Signature.Says, h.Values)
		}
	}
	out.Why = cmp.Or(out.Why, s.cause.Meaning)
	if gfx := cmp.Or(out.Values["gfx"], j.surroundings.firstGPU()); slices.Contains(askedAbout, s.cause.ID) && gfx != "" && j.surroundings.on(cause.PlatformLinux) {
		out.Release = anotherRelease(gfx, j.surroundings.Python)
	}
	return out
}

func grade(score float64) Confidence {
	switch {
	case score >= certainFrom:
		return Certain
	case score >= likelyFrom:
		return Likely
	}
	return Possible
}

// filled puts captured values into a sentence.
func filled(text string, values map[string]string) string {
	for name, value := range values {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (j *judge) evidence(h hit) Evidence {
	return Evidence{File: j.log.Names[h.Input], Line: h.Line, Text: shown(h.Match), Count: h.Count}
}

// shown is a line, or of a long one the part that was recognised.
func shown(m Match) string {
	text := strings.TrimSpace(m.Text)
	if len(text) <= maxShown {
		return text
	}
	from := max(m.from-maxShown/4, 0)
	to := min(max(m.to, from+maxShown), len(m.Text))
	to = min(to, from+2*maxShown)
	out := strings.ToValidUTF8(m.Text[from:to], "")
	if from > 0 {
		out = "…" + out
	}
	if to < len(m.Text) {
		out += "…"
	}
	return strings.TrimSpace(out)
}

// notes are lines with what they mean, each meaning once.
func (j *judge) notes(hits []hit) []Note {
	var out []Note
	at := map[string]int{}
	for _, h := range hits {
		if i, told := at[h.Signature.Name]; told {
			out[i].Count += h.Count
			continue
		}
		at[h.Signature.Name] = len(out)
		out = append(out, Note{j.evidence(h), filled(h.Signature.Says, h.Values)})
	}
	return out
}
