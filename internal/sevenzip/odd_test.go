package sevenzip

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/rocsmith/rocsmith/internal/sevenzip/sevenziptest"
)

// TestKinds: files, folders, links and what is none of them are told apart.
func TestKinds(t *testing.T) {
	t.Parallel()
	file := []byte("x")
	got, err := all(sevenziptest.Stored(
		sevenziptest.File{Name: "file", Data: file, Attributes: 0x81a4<<16 | 0x8020},
		sevenziptest.File{Name: "file of Windows", Data: file, Attributes: 0x20},
		sevenziptest.File{Name: "link", Data: file, Attributes: sevenziptest.SymbolicLink},
		sevenziptest.File{Name: "link to nothing", Attributes: sevenziptest.SymbolicLink},
		sevenziptest.File{Name: "junction", Data: file, Attributes: 0x400},
		sevenziptest.File{Name: "folder", Folder: true, Attributes: 0x41ed<<16 | 0x8010},
		sevenziptest.File{Name: "folder without attributes", Folder: true},
		sevenziptest.File{Name: "folder with content", Data: file, Attributes: 0x10},
		sevenziptest.File{Name: "device", Data: file, Attributes: 0x6000<<16 | 0x8000},
		sevenziptest.File{Name: "to be deleted", Anti: true},
	), plenty)
	want := map[string]string{
		"file": "x", "file of Windows": "x", "link": fs.ModeSymlink.String(), "link to nothing": fs.ModeSymlink.String(), "junction": fs.ModeSymlink.String(),
		"folder": fs.ModeDir.String(), "folder without attributes": fs.ModeDir.String(), "folder with content": fs.ModeIrregular.String(),
		"device": fs.ModeIrregular.String(), "to be deleted": fs.ModeIrregular.String(),
	}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestBounds: what an archive says of itself is believed only so far.
func TestBounds(t *testing.T) {
	t.Parallel()
	file := sevenziptest.File{Name: "a", Data: []byte("hello")}
	stored := func(size int) []sevenziptest.Coder { return []sevenziptest.Coder{{ID: []byte{0}, Size: size}} }
	seal := func(coders ...sevenziptest.Coder) []byte {
		return sevenziptest.Seal(file.Data, sevenziptest.List(5, coders, file))
	}
	large := func(c sevenziptest.Coder, property ...byte) sevenziptest.Coder {
		return sevenziptest.Coder{ID: c.ID, Properties: property, Size: 1 << 30}
	}
	for name, tc := range map[string]struct {
		data []byte
		says string
	}{
		"files":           {sevenziptest.Stored(slices.Repeat([]sevenziptest.File{file}, plenty.Files+1)...), "it is said to have 101 files"},
		"a long name":     {sevenziptest.Stored(sevenziptest.File{Name: strings.Repeat("a", maxName+1)}), "longer than 4096"},
		"LZMA":            {seal(large(lzmaCoder, 0x5d, 0, 0, 0, 0x40)), "more than 1 MiB of memory"},
		"LZMA2":           {seal(large(sevenziptest.Coder{ID: []byte{0x21}}, 40)), "more than 1 MiB of memory"},
		"LZMA2 unheard":   {seal(large(sevenziptest.Coder{ID: []byte{0x21}}, 41)), "LZMA2"},
		"no properties":   {seal(large(lzmaCoder)), "0 bytes of properties"},
		"none of two":     {seal(large(sevenziptest.Coder{ID: []byte{0x21}})), "0 bytes of properties"},
		"petabytes":       {seal(stored(1 << 51)...), "is said to have 2251799813685248 bytes"},
		"many of them":    {seal(stored(1 << 50)[0], stored(1 << 50)[0]), "it would unpack to 2048 TiB"},
		"packed behind":   {sevenziptest.Seal(file.Data, sevenziptest.List(1<<20, stored(0), file)), "would stand behind its end"},
		"ends early":      {seal(stored(6)...), "unexpected EOF"},
		"smaller":         {seal(stored(4)...), "checksum"},
		"another content": {sevenziptest.Seal([]byte("HELLO"), sevenziptest.List(5, stored(0), file)), "checksum"},
	} {
		if _, err := all(tc.data, plenty); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

// TestABombIsKnownByItsSize, before anything is unpacked; and no more is written than
// was said.
func TestABombIsKnownByItsSize(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 8<<20)
	data := sevenziptest.Packed(func(d []byte) []byte { return bare(t, d) }, []sevenziptest.Coder{lzmaCoder}, sevenziptest.File{Name: "a", Data: zeros})
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), Limits{Window: 16 << 20, Files: 1})
	if err != nil || r.Unpacked() != int64(len(zeros)) || len(data) > 10<<10 {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	deflate := through(t, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) })
	hidden := sevenziptest.Packed(deflate, []sevenziptest.Coder{{ID: deflateCoder.ID, Size: 10}}, sevenziptest.File{Name: "a", Data: zeros})
	r, err = NewReader(bytes.NewReader(hidden), int64(len(hidden)), plenty)
	if err != nil || r.Unpacked() != 10 {
		t.Fatal(err)
	}
	e, _ := r.Next()
	n, err := io.Copy(io.Discard, r)
	var damage *FormatError
	if e.Size != 10 || n != 10 || !errors.As(err, &damage) {
		t.Errorf("%d and %d bytes, %v", e.Size, n, err)
	}
}

