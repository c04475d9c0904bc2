package cause

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// MinAnchor is the length of the shortest text by which lines are chosen. Shorter ones stand in too many lines.
const MinAnchor = 6

var errNoAnchor = fmt.Errorf("it needs a run of at least %d letters that stands in every line it matches, in one case", MinAnchor)

// anchorsOf returns texts of which one stands in every line that the pattern matches. They let a log of a gigabyte be
// searched for all patterns at once, and the pattern be tried on few lines.
func anchorsOf(pattern string) ([]string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	best := required(re.Simplify())
	if len(best) == 0 || shortest(best) < MinAnchor {
		return nil, errNoAnchor
	}
	return without(best), nil
}

// without leaves out the texts that hold another one, which is enough.
func without(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	return slices.DeleteFunc(slices.Clone(texts), func(long string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return t != long && strings.Contains(long, t) })
	})
}

// maxAlternatives bounds the texts of one pattern.
const maxAlternatives = 64

// required finds texts of which one must occur, the longest that are there.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := required(sub)
			if len(texts) == 0 {
				return nil
			}
			all = append(all, texts...)
		}
		if len(all) <= maxAlternatives {
			return all
		}
	case syntax.OpConcat:
		return requiredOfConcat(re.Sub)
	}
	return nil
}

// requiredOfConcat joins neighbours where that makes longer texts: an alternation before a literal gives one text for
// each of its branches.
func requiredOfConcat(subs []*syntax.Regexp) []string {
	var best, run []string
	keep := func() { best = better(best, run) }
	for _, sub := range subs {
		exact := exactly(sub)
		if exact == nil {
			keep()
			run = nil
			best = better(best, required(sub))
			continue
		}
		if len(run) == 0 {
			run = exact
			continue
		}
		if joined := product(run, exact); joined != nil {
			run = joined
			continue
		}
		keep()
		run = exact
	}
	keep()
	return best
}

// better chooses between two sets of texts: long ones stand in few lines, and few ones are soon looked for.
func better(a, b []string) []string {
	if len(b) > 0 && (len(a) == 0 || value(b) > value(a)) {
		return b
	}
	return a
}

func value(texts []string) int {
	const (
		enough = 16 // letters beyond which length gains nothing
		each   = 4  // texts that are worth a letter
		short  = 10 // letters below which a text is a word of every log
		fine   = 40
	)
	n := shortest(texts)
	out := each*min(n, enough) - len(texts)
	switch {
	case n < MinAnchor:
		return n - maxAlternatives // of no use, unless nothing else is there
	case n < short:
		return out - fine
	}
	return out
}

// exactly returns all texts that a pattern matches, where they are few; nil otherwise.
func exactly(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if len(re.Rune) == 1 && re.Flags&syntax.FoldCase != 0 { // so [hH] is read
			return []string{string(unicode.ToUpper(re.Rune[0])), string(unicode.ToLower(re.Rune[0]))}
		}
		return required(re)
	case syntax.OpCapture:
		return exactly(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpQuest:
		if sub := exactly(re.Sub[0]); sub != nil {
			return append([]string{""}, sub...)
		}
	case syntax.OpCharClass:
		return ofClass(re.Rune)
	case syntax.OpAlternate:
		return each(re.Sub, nil, func(all, texts []string) []string { return append(all, texts...) })
	case syntax.OpConcat:
		return each(re.Sub, []string{""}, product)
	}
	return nil
}

// each joins the texts of all parts; nil where one of them has too many.
func each(subs []*syntax.Regexp, all []string, join func(all, texts []string) []string) []string {
	for _, sub := range subs {
		texts := exactly(sub)
		if texts == nil {
			return nil
		}
		if all = join(all, texts); all == nil {
			return nil
		}
	}
	return all
}

func ofClass(pairs []rune) []string {
	const few = 4
	var all []string
	for i := 0; i+1 < len(pairs); i += 2 {
		for r := pairs[i]; r <= pairs[i+1]; r++ {
			if all = append(all, string(r)); len(all) > few {
				return nil
			}
		}
	}
	return all
}

func product(a, b []string) []string {
	const most = 16
	if len(a)*len(b) > most {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	n := len(texts[0])
	for _, t := range texts[1:] {
		n = min(n, len(t))
	}
	return n
}

// anchor fills in the anchors of a signature.
func (s *Signature) anchor() error {
	s.Anchors = nil
	var errs []error
	for _, text := range s.Text {
		if len(text) < MinAnchor {
			errs = append(errs, fmt.Errorf("the text %q: %w", text, errNoAnchor))
		}
		s.Anchors = append(s.Anchors, text)
	}
	for _, pattern := range s.Match {
		texts, err := anchorsOf(pattern)
		if err != nil {
			errs = append(errs, fmt.Errorf("the pattern %q: %w", pattern, err))
		}
		s.Anchors = append(s.Anchors, texts...)
	}
	s.Anchors = without(s.Anchors)
	return errors.Join(errs...)
}
