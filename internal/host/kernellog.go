package host

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLogLines is how many lines of the kernel log are kept: the last ones,
// because a fault repeats and the present state is at the end.
const maxLogLines = 400

// maxLogLine cuts a single line; the kernel itself cuts at about 1,000 bytes.
const maxLogLine = 4096

var (
	// aboutGPU finds the lines of the GPU, its driver, and what keeps the
	// driver from loading or mapping memory.
	aboutGPU = lazily(`(?i)amdgpu|kfd|amdttm|\[drm\b|\bdrm:|vfio-pci|amd-vi|lockdown` +
		`|module verification failed|key was rejected|loading of .*module.* rejected`)
	// denial and aboutDevice together find a refusal by SELinux or AppArmor
	// that concerns a GPU node. Other denials are not our business.
	denial      = lazily(`(?i)\bavc: .*denied|\bapparmor="?denied`)
	aboutDevice = lazily(`(?i)kfd|\bdri\b|render|amdgpu`)

	priority = lazily(`^<\d+>`)
)

// filterKernelLog returns the last lines of a kernel log that speak of the GPU,
// without the priority in front. Everything else is dropped here, at the door,
// because a kernel log tells a lot about a person.
func filterKernelLog(log []byte) []string {
	var kept []string
	for _, line := range promising(log) {
		line = bytes.TrimRight(line, "\r\n\x00")
		if !aboutGPU().Match(line) && (!denial().Match(line) || !aboutDevice().Match(line)) {
			continue
		}
		kept = append(kept, cleanLogLine(line))
	}
	return kept[max(0, len(kept)-maxLogLines):]
}

// hints are the words of which a line must hold one to be matched at all: a
// kernel log has thousands of lines, and expressions are slow.
var hints = [][]byte{
	[]byte("amdgpu"), []byte("kfd"), []byte("amdttm"), []byte("drm"), []byte("vfio-pci"), []byte("amd-vi"), []byte("lockdown"),
	[]byte("verification failed"), []byte("rejected"), []byte("denied"),
}

// promising returns the lines that hold a hint, in their order.
func promising(log []byte) [][]byte {
	const most = 32 << 10
	var lines [][]byte
	lower := make([]byte, 0, most)
	for len(log) > 0 {
		part := log
		if len(part) > most {
			part = part[:most]
			if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
				part = part[:end+1]
			} else if end := bytes.IndexByte(log, '\n'); end >= 0 {
				part = log[:end+1] // a line that is longer than a part
			} else {
				part = log
			}
		}
		lines = append(lines, hinted(part, lower)...)
		log = log[len(part):]
	}
	return lines
}

// hinted goes through some lines once for each hint, which costs a fraction of
// going through the hints for each line.
func hinted(log, lower []byte) [][]byte {
	lower = append(lower, log...) // byte by byte, so that places are the same in both
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	ends := map[int]int{} // of lines, by their beginning
	for _, hint := range hints {
		for at := 0; ; {
			found := bytes.Index(lower[at:], hint)
			if found < 0 {
				break
			}
			begin := bytes.LastIndexByte(lower[:at+found], '\n') + 1
			at += found
			if end := bytes.IndexByte(lower[at:], '\n'); end >= 0 {
				at += end + 1
			} else {
				at = len(lower)
			}
			ends[begin] = at
		}
	}
	lines := make([][]byte, 0, len(ends))
	for _, begin := range slices.Sorted(maps.Keys(ends)) {
		lines = append(lines, log[begin:ends[begin]])
	}
	return lines
}

func cleanLogLine(line []byte) string {
	line = line[len(priority().Find(line)):]
	line = line[:min(len(line), maxLogLine)]
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\t' {
			return '?'
		}
		return r
	}, string(line))
}

// kmsgLine turns one record of /dev/kmsg ("6,339,5140900,-;text", then lines
// of properties that begin with a blank) into the form that syslog(2) gives.
func kmsgLine(record []byte) (string, bool) {
	head, text, ok := strings.Cut(string(record), ";")
	if !ok {
		return "", false
	}
	fields := strings.Split(head, ",")
	if len(fields) < 3 {
		return "", false
	}
	micros, err := strconv.ParseUint(fields[2], 10, 64)
	if err != nil {
		return "", false
	}
	text, _, _ = strings.Cut(text, "\n")
	return fmt.Sprintf("[%5d.%06d] %s", micros/1e6, micros%1e6, text), true
}
