package compose

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generate makes a compose file from a seed, written as people and programs write
// them. It tells whether a mend may have to be refused: services share text, or a
// block of text keeps the blank lines behind it, among which a line would be
// removed.
func generate(seed uint64) (text string, refusals bool) {
	g := &maker{rng: rand.New(rand.NewPCG(seed, 11))}
	g.step = 2 + 2*g.rng.IntN(2)
	g.anchors = g.often(30)
	g.top()
	text = g.out.String()
	if g.often(25) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if g.often(15) {
		text = strings.TrimRight(text, "\r\n")
	}
	if g.often(5) {
		text = "\ufeff" + text
	}
	return text, g.anchors || strings.Contains(text, "|+")
}

type maker struct {
	rng     *rand.Rand
	out     strings.Builder
	step    int
	anchors bool
}

func (g *maker) often(percent int) bool { return g.rng.IntN(100) < percent }

func (g *maker) pick(from ...string) string { return from[g.rng.IntN(len(from))] }

// line writes a line, and around it what people leave there.
func (g *maker) line(depth int, text string) {
	if g.often(8) {
		g.out.WriteString(g.pick("\n", "   \n", strings.Repeat(" ", depth)+"# "+g.comment()+"\n", "# "+g.comment()+"\n"))
	}
	g.out.WriteString(strings.Repeat(" ", depth) + text)
	if g.often(12) && !strings.HasSuffix(text, "|") && !strings.HasSuffix(text, ">-") {
		g.out.WriteString(g.pick("  ", " # "+g.comment(), "\t# "+g.comment()))
	}
	g.out.WriteString("\n")
}

func (g *maker) comment() string {
	return g.pick("the GPU", "für später", "日本語 😀", "a: b", "don't", "- x", "\"quoted\"", "TODO(ada): later", "x # y", "") + fmt.Sprint(g.rng.IntN(1000))
}

func (g *maker) top() {
	if g.often(40) {
		g.line(0, g.pick("# compose", "---", "name: proj", "version: '3.8'"))
	}
	if g.anchors {
		g.line(0, "x-gpu: &gpu")
		g.list(g.step, "group_add", g.groups())
		g.line(g.step, "ipc: host")
		g.line(0, g.pick("x-dev: &dev [/dev/dri]", "x-dev: &dev ['/dev/kfd', \"/dev/dri\"]"))
	}
	if g.often(30) {
		g.deep(0, "x-"+g.pick("meta", "日本", "a b"), 1+g.rng.IntN(8))
	}
	g.line(0, "services:")
	for i := range 1 + g.rng.IntN(4) {
		g.service(fmt.Sprintf("%s%d", g.pick("app", "web-", "ünï"), i))
	}
	if g.often(30) {
		g.line(0, g.pick("volumes: {data: {}}", "volumes:\n"+strings.Repeat(" ", g.step)+"data:"))
	}
}

// deep nests mappings and lists.
func (g *maker) deep(depth int, key string, levels int) {
	if levels == 0 {
		g.line(depth, key+": "+g.scalar())
		return
	}
	g.line(depth, key+":")
	if g.often(30) {
		g.line(depth+g.step, "- "+g.scalar())
		g.line(depth+g.step, "- {a: [1, 2, {b: "+g.pick("render", "c")+"}], d: }")
		return
	}
	g.deep(depth+g.step, g.pick("k", "render", "devices", "ключ"), levels-1)
	if g.often(40) {
		g.line(depth+g.step, "z: "+g.scalar())
	}
}

func (g *maker) scalar() string {
	return g.pick("1", "text", "'it''s'", "\"a \\\" b\"", "~", "render", "video", "a b # c", "\"# no comment\"", "true", "2026-01-01", "'日本'", "http://x/y", "&n"+fmt.Sprint(g.rng.IntN(1e6))+" anchored")
}

