package survey

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/machine"
)

// sqliteHeader is the length of the header at the beginning of a database.
const sqliteHeader = 100

// parseHeader tells what the first bytes of a file are. It reads the fields of
// sqlite.org/fileformat.html that say how long a database should be and how it is
// opened; the database itself is never opened, because that alone can write.
func parseHeader(data []byte) machine.CacheHeader {
	switch {
	case len(data) == 0:
		return machine.CacheHeader{Format: machine.FormatEmpty}
	case !bytes.HasPrefix(data, []byte("SQLite format 3\x00")):
		// A character may be cut at the end of what was read.
		if s := string(data); readable(strings.ToValidUTF8(s[max(0, len(s)-3):], "")) && readable(s[:max(0, len(s)-3)]) {
			return machine.CacheHeader{Format: machine.FormatText}
		}
		return machine.CacheHeader{Format: machine.FormatOther}
	}
	h := machine.CacheHeader{Format: machine.FormatSQLite}
	if len(data) < sqliteHeader {
		return h
	}
	h.PageSize = int(binary.BigEndian.Uint16(data[16:]))
	if h.PageSize == 1 {
		h.PageSize = 65536
	}
	const wal = 2
	h.WAL = data[18] == wal || data[19] == wal
	h.Changes = binary.BigEndian.Uint32(data[24:])
	// Old versions of SQLite left the count of pages alone: it counts only where
	// the counter beside it kept up with the changes.
	if binary.BigEndian.Uint32(data[92:]) == h.Changes {
		h.Pages = binary.BigEndian.Uint32(data[28:])
	}
	if h.PageSize < 512 || h.PageSize&(h.PageSize-1) != 0 {
		h.Format = machine.FormatOther
	}
	return h
}

// kernelColumns are what MIOpen wants of its table of kernels (ROCm/MIOpen
// src/include/miopen/kern_db.hpp).
var kernelColumns = []string{"kernel_name", "kernel_args", "kernel_blob", "kernel_hash", "uncompressed_size"}

// lacks reads the rest of the first page, where SQLite keeps the statements that
// made the tables.
func lacks(r host.Reader, file string) machine.Fact[[]string] {
	const page = 4096
	from := machine.Source(file)
	data, err := r.ReadAt(file, sqliteHeader, page-sqliteHeader)
	if err != nil {
		return machine.Unknown[[]string](from, reason(err))
	}
	missing, found := parseSchema(data)
	if !found {
		return machine.Unknown[[]string](from, "the table kern_db is not on the first page")
	}
	return machine.Know(missing, from)
}

// parseSchema looks for the statement that made the table of kernels. It tells
// nothing where the statement is cut at the end of the page.
func parseSchema(data []byte) (missing []string, found bool) {
	_, statement, found := bytes.Cut(data, []byte("kern_db"))
	if !found || !bytes.Contains(statement, []byte(")")) {
		return nil, false
	}
	for _, column := range kernelColumns {
		if !bytes.Contains(statement, []byte(column)) {
			missing = append(missing, column)
		}
	}
	return missing, true
}
