package scan

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rocsmith/rocsmith/internal/sevenzip"
)

// Where the header of a tarball's first file tells what it is.
const (
	tarBlock = 512
	tarMagic = "ustar"
	tarAt    = 257
	sumAt    = 148
	sumEnd   = 156
)

// isContainer tells archives by their first bytes.
func isContainer(head []byte) bool {
	for _, magic := range []string{zipMagic, debMagic, gzipMagic, zstdMagic, xzMagic, bzipMagic, sevenzip.Magic} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return isTar(head)
}

// isTar knows a tarball by its magic number, or, as those from before POSIX have none,
// by the sum over its header.
func isTar(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	if string(head[tarAt:tarAt+len(tarMagic)]) == tarMagic {
		return true
	}
	want, err := strconv.ParseInt(strings.Trim(string(head[sumAt:sumEnd]), " \x00"), 8, 64)
	if err != nil || want == 0 {
		return false
	}
	sum := int64(sumEnd-sumAt) * ' ' // the sum itself counts as spaces
	for n, b := range head[:tarBlock] {
		if n < sumAt || n >= sumEnd {
			sum += int64(b)
		}
	}
	return sum == want
}

func isZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// Archives that are not looked into. To pass them over in silence would be to say that
// they hold no GPU code.
var closedKinds = []struct{ magic, is string }{
	{"\xed\xab\xee\xdb", "an RPM package"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"hsqs", "a squashfs image"},
	{"070701", "a cpio archive"},
	{"\x04\x22\x4d\x18", "compressed by lz4"},
}

// closed reports an archive that cannot be looked into, and says so.
func (l *looker) closed(name string, head []byte) bool {
	for _, k := range closedKinds {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			l.problem(name, "it is "+k.is+", which scan does not look into: unpack it first")
			return true
		}
	}
	return false
}

// tooDeep reports an archive within too many others, and says so.
func (l *looker) tooDeep(name string) bool {
	if strings.Count(name, "!") < deepest {
		return false
	}
	l.problem(name, "it is an archive within "+strconv.Itoa(deepest)+" others: unpack it first")
	return true
}

// leadsOut says so of a name by which an entry would be unpacked elsewhere. It is looked
// at, as nothing is unpacked; who made such an archive is not to be trusted.
func (l *looker) leadsOut(name, entry string) {
	parts := strings.Split(strings.ReplaceAll(entry, `\`, "/"), "/")
	if parts[0] == "" || strings.HasSuffix(parts[0], ":") || slices.Contains(parts, "..") {
		l.problem(name, "its name leads out of the archive, which is a trick or a mistake: do not unpack it")
	}
}

func (s *scanner) asked(name string) bool { return slices.Contains(s.targets, name) }

// isZip knows a zip by its first bytes. A program may stand before it, as in a pex, so
// the names of those that can only be zips tell, too: what is none of them then is
// damaged, and not a file without code.
func (s *scanner) isZip(name string, head []byte) bool {
	switch path.Ext(name) {
	case ".whl", ".pex", ".pyz":
		return true
	case ".zip", ".egg", ".conda":
		return s.asked(name) || bytes.HasPrefix(head, []byte(zipMagic))
	}
	return bytes.HasPrefix(head, []byte(zipMagic))
}

// opens reports whether a file is to be looked into as an archive.
func (s *scanner) opens(name string, head []byte) bool {
	return isContainer(head) || s.isZip(name, head) || s.asked(name) && isTarball(name)
}

// isTarball tells a tarball by its name; other compressed files are texts.
func isTarball(name string) bool {
	base := path.Base(name)
	return strings.Contains(base, ".tar") || slices.Contains([]string{".tgz", ".txz", ".tzst", ".tbz2"}, path.Ext(base))
}
