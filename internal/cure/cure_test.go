package cure

import (
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

func TestBookLoads(t *testing.T) {
	t.Parallel()
	ids, err := IDs()
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) < 20 {
		t.Errorf("only %d cures", len(ids))
	}
}

func TestForFollowsTheMachine(t *testing.T) {
	t.Parallel()
	in := func(kind string, rootless bool) *machine.Machine {
		return &machine.Machine{Container: machine.Know(machine.Container{Kind: kind, Rootless: rootless}, "test")}
	}
	on := func(distro string, like ...string) *machine.Machine {
		return &machine.Machine{
			Container: machine.Missing[machine.Container]("test"),
			Distro:    machine.Know(machine.Distro{ID: distro, Like: like}, "test"),
		}
	}
	gid := Values{"gids": "110", "all": "110", "flags": "--group-add 110", "quoted": `"110"`}
	word := Values{"text": "nomodeset"}
	silverblue := on("fedora")
	silverblue.Distro.Value.Immutable = true
	tests := []struct {
		name, id string
		m        *machine.Machine
		values   Values
		want     string
	}{
		{"docker takes the number", "container-add-gids", in("docker", false), gid, "docker run --device /dev/kfd --device /dev/dri --group-add 110"},
		{"rootless podman keeps groups", "container-add-gids", in("podman", true), gid, "--group-add keep-groups"},
		{"rootful podman takes the number", "container-add-gids", in("podman", false), gid, "podman run --device /dev/kfd --device /dev/dri --group-add 110"},
		{"kubernetes has a field", "container-add-gids", in("kubernetes", false), gid, "supplementalGroups: [110]"},
		{"fedora has grubby", "remove-kernel-word", on("fedora"), word, "grubby"},
		{"mint is like ubuntu", "remove-kernel-word", on("linuxmint", "ubuntu", "debian"), word, "update-grub"},
		{"mint is nearest to ubuntu", "update-firmware", on("linuxmint", "ubuntu", "debian"), Values{"want": "x"}, "install linux-firmware"},
		{"debian has its own name", "update-firmware", on("debian"), Values{"want": "x"}, "install firmware-amd-graphics"},
		{"a container has a host", "update-firmware", in("systemd-nspawn", false), Values{"want": "x"}, "on the host: x"},
		{"an image whose boot image is made elsewhere", "change-parameter", silverblue, Values{"title": "x", "edit": "x", "path": "/etc/modprobe.d/x.conf", "line": "1", "old": "a=1", "new": ""}, "rpm-ostree initramfs-etc --track=/etc/modprobe.d/x.conf"},
		{"a limit in the words of the kernel", "ttm-limit", silverblue, Values{"gib": "96", "module": "ttm", "path": "/etc/modprobe.d/ttm.conf", "pages": "25165824"}, "rpm-ostree kargs --append-if-missing=ttm.pages_limit=25165824"},
		{"an image is not patched", "update-firmware", &machine.Machine{Distro: machine.Know(machine.Distro{ID: "steamos", Like: []string{"arch"}, Immutable: true}, "test")}, Values{"want": "x"}, "x; then rebuild"},
		{"proxmox has a kernel of its own", "update-firmware", &machine.Machine{Kernel: machine.Know("6.14.8-2-pve", "test"), Distro: machine.Know(machine.Distro{ID: "debian"}, "test")}, Values{"want": "x"}, "x; then rebuild"},
		{"what comes from outside is one word", "remove-kernel-word", on("fedora"), Values{"text": "a';reboot;'"}, "--remove-args='a'\\'';reboot"},
		{"void has neither", "remove-kernel-word", on("void"), word, "boot loader's kernel options"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := For(tt.m, tt.id, tt.values)
			var all strings.Builder
			for _, s := range r.Steps {
				all.WriteString(s.Text + "\n" + s.Command + "\n")
			}
			if !strings.Contains(all.String(), tt.want) {
				t.Errorf("%s says\n%s\nwant %q in it", tt.id, all.String(), tt.want)
			}
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A line of somebody's file may look like a placeholder.
func TestForTakesBracesForText(t *testing.T) {
	t.Parallel()
	const line = "options amdgpu virtual_display={text}"
	r := For(&machine.Machine{}, "remove-kernel-word", Values{"text": line})
	if !strings.Contains(r.Title, line) {
		t.Errorf("the title is %q", r.Title)
	}
}

// Paths of Windows are pasted into PowerShell, which doubles an apostrophe.
func TestForQuotesForPowerShell(t *testing.T) {
	t.Parallel()
	r := For(&machine.Machine{OS: "windows"}, "hip-path-set", Values{"sdk": "6.2", "root": `C:\Users\O'Neil\ROCm\6.2\`})
	if got, want := r.Steps[1].Command, `$env:HIP_PATH = 'C:\Users\O''Neil\ROCm\6.2\'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestForPanicsOnItsOwnMistakes(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(){
		"no such cure":  func() { For(&machine.Machine{}, "snake-oil", nil) },
		"missing value": func() { For(&machine.Machine{}, "unset-variable", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const good = `{id: a, title: T, risk: safe, variants: [{steps: [{kind: manual, text: x}]}]}`
	for name, text := range map[string]string{
		"twice":        "- " + good + "\n- " + good,
		"no catch-all": `- {id: a, title: T, risk: safe, variants: [{when: {distro: [arch]}, steps: [{kind: manual, text: x}]}]}`,
		"sudo":         `- {id: a, title: T, risk: safe, variants: [{steps: [{kind: command, text: x, command: sudo true}]}]}`,
		"bad step":     `- {id: a, title: T, risk: safe, variants: [{steps: [{kind: manual, text: rm -rf /}]}]}`,
		"not a list":   `a: b`,
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Words are quoted one by one, and nothing in them ends a word early.
func TestWords(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]string{
		"torch torchvision":         {"torch", "torchvision"},
		"'numpy<2.4,>=1.22'":        {"numpy<2.4,>=1.22"},
		"'/home/a b/python' -m pip": {"/home/a b/python", "-m", "pip"},
	} {
		if got := word(Words(list...)); got != want {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
	if got := word(Words("a'; touch x; '", "$(id)")); got != "'a; touch x; ' '$(id)'" {
		t.Errorf("hostile words: %s", got)
	}
	// A value that only looks ready is one word like any other.
	if got := word(ready + "a; touch x"); got != "'"+ready+"a; touch x'" {
		t.Errorf("a hostile value: %q", got)
	}
}

// TestRestartsAreNotSafe: to start a service anew ends what it is at.
func TestRestartsAreNotSafe(t *testing.T) {
	t.Parallel()
	for _, read := range []func() (map[string]recipe, error){book, logBook} {
		recipes, err := read()
		if err != nil {
			t.Fatal(err)
		}
		for id, r := range recipes {
			for _, v := range r.Variants {
				for _, s := range v.Steps {
					if r.Apply && r.Risk == remedy.Safe && strings.Contains(s.Command, "systemctl") && strings.Contains(s.Command, " restart ") {
						t.Errorf("%s is called safe: %s", id, s.Command)
					}
				}
			}
		}
	}
}
