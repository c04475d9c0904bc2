package fix_test

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/fix"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

// What the loaders keep, as recorded from machines.
const (
	archGRUB = "GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet amdgpu.gttsize=8192\"\nGRUB_CMDLINE_LINUX=\"\"\n"
	suseGRUB = "GRUB_DISTRIBUTOR=\nGRUB_CMDLINE_LINUX_DEFAULT=\"splash=silent amdgpu.gttsize=8192 quiet security=apparmor\"\nGRUB_CMDLINE_LINUX=''\n"
	entry    = "title   Arch Linux\nlinux   /vmlinuz-linux\ninitrd  /initramfs-linux.img\noptions root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet\n"
	fallback = "title   Arch Linux (fallback)\nlinux   /vmlinuz-linux\noptions root=PARTUUID=1f2e rw\n"
	cloud    = "GRUB_CMDLINE_LINUX_DEFAULT=\"console=tty1 amdgpu.gttsize=8192 amdgpu.gttsize=8192 console=ttyS0\"\n"
	cmdline  = "root=UUID=9c5a rw amdgpu.gttsize=8192\n"
)

const (
	entryFile    = "/boot/loader/entries/arch.conf"
	fallbackFile = "/boot/loader/entries/arch-fallback.conf"
	grubSettings = "/etc/default/grub"
	cmdlineFile  = "/etc/kernel/cmdline"

	cloudSettings = "/etc/default/grub.d/50-cloud.cfg"
)

func word(old, fresh string) remedy.Step {
	return remedy.Step{Kind: remedy.KernelWord, Old: old, New: fresh, Root: true}
}

