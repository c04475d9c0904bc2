package host

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const someStatus = "Name:\trocsmith\nUid:\t1000\t0\t1000\t1000\nGid:\t1000\t1001\t1000\t1000\nGroups:\t4 27 110 \nCapEff:\t000001ffffffffff\n"

func TestParseStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want Process
		bad  bool
	}{
		"usual":     {in: someStatus, want: Process{UID: 1000, EUID: 0, GID: 1000, EGID: 1001, Groups: []uint32{4, 27, 110}, CapEff: 0x1ffffffffff}},
		"no groups": {in: "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n"},
		"empty":     {bad: true},
		"no gid":    {in: "Uid:\t0\t0\t0\t0\n", bad: true},
		"one uid":   {in: "Uid:\t0\nGid:\t0\t0\t0\t0\n", bad: true},
		"bad group": {in: someStatus + "Groups:\t1 x\n", bad: true},
		"bad caps":  {in: someStatus + "CapEff:\tzz\n", bad: true},
		"too large": {in: "Uid:\t4294967296\t0\nGid:\t0\t0\n", bad: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseStatus([]byte(test.in))
			if (err != nil) != test.bad || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestParseStatusManyGroups(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t")
	for i := range 65536 {
		fmt.Fprintf(&b, "%d ", i)
	}
	p, err := parseStatus([]byte(b.String() + "\n"))
	if err != nil || len(p.Groups) != 65536 || p.Groups[65535] != 65535 {
		t.Errorf("got %d groups, %v", len(p.Groups), err)
	}
}

func TestParseIDMap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want []IDRange
		bad  bool
	}{
		"host":     {in: "         0          0 4294967295\n", want: []IDRange{{0, 0, 4294967295}}},
		"rootless": {in: "0 1000 1\n1 100000 65536\n", want: []IDRange{{0, 1000, 1}, {1, 100000, 65536}}},
		"empty":    {},
		"short":    {in: "0 1000\n", bad: true},
		"junk":     {in: "a b c\n", bad: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseIDMap([]byte(test.in))
			if (err != nil) != test.bad || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte(someStatus))
	f.Add([]byte("Uid:\nGid:\nGroups:\nCapEff:"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseStatus(data)
		if err != nil {
			return
		}
		again, err := parseProcess(formatProcess(p))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v was read back as %+v, %v", p, again, err)
		}
	})
}

func FuzzParseIDMap(f *testing.F) {
	f.Add([]byte("0 1000 1\n1 100000 65536\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if ranges, err := parseIDMap(data); err != nil && ranges != nil {
			t.Error("an error with half an answer")
		}
	})
}
