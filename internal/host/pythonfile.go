package host

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// The metadata of Python packages holds descriptions, addresses of authors and
// lists of thousands of files. A snapshot keeps the lines that say what a package
// is, what it needs, and how large the files are that tell its build.

// keptHeaders are the lines of METADATA and PKG-INFO that are kept.
var keptHeaders = []string{"metadata-version", "name", "version", "requires-dist", "requires-python", "provides-extra"}

// reducedFile returns what a snapshot keeps of a file.
func reducedFile(p string, data []byte) []byte {
	switch base := path.Base(strings.ReplaceAll(p, `\`, "/")); {
	case bytes.IndexByte(data, 0) >= 0:
		return data // no metadata at all, and the reader must see that
	case base == "METADATA" || base == "PKG-INFO":
		return reducedHeaders(data)
	case base == "RECORD":
		return reducedRecord(data)
	case base == "direct_url.json":
		return withoutLogins(data)
	}
	return data
}

// reducedHeaders keeps some headers, with the lines that continue them, and the
// empty line that ends them: without it the file is cut short.
func reducedHeaders(data []byte) []byte {
	var out bytes.Buffer
	keep := false
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			out.WriteByte('\n')
			break
		}
		if text[0] != ' ' && text[0] != '\t' {
			name, _, _ := bytes.Cut(text, []byte(":"))
			keep = slices.Contains(keptHeaders, strings.ToLower(string(name)))
		}
		if keep {
			out.Write(withoutAddress(line))
		}
	}
	return out.Bytes()
}

// withoutAddress cuts the address out of "Requires-Dist: name @ https://… ; marker":
// it may hold a login or a token, and what it leads to is not asked for.
func withoutAddress(line []byte) []byte {
	before, address, found := bytes.Cut(line, []byte("@"))
	if !found {
		return line
	}
	out := append(bytes.Clone(before), "@ https://redacted"...)
	if i := bytes.Index(address, []byte(" ;")); i >= 0 {
		return append(out, address[i:]...)
	}
	return append(out, '\n')
}

// reducedRecord keeps the lines of libraries and of version.py.
func reducedRecord(data []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		file, _, _ := bytes.Cut(line, []byte(","))
		if bytes.HasSuffix(file, []byte("/version.py")) || bytes.Contains(file, []byte(".so")) || bytes.HasSuffix(file, []byte(".dll")) {
			out.Write(line)
		}
	}
	return out.Bytes()
}

// withoutLogins cuts a name and password out of each address.
func withoutLogins(data []byte) []byte {
	parts := bytes.Split(data, []byte("://"))
	for i := 1; i < len(parts); i++ {
		end := bytes.IndexAny(parts[i], "/\"' \n")
		if end < 0 {
			end = len(parts[i])
		}
		if at := bytes.LastIndexByte(parts[i][:end], '@'); at >= 0 {
			parts[i] = parts[i][at+1:]
		}
	}
	return bytes.Join(parts, []byte("://"))
}