// TestKernelWords: the loader of the machine is found, its own files are changed,
// its own tool is run, and the plan says how to start without the change.
func TestKernelWords(t *testing.T) {
	t.Parallel()
	const old, fresh = "amdgpu.gttsize=8192", "ttm.pages_limit=2097152"
	noTools := []string{"update-grub", "grub-mkconfig", "grub2-mkconfig"}
	for name, tc := range map[string]struct {
		desk  desk
		step  remedy.Step
		wants map[string]string // of files
		runs  string
		way   string
	}{
		"GRUB on Arch": {
			desk{files: map[string]string{grubSettings: archGRUB}, folders: []string{"/boot/grub"}, missing: []string{"update-grub", "grub2-mkconfig"}}, word(old, fresh),
			map[string]string{grubSettings: strings.Replace(archGRUB, "GRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet amdgpu.gttsize=8192\"\n", "# rocsmith: GRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet amdgpu.gttsize=8192\"\nGRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet ttm.pages_limit=2097152\"\n", 1)},
			"/usr/sbin/grub-mkconfig -o /boot/grub/grub.cfg", `GRUB: press e in its menu`,
		},
		"GRUB on SUSE": {
			desk{files: map[string]string{grubSettings: suseGRUB}, folders: []string{"/boot/grub2"}, missing: []string{"update-grub"}}, word(old, ""),
			map[string]string{grubSettings: strings.Replace(suseGRUB, "GRUB_CMDLINE_LINUX_DEFAULT=\"splash=silent amdgpu.gttsize=8192 quiet security=apparmor\"\n", "# rocsmith: GRUB_CMDLINE_LINUX_DEFAULT=\"splash=silent amdgpu.gttsize=8192 quiet security=apparmor\"\nGRUB_CMDLINE_LINUX_DEFAULT=\"splash=silent quiet security=apparmor\"\n", 1)},
			"/usr/sbin/grub2-mkconfig -o /boot/grub2/grub.cfg", `write "amdgpu.gttsize=8192" again`,
		},
		"GRUB, a new word": {
			desk{files: map[string]string{grubSettings: archGRUB}, folders: []string{"/boot/grub"}, missing: []string{"update-grub", "grub2-mkconfig"}}, word("", "iommu=pt"),
			map[string]string{grubSettings: strings.Replace(archGRUB, "GRUB_CMDLINE_LINUX=\"\"\n", "# rocsmith: GRUB_CMDLINE_LINUX=\"\"\nGRUB_CMDLINE_LINUX=\"iommu=pt\"\n", 1)},
			"/usr/sbin/grub-mkconfig -o /boot/grub/grub.cfg", `take out "iommu=pt"`,
		},
		"GRUB on Ubuntu, in its folder": {
			desk{files: map[string]string{grubSettings: "GRUB_CMDLINE_LINUX=\"\"\n", cloudSettings: cloud, "/etc/default/grub.d/50-cloud.cfg.bak": cloud}}, word(old, fresh),
			map[string]string{cloudSettings: "# rocsmith: " + cloud + "GRUB_CMDLINE_LINUX_DEFAULT=\"console=tty1 ttm.pages_limit=2097152 console=ttyS0\"\n"},
			"/usr/sbin/update-grub", `take the edit of /etc/default/grub.d/50-cloud.cfg back`,
		},
		"GRUB, in both": {
			desk{files: map[string]string{grubSettings: archGRUB, cloudSettings: cloud}}, word(old, ""),
			map[string]string{
				grubSettings:  strings.Replace(archGRUB, "GRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet amdgpu.gttsize=8192\"\n", "# rocsmith: GRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet amdgpu.gttsize=8192\"\nGRUB_CMDLINE_LINUX_DEFAULT=\"loglevel=3 quiet\"\n", 1),
				cloudSettings: "# rocsmith: " + cloud + "GRUB_CMDLINE_LINUX_DEFAULT=\"console=tty1 console=ttyS0\"\n",
			},
			"/usr/sbin/update-grub", `write "amdgpu.gttsize=8192" again`,
		},
		"GRUB, a new word where the folder has the last say": {
			desk{files: map[string]string{grubSettings: archGRUB, cloudSettings: "GRUB_CMDLINE_LINUX='a'\nGRUB_CMDLINE_LINUX='b'\n"}}, word("", "iommu=pt"),
			map[string]string{cloudSettings: "GRUB_CMDLINE_LINUX='a'\n# rocsmith: GRUB_CMDLINE_LINUX='b'\nGRUB_CMDLINE_LINUX='b iommu=pt'\n"},
			"/usr/sbin/update-grub", `take out "iommu=pt"`,
		},
		"systemd-boot": {
			desk{files: map[string]string{entryFile: entry, fallbackFile: fallback, cmdlineFile: cmdline}}, word(old, fresh),
			map[string]string{
				entryFile:   strings.Replace(entry, "options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet", "# rocsmith: options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet\noptions root=PARTUUID=1f2e rw ttm.pages_limit=2097152 quiet", 1),
				cmdlineFile: "root=UUID=9c5a rw ttm.pages_limit=2097152\n",
			}, "", "systemd-boot: press e on the entry",
		},
		"systemd-boot, a new word": {
			desk{files: map[string]string{entryFile: entry, fallbackFile: fallback}}, word("", "iommu=pt"),
			map[string]string{
				entryFile:    strings.Replace(entry, "options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet", "# rocsmith: options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet\noptions root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet iommu=pt", 1),
				fallbackFile: strings.Replace(fallback, "options root=PARTUUID=1f2e rw", "# rocsmith: options root=PARTUUID=1f2e rw\noptions root=PARTUUID=1f2e rw iommu=pt", 1),
			}, "", `take out "iommu=pt"`,
		},
		"GRUB is left over": {
			desk{files: map[string]string{grubSettings: "GRUB_CMDLINE_LINUX=\"\"\n", entryFile: entry}}, word(old, fresh),
			map[string]string{entryFile: strings.Replace(entry, "options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet", "# rocsmith: options root=PARTUUID=1f2e rw amdgpu.gttsize=8192 quiet\noptions root=PARTUUID=1f2e rw ttm.pages_limit=2097152 quiet", 1)},
			"", "systemd-boot",
		},
		"Proxmox": {
			desk{files: map[string]string{cmdlineFile: cmdline}}, word(old, fresh), map[string]string{cmdlineFile: "root=UUID=9c5a rw ttm.pages_limit=2097152\n"},
			"/usr/sbin/proxmox-boot-tool refresh", "systemd-boot",
		},
		"systemd-boot, a word twice": {
			desk{files: map[string]string{cmdlineFile: "rw amdgpu.gttsize=8192 quiet amdgpu.gttsize=8192\n"}, missing: []string{"proxmox-boot-tool"}}, word(old, fresh),
			map[string]string{cmdlineFile: "rw ttm.pages_limit=2097152 quiet\n"}, "", "systemd-boot",
		},
		"in no entry": {desk: desk{files: map[string]string{fallbackFile: fallback}}, step: word(old, "")},
		"no loader":   {desk: desk{}, step: word(old, "")},
		"no tool":     {desk: desk{files: map[string]string{grubSettings: archGRUB}, missing: noTools}, step: word(old, "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.desk.closed = []string{"/boot"}
			p := plan(tc.desk, finding(tc.step))
			if tc.wants == nil {
				if len(p.Steps) > 0 || len(p.Left) != 1 {
					t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
				}
				return
			}
			runs, files := "", 0
			for _, s := range p.Steps {
				if !s.Boot || !s.Root || s.ByHand == "" {
					t.Errorf("%+v", s)
				}
				if s.Act.Kind == state.Run {
					runs = strings.Join(s.Act.Argv, " ")
				} else {
					files++
				}
			}
			for file, want := range tc.wants {
				if got := written(t, p, file); got != want {
					t.Errorf("%s becomes\n%s\nwant\n%s", file, got, want)
				}
			}
			if runs != tc.runs || files != len(tc.wants) || !strings.Contains(strings.Join(p.Ways, "\n"), tc.way) {
				t.Errorf("runs %q, %d files, ways %q", runs, files, p.Ways)
			}
		})
	}
}

