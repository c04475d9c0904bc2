package scan

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strings"
)

// isPlain reports an entry with content of its own: a file, or one that was written
// without its holes. Links are not followed, so nothing is counted twice.
func isPlain(h *tar.Header) bool {
	return h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeCont || h.Typeflag == tar.TypeGNUSparse
}

// entryOf is the content of an entry. Holes are not in the tarball, and count against
// the limits when they are made.
func (l *looker) entryOf(t *tar.Reader, h *tar.Header) io.Reader {
	sparse := h.Typeflag == tar.TypeGNUSparse
	for key := range h.PAXRecords {
		sparse = sparse || strings.HasPrefix(key, "GNU.sparse.")
	}
	if sparse {
		return l.limits.bounded(t)
	}
	return t
}

// padding reads what stands behind the end of a tarball. A second tarball may be there,
// or zeros that never end.
func (l *looker) padding(name string, r io.Reader) {
	buffer := make([]byte, 32<<10)
	for read := 0; ; {
		n, err := r.Read(buffer)
		read += n
		switch {
		case !isZero(buffer[:n]):
			l.problem(name, "something stands behind the end of the tarball, and was not looked at")
			return
		case read > maxPadding:
			l.problem(name, fmt.Sprintf("more than %d MiB of zeros stand behind the end of the tarball; the rest was not looked at", maxPadding>>20))
			return
		case errors.Is(err, io.EOF), errors.Is(err, errBomb):
			return
		case err != nil:
			l.problem(name, "it is damaged at its end: "+why(err))
			return
		}
	}
}
