package codeobj

import (
	"bytes"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Bounds of one MessagePack document: the largest that is read is the table of a kpack archive.
const (
	maxDocument = 64 << 20
	maxNodes    = 1 << 20
	maxNesting  = 64
)

// A document decodes MessagePack value by value. The library's own way to decode anything at all, and to skip it, goes
// as deep as the data says, and Go cannot recover from a stack that overflows.
type document struct {
	decoder *msgpack.Decoder
	nodes   int
}

// decodeDocument returns maps as map[string]any, lists as []any, and texts, numbers and booleans as they are.
func decodeDocument(data []byte) (any, error) {
	if len(data) > maxDocument {
		return nil, fmt.Errorf("%w: a table of %d bytes", errTooMuch, len(data))
	}
	d := document{decoder: msgpack.NewDecoder(bytes.NewReader(data))}
	return d.value(0)
}

func (d *document) value(depth int) (any, error) {
	if d.nodes++; d.nodes > maxNodes || depth > maxNesting {
		return nil, fmt.Errorf("%w: %d values, %d deep", errTooMuch, d.nodes, depth)
	}
	code, err := d.decoder.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case msgpcode.IsFixedMap(code), code == msgpcode.Map16, code == msgpcode.Map32:
		return d.mapping(depth)
	case msgpcode.IsFixedArray(code), code == msgpcode.Array16, code == msgpcode.Array32:
		return d.list(depth)
	case msgpcode.IsString(code), msgpcode.IsBin(code):
		return d.decoder.DecodeString()
	case msgpcode.IsFixedNum(code), code >= msgpcode.Uint8 && code <= msgpcode.Int64:
		return d.decoder.DecodeInt64()
	case code == msgpcode.Float, code == msgpcode.Double:
		return d.decoder.DecodeFloat64()
	case code == msgpcode.True, code == msgpcode.False:
		return d.decoder.DecodeBool()
	case code == msgpcode.Nil:
		return nil, d.decoder.DecodeNil()
	}
	return nil, fmt.Errorf("a value of kind %#x, which we cannot read", code)
}

func (d *document) mapping(depth int) (any, error) {
	n, err := d.decoder.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for range n {
		key, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		switch key := key.(type) {
		case string:
			out[key] = value
		case int64:
			out[fmt.Sprint(key)] = value
		}
	}
	return out, nil
}

func (d *document) list(depth int) (any, error) {
	n, err := d.decoder.DecodeArrayLen()
	if err != nil {
		return nil, err
	}
	var out []any
	for range n {
		value, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// field returns the value of a key, of the type that it should have; another one counts as absent.
func field[T any](from any, key string) T {
	var none T
	m, ok := from.(map[string]any)
	if !ok {
		return none
	}
	value, ok := m[key].(T)
	if !ok {
		return none
	}
	return value
}
