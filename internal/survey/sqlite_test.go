package survey

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

// database is the header of a database with so many pages of 4096 bytes.
func database(pages, changes, validFor uint32, version byte) []byte {
	data := make([]byte, sqliteHeader)
	copy(data, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(data[16:], 4096)
	data[18], data[19] = version, version
	binary.BigEndian.PutUint32(data[24:], changes)
	binary.BigEndian.PutUint32(data[28:], pages)
	binary.BigEndian.PutUint32(data[92:], validFor)
	return data
}

func TestParseHeader(t *testing.T) {
	t.Parallel()
	large := database(3, 1, 1, 1)
	binary.BigEndian.PutUint16(large[16:], 1)
	odd := database(3, 1, 1, 1)
	binary.BigEndian.PutUint16(odd[16:], 4097)
	for name, tt := range map[string]struct {
		data []byte
		want machine.CacheHeader
	}{
		"empty":            {nil, machine.CacheHeader{Format: machine.FormatEmpty}},
		"wal":              {database(22, 7, 7, 2), machine.CacheHeader{Format: machine.FormatSQLite, PageSize: 4096, Pages: 22, Changes: 7, WAL: true}},
		"no wal":           {database(22, 7, 7, 1), machine.CacheHeader{Format: machine.FormatSQLite, PageSize: 4096, Pages: 22, Changes: 7}},
		"an old writer":    {database(22, 8, 7, 1), machine.CacheHeader{Format: machine.FormatSQLite, PageSize: 4096, Changes: 8}},
		"the largest page": {large, machine.CacheHeader{Format: machine.FormatSQLite, PageSize: 65536, Pages: 3, Changes: 1}},
		"no power of two":  {odd, machine.CacheHeader{Format: machine.FormatOther, PageSize: 4097, Pages: 3, Changes: 1}},
		"only the magic":   {[]byte("SQLite format 3\x00"), machine.CacheHeader{Format: machine.FormatSQLite}},
		"text":             {[]byte("64-56-56-1x1=ConvAsm1x1U:1,16"), machine.CacheHeader{Format: machine.FormatText}},
		"a cut character":  {[]byte("tuning \xe2\x82"), machine.CacheHeader{Format: machine.FormatText}},
		"bytes":            {[]byte{0x7f, 'E', 'L', 'F', 0, 1}, machine.CacheHeader{Format: machine.FormatOther}},
	} {
		if got := parseHeader(tt.data); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

func FuzzParseHeader(f *testing.F) {
	f.Add(database(22, 7, 7, 2))
	f.Add([]byte("64-56-56-1x1=ConvAsm1x1U:1,16"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h := parseHeader(data)
		if h.Format == "" || h.Bytes() < 0 || h.Format == machine.FormatSQLite && h.PageSize > 65536 {
			t.Errorf("%+v", h)
		}
	})
}

func TestParseSchema(t *testing.T) {
	t.Parallel()
	whole := "CREATE TABLE `kern_db` (`id` INTEGER PRIMARY KEY ASC,`kernel_name` TEXT NOT NULL,`kernel_args` TEXT NOT NULL,`kernel_blob` BLOB NOT NULL,`kernel_hash` TEXT NOT NULL,`uncompressed_size` INT NOT NULL)"
	tests := []struct {
		give    string
		missing int
		found   bool
	}{
		{whole, 0, true},
		{strings.Replace(whole, "kernel_hash", "checksum", 1), 1, true},
		{"CREATE TABLE perf_db (id INTEGER)", 0, false},
		{whole[:40], 0, false},
		{"", 0, false},
	}
	for _, tt := range tests {
		missing, found := parseSchema([]byte(tt.give))
		if len(missing) != tt.missing || found != tt.found {
			t.Errorf("%q: %v %v", tt.give, missing, found)
		}
	}
}

func FuzzParseSchema(f *testing.F) {
	f.Add([]byte("CREATE TABLE kern_db (kernel_name)"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if missing, found := parseSchema(data); len(missing) > len(kernelColumns) || !found && len(missing) > 0 {
			t.Errorf("%v %v", missing, found)
		}
	})
}
