package launch

import (
	"errors"
	"fmt"
	"strings"
)

// ended tells the refusal of an engine from the end of a command. Both engines end
// with 125 where they could not start a container, 126 where its program cannot
// be executed and 127 where it is not there, and say why in their last line.
func (e Engine) ended(c Container, end End) (End, error) {
	if end.Code >= exitSignal && end.Signal == "" {
		end.Signal = signalNamed(end.Code - exitSignal) // that of the command, which the engine tells as a shell does
	}
	if end.Code < ExitBefore || end.Code > ExitNotFound {
		return end, nil
	}
	words, ok := refusal(end.Tail)
	if !ok {
		return end, nil // the command's own code
	}
	in := " in the image " + c.Image
	switch end.Code {
	case ExitNotFound:
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
func refusal(tail []byte) (string, bool) {
	line := lastLine(string(tail))
	if first, words, ok := strings.Cut(line, " failed: "); ok && strings.HasPrefix(first, "[FATAL tini ") {
		return words, true
	}
	for _, lead := range []string{"docker: ", "Error: ", "Error response from daemon: ", "catatonit: failed to exec pid1: "} {
		if strings.HasPrefix(line, lead) {
			return engineWords(line), true
		}
	}
	return "", false
}
