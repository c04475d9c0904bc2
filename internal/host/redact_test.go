package host

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

const (
	secretID   = uint64(0x5a5dc0ffee123457)
	secretHive = uint64(0x7b00b1e5deadbeef)
	secretUUID = "3f1b8c52-90ab-4cde-8f01-23456789abcd"
	secretMAC  = "a4:bb:6d:12:34:56"
	secretCtr  = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
)

// secretMachine has a secret in every place where one was ever seen.
func secretMachine() fake {
	node := "/sys/class/kfd/kfd/topology/nodes/1/properties"
	return fake{
		"file /etc/passwd": []byte("root:x:0:0:root:/root:/bin/bash\n" +
			"www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n" +
			"zaphod:x:1000:1000:Zaphod Beeblebrox,Room 42,555-1234:/home/zaphod:/bin/bash\n" +
			"max:x:1001:1001:Max Power:/home/max:/bin/bash\n" +
			"render:x:1002:992:The Renderer:/home/render:/bin/bash\n" +
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"),
		"file /etc/group": []byte("root:x:0:\nvideo:x:44:zaphod,max,www-data,trillian\nrender:x:992:zaphod,render\n" +
			"zaphod:x:1000:\nmax:x:5000:\n"),
		"file /etc/hostname":                                    []byte("heartofgold\n"),
		"file /proc/sys/kernel/hostname":                        []byte("heartofgold\n"),
		"file /etc/os-release":                                  []byte("NAME=\"max linux\"\nID=max\n"),
		"file /proc/cmdline":                                    []byte("BOOT_IMAGE=/boot/vmlinuz root=UUID=" + secretUUID + " rd.luks.uuid=luks-" + secretUUID + " ro amdgpu.ppfeaturemask=0xffffffff ip=::::heartofgold:eth0\n"),
		"file /proc/self/mountinfo":                             []byte("36 35 98:0 / /home/zaphod rw - nfs4 vogsphere:/export/home/zaphod rw,addr=x\n"),
		"file /proc/self/cgroup":                                []byte("0::/system.slice/docker-" + secretCtr + ".scope\n"),
		"file " + node:                                          fmt.Appendf(nil, "simd_count 64\nmax_waves_per_simd 16\nunique_id %d\nhive_id %d\nvendor_id 4098\n", secretID, secretHive),
		"file /sys/class/drm/card0/device/unique_id":            fmt.Appendf(nil, "%016x\n", secretID),
		"file /sys/class/drm/card1/device/unique_id":            []byte("0000000000000000\n"),
		"file /sys/class/drm/card0/device/serial_number":        []byte("SN42ZAPPED\n"),
		"file /sys/class/net/eth0/address":                      []byte(secretMAC + "\n"),
		"file /home/zaphod/.bashrc":                             []byte("# by Zaphod Beeblebrox\nexport OPENAI_KEY=sk-ZAPPED42 HSA_ENABLE_SDMA=0\nTORCH_HUB_TOKEN=sk-ZAPPED42\nROCM_PATH=/home/zaphod/rocm\nexport HIP_X=$(curl -u zaphod:sk-ZAPPED42 x)\n"),
		"file /home/zaphod/notes":                               []byte("# by Zaphod Beeblebrox <zaphod@heartofgold.local>\nexport PATH=/home/zaphod/bin:/usr/max/bin:$PATH\n"),
		"file /usr/lib/python3/dist-packages/x/direct_url.json": []byte(`{"url": "file:///home/zaphod/src/max"}`),
		"file /srv/bin":                                         []byte("\x7fELF\x01\x00/home/zaphod/lib\x00max\x00"),
		"range /usr/lib/libx.so 0 64":                           []byte("\x7fELF\x01\x00/home/zaphod/lib\x00"),
		"dir /home":                                             []Entry{{"max", fs.ModeDir}, {"render", fs.ModeDir}, {"zaphod", fs.ModeDir}},
		"dir /sys/devices":                                      []Entry{{"max", fs.ModeDir}},
		"dir /var/lib/docker/containers":                        []Entry{{secretCtr, fs.ModeDir}},
		"link /home/zaphod/models":                              "/mnt/heartofgold/models",
		"stat /home/zaphod/.cache/miopen":                       Stat{Mode: fs.ModeDir | 0o700, UID: 1000, GID: 1000},
		"stat /tmp/torchinductor_zaphod":                        Stat{Mode: fs.ModeDir | 0o755, UID: 1000},
		"stat /mnt/heartofgold/models":                          Stat{Mode: fs.ModeDir | 0o755},
		"statfs /home/zaphod":                                   FileSystem{Type: "nfs", Size: 1},
		"access /home/zaphod/.cache w":                          EACCES,
		"open /dev/kfd":                                         fmt.Errorf("refused to zaphod on heartofgold"),
		"env HOME":                                              "/home/zaphod",
		"env USER":                                              "zaphod",
		"env HOSTNAME":                                          "heartofgold",
		"link /proc/42/fd/3":                                    "/srv/sk-ZAPPED42/letters.txt",
		"link /proc/42/fd/4":                                    "/home/zaphod/.cache/gfx1100_48.ukdb (deleted)",
		"env HF_TOKEN":                                          "hf_SECRET42",
		"env ROCR_VISIBLE_DEVICES":                              fmt.Sprintf("GPU-%016x", secretID),
		"env MIOPEN_USER_DB_PATH":                               "/home/zaphod/.cache/miopen",
		"log": []string{
			"[    1.0] amdgpu 0000:03:00.0: amdgpu: max clock on heartofgold",
			"[    1.1] [drm] eth0 " + secretMAC + " kfd kfd: added device 1002:73bf",
			fmt.Sprintf("[    1.2] amdgpu 0000:03:00.0: unique id 0x%016x", secretID),
		},
		"ask getent passwd 1000":   []byte("zaphod:x:1000:1000:Zaphod Beeblebrox:/home/zaphod:/bin/bash\n"),
		"ask getent passwd render": []byte("render:x:1002:992:The Renderer:/home/render:/bin/bash\n"),
		"ask getent group render":  []byte("render:x:992:zaphod,render\n"),
		"ask modinfo amdgpu":       []byte("filename: /lib/modules/6.8.0/amdgpu.ko\nsigner: heartofgold Secure Boot key\nsig_key: A4:BB:6D:12:34:56:77\n"),
	}
}

// askAll asks a machine all that it has answers to.
func askAll(t *testing.T, r Reader, machine fake) {
	t.Helper()
	for key := range machine {
		f := strings.Split(key, " ")
		switch f[0] {
		case "file":
			_, _ = r.ReadFile(f[1])
		case "range":
			_, _ = r.ReadAt(f[1], 0, 64)
		case "dir":
			_, _ = r.ReadDir(f[1])
		case "link":
			_, _ = r.ReadLink(f[1])
		case "stat":
			_, _ = r.Lstat(f[1])
		case "statfs":
			_, _ = r.Statfs(f[1])
		case "access":
			_ = r.Access(f[1], f[2][0])
		case "open":
			_ = r.TryOpen(f[1])
		case "env":
			_, _, _ = r.Getenv(f[1])
		case "log":
			_, _ = r.KernelLog()
		case "ask":
			_, _ = r.Ask(t.Context(), Tool(f[1]), f[2:]...)
		default:
			t.Fatalf("nobody asks %q", key)
		}
	}
}

func TestRedactionLeavesNoSecret(t *testing.T) {
	t.Parallel()
	machine := secretMachine()
	recorder := Record(machine, "test", someTime)
	askAll(t, recorder, machine)
	s, text := replay(t, recorder)
	for _, r := range s.records { // base64 hides nothing
		text += string(r.body)
	}
	for _, secret := range []string{
		"zaphod", "Zaphod", "Beeblebrox", "555-1234", "Max Power", "The Renderer", "heartofgold", "vogsphere", "trillian",
		fmt.Sprint(secretID), fmt.Sprintf("%x", secretID), fmt.Sprint(secretHive), "SN42ZAPPED",
		secretUUID, secretMAC, secretCtr, "hf_SECRET42", "/home/max", "/home/render", "max:x:1001", "sk-ZAPPED42", "curl",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%q survives", secret)
		}
	}
	for _, evidence := range []string{
		"max_waves_per_simd 16", "unique_id 1\n", "hive_id 2\n", "vendor_id 4098", "amdgpu 0000:03:00.0", "1002:73bf",
		"amdgpu.ppfeaturemask=0xffffffff", "root:x:0:0:root:/root", "www-data:x:33:33:www-data:/var/www",
		"nobody:x:65534", "render:x:992:", "max:x:5000:", "video:x:44:", "NAME=\"max linux\"\nID=max\n", "/usr/max/bin", "max dir",
		"\nexport HSA_ENABLE_SDMA='0'\n\nexport ROCM_PATH='/home/user1/rocm'\nexport HIP_X='$(…)'\n",
		"ROCR_VISIBLE_DEVICES=\"GPU-0000000000000001\"", "0000000000000000\n", "A4:BB:6D:12:34:56:77", "-- ask getent group render --",
		"-- stat /tmp/torchinductor_user1 --",
	} {
		if !strings.Contains(text, evidence) {
			t.Errorf("%q is lost", evidence)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestRedactionLeavesLiveAnswers(t *testing.T) {
	t.Parallel()
	recorder := Record(secretMachine(), "test", someTime)
	if home, _, _ := recorder.Getenv("HOME"); home != "/home/zaphod" {
		t.Errorf("the caller got %q", home)
	}
}

// TestReplayFollowsAliases builds its questions from redacted answers, as a
// survey does.
func TestReplayFollowsAliases(t *testing.T) {
	t.Parallel()
	machine := secretMachine()
	recorder := Record(machine, "test", someTime)
	askAll(t, recorder, machine)
	s, _ := replay(t, recorder)

	home, _, _ := s.Getenv("HOME")
	if home != "/home/user1" {
		t.Errorf("HOME is %q", home)
	}
	passwd, _ := s.ReadFile("/etc/passwd")
	if want := "user1:x:1000:1000:User 1:/home/user1:/bin/bash\n"; !strings.Contains(string(passwd), want) {
		t.Errorf("passwd is\n%s", passwd)
	}
	group, _ := s.ReadFile("/etc/group")
	for _, want := range []string{"video:x:44:user1,user2,www-data,user", "render:x:992:user1,user3\n", "user1:x:1000:\n"} {
		if !strings.Contains(string(group), want) {
			t.Errorf("group lacks %q:\n%s", want, group)
		}
	}
	db, _, _ := s.Getenv("MIOPEN_USER_DB_PATH")
	if st, err := s.Lstat(db); err != nil || st.UID != 1000 {
		t.Errorf("%s: %+v, %v", db, st, err)
	}
	models, err := s.ReadLink(home + "/models")
	if err != nil {
		t.Error(err)
	}
	if _, err := s.Lstat(models); err != nil {
		t.Errorf("the target of a link: %v", err)
	}
	if _, err := s.ReadFile(home + "/.bashrc"); err != nil {
		t.Error(err)
	}
	if err := s.Access(home+"/.cache", 'w'); ErrnoOf(err) != EACCES {
		t.Errorf("access: %v", err)
	}
	if _, err := s.Ask(t.Context(), Getent, "passwd", "user3"); err != nil {
		t.Error(err)
	}
	id, _ := s.ReadFile("/sys/class/drm/card0/device/unique_id")
	if visible, _, _ := s.Getenv("ROCR_VISIBLE_DEVICES"); visible+"\n" != "GPU-"+string(id) {
		t.Errorf("%s does not match %s", visible, id)
	}
}

func TestRedactText(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                                "",
		"ada":                             "user1",
		"adamant ada_x x-ada":             "adamant ada_x x-ada",
		"ada@box: hello ada.":             "user1@host1: hello user1.",
		"box.example.org,BOX":             "host1,host1",
		"amdgpu: ready":                   "amdgpu: ready",
		"/home/eve/x:/home/ada eve":       "/home/user2/x:/home/user1 user2",
		"-L/home/eve/lib":                 "-L/home/user2/lib",
		"/home/$USER/x /home/lost+found":  "/home/$USER/x /home/lost+found",
		"/home/kfd/x kfd":                 "/home/user2/x kfd",
		"/etc/ada /usr/ada:/srv/ada":      "/etc/ada /usr/ada:/srv/user1",
		"/sys/bus/pci/0000:03:00.0/ada":   "/sys/bus/pci/0000:03:00.0/ada",
		"/opt/rocm-6.2.0/ada /opt/ada":    "/opt/rocm-6.2.0/ada /opt/user1",
		"/lib64/ada /library/ada":         "/lib64/ada /library/user1",
		"0000:03:00.0 00:1f.2":            "0000:03:00.0 00:1f.2",
		"00:00:00:00:00:00":               "00:00:00:00:00:00",
		"BOOTIF=01-52-54-00-12-34-56":     "BOOTIF=01-00-00-00-00-00-01",
		"PARTUUID=7a8b9c0d-02":            "PARTUUID=00000000-0000-0000-0000-000000000001",
		"/dev/mapper/luks-" + secretUUID:  "/dev/mapper/luks-00000000-0000-0000-0000-000000000001",
		fmt.Sprintf("id %d", secretID):    "id 1",
		fmt.Sprintf("id %016x", secretID): "id 0000000000000001",
		"id 12":                           "id 12",
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			t.Parallel()
			a := newAliases("linux")
			a.person("ada")
			a.host("box.example.org")
			a.host("amdgpu")
			a.id(secretID)
			a.learnHomes(in)
			if got := a.text(in); got != want {
				t.Errorf("became %q, want %q", got, want)
			}
		})
	}
}

