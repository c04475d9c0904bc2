package survey

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
)

func TestParseProperties(t *testing.T) {
	t.Parallel()
	got := parseProperties("simd_count 96\ngfx_target_version 90010\nname\nN/A\nunique_id 18446744073709551615\nfw_version N/A\nhuge 99999999999999999999\n  domain  7 \n")
	want := map[string]uint64{"simd_count": 96, "gfx_target_version": 90010, "unique_id": 1<<64 - 1, "domain": 7}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseGroup(t *testing.T) {
	t.Parallel()
	got := parseGroup("root:x:0:\n# a comment\nrender:x:110:ada,bob\nbroken\nhuge:x:99999999999:\n:x:5:\nvideo:x:44\n")
	want := []machine.Group{{Name: "root"}, {Name: "render", GID: 110, Members: []string{"ada", "bob"}}, {Name: "video", GID: 44}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParsePasswd(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("x", 200)
	got := parsePasswd("root:x:0:0:root:/root:/bin/sh\n+::::::\n" + name + ":x:1000:1000::/home/x:/bin/sh\nbad:x:a:b::\n")
	want := []account{{"root", 0, 0}, {name, 1000, 1000}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseOSRelease(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give string
		want machine.Distro
	}{
		{"ID=ubuntu\nID_LIKE=\"debian\"\nVERSION_ID=\"24.04\"\nPRETTY_NAME='Ubuntu 24.04 LTS'\n", machine.Distro{ID: "ubuntu", Like: []string{"debian"}, Version: "24.04", Name: "Ubuntu 24.04 LTS"}},
		{"ID=void\nNAME=Void\n", machine.Distro{ID: "void", Name: "Void"}},
		{"junk", machine.Distro{}},
	}
	for _, tt := range tests {
		if got := parseOSRelease(tt.give); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v, want %+v", tt.give, got, tt.want)
		}
	}
}

func TestParseACL(t *testing.T) {
	t.Parallel()
	entry := func(tag, perm uint16, id uint32) []byte {
		b := binary.LittleEndian.AppendUint16(nil, tag)
		b = binary.LittleEndian.AppendUint16(b, perm)
		return binary.LittleEndian.AppendUint32(b, id)
	}
	data := append([]byte{2, 0, 0, 0}, entry(2, 6, 1000)...)
	data = append(data, entry(0x10, 4, 1<<32-1)...)
	got, ok := parseACL(data)
	want := []machine.ACL{{Tag: machine.ACLUser, ID: 1000, Read: true, Write: true}, {Tag: machine.ACLMask, Read: true}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v %v, want %+v", got, ok, want)
	}
	for name, bad := range map[string][]byte{"empty": nil, "version": {1, 0, 0, 0}, "cut": data[:9], "tag": append([]byte{2, 0, 0, 0}, entry(3, 6, 0)...)} {
		if _, ok := parseACL(bad); ok {
			t.Errorf("%s was taken for an ACL", name)
		}
	}
}

func TestParseModprobe(t *testing.T) {
	t.Parallel()
	got := parseModprobe("f", "# blacklist amdgpu\nblacklist amdgpu\n  blacklist   nouveau\ninstall amdgpu /bin/false\ninstall amdgpu /sbin/modprobe --ignore-install amdgpu\noptions vfio-pci ids=10de:1,1002:744c\noptions vfio-pci ids=10de:1\noptions amdgpu noretry=0\noptions ttm pages_limit=1\n\xff\xfe\n")
	want := []struct {
		line int
		kind machine.SettingKind
	}{{2, machine.Blacklists}, {4, machine.Blacklists}, {6, machine.BindsVFIO}, {8, machine.SetsOption}, {9, machine.SetsOption}}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, w := range want {
		if got[i].Line != w.line || got[i].Kind != w.kind || got[i].File != "f" {
			t.Errorf("%d: got %+v, want %+v", i, got[i], w)
		}
	}
}

func TestParseCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		word string
		want machine.SettingKind
	}{
		{"modprobe.blacklist=nouveau,amdgpu", machine.Blacklists},
		{"module_blacklist=amdgpu", machine.Blacklists},
		{"modprobe.blacklist=nouveau", ""},
		{"nomodeset", machine.Blacklists},
		{"amdgpu.modeset=0", machine.Blacklists},
		{"vfio-pci.ids=1002:744c,1002:ab30", machine.BindsVFIO},
		{"vfio-pci.ids=10de:2684", ""},
		{"amdgpu.cwsr_enable=0", machine.SetsOption},
		{"ttm.pages_limit=26214400", machine.SetsOption},
		{"quiet", ""},
	}
	for _, tt := range tests {
		got := machine.SettingKind("")
		if s := parseCommandLine("BOOT_IMAGE=x " + tt.word + " ro"); len(s) > 0 {
			got = s[0].Kind
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestParseFirmware(t *testing.T) {
	t.Parallel()
	got, ok := parseFirmware("MES_KIQ feature version: 6, firmware version: 0x00000083\nMES feature version: 1, firmware version: 0x00000080\nVCE feature version: 0, firmware version: N/A\njunk\n")
	want := map[string]uint32{"mes_kiq": 0x83, "mes": 0x80}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v %v, want %v", got, ok, want)
	}
	if _, ok := parseFirmware("N/A\n"); ok {
		t.Error("junk was taken for versions")
	}
}

func TestParseDeviceID(t *testing.T) {
	t.Parallel()
	d, ok := parseDeviceID(`PCI\VEN_1002&DEV_744C&SUBSYS_00000000&REV_C8`)
	if !ok || d.vendor != 0x1002 || d.device != 0x744c || d.revision != 0xc8 {
		t.Errorf("got %+v %v", d, ok)
	}
	for _, s := range []string{"", `ROOT\BasicDisplay`, `PCI\VEN_ZZZZ&DEV_1`} {
		if _, ok := parseDeviceID(s); ok {
			t.Errorf("%q was taken for a PCI device", s)
		}
	}
}

// Text from foreign files reaches terminals: no control character may pass.
func TestReadable(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"plain\ttext\n": true, "Größe": true, "\x1b[31mred": false, "nul\x00": false, "\xff": false, "": true} {
		if got := readable(s); got != want {
			t.Errorf("readable(%q) = %v", s, got)
		}
	}
}

func TestParseMemTotal(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{
		"MemTotal:       32505856 kB\nMemFree: 1 kB\n": 32505856 << 10,
		"MemFree: 1 kB\nMemTotal: 1024 kB":             1 << 20,
		"MemTotal: 0 kB":                               0,
		"MemTotal: 12":                                 0,
		"MemTotal: 12 MB":                              0,
		"MemTotal: -4 kB":                              0,
		"MemTotal: 99999999999999999999 kB":            0,
		"":                                             0,
	} {
		got, ok := parseMemTotal(s)
		if ok != (want != 0) || ok && got != want {
			t.Errorf("parseMemTotal(%q) = %d, %v, want %d", s, got, ok, want)
		}
	}
}

func FuzzParseMemTotal(f *testing.F) {
	f.Add("MemTotal:       32505856 kB\nMemFree:        1 kB\n")
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := parseMemTotal(s); ok && got <= 0 {
			t.Errorf("%d bytes", got)
		}
	})
}