// TestWordsInAnImage: where only the list of words is known, what the machine starts
// from has to be made anew, and a person is told so.
func TestWordsInAnImage(t *testing.T) {
	t.Parallel()
	p := plan(desk{files: map[string]string{cmdlineFile: cmdline}, missing: []string{"proxmox-boot-tool"}}, finding(word("amdgpu.gttsize=8192", "")))
	if len(p.Steps) != 1 || len(p.Then) != 1 || !strings.Contains(p.Then[0], "holds a copy of /etc/kernel/cmdline") {
		t.Errorf("steps %+v, then %q", p.Steps, p.Then)
	}
	both := desk{files: map[string]string{cmdlineFile: cmdline, entryFile: entry}}
	if p := plan(both, finding(word("amdgpu.gttsize=8192", ""))); len(p.Steps) != 2 || len(p.Then) != 0 {
		t.Errorf("with an entry: steps %+v, then %q", p.Steps, p.Then)
	}
}

// TestLoadersTools: the command, its opposite, and the way to start without it.
func TestLoadersTools(t *testing.T) {
	t.Parallel()
	for line, tc := range map[string]struct{ back, way string }{
		"sudo grubby --update-kernel=ALL --remove-args=a=1 --args=b=2":              {"/usr/sbin/grubby --update-kernel=ALL --args=a=1 --remove-args=b=2", "Ctrl-X"},
		"sudo rpm-ostree kargs --delete-if-present=a=1":                             {"/usr/sbin/rpm-ostree kargs --append-if-missing=a=1", "rpm-ostree rollback"},
		"sudo kernelstub --delete-options a=1":                                      {"/usr/sbin/kernelstub --add-options a=1", "choose the old kernel"},
		"sudo kernelstub --add-options a=1":                                         {"/usr/sbin/kernelstub --delete-options a=1", "choose the old kernel"},
		"sudo grubby --update-kernel=ALL --make-default --args=init=/bin/sh":        {},
		"sudo kernelstub --esp-path /tmp":                                           {},
		"sudo rpm-ostree kargs --replace=init=/bin/sh":                              {},
		"sudo grub-mkconfig -o /etc/passwd":                                         {},
		"sudo grub2-mkconfig -o /boot/grub2/grub.cfg --output=/etc/cron.d/whatever": {},
	} {
		p := plan(desk{}, finding(remedy.Step{Kind: remedy.Command, Command: line, Root: true}))
		if tc.back == "" {
			if len(p.Steps) > 0 {
				t.Errorf("%s is run: %+v", line, p.Steps)
			}
			continue
		}
		if len(p.Steps) != 1 || strings.Join(p.Steps[0].Act.Back, " ") != tc.back || len(p.Ways) != 1 || !strings.Contains(p.Ways[0], tc.way) {
			t.Errorf("%s: steps %+v, ways %q", line, p.Steps, p.Ways)
		}
	}
}

// TestLoadersToolOnce: one command that includes another takes its place, or the
// word would be put back twice.
func TestLoadersToolOnce(t *testing.T) {
	t.Parallel()
	run := func(line string) remedy.Step { return remedy.Step{Kind: remedy.Command, Command: line, Root: true} }
	p := plan(desk{}, finding(run("sudo grubby --update-kernel=ALL --remove-args=a=1")), finding(run("sudo grubby --update-kernel=ALL --remove-args=a=1 --args=b=2")))
	if len(p.Steps) != 1 || len(p.Cures) != 2 || len(p.Steps[0].Act.Argv) != 4 {
		t.Errorf("steps %+v", p.Steps)
	}
}