func TestRedactWindows(t *testing.T) {
	t.Parallel()
	machine := fake{
		"os":                             "windows",
		"env USERPROFILE":                `C:\Users\Ada Lovelace`,
		"env USERNAME":                   "Ada Lovelace",
		"env COMPUTERNAME":               "ENGINE",
		"env PATH":                       `C:\Program Files\Babbage\bin;C:\Users\Ada Lovelace\venv\_rocm_sdk_core\bin;C:\Program Files\AMD\ROCm\6.2\bin`,
		"file C:/Users/Ada Lovelace/x":   []byte("ada\n"),
		`registry HKLM\SOFTWARE\AMD Dir`: `{4d36e968-e325-11ce-bfc1-08002be10318} of Ada Lovelace`,
	}
	r := Record(machine, "test", someTime)
	for _, name := range []string{"USERPROFILE", "USERNAME", "COMPUTERNAME", "PATH"} {
		_, _, _ = r.Getenv(name)
	}
	_, _ = r.ReadFile("C:/Users/Ada Lovelace/x")
	_, _ = r.Registry(`HKLM\SOFTWARE\AMD`, "Dir")
	s, text := replay(t, r)
	if strings.Contains(text, "Lovelace") || strings.Contains(text, "ENGINE") || strings.Contains(text, "Babbage") {
		t.Errorf("a name survives:\n%s", text)
	}
	if got, _, _ := s.Getenv("PATH"); got != `C:\Users\user1\venv\_rocm_sdk_core\bin;C:\Program Files\AMD\ROCm\6.2\bin` {
		t.Errorf("PATH is %q", got)
	}
	profile, _, _ := s.Getenv("USERPROFILE")
	if _, err := s.ReadFile(profile + `\x`); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if got, err := s.Registry(`HKLM\SOFTWARE\AMD`, "Dir"); err != nil || !strings.HasPrefix(got, "{4d36e968-") {
		t.Errorf("registry: %q, %v", got, err)
	}
}

