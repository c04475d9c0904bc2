package probe

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/operation"
)

// An ending is how a process ended.
type ending struct {
	code   int
	signal string // "SIGSEGV"; "" where it exited
	silent bool   // it never answered anything
	apart  bool   // an engine ran it
}

// judgeEnd says what a child died of. The words of a runtime weigh most: it
// aborts the process after it has said why. Then the words of Go, which turns a
// signal in a library into exit code 2 and prints the signal's name.
func judgeEnd(e ending, words string) (operation.Verdict, string) {
	if s, line, ok := signatureIn(words); ok && s.Verdict != "" {
		return s.Verdict, line
	}
	if line := lineWith(words, "error while loading shared libraries"); line != "" && e.silent {
		return operation.CannotStart, line
	}
	if e.silent && e.apart && e.signal == "" {
		return operation.CannotStart, fmt.Sprintf("the engine ended with exit code %d before the probe said anything%s%s", e.code, lastWords(words), loaderHint(words))
	}
	if signal, line := goSignal(words); signal != "" {
		return operation.Crash, line
	}
	if line := lineStarting(words, "panic: "); line != "" {
		return operation.Crash, "rocsmith-probe itself failed, please report it: " + line
	}
	switch name := signalOf(e); {
	case name == "SIGKILL":
		return operation.Crash, "the process was killed from outside (SIGKILL), as the kernel does where memory runs out"
	case name != "":
		return operation.Crash, name
	case e.code == 0:
		return operation.Failed, "the process ended without an answer" + lastWords(words)
	}
	return operation.Failed, fmt.Sprintf("the library ended the process with exit code %d%s", e.code, lastWords(words))
}

// goSignal finds the line that Go's runtime writes when a signal arrives in
// code that is not Go's.
var goSignals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\[signal )?(SIG[A-Z]{2,6})(: [^\n]{0,120})?`)
})

func goSignal(words string) (name, line string) {
	m := goSignals().FindStringSubmatch(words)
	if m == nil {
		return "", ""
	}
	return m[1], strings.TrimSuffix(strings.TrimSpace(m[1]+m[2]), "]")
}

// signalOf names the signal behind an exit code: 128+n as shells and engines
// report it, and the codes of Windows for the same events.
func signalOf(e ending) string {
	if e.signal != "" {
		return e.signal
	}
	names := map[uint32]string{
		128 + 4: "SIGILL", 128 + 6: "SIGABRT", 128 + 7: "SIGBUS", 128 + 8: "SIGFPE", 128 + 9: "SIGKILL", 128 + 11: "SIGSEGV", 128 + 15: "SIGTERM",
		0xC0000005: "access violation (0xC0000005)", 0xC000001D: "illegal instruction (0xC000001D)", 0xC0000094: "integer division by zero (0xC0000094)",
		0xC00000FD: "stack overflow (0xC00000FD)", 0xC0000374: "heap corruption (0xC0000374)", 0xC0000409: "stack buffer overrun or abort (0xC0000409)",
	}
	return names[uint32(e.code)] //nolint:gosec // Windows gives its codes as 32 bits
}

// loaderHint explains what the kernel says of a program that is there, and whose
// loader is not.
func loaderHint(words string) string {
	if strings.Contains(words, "rocsmith-probe") && strings.Contains(words, "no such file or directory") {
		return " (it is there; the loader of glibc that it asks for is not, as in images with musl and in empty ones)"
	}
	return ""
}

// lastWords quotes the last line that a process wrote.
func lastWords(words string) string {
	lines := strings.Split(strings.TrimSpace(words), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return "; its last words: " + shorten(last, 300)
	}
	return ""
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return shorten(strings.TrimSpace(line), 500)
		}
	}
	return ""
}

func lineStarting(text, start string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			return shorten(strings.TrimSpace(line), 500)
		}
	}
	return ""
}