// TestTheImageOfDracut: on a Debian with dracut the early boot image is made by it;
// elsewhere it is not known to be the one that the machine starts with.
func TestTheImageOfDracut(t *testing.T) {
	t.Parallel()
	run := func(line string) remedy.Step { return remedy.Step{Kind: remedy.Command, Command: line, Root: true} }
	p := plan(desk{missing: []string{"update-initramfs"}}, finding(run("sudo update-initramfs -u")))
	if len(p.Steps) != 1 || strings.Join(p.Steps[0].Act.Argv, " ") != "/usr/sbin/dracut --force" || p.Steps[0].Detail != "sudo dracut --force" || !p.Steps[0].Boot {
		t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
	}
	for _, d := range []desk{{missing: []string{"mkinitcpio"}}, {missing: []string{"mkinitcpio", "update-initramfs", "dracut"}}} {
		if p := plan(d, finding(run("sudo mkinitcpio -P")), finding(run("sudo update-initramfs -u"))); len(p.Left) == 0 || len(p.Steps) > 1 {
			t.Errorf("without %q: steps %+v", d.missing, p.Steps)
		}
	}
}

func TestOwners(t *testing.T) {
	t.Parallel()
	give := func(file, owner string) remedy.Step {
		return remedy.Step{Kind: remedy.ChangeOwner, Path: file, Value: owner, Root: true}
	}
	home := desk{files: map[string]string{"/home/ada/.cache/miopen/a.ukdb": "x", "/etc/shadow": "x"}}
	p := plan(home, finding(give("/home/ada/.cache/miopen/a.ukdb", "1000:1000"), give("/home/ada/.cache/miopen/a.ukdb-wal", "1000:1000")))
	if len(p.Steps) != 1 || p.Steps[0].Act.Kind != state.Own || p.Steps[0].Act.UID != 1000 || !p.Steps[0].Root {
		t.Errorf("steps %+v, left %+v", p.Steps, p.Left)
	}
	home.missing = []string{"sudo"}
	for name, f := range map[string]remedy.Step{
		"no sudo": give("/home/ada/.cache/miopen/a.ukdb", "1000:1000"), "the system": give("/etc/shadow", "1000:1000"),
		"nobody": give("/home/ada/.cache/miopen/a.ukdb", "$(id -u):$(id -g)"), "nothing": give("/home/ada/none", "1000:1000"),
	} {
		if p := plan(home, finding(f)); len(p.Steps) > 0 || len(p.Left) != 1 {
			t.Errorf("%s: %+v", name, p.Steps)
		}
	}
}

// TestOwnersWithinTheHome: a folder changes hands with all that is in it, so it
// must be the new owner's by where it is, not by how it is called.
func TestOwnersWithinTheHome(t *testing.T) {
	t.Parallel()
	caches := func(to string, owner map[string]uint32) desk {
		return desk{
			files: map[string]string{"/home/ada/x": "", "/scratch/caches/bob/y": "", "/home/ada/real/z": "", "/scratch/ada/caches/y": ""},
			links: map[string]string{"/home/ada/.cache": to}, owner: owner,
		}
	}
	step := remedy.Step{Kind: remedy.ChangeOwner, Path: "/home/ada/.cache", Value: "1000:1000", Root: true, Text: "do it"}
	for name, tc := range map[string]struct {
		desk desk
		who  fix.Person
		want bool
	}{
		"in the home":              {caches("/home/ada/real", nil), ada, true},
		"a place of many":          {caches("/scratch/caches", nil), ada, false},
		"bob's":                    {caches("/home/ada/real", map[string]uint32{"/home/ada/real": 1001}), ada, false},
		"root, in ada's home":      {caches("/home/ada/real", map[string]uint32{"/home/ada": 1000}), fix.Person{Home: "/root"}, true},
		"root, in ada's folder":    {caches("/scratch/ada/caches", map[string]uint32{"/scratch/ada": 1000}), fix.Person{Home: "/root"}, true},
		"root, in a place of many": {caches("/scratch/caches", map[string]uint32{"/home/ada": 1000}), fix.Person{Home: "/root"}, false},
	} {
		p, err := fix.Parts([]remedy.Step{step}, tc.who, tc.desk)
		if taken := err == nil && len(p.Steps) == 1; taken != tc.want {
			t.Errorf("%s: %+v, %v", name, p.Steps, err)
		}
	}
}
