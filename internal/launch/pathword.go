package launch

import (
	"fmt"
	"slices"
	"strings"
)

// word translates the path that a word is, or the paths that it holds.
func (t *translator) word(word string) (string, error) {
	before, name := splitWord(word)
	if t.isList(name) {
		return before + t.list(name), nil
	}
	after, err := t.path(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", word, err)
	}
	return before + after, nil
}

// separators part the paths of a list, as in --data=/a,/b and /lib:/lib64.
const separators = ":,"

// isList tells of words that are no path and hold one that is here. Most words
// with a colon or a comma are no lists.
func (t *translator) isList(name string) bool {
	items := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(separators, r) })
	return len(items) > 1 && !t.here(name) && slices.ContainsFunc(items, func(item string) bool { return leads(item) && t.here(item) })
}

func (t *translator) here(name string) bool {
	abs, ok := t.absolute(name)
	return ok && t.Look(abs).Kind != Nothing
}

func (t *translator) list(name string) string {
	var out strings.Builder
	for {
		end := strings.IndexAny(name, separators)
		if end < 0 {
			return out.String() + t.item(name)
		}
		out.WriteString(t.item(name[:end]) + name[end:end+1])
		name = name[end+1:]
	}
}

// item translates one path of a list, where it is here and can be given.
func (t *translator) item(name string) string {
	if !leads(name) || !t.here(name) {
		return name
	}
	translated, err := t.path(name)
	if err != nil {
		return name
	}
	return translated
}

// isScript tells of words that hold a text for a shell or an interpreter, as after
// sh -c: what it begins with is not the whole of a path.
func isScript(flag, word string) bool {
	return len(flag) > 1 && flag[0] == '-' && flag[1] != '-' && strings.HasSuffix(flag, "c") && strings.ContainsAny(word, " \t\n;|&<>()")
}

// splitWord parts a word into what stands before a path, and what may be one:
// "--out=", "-I", "@" or "file://".
func splitWord(word string) (before, name string) {
	name = word
	if head, tail, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(head, "/~ ") {
		before, name = head+"=", tail
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' && leads(word[2:]) {
		before, name = word[:2], word[2:]
	}
	for _, mark := range []string{"@", "file://"} {
		if tail, ok := strings.CutPrefix(name, mark); ok && tail != "" {
			return before + mark, tail
		}
	}
	return before, name
}

// leads tells of words that begin as only a path does.
func leads(name string) bool {
	return name == "~" || name == ".." || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~/") ||
		strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}
