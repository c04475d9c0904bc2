package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFilterKernelLog(t *testing.T) {
	t.Parallel()
	keep := []string{
		"<6>[    3.1] amdgpu 0000:03:00.0: amdgpu: VRAM: 16368M",
		"<6>[    3.2] kfd kfd: amdgpu: added device 1002:73bf",
		"<4>[    3.3] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout",
		"<6>[    3.4] [drm] Initialized simpledrm",
		"<4>[    3.5] amdttm: Unknown symbol",
		"<6>[    3.6] vfio-pci 0000:03:00.0: enabling device",
		`<5>[    4.0] audit: type=1400 audit(1.2:3): avc:  denied  { read write } for pid=9 name="renderD128" dev="devtmpfs"`,
		`<5>[    4.1] audit: apparmor="DENIED" operation="open" name="/dev/dri/card0"`,
		"<3>[    4.2] foo: module verification failed: signature and/or required key missing",
		"<3>[    4.3] Loading of unsigned module is rejected",
		"<3>[    4.4] PKCS#7: Key was rejected by service",
		"<6>[    0.9] AMD-Vi: Interrupt remapping enabled",
		"<5>[    0.1] Lockdown: modprobe: unsigned module loading is restricted",
		"<3>[    5.0] amdgpu 0000:03:00.0: Direct firmware load for amdgpu/gc_11_0_0_pfp.bin failed with error -2",
	}
	drop := []string{
		"<6>[    0.0] Linux version 6.8.0",
		"<6>[    1.0] usb 1-1: SerialNumber: 0123",
		`<5>[    4.1] audit: apparmor="DENIED" operation="open" name="/home/ada/driver.txt"`,
		`<5>[    4.1] audit: apparmor="STATUS" operation="profile_load" name="render"`,
		`<5>[    4.0] audit: avc:  denied  { read } for pid=9 name="shadow"`,
		"",
	}
	got := filterKernelLog([]byte(strings.Join(slices.Concat(drop, keep, drop), "\n")))
	if len(got) != len(keep) {
		t.Fatalf("got %d lines, want %d:\n%s", len(got), len(keep), strings.Join(got, "\n"))
	}
	for i, line := range got {
		if want := keep[i][len("<6>"):]; line != want {
			t.Errorf("line %d is %q, want %q", i, line, want)
		}
	}
}

func TestFilterKernelLogKeepsTheLast(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "<6>[%d] amdgpu: %d\n", i, i)
	}
	got := filterKernelLog([]byte(b.String()))
	if len(got) != maxLogLines || got[len(got)-1] != "[999] amdgpu: 999" {
		t.Errorf("got %d lines, the last is %q", len(got), got[len(got)-1])
	}
}

func TestKmsgLine(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"6,339,5140900,-;amdgpu: hello\n SUBSYSTEM=pci\n": "[    5.140900] amdgpu: hello",
		"30,1,12345678901,c;x":                            "[12345.678901] x",
		"no record":                                       "",
		"6,1;x":                                           "",
		"6,1,z;x":                                         "",
	}
	for in, want := range tests {
		if got, ok := kmsgLine([]byte(in)); got != want || ok != (want != "") {
			t.Errorf("%q became %q, %v", in, got, ok)
		}
	}
}

func FuzzFilterKernelLog(f *testing.F) {
	f.Add([]byte("<6>[ 1.0] amdgpu: x\n<6>kfd\n6,1,2,-;drm: \xff\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		kmsgLine(log)
		lines := filterKernelLog(log)
		if len(lines) > maxLogLines {
			t.Errorf("%d lines", len(lines))
		}
		if body := formatLines(lines); !slices.Equal(parseLines(body), lines) {
			t.Errorf("%q cannot be recorded", lines)
		}
	})
}

// The hints must not be narrower than the expressions they stand before.
func FuzzHintsAreWideEnough(f *testing.F) {
	for _, line := range []string{"[drm] x", "drm:y", "AMD-Vi: z", "Key was rejected by service", "avc:  denied  { read } name=\"kfd\"", "apparmor=\"DENIED\" name=\"/dev/kfd\"", "module verification failed: signature"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		wanted := aboutGPU().Match(line) || denial().Match(line) && aboutDevice().Match(line)
		if wanted && len(promising(line)) == 0 {
			t.Errorf("%q is dropped unread", line)
		}
	})
}

// TestLogInParts looks through a log that is longer than the part that is looked at
// at once, with lines longer than that, in the middle and at the end.
func TestLogInParts(t *testing.T) {
	t.Parallel()
	dull, long := strings.Repeat("<6>[    1.0] usb 1-1: new device\n", 3000), strings.Repeat("x", 80<<10)
	log := dull + "amdgpu: first\n" + dull + long + " amdgpu: second\n" + dull + "AMDGPU: third\n" + long + " kfd: fourth"
	var got []string
	for _, line := range promising([]byte(log)) {
		got = append(got, strings.TrimLeft(string(line), "x "))
	}
	if want := []string{"amdgpu: first\n", "amdgpu: second\n", "AMDGPU: third\n", "kfd: fourth"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzKmsgLine(f *testing.F) {
	f.Add([]byte("6,339,5140900,-;amdgpu: text\n SUBSYSTEM=pci\n"))
	f.Fuzz(func(t *testing.T, record []byte) {
		line, ok := kmsgLine(record)
		if ok && (!strings.HasPrefix(line, "[") || strings.Contains(line, "\n")) {
			t.Errorf("%q", line)
		}
	})
}
