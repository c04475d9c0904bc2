// Package codeobj finds the GPU code objects in one file, or in one folder of kernels.
//
// It reads headers and tables, never whole payloads: the table at the front of a bundle says where the bundle ends,
// so that a library of a gigabyte is listed by hopping from table to table.
package codeobj

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A Source is the bytes of one file.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Kind says what a file is.
type Kind string

// The kinds of files.
const (
	KindNone          Kind = "none" // nothing that can hold GPU code, as far as we know
	KindELF           Kind = "elf"  // a program, library or object file of the host
	KindPE            Kind = "pe"
	KindCOFF          Kind = "coff"
	KindArchive       Kind = "archive"
	KindBundle        Kind = "bundle"
	KindCodeObject    Kind = "code-object" // an AMDGPU ELF by itself: .hsaco, .co
	KindOffloadBinary Kind = "offload-binary"
	KindSPIRV         Kind = "spirv"
	KindBitcode       Kind = "bitcode"
	KindKpack         Kind = "kpack"
	KindTensile       Kind = "tensile-index"
	KindMIOpen        Kind = "miopen-db"
)

// Form says what one piece of GPU code is.
type Form string

// The forms of GPU code.
const (
	FormELF     Form = "elf"     // machine code
	FormSPIRV   Form = "spirv"   // compiled when it is loaded
	FormBitcode Form = "bitcode" // LLVM's, linked later (-fgpu-rdc)
	FormUnseen  Form = "unseen"  // compressed, and only its name was read
	FormOther   Form = "other"   // of a format that we do not know
)

// A File is what one file holds.
type File struct {
	Path           string
	Kind           Kind
	Objects        []Object  // code for GPUs; entries for the host are left out
	Bundles        int       // tables of entries
	Wrappers       int       // what the program registers with the runtime: one for each bundle
	Kpack          *KpackRef // where its code stands, when it was split off
	Outside        []string  // members of a thin archive: other files, which were not read
	Infrastructure bool      // part of the runtime: its code says nothing of which GPUs a program runs on
	Problems       []Problem // contradictions, damage, and what was too much to read
}

// An Object is one piece of GPU code.
type Object struct {
	Target         rocm.TargetID
	Text           string // as written: "gfx90a:xnack+"
	Form           Form
	CodeObject     int    // the version, 2 to 6; 0 where it was not read
	GenericVersion int    // of a generic target; 0 where it was not read
	Compressed     bool   // Offset and Size are those of the compressed bundle
	Where          string // the file, and the member of an archive: "libx.a!a.o"
	Offset, Size   int64  // in the file
}

// Code is the object as far as it matters for where it runs.
func (o Object) Code() rocm.Code {
	return rocm.Code{Target: o.Target, GenericVersion: o.GenericVersion, SPIRV: o.Form == FormSPIRV}
}

// A Problem is something that does not add up. Path names the file, and the member of an archive after an exclamation
// mark.
type Problem struct{ Path, What string }

// Options say how closely to look.
type Options struct {
	// Deep decompresses every compressed bundle to its end, holds each entry and the hash to what the tables say, and
	// searches the data of libraries for code objects outside of bundles. Its cost grows with the bytes of a file.
	Deep   bool
	Limits Limits
}

// Limits bound what a file can make us do. A zero is the default.
type Limits struct {
	Objects  int   // pieces of GPU code in one file
	Problems int   // after as many, the rest of the file is not read
	Depth    int   // archives in archives
	Read     int64 // bytes of the file
	Inflate  int64 // bytes after decompression
}

// The most that is known is in the thousands of objects for one library, and 171 MB for one bundle of hipBLASLt.
const (
	defaultObjects  = 200_000
	defaultProblems = 100
	defaultDepth    = 4
	defaultRead     = 512 << 20
	defaultInflate  = 1 << 30
	deepRead        = 16 << 30
	deepInflate     = 16 << 30
)

func (o Options) limits() Limits {
	l := o.Limits
	l.Objects = cmp.Or(l.Objects, defaultObjects)
	l.Problems = cmp.Or(l.Problems, defaultProblems)
	l.Depth = cmp.Or(l.Depth, defaultDepth)
	read, inflate := int64(defaultRead), int64(defaultInflate)
	if o.Deep {
		read, inflate = deepRead, deepInflate
	}
	l.Read = cmp.Or(l.Read, read)
	l.Inflate = cmp.Or(l.Inflate, inflate)
	return l
}

// Read says which GPU code a file holds. What is wrong with the file is told in its Problems; an error means that it
// could not be read at all.
func Read(name string, src Source, o Options) (File, error) {
	return readWith(name, src, o, &zstdDecoder{})
}

// readWith reads with a decoder that may have been used before: to make one takes longer than to use it.
func readWith(name string, src Source, o Options, decoder *zstdDecoder) (File, error) {
	s := newScan(name, src, o)
	s.zstd = decoder
	whole := part{src: s.meter, size: src.Size(), where: name}
	head, err := whole.upTo(0, headSize)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(head)) < min(headSize, whole.size) {
		s.problem(name, "%v: it should have %d bytes", errCutShort, whole.size)
	}
	s.file.Kind = identify(baseName(name), head)
	s.file.Infrastructure = isInfrastructure(baseName(name))
	s.look(s.file.Kind, whole, 0)
	return s.file, nil
}

// baseName is the last element of a path of either system.
func baseName(name string) string {
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// isInfrastructure knows the libraries that carry kernels of their own for every GPU, or the formats' magic numbers as
// text: the runtimes and the compiler.
func isInfrastructure(base string) bool {
	name := strings.TrimPrefix(strings.ToLower(base), "lib")
	for _, known := range []string{"hsa-runtime64", "amdhip64", "amd_comgr", "hiprtc"} {
		if rest, ok := strings.CutPrefix(name, known); ok && (rest == "" || strings.ContainsAny(rest[:1], "._-0123456789")) {
			return true
		}
	}
	return false
}