// TestOddLists: a list that says what no archiver writes.
func TestOddLists(t *testing.T) {
	t.Parallel()
	file := sevenziptest.File{Name: "a", Data: []byte("x")}
	sound := sevenziptest.List(1, []sevenziptest.Coder{copyCoder}, file)
	three := sevenziptest.List(1, slices.Repeat([]sevenziptest.Coder{copyCoder}, 3), file)
	change := func(list []byte, from, to string) []byte {
		if !bytes.Contains(list, []byte(from)) {
			t.Fatalf("%x is not in %x", from, list)
		}
		return bytes.Replace(list, []byte(from), []byte(to), 1)
	}
	harmless := change(sound, "\x01", "\x01\x02\x11\x01z\x00") // what the archiver says of the archive
	if got, err := all(sevenziptest.Seal([]byte("x"), harmless), plenty); err != nil || got["a"] != "x" {
		t.Errorf("%v, %v", got, err)
	}
	for name, tc := range map[string]struct {
		list []byte
		says string
	}{
		"no header":          {[]byte{0x05, 0}, "where 0x1 has to stand"},
		"stored elsewhere":   {change(sound, "\x01\x04", "\x01\x03"), "stored elsewhere"},
		"folders elsewhere":  {change(sound, "\x0b\x01\x00", "\x0b\x01\x01"), "stored elsewhere"},
		"names elsewhere":    {change(sound, "\x11\x05\x00", "\x11\x05\x01"), "stored elsewhere"},
		"no names":           {change(sound, "\x11\x05\x00", "\x13\x05\x00"), "no names"},
		"half a name":        {change(sound, "\x11\x05\x00a\x00\x00\x00", "\x11\x04\x00a\x00\x00"), "ends too early"},
		"attributes twice":   {change(sound, "\x19\x00", "\x15\x00"), "says 0x15 twice"},
		"more files":         {change(sound, "\x05\x01\x0e", "\x05\x02\x0e"), "ends too early"},
		"a file too many":    {change(sound, "\x0d\x01\x0a\x01\x83\x16\xdc\x8c", "\x0d\x00"), "names more files than it holds"},
		"a file too few":     {change(sound, "\x0e\x01\x00\x0f\x00\x10\x00", "\x0e\x01\x80\x0f\x01\x80\x10\x01\x00"), "holds more files than it names"},
		"a circle":           {change(three, "\x00\x01\x01\x02", "\x00\x01\x01\x00"), "as they have to be"},
		"another circle":     {change(three, "\x00\x01\x01\x02", "\x00\x01\x01\x01"), "as they have to be"},
		"one twice":          {change(three, "\x00\x01\x01\x02", "\x00\x01\x00\x01"), "as they have to be"},
		"no such input":      {change(three, "\x00\x01\x01\x02", "\x00\x01\x03\x02"), "it is said to have 3 inputs"},
		"no coder":           {change(sound, "\x0b\x01\x00\x01", "\x0b\x01\x00\x00"), "no coder"},
		"a coder of nothing": {change(sound, "\x01\x21\x00\x00", "\x01\x20\x00\x00"), "no number"},
		"reserved":           {change(sound, "\x01\x21\x00\x00", "\x01\xa1\x00\x00"), "no number"},
		"two outputs":        {change(sound, "\x01\x21\x00\x00", "\x01\x31\x00\x01\x02\x00"), "2 outputs"},
		"no inputs":          {change(sound, "\x01\x21\x00\x00", "\x01\x31\x00\x00\x01\x00"), "without an input"},
		"two inputs":         {change(sound, "\x01\x21\x00\x00", "\x01\x31\x00\x02\x01\x00\x00\x01"), "fewer packed streams"},
		"BCJ2 of one input":  {change(sound, "\x01\x21\x00\x00", "\x01\x24\x03\x03\x01\x1b\x00"), "as they have to be"},
		"40 inputs":          {change(sound, "\x01\x21\x00\x00", "\x01\x31\x00\x28\x01\x00"), "it is said to have 40 inputs"},
		"33 coders":          {change(sound, "\x0b\x01\x00\x01", "\x0b\x01\x00\x21"), "it is said to have 33 coders"},
		"no checksum":        {change(sound, "\x0a\x01\x83\x16\xdc\x8c", "\x0a\x00\x00"), "no checksum"},
		"cut off":            {sound[:len(sound)-1], "ends too early"},
		"goes on":            {append(sound[:len(sound)-1:len(sound)-1], 0x42), "goes on with 0x42"},
		"sizes unsaid":       {change(sound, "\x0d\x01", "\x0d\x02"), "does not say how large"},
		"larger parts":       {change(sound, "\x0d\x01", "\x0d\x02\x09\x07"), "larger than what they are packed in"},
		"endless":            {change(sound, "\x0d\x01", "\x0d\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), "files in a folder"},
		"packed in itself":   {slices.Concat([]byte{0x17}, sevenziptest.Streams(1, []sevenziptest.Coder{copyCoder}, file, file)), "packed in an unknown way"},
	} {
		_, err := all(sevenziptest.Seal([]byte("x"), tc.list), plenty)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

// TestListsAreUnpackedOnlySoOften: each may be packed again.
func TestListsAreUnpackedOnlySoOften(t *testing.T) {
	t.Parallel()
	var before []byte
	list := sevenziptest.List(0, nil, sevenziptest.File{Name: "a"})
	for depth := range packings + 1 {
		_, err := all(sevenziptest.Seal(before, list), plenty)
		if (err == nil) != (depth < packings) {
			t.Errorf("%d times: %v", depth, err)
		}
		at := len(before)
		before = append(before, list...)
		streams := sevenziptest.Streams(len(list), []sevenziptest.Coder{copyCoder}, sevenziptest.File{Data: list})
		list = slices.Concat([]byte{0x17, 0x06}, sevenziptest.Number(at), streams[2:]) // where it is, instead of the beginning
	}
}

// FuzzSevenZip reads any packed bytes under any list; its checksums are made right, as
// chance would never find them.
func FuzzSevenZip(f *testing.F) {
	for _, name := range append([]string{"link.7z", "ppmd.7z", "aes.7z"}, readable...) {
		data := real7z(f, name)
		list, err := source{&door{ReaderAt: bytes.NewReader(data)}, int64(len(data)), plenty}.list()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[startHeader:], list)
		f.Add(data[startHeader:], data[len(data)-32:])
	}
	f.Fuzz(func(t *testing.T, packed, list []byte) {
		data := sevenziptest.Seal(packed, list)
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), plenty)
		if err != nil {
			return
		}
		total := int64(0)
		for e, ok := r.Next(); ok; e, ok = r.Next() {
			const most = 1 << 20
			n, err := io.Copy(io.Discard, io.LimitReader(r, most))
			if total += n; n > e.Size || err == nil && n != e.Size && n != most {
				t.Errorf("%q: %d bytes of %d, and no error", e.Name, n, e.Size)
			}
			if total > most {
				break
			}
		}
		if total > r.Unpacked() {
			t.Errorf("%d bytes, and %d were said", total, r.Unpacked())
		}
	})
}
