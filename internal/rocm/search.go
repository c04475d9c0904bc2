package rocm

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxProducts bounds an answer: a query such as "RX" matches a large part of the table.
const maxProducts = 40

// closeness says how well a product answers a query; smaller is better.
type closeness int

const (
	sameDevice closeness = iota
	sameGfx
	sameName
	sameChip
	allWordsInName
	allWordsInDevice
	allWordsSomewhere
	noMatch
)

// FindProducts finds GPUs by what people call them: a PCI id (1002:744c, 744c, 0x744c), a marketing name, a gfx name,
// a codename, or a processor with the GPU in it. Only the closest kind of match is returned, so that "RX 7900 XT" is
// not drowned in the words "RX" and "XT".
func FindProducts(query string) []Product {
	q := newQuery(query)
	if len(q.words) == 0 {
		return nil
	}
	best, found := noMatch, []Product(nil)
	for _, candidate := range candidates() {
		switch c := q.closeness(candidate); {
		case c == noMatch || c > best:
		case c < best:
			best, found = c, []Product{candidate.Product}
		case len(found) < maxProducts:
			found = append(found, candidate.Product)
		}
	}
	return found
}

// candidate is a product and the other words by which it may be asked for.
type candidate struct {
	Product
	aliases []string // other names of this very product
	device  string   // what pci.ids calls the device, often with all the names it is sold under
	context []string // names that it shares with the whole chip
}

func candidates() []candidate {
	var all []candidate
	for _, c := range knownProducts().chips {
		all = append(all, c.candidates()...)
	}
	for _, a := range knownProducts().apus {
		all = append(all, candidate{Product: a.asProduct(), aliases: []string{a.Product, a.IGPU}})
	}
	return all
}

func (c chip) candidates() []candidate {
	if len(c.Devices) == 0 { // announced, but without a known PCI id
		return []candidate{{Product: deviceOfChip{chip: c}.named("").withoutPCI(), context: c.Examples}}
	}
	var all []candidate
	for _, d := range c.Devices {
		names := slices.Sorted(maps.Keys(d.Names))
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			product := deviceOfChip{d, c}.named(name)
			all = append(all, candidate{Product: product, device: d.PCI, context: c.Examples})
		}
	}
	return all
}

func (p Product) withoutPCI() Product {
	p.Vendor, p.Device = "", ""
	return p
}

func (a apuProduct) asProduct() Product {
	t, _ := LookupTarget(a.Gfx)
	return Product{
		Name:       a.Product + " (" + a.IGPU + ")",
		Chip:       a.Codename,
		Codename:   a.Codename,
		Gfx:        a.Gfx,
		Generation: t.Generation,
		Kind:       t.Kind,
		Provenance: a.Provenance,
	}
}

type query struct {
	text   string // normalised
	words  []string
	device string // the PCI device id, when the query can be one
}

func newQuery(text string) query {
	words := wordsOf(text)
	id := strings.ToLower(strings.TrimSpace(text))
	id = strings.TrimPrefix(strings.TrimPrefix(id, "1002:"), "0x")
	return query{text: strings.Join(words, " "), words: words, device: id}
}

func (q query) closeness(c candidate) closeness {
	switch {
	case c.Device != "" && q.device == c.Device:
		return sameDevice
	case q.isOne(c.Gfx):
		return sameGfx
	case q.isOne(c.Name), q.isOne(c.aliases...):
		return sameName
	case q.isOne(c.Codename), q.isOne(strings.Split(c.Chip, " / ")...):
		return sameChip
	case q.isIn(c.Name):
		return allWordsInName
	case q.isIn(c.device):
		return allWordsInDevice
	case q.isIn(slices.Concat(c.context, []string{c.Name, c.device, c.Chip})...):
		return allWordsSomewhere
	}
	return noMatch
}

func (q query) isOne(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return q.text == strings.Join(wordsOf(name), " ") })
}

// isIn reports whether the names together hold every word of the query.
func (q query) isIn(names ...string) bool {
	have := wordsOf(strings.Join(names, " "))
	return !slices.ContainsFunc(q.words, func(word string) bool { return !slices.Contains(have, word) })
}

// apart puts a blank between letters and digits, because people do and do not: "rx6800", "5700 XT", "Navi31". A single
// letter behind a number belongs to it: 680M, 64X.
func apart(s string) string {
	return numberThenLetters().ReplaceAllString(lettersThenNumber().ReplaceAllString(s, "$1 $2"), "$1 $2")
}

var (
	lettersThenNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\pL)(\d)`) })
	numberThenLetters = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d)(\pL{2,})`) })
)

// wordsOf splits a name and leaves out the brand, which people write or not: "AMD Radeon RX 7900 XTX", "7900 XTX".
func wordsOf(name string) []string {
	words := strings.FieldsFunc(apart(strings.ToLower(name)), func(r rune) bool {
		return strings.ContainsRune(" \t/,()[]-_", r)
	})
	return slices.DeleteFunc(words, func(w string) bool {
		return w == "amd" || w == "radeon" || w == "instinct" || w == "graphics"
	})
}
