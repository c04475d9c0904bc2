package scan

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/sevenzip"
)

// outerWindow is what a decoder of a .7z may keep that stands in no other archive: as
// much as 7-Zip takes for large files when it is asked for the best.
const outerWindow = 256 << 20

// sevenZip looks into each file of a .7z, from first to last, because they are packed
// together.
func (l *looker) sevenZip(name string, src source, head []byte) {
	if l.tooDeep(name) {
		return
	}
	limits := sevenzip.Limits{Window: outerWindow, Files: maxEntries}
	if strings.Contains(name, "!") {
		limits.Window = innerWindow
	}
	z, err := sevenzip.NewReader(src, src.Size(), limits)
	if err != nil {
		l.problem(name, unread(err))
		return
	}
	if said := z.Unpacked(); said > l.limits.slowest {
		l.problem(name, fmt.Sprintf("it is said to unpack to %d MiB, far more than its own size; it was not looked into", said>>20))
		return
	}
	closed := map[string][]string{} // files by why they cannot be come to: often all of them
	for e, ok := z.Next(); ok && l.limits.left.Load() >= 0; e, ok = z.Next() {
		if !e.Mode.IsRegular() {
			continue
		}
		if l.limits.files.Add(1) > maxFiles {
			break
		}
		l.found.files++
		entry := name + "!" + e.Name
		l.leadsOut(entry, e.Name)
		if _, err := z.Read(nil); err != nil && !errors.Is(err, io.EOF) {
			closed[unread(err)] = append(closed[unread(err)], entry)
			continue
		}
		l.unpacked(entry, e.Size, l.limits.unpacking(z, head))
	}
	for _, why := range slices.Sorted(maps.Keys(closed)) {
		if files := closed[why]; len(files) == 1 {
			l.problem(files[0], why)
		} else {
			l.problem(name, fmt.Sprintf("%d of its files were not looked at: %s", len(files), why))
		}
	}
}

// unread says why, and what helps where the archive is sound.
func unread(err error) string {
	var method *sevenzip.MethodError
	var memory *sevenzip.WindowError
	if errors.As(err, &method) || errors.As(err, &memory) {
		return why(err) + ": unpack it first"
	}
	return why(err)
}
