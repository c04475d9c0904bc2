package report

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Constants of GitHub's fingerprint of a line (github/codeql-action,
// src/fingerprints.ts): a rolling hash of the hundred characters that follow.
const (
	hashBlock = 100
	hashBase  = 37
	hashEnd   = 0xffff
)

// lineHashes are the values of primaryLocationLineHash for each line of a text, by
// which GitHub knows a finding again when lines above it come and go. They are those
// that its own upload would add, which else warns that they differ.
func lineHashes(text string) []string {
	chars, starts := hashed(text)
	// The hash of a block is a polynomial of it, and what is beyond the end is zero.
	var top uint64 = 1
	for range hashBlock {
		top *= hashBase
	}
	at := func(i int) uint64 {
		if i < 0 || i >= len(chars) {
			return 0
		}
		return uint64(chars[i])
	}
	out := make([]string, 0, len(starts))
	seen := map[uint64]int{}
	var hash uint64
	next := 0
	for i := range len(chars) + hashBlock {
		hash = hash*hashBase + at(i) - top*at(i-hashBlock)
		for next < len(starts) && starts[next]+hashBlock == i+1 {
			seen[hash]++
			out = append(out, fmt.Sprintf("%x:%d", hash, seen[hash]))
			next++
		}
	}
	return out
}

// hashed are the UTF-16 characters of a text that count, with one for the end, and
// where among them lines begin. Blanks do not count, and all ends of lines are alike.
func hashed(text string) (chars []uint16, starts []int) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	begins := true
	for _, c := range append(utf16.Encode([]rune(text)), hashEnd) {
		if c == ' ' || c == '\t' {
			continue
		}
		if begins {
			starts = append(starts, len(chars))
		}
		if c == '\r' {
			c = '\n'
		}
		begins = c == '\n'
		chars = append(chars, c)
	}
	return chars, starts
}