func TestRedactionIsStable(t *testing.T) {
	t.Parallel()
	machine := secretMachine()
	for i := range 30 {
		machine[fmt.Sprintf("env DISK%d", i)] = fmt.Sprintf("UUID=3f1b8c52-90ab-4cde-8f01-2345678900%02x", i)
	}
	var first string
	for range 10 {
		recorder := Record(machine, "test", someTime)
		askAll(t, recorder, machine)
		_, text := replay(t, recorder)
		if first == "" {
			first = text
		}
		if text != first {
			t.Fatalf("two recordings differ:\n%s\n%s", first, text)
		}
	}
}

func TestRedactionLearnsFromListings(t *testing.T) {
	t.Parallel()
	machine := fake{
		"dir /home":         []Entry{{"trillian", fs.ModeDir}},
		"file /etc/rc.conf": []byte("owner=trillian\n"),
	}
	recorder := Record(machine, "test", someTime)
	askAll(t, recorder, machine)
	if _, text := replay(t, recorder); strings.Contains(text, "trillian") {
		t.Errorf("a name survives:\n%s", text)
	}
}

func BenchmarkRedact(b *testing.B) {
	line := "Package: libfoo-dev: a-b-c-d-e-f, the home of 0123456789abcdef and ada; see /usr/share/doc (>= 1:2:3:4:5:6)\n"
	machine := fake{"file /srv/big": []byte(strings.Repeat(line, MaxFile/len(line)))}
	r := Record(machine, "test", someTime)
	_, _ = r.ReadFile("/srv/big")
	b.SetBytes(MaxFile)
	for b.Loop() {
		r.Snapshot()
	}
}

