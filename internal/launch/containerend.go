package launch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rocsmith/rocsmith/internal/grant"
)

// ended tells the refusal of an engine from the end of a command. Both engines end
// with 125 where they could not start a container, 126 where its program cannot
// be executed and 127 where it is not there, and say why in their last line.
func (e Engine) ended(c Container, end End) (End, error) {
	if end.Code >= exitSignal && end.Signal == "" {
		end.Signal = signalNamed(end.Code - exitSignal) // that of the command, which the engine tells as a shell does
	}
	if end.Unread && strings.HasSuffix(lastLine(string(end.Tail)), ": broken pipe") {
		// So engines end where a program would be ended by the signal: docker 28 with 1,
		// podman 4.3 with 126.
		end.Code, end.Signal, end.Interrupted = exitSignal+numberPIPE, signalNamed(numberPIPE), true
		return end, nil
	}
	if c.Terminal && (end.Code == exitSignal+numberINT || end.Code == exitSignal+numberQUIT) {
		end.Interrupted = true // typed, and the engine sent the key to the container without a word to rocsmith
	}
	words, ok := e.refusal(end)
	if ok && end.Code == 1 {
		end.Code = codeOf(words) // catatonit has no codes of its own
	}
	if !ok || end.Code < ExitBefore || end.Code > ExitNotFound {
		return end, nil // the command's own code
	}
	in := " in the image " + c.Image
	switch end.Code {
	case ExitNotFound:
		if strings.Contains(c.Command[0], "/") { // the kernel says the same of a script whose interpreter is missing
			in += ", or what its first line names is not in it"
		}
		return end, &StartError{ExitNotFound, c.Command[0] + in, errors.New(words)}
	case ExitNotExecutable:
		return end, &StartError{ExitNotExecutable, c.Command[0] + in, errors.New(words)}
	}
	if strings.Contains(strings.ToLower(words), "no space left") {
		return end, &StartError{ExitBefore, "the container", fmt.Errorf("there is no room on the disk (%s); %s system df shows what takes it", words, e.Kind)}
	}
	return end, &StartError{ExitBefore, "the container", fmt.Errorf("%s says: %s", e.Kind, words)}
}

// refusal finds the line in which an engine, or the first process that it gave
// the container, says why it started nothing.
func (e Engine) refusal(end End) (string, bool) {
	line := lastLine(string(end.Tail))
	for _, first := range []struct{ begins, then string }{{"[FATAL tini ", " failed: "}, {"ERROR (catatonit:", " failed to exec pid1: "}} {
		if before, words, ok := strings.Cut(line, first.then); ok && strings.HasPrefix(before, first.begins) {
			return words, true
		}
	}
	if e.Kind == grant.Podman {
		return engineWords(line), strings.HasPrefix(line, "Error: ") && (end.Code == ExitBefore || ofRuntime(line))
	}
	return engineWords(line), strings.HasPrefix(line, "docker: ") || strings.HasPrefix(line, "Error response from daemon: ")
}

// ofRuntime tells of lines in which podman hands on what the runtime said. Its own
// lead is what many programs begin their last line with.
func ofRuntime(line string) bool {
	for _, mark := range []string{"OCI runtime", "OCI permission", "executable file", "runc: ", "crun: ", "exec: ", "workdir "} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// codeOf is the exit code of a program that could not be started for this reason.
func codeOf(words string) int {
	switch words {
	case "No such file or directory":
		return ExitNotFound
	case "Permission denied", "Exec format error":
		return ExitNotExecutable
	}
	return 1
}
