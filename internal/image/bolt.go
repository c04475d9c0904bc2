package image

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
	"sort"
)

// A bolt is a database of bbolt, in which containerd keeps its lists. Only looking
// up is known here: pages of a tree, in which a value may be a bucket, a tree of its
// own (go.etcd.io/bbolt, internal/common). A writer never changes a page that a
// valid head leads to.
type bolt struct {
	file     io.ReaderAt
	pageSize int64
}

// A bucket is a tree, by the number of its first page or, where it is small, as
// that page itself.
type bucket struct {
	root   uint64
	inline []byte
}

const (
	boltMagic   = 0xED0CDAED
	boltHead    = 16 // of a page
	boltElement = 16
	branchPage  = 1
	leafPage    = 2
	maxBoltPage = 4 << 20
	maxBoltTree = 32
)

// openBolt reads the two heads of a file and takes the newer one that is whole.
func openBolt(file io.ReaderAt) (*bolt, bucket, bool) {
	var newest uint64
	var db *bolt
	var root bucket
	for _, at := range []int64{0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10} { // the second begins behind the first page
		head := make([]byte, boltHead+64)
		if _, err := file.ReadAt(head, at); err != nil {
			continue
		}
		meta := head[boltHead:]
		sum := fnv.New64a()
		sum.Write(meta[:56])
		size := int64(binary.LittleEndian.Uint32(meta[8:]))
		whole := binary.LittleEndian.Uint32(meta) == boltMagic && binary.LittleEndian.Uint32(meta[4:]) == 2 && binary.LittleEndian.Uint64(meta[56:]) == sum.Sum64()
		if !whole || size < 1<<10 || size > 64<<10 || at != 0 && at != size {
			continue
		}
		if tx := binary.LittleEndian.Uint64(meta[48:]); db == nil || tx > newest {
			db, newest, root = &bolt{file, size}, tx, bucket{root: binary.LittleEndian.Uint64(meta[16:])}
		}
	}
	return db, root, db != nil
}

// page reads one with what overflows from it.
func (b *bolt) page(id uint64) ([]byte, bool) {
	if id > 1<<40 {
		return nil, false
	}
	head := make([]byte, boltHead)
	at := int64(id) * b.pageSize
	if _, err := b.file.ReadAt(head, at); err != nil {
		return nil, false
	}
	size := (int64(binary.LittleEndian.Uint32(head[12:])) + 1) * b.pageSize
	if size > maxBoltPage {
		return nil, false
	}
	page := make([]byte, size)
	n, err := b.file.ReadAt(page, at)
	return page, err == nil && n == len(page)
}

// An element is a key of a page. Of a branch rest is the number of a page, of a
// leaf the flag of a bucket; value is that of a leaf.
type element struct {
	key, value []byte
	rest       uint64
}

func elementOf(page []byte, i int, leaf bool) (element, bool) {
	at := boltHead + i*boltElement
	if at+boltElement > len(page) {
		return element{}, false
	}
	e := page[at : at+boltElement]
	var flag, pos, keySize, size uint64
	if leaf {
		flag, pos = uint64(binary.LittleEndian.Uint32(e)), uint64(binary.LittleEndian.Uint32(e[4:]))
		keySize, size = uint64(binary.LittleEndian.Uint32(e[8:])), uint64(binary.LittleEndian.Uint32(e[12:]))
	} else {
		pos, keySize, flag = uint64(binary.LittleEndian.Uint32(e)), uint64(binary.LittleEndian.Uint32(e[4:])), binary.LittleEndian.Uint64(e[8:])
	}
	start := uint64(at) + pos
	if start+keySize+size > uint64(len(page)) {
		return element{}, false
	}
	return element{key: page[start : start+keySize], value: page[start+keySize : start+keySize+size], rest: flag}, true
}

// get finds the value of a key, and whether it is a bucket.
func (b *bolt) get(in bucket, key string) (value []byte, isBucket, ok bool) {
	page := in.inline
	if page == nil {
		if page, ok = b.page(in.root); !ok {
			return nil, false, false
		}
	}
	for range maxBoltTree {
		if len(page) < boltHead {
			return nil, false, false
		}
		leaf := binary.LittleEndian.Uint16(page[8:]) == leafPage
		if !leaf && binary.LittleEndian.Uint16(page[8:]) != branchPage {
			return nil, false, false
		}
		e, equal, found := search(page, key, leaf)
		switch {
		case !found || leaf && !equal:
			return nil, false, false
		case leaf:
			return e.value, e.rest == 1, true
		}
		if page, ok = b.page(e.rest); !ok {
			return nil, false, false
		}
	}
	return nil, false, false
}

// search finds the last element whose key is not behind the one that is looked for.
func search(page []byte, key string, leaf bool) (e element, equal, found bool) {
	count := int(binary.LittleEndian.Uint16(page[10:]))
	whole := true
	i := sort.Search(count, func(i int) bool {
		e, ok := elementOf(page, i, leaf)
		whole = whole && ok
		return bytes.Compare(e.key, []byte(key)) > 0
	}) - 1
	if i < 0 && !leaf {
		i = 0
	}
	if !whole || i < 0 || i >= count {
		return element{}, false, false
	}
	e, found = elementOf(page, i, leaf)
	return e, string(e.key) == key, found
}

// bucket follows the names of buckets, one in the other.
func (b *bolt) bucket(in bucket, names ...string) (bucket, bool) {
	for _, name := range names {
		value, isBucket, ok := b.get(in, name)
		if !ok || !isBucket || len(value) < 16 {
			return bucket{}, false
		}
		if in = (bucket{root: binary.LittleEndian.Uint64(value)}); in.root == 0 {
			in.inline = value[16:]
		}
	}
	return in, true
}

// text is the value of a key.
func (b *bolt) text(in bucket, key string) (string, bool) {
	value, isBucket, ok := b.get(in, key)
	return string(value), ok && !isBucket
}