func (g *maker) service(name string) {
	if g.often(15) {
		g.line(g.step, name+": "+g.flowService())
		return
	}
	in := 2 * g.step
	g.line(g.step, name+":")
	g.line(in, "image: "+g.pick("rocm/pytorch:rocm7.2", "\"rocm/x\"", "postgres:16", "'ollama/ollama:0.12.3-rocm'", "jellyfin/jellyfin"))
	parts := []func(){
		func() { g.list(in, "devices", g.nodes()) },
		func() {
			if g.anchors && g.often(50) {
				g.line(in, "<<: *gpu")
				return
			}
			g.list(in, "group_add", g.groups())
		},
		func() { g.line(in, "ipc: "+g.pick("host", "private", "\"host\"")) },
		func() { g.line(in, "shm_size: "+g.pick("16g", "\"1g\"", "1024")) },
		func() { g.line(in, "user: "+g.pick("\"1000:1000\"", "1000", "'1000'")) },
		func() { g.deep(in, "labels", 1) },
		func() { g.deep(in, "x-deep", g.rng.IntN(12)) },
		func() {
			g.line(in, "command: "+g.pick("|", ">-", "|+"))
			g.out.WriteString(strings.Repeat(" ", in+g.step) + "set -e\n")
			for range g.rng.IntN(4) {
				g.out.WriteString(strings.Repeat(" ", in+g.step) + g.pick("- render", "# not a comment", "devices: [x]", "  indented", "echo 'x'") + "\n")
			}
		},
		func() { g.line(in, "hostname: one\n"+strings.Repeat(" ", in+g.step)+"two") },
		func() { g.list(in, "dns", []string{"1.1.1.1"}) },
	}
	g.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, part := range parts {
		if g.often(45) {
			part()
		}
	}
}

// flowService is a service on one line.
func (g *maker) flowService() string {
	parts := []string{"image: " + g.pick("rocm/x", "\"rocm/pytorch:rocm7.2\"", "nginx")}
	if g.often(60) {
		parts = append(parts, "devices: ["+strings.Join(g.nodes(), g.pick(", ", ","))+"]")
	}
	if g.often(60) {
		parts = append(parts, "group_add: [ "+strings.Join(g.groups(), ", ")+g.pick(" ]", ",]", "]"))
	}
	if g.often(40) {
		parts = append(parts, "ipc: host, shm_size: 1g")
	}
	return "{" + strings.Join(parts, ", ") + g.pick("}", " }", ",}")
}

func (g *maker) nodes() []string {
	kfd := g.pick("/dev/kfd", "\"/dev/kfd:/dev/kfd\"", "'/dev/kfd:/dev/kfd:rwm'")
	dri := g.pick("/dev/dri", "\"/dev/dri:/dev/dri\"", "/dev/dri:/dev/dri:rw")
	switch g.rng.IntN(6) {
	case 0:
		return []string{dri}
	case 1:
		return []string{kfd}
	case 2:
		return []string{"/dev/snd"}
	case 3:
		return []string{"/dev/snd", dri, "\"/dev/fuse\""}
	}
	return []string{kfd, dri}
}

func (g *maker) groups() []string {
	all := []string{"render", "video", "44", "\"44\"", "110", "'110'", "audio", "\"1005\"", "992", "\"render\"", "'video'"}
	g.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	seen := map[string]bool{}
	var out []string
	for _, item := range all[:1+g.rng.IntN(3)] {
		if bare := strings.Trim(item, "'\""); !seen[bare] {
			seen[bare] = true
			out = append(out, item)
		}
	}
	return out
}

// list writes a key with a list in one of the forms that there are.
func (g *maker) list(depth int, key string, items []string) {
	if key == "devices" && g.anchors && g.often(30) {
		g.line(depth, "devices: *dev")
		return
	}
	switch g.rng.IntN(4) {
	case 0:
		g.line(depth, key+": ["+strings.Join(items, g.pick(", ", ",  "))+"]")
	case 1:
		g.line(depth, key+": [")
		for i, item := range items {
			comma := ","
			if i == len(items)-1 {
				comma = g.pick("", ",")
			}
			g.line(depth+g.step, item+comma)
		}
		g.line(depth, "]")
	default:
		g.line(depth, key+":")
		inner, gap := depth+g.pick2(0, 2, g.step), g.pick(" ", " ", "   ")
		for _, item := range items {
			g.line(inner, "-"+gap+item)
		}
	}
}

func (g *maker) pick2(from ...int) int { return from[g.rng.IntN(len(from))] }
