package compose_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generate makes a project of some files from a seed: services that extend and
// override each other, in all the forms that compose allows.
func generate(seed uint64) map[string]string {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 7))}
	files := map[string]string{"compose.yaml": g.file([]string{"a", "b", "c"}, true)}
	if g.often(60) {
		files["compose.override.yml"] = g.file([]string{"a", "c"}, false)
	}
	files["base.yml"] = g.plain([]string{"base", "root"})
	files["sub/compose.yaml"] = g.plain([]string{"s"})
	files["one.env"] = "FROM_FILE=1\nA=file\nB=\"two words\" # c\nexport C='$A'\nD=${A}-${NONE:-none}\n"
	files["sub/one.env"] = files["one.env"]
	if g.often(70) {
		files[".env"] = g.pick("RENDER_GID=110\n", "# x\nRENDER_GID='105'\nVIDEO_GID=44\n", "export RENDER_GID=\"1${VIDEO_GID:-09}\"\n")
	}
	if g.often(50) {
		files["sub/.env"] = "RENDER_GID=7\nSUB=8\n"
	}
	return files
}

type generator struct{ rng *rand.Rand }

func (g *generator) often(percent int) bool { return g.rng.IntN(100) < percent }

func (g *generator) pick(from ...string) string { return from[g.rng.IntN(len(from))] }

// file is a compose file with anchors, includes and extends.
func (g *generator) file(names []string, main bool) string {
	var b strings.Builder
	if main && g.often(30) {
		b.WriteString(g.pick("include:\n  - sub/compose.yaml\n", "include:\n  - path: sub/compose.yaml\n", "include: [{path: [sub/compose.yaml], project_directory: .}]\n"))
	}
	anchor := g.often(50)
	if anchor {
		b.WriteString("x-gpu: &gpu\n  group_add:\n    - " + g.group() + "\n  ipc: host\n")
	}
	b.WriteString("services:\n")
	for i, name := range names {
		if i > 0 && g.often(25) {
			continue
		}
		fmt.Fprintf(&b, "  %s:\n    image: %s\n", name, g.pick("rocm/pytorch", "x:${TAG:-latest}", "\"y\""))
		if anchor && g.often(50) {
			b.WriteString("    <<: *gpu\n")
		}
		if main && name != "a" && g.often(40) {
			b.WriteString(g.pick("    extends: a\n", "    extends: {service: a}\n", "    extends:\n      file: base.yml\n      service: base\n"))
		}
		b.WriteString(g.keys("    "))
	}
	return b.String()
}

func (g *generator) plain(names []string) string {
	var b strings.Builder
	b.WriteString("services:\n")
	for i, name := range names {
		fmt.Fprintf(&b, "  %s:\n    image: p\n", name)
		if i == 0 && len(names) > 1 && g.often(50) {
			fmt.Fprintf(&b, "    extends: %s\n", names[1])
		}
		b.WriteString(g.keys("    "))
	}
	return b.String()
}

func (g *generator) group() string {
	return g.pick("video", "render", "44", "\"44\"", "110", "${RENDER_GID:-110}", "'${VIDEO_GID:-44}'", "\"$SHELL_GID\"", "keep-groups", "${SHELL_EMPTY:-9}", "${SHELL_EMPTY-9}x")
}

// keys writes some keys of a service, each in one of its forms.
func (g *generator) keys(indent string) string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(indent + fmt.Sprintf(format, args...) + "\n") }
	if g.often(50) && !strings.Contains(b.String(), "group_add") {
		switch g.rng.IntN(3) {
		case 0:
			line("group_add: [%s, %s]", g.flow(g.group()), g.flow(g.group()))
		case 1:
			line("group_add:")
			for range 1 + g.rng.IntN(3) {
				line("%s- %s", g.pick("", "  ")[:0], g.group())
			}
		case 2:
			line("group_add: !override [%s]", g.flow(g.group()))
		}
	}
	if g.often(60) {
		line("devices:")
		for range 1 + g.rng.IntN(3) {
			line("  - %s", g.pick("/dev/kfd", "/dev/dri", "/dev/dri:/dev/dri:rw", "\"/dev/kfd:/dev/kfd\"", "{source: /dev/x, target: /dev/kfd, permissions: rw}"))
		}
	}
	if g.often(50) {
		line("%s", g.pick("environment: {A: 1, B: , C: 'x y'}", "environment:\n"+indent+"  - A=list\n"+indent+"  - PASSED\n"+indent+"  - NOT_PASSED", "environment:\n"+indent+"  A: ${SUB:-none}\n"+indent+"  T: true\n"+indent+"  H: 0x1F\n"+indent+"  Q: \"$$X\"\n"+indent+"  PASSED:", "environment: []"))
	}
	if g.often(30) {
		line("%s", g.pick("env_file: one.env", "env_file: [one.env]", "env_file:\n"+indent+"  - path: gone.env\n"+indent+"    required: false"))
	}
	if g.often(40) {
		line("volumes:")
		for range 1 + g.rng.IntN(3) {
			line("  - %s", g.pick("./cache:/cache", "./other:/cache:ro", "data:/data", "/abs:/abs:rw,z", "{type: bind, source: ./long, target: /long, read_only: true}", "/anonymous", "../up:/up:Z"))
		}
	}
	for _, one := range []string{"ipc: host", "shm_size: 16g", "shm_size: 1024", "privileged: true", "user: \"${LOCAL_UID:-1000}:${LOCAL_GID:-1000}\"", "user: 1000:1000", "userns_mode: host",
		"cap_add: [SYS_PTRACE, SYS_ADMIN]", "security_opt: [seccomp=unconfined]", "security_opt:\n" + indent + "- label=disable\n" + indent + "- seccomp:unconfined", "profiles: [gpu]",
		"build: .", "build: {context: ./b, dockerfile: D}", "gpus: all", "deploy: {resources: {reservations: {devices: [{driver: cdi, device_ids: [amd.com/gpu=all], capabilities: [gpu]}]}}}",
	} {
		key, _, _ := strings.Cut(one, ":")
		if g.often(20) && !strings.Contains("\n"+b.String(), "\n"+indent+key+":") {
			line("%s", one)
		}
	}
	return b.String()
}

// flow quotes what brackets would break.
func (g *generator) flow(text string) string {
	if strings.HasPrefix(text, "$") {
		return "\"" + text + "\""
	}
	return text
}
