package host

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSeparatorRune says where a token of running text ends.
func isSeparatorRune(r rune) bool {
	return unicode.IsSpace(r) || r == 0 || strings.ContainsRune(":,=;\"'()[]<>{}|@/\\~", r)
}

var (
	// homePath finds the home directories in a text: what stands directly below
	// /home, /var/home, /export/home or /Users is a person.
	homePath = lazily(`(?:^|[^\w.\-/\\]|-[LI]|//)(?:(?:/var|/export)?/home|(?:[A-Za-z]:)?[/\\]+Users)[/\\]+([^\s\x00:,=;"'()\[\]<>{}|@~/\\]+)`)
	// profilePath does so for a path of Windows, whose people have blanks in
	// their names.
	profilePath = lazily(`(?i)[a-z]:[/\\]+users[/\\]+([^/\\:;,"<>|\r\n\t]+)`)
	// keptPath finds the paths in which no name is replaced: their segments are
	// the system's, and a check asks for them literally.
	keptPath = lazily(`^/(?:sys|proc|dev|etc|usr|lib64|lib32|lib|boot|opt/rocm[^/\s:]*)(?:/(?:[^\s\x00:,=;"'()\[\]<>{}|@]|:[0-9a-f]{2}(?:[:./]|$))*)?`)

	uuidLike = lazily(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	diskUUID = lazily(`(?i)UUID=[0-9a-f]{4,}-[0-9a-f-]+`)
	macLike  = lazily(`(?i)\b(?:[0-9a-f]{2}:){5,}[0-9a-f]{2}\b|\b(?:[0-9a-f]{2}-){5,6}[0-9a-f]{2}\b`)
	longHex  = lazily(`\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b`)
	// A name and a password before a host, and the address of a person.
	login   = lazily(`://[^/\s@]+@`)
	mail    = lazily(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)
	gpuUUID = lazily(`\bGPU-([0-9a-fA-F]{16})\b`)
)

// text redacts running text, and paths, which are redacted as running text so
// that a path in a value and the same path in a question become the same.
func (a *aliases) text(s string) string {
	return eachLine(s, func(line string) string { return a.names(a.lineMarks(line)) })
}

// marks replaces what is recognised by its form alone.
func (a *aliases) marks(s string) string { return eachLine(s, a.lineMarks) }

// eachLine rewrites a text line by line and keeps how its last line ends.
func eachLine(s string, rewrite func(string) string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		text, ended := strings.CutSuffix(line, "\n")
		b.WriteString(rewrite(text))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// lineMarks looks closely only at lines that can hold a mark: a regular
// expression on every line of every file would take seconds.
func (a *aliases) lineMarks(s string) string {
	dashes, colons := strings.Count(s, "-"), strings.Count(s, ":")
	if strings.Contains(s, "GPU-") {
		s = gpuUUID().ReplaceAllStringFunc(s, func(m string) string {
			value, _ := strconv.ParseUint(m[len("GPU-"):], 16, 64)
			return fmt.Sprintf("GPU-%016x", a.id(value))
		})
	}
	if dashes > 0 && (strings.Contains(s, "UUID=") || strings.Contains(s, "uuid=")) {
		s = diskUUID().ReplaceAllStringFunc(s, func(m string) string {
			end := strings.IndexByte(m, '=') + 1
			return m[:end] + a.uuid(m[end:])
		})
	}
	if dashes >= 4 {
		s = uuidLike().ReplaceAllStringFunc(s, a.uuid)
	}
	if dashes >= 5 || colons >= 5 {
		s = macLike().ReplaceAllStringFunc(s, a.mac)
	}
	if hasHexRun(s, 32) {
		s = longHex().ReplaceAllStringFunc(s, a.hex)
	}
	if strings.Contains(s, "@") {
		s = login().ReplaceAllString(s, "://")
		s = mail().ReplaceAllString(s, "someone@example.org")
	}
	return s
}

func hasHexRun(s string, n int) bool {
	run := 0
	for i := 0; i < len(s) && run < n; i++ {
		if c := s[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			run++
		} else {
			run = 0
		}
	}
	return run >= n
}

func (a *aliases) hex(s string) string {
	if strings.Trim(s, "0") == "" {
		return s
	}
	return fmt.Sprintf("%0*x", len(s), a.number("hex", s))
}

const uuidAlias = "00000000-0000-0000-0000-"

func (a *aliases) uuid(s string) string {
	if strings.HasPrefix(s, uuidAlias) {
		return s // nil, or replaced already
	}
	return fmt.Sprintf("%s%012x", uuidAlias, a.number("uuid", s))
}

// mac replaces a hardware address. Longer rows of bytes are fingerprints of
// keys and the like.
func (a *aliases) mac(s string) string {
	if strings.Contains(s, ":") && len(s) != len("00:00:00:00:00:00") {
		return s
	}
	if strings.Trim(s, "0:-") == "" || strings.Trim(strings.ToLower(s), "f:-") == "" {
		return s
	}
	n := a.number("mac", s[len(s)-len("00:00:00:00:00:00"):])
	alias := fmt.Sprintf("00:00:00:%02x:%02x:%02x", n>>16&0xff, n>>8&0xff, n&0xff)
	if strings.Contains(s, "-") {
		return s[:len(s)-len(alias)] + strings.ReplaceAll(alias, ":", "-")
	}
	return alias
}

// names replaces the tokens that are a person's or a host's name.
func (a *aliases) names(s string) string {
	homes := a.homesIn(s)
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isSeparatorRune(r) {
			if r == '/' && beginsPath(s, i) {
				if kept := keptPath().FindString(s[i:]); kept != "" && endsToken(s, i+len(kept)) {
					size = len(kept)
				}
			}
			b.WriteString(s[i : i+size])
			i += size
			continue
		}
		end, alias := a.token(s, i, homes)
		b.WriteString(alias)
		i = end
	}
	return b.String()
}

// homesIn returns where the names of home directories begin.
func (a *aliases) homesIn(s string) map[int]bool {
	if !mentionsHome(s) {
		return nil
	}
	homes := map[int]bool{}
	for _, m := range homePath().FindAllStringSubmatchIndex(s, -1) {
		if isHome(s[m[2]:m[3]]) {
			homes[m[2]] = true
		}
	}
	return homes
}

// mentionsHome is a quick look before a slow one.
func mentionsHome(s string) bool {
	return strings.Contains(s, "/home") || strings.Contains(s, "Users")
}

// isHome tells a person's directory from what else may stand there.
func isHome(name string) bool {
	switch strings.ToLower(name) {
	case "lost+found", "linuxbrew", "public", "default", "default user", "all users", "shared":
		return false
	}
	return !strings.ContainsAny(name[:1], "$%*~.")
}

func beginsPath(s string, i int) bool {
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return isSeparatorRune(before) && before != '/' && before != '\\'
}

func endsToken(s string, i int) bool {
	r, size := utf8.DecodeRuneInString(s[i:])
	return size == 0 || isSeparatorRune(r)
}

// token returns the end of the token that begins at i and what replaces it.
func (a *aliases) token(s string, i int, homes map[int]bool) (end int, alias string) {
	word := firstToken(s[i:])
	for _, p := range a.phrases[word] {
		if strings.HasPrefix(s[i:], p.name) && endsToken(s, i+len(p.name)) {
			return i + len(p.name), p.alias
		}
	}
	end = i + len(word)
	if homes[i] {
		return end, a.person(word)
	}
	return end, a.word(word)
}

func firstToken(s string) string {
	if n := strings.IndexFunc(s, isSeparatorRune); n >= 0 {
		return s[:n]
	}
	return s
}

// personalFolder begins the name of a folder that PyTorch makes in the temporary
// one; the rest is the login name.
const personalFolder = "torchinductor_"

// word returns the alias of a token, or the token.
func (a *aliases) word(word string) string {
	name := strings.TrimRight(word, ".!?")
	tail := word[len(name):]
	if protected()[strings.ToLower(name)] {
		return word
	}
	if n, ok := a.people[name]; ok {
		return userAlias(n) + tail
	}
	if n, ok := a.people[strings.TrimPrefix(name, personalFolder)]; ok {
		return personalFolder + userAlias(n) + tail
	}
	if alias, ok := a.hosts[name]; ok {
		return alias + tail
	}
	return a.knownID(name) + tail
}

// knownID replaces a number that is the unique id of a GPU of this machine.
// Only long numbers are taken for it.
func (a *aliases) knownID(word string) string {
	digits := strings.TrimPrefix(strings.TrimPrefix(word, "0x"), "0X")
	if len(digits) == 16 || len(digits) != len(word) && len(digits) > 12 {
		if value, err := strconv.ParseUint(digits, 16, 64); err == nil && a.ids[value] != 0 {
			return fmt.Sprintf("%s%016x", word[:len(word)-len(digits)], a.ids[value])
		}
	}
	if len(word) > 12 {
		if value, err := strconv.ParseUint(word, 10, 64); err == nil && a.ids[value] != 0 {
			return strconv.Itoa(a.ids[value])
		}
	}
	return word
}

// homes redacts only the names of home directories.
func (a *aliases) homes(s string) string {
	return eachLine(s, func(line string) string {
		if !mentionsHome(line) {
			return line
		}
		var b strings.Builder
		done := 0
		for _, m := range homePath().FindAllStringSubmatchIndex(line, -1) {
			if name := line[m[2]:m[3]]; isHome(name) {
				b.WriteString(line[done:m[2]])
				b.WriteString(a.person(name))
				done = m[3]
			}
		}
		b.WriteString(line[done:])
		return b.String()
	})
}
