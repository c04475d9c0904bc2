package rocm

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// compiledIn are the tables that scan or every look at a machine needs, by the variable that holds each. They are
// part of the program as Go data, which nobody has to read first; maps and pointers would have to be made at the start.
func compiledIn() map[string]string {
	return map[string]string{"targets": "targetData", "code": "codeData", "env_rules": "settingData"}
}

// literals writes tables as a Go file.
func literals(tables map[string]any) ([]byte, error) {
	out := bytes.NewBufferString("// Code generated from data/*.yaml by go test ./internal/rocm -update. DO NOT EDIT.\n\npackage rocm\n")
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		value := reflect.ValueOf(tables[name]).Elem()
		fmt.Fprintf(out, "\nvar %s = %s", name, value.Type().Name())
		if err := fields(out, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.WriteByte('\n')
	}
	return format.Source(out.Bytes())
}

// literal writes a value, with its type where typed.
func literal(out *bytes.Buffer, v reflect.Value, typed bool) error {
	switch v.Kind() { //nolint:exhaustive // the others are an error
	case reflect.String:
		out.WriteString(strconv.Quote(v.String()))
	case reflect.Bool:
		out.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int64:
		out.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint8, reflect.Uint64:
		fmt.Fprintf(out, "%#x", v.Uint())
	case reflect.Float64:
		out.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Struct:
		if typed {
			out.WriteString(v.Type().Name())
		}
		return fields(out, v)
	case reflect.Slice:
		return elements(out, v)
	default:
		return fmt.Errorf("a %s cannot be compiled in", v.Type())
	}
	return nil
}

// fields writes what is not zero in a struct.
func fields(out *bytes.Buffer, v reflect.Value) error {
	out.WriteByte('{')
	for field, value := range v.Fields() {
		if value.IsZero() {
			continue
		}
		out.WriteString(field.Name + ": ")
		if err := literal(out, value, true); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
		out.WriteString(", ")
	}
	out.WriteByte('}')
	return nil
}

// elements writes a slice: structs on lines of their own.
func elements(out *bytes.Buffer, v reflect.Value) error {
	of, newline := v.Type().Elem(), ""
	if of.Kind() == reflect.Struct {
		newline = "\n"
	}
	if v.Type().Name() != "" {
		out.WriteString(v.Type().Name())
	} else {
		out.WriteString("[]" + of.Name())
	}
	out.WriteString("{" + newline)
	for i := range v.Len() {
		if err := literal(out, v.Index(i), false); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		out.WriteString(", " + newline)
	}
	out.WriteByte('}')
	return nil
}

func TestLiteralsRefuseMaps(t *testing.T) {
	t.Parallel()
	type row struct{ Names map[string]string }
	if text, err := literals(map[string]any{"rows": &row{map[string]string{"a": "b"}}}); err == nil {
		t.Errorf("a map was compiled in: %s", text)
	}
}