func FuzzRedactText(f *testing.F) {
	f.Add("ada@box /home/ada/x root=UUID=" + secretUUID + " " + secretMAC)
	f.Add("/home/\xff//home//Users/ GPU-00000000000000ff")
	f.Fuzz(func(t *testing.T, in string) {
		a := newAliases("linux")
		a.learnAccounts([]byte(in))
		a.learnMembers([]byte(in))
		a.learnHomes(in)
		a.person("ada")
		out := a.text(in)
		if again := a.text(in); again != out {
			t.Errorf("%q became %q, then %q", in, out, again)
		}
		a.passwd([]byte(in))
		a.group([]byte(in))
		if got := a.binary([]byte(in + "\x00")); len(got) != len(in)+1 {
			t.Errorf("%q changed its length", in)
		}
	})
}

func TestCommandLineKeepsTheDriverAndHidesThePlace(t *testing.T) {
	t.Parallel()
	got := commandLine("BOOT_IMAGE=/vmlinuz ip=10.1.2.3::10.1.2.1:255.255.255.0:node17 systemd.hostname=node17 ks=http://ann:pw@ks.example/x amdgpu.noretry=0 quiet nfsroot=filer:/x\n")
	want := "BOOT_IMAGE=/vmlinuz ip=redacted systemd.hostname=redacted ks=redacted amdgpu.noretry=0 quiet nfsroot=redacted\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLoginsAndAddressesAreMarks(t *testing.T) {
	t.Parallel()
	got := gather(newSnapshot("linux")).marks("see https://carol:pw123@host.example/x or carol@acme.example, GPU at 0000:03:00.0 gpu@3\n")
	want := "see https://host.example/x or someone@example.org, GPU at 0000:03:00.0 gpu@3\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestSecretVariables: what a bug report may show decides by the name; the
// variables of ROCm keep their values, or a replay would judge other ones.
func TestSecretVariables(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]bool{
		"HF_TOKEN": true, "HIP_GIT_PASS": true, "ROCM_DB_PASSWORD": true, "OLLAMA_BASIC_AUTH": true, "GITHUB_PAT": true,
		"TORCH_PRIVATE_KEY": true, "PYTORCH_PROXY_URL": true, "AMD_LICENSE": true, "HSA_LOGIN": true,
		"ROCM_PATH": false, "LD_LIBRARY_PATH": false, "HSA_OVERRIDE_GFX_VERSION": false, "PATH": false,
		"MIOPEN_DEBUG_AMD_WINOGRAD_MPASS_WORKSPACE_MAX": false, "PYTORCH_ROCM_ARCH": false,
	} {
		if got := isSecretVariable(name); got != secret {
			t.Errorf("%s is a secret: %v, want %v", name, got, secret)
		}
	}
}