func FuzzParseProperties(f *testing.F) {
	f.Add("simd_count 96\ngfx_target_version 90010\n")
	f.Fuzz(func(t *testing.T, s string) {
		n := kfdNode{props: parseProperties(s)}
		if a := n.address(); !strings.Contains(a, ":") {
			t.Errorf("address %q", a)
		}
		gfxOf(n.props["gfx_target_version"], "f")
	})
}

func FuzzParseACL(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 2, 0, 6, 0, 232, 3, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, ok := parseACL(data); ok && len(got) != (len(data)-4)/8 {
			t.Errorf("%d entries from %d bytes", len(got), len(data))
		}
	})
}

func FuzzParseTables(f *testing.F) {
	f.Add("root:x:0:0:root:/root:/bin/sh\nrender:x:110:ada\nblacklist amdgpu\nID=x\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, g := range parseGroup(s) {
			if g.Name == "" {
				t.Error("a group without a name")
			}
		}
		for _, a := range parsePasswd(s) {
			if a.name == "" {
				t.Error("an account without a name")
			}
		}
		for _, x := range append(parseModprobe("f", s), parseCommandLine(s)...) {
			if x.Kind == "" || x.Text == "" {
				t.Errorf("a setting that sets nothing: %+v", x)
			}
		}
		parseOSRelease(s)
		parseFirmware(s)
		parseDeviceID(s)
	})
}
