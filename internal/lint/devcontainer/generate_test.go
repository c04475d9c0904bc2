package devcontainer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generate makes a devcontainer.json from a seed, written as people and programs
// write them: on one line or many, with commas at either end of a line, and with
// comments wherever a blank may stand.
func generate(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 23))
	g := &maker{rng: rng, style: style(rng.IntN(4)), comments: []int{0, 5, 30}[rng.IntN(3)]}
	g.tab = g.pick("\t", "  ", "    ")
	g.value(g.settings(), 0)
	text := g.out.String() + g.pick("", "\n")
	if g.often(25) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

type style int

const (
	aLineEach   style = iota
	commasFirst       // at the beginning of lines
	oneLine
	anywhere
)

type maker struct {
	rng      *rand.Rand
	out      strings.Builder
	style    style
	tab      string
	comments int // how often there is one, in percent
}

// An object of JSON, in its order.
type object []pair

type pair struct {
	key   string
	value any // a string, a bool, a list or an object
}

func (g *maker) often(percent int) bool { return g.rng.IntN(100) < percent }

func (g *maker) pick(from ...string) string { return from[g.rng.IntN(len(from))] }

func (g *maker) settings() object {
	all := object{{"image", g.pick("rocm/pytorch:rocm7.2", "docker.io/rocm/vllm:x", "mcr.microsoft.com/devcontainers/base")}}
	for _, p := range (object{
		{"runArgs", g.args()},
		{"remoteUser", g.pick("vscode", "root")},
		{"privileged", g.often(20)},
		{"containerEnv", object{{"HSA_XNACK", "1"}, {"A//B", "// no comment"}}},
		{"mounts", []any{"source=/a,target=/b", object{{"source", "c"}, {"type", "volume"}}}},
		{"features", object{{"ghcr.io/x/y:1", object{}}}},
		{"customizations", object{{"vscode", object{{"extensions", []any{"a.b", "c.d"}}, {"runArgs", []any{"--gpus=all"}}}}}},
		{"name", g.pick("a \"b\"", "ünï 😀", "a\\b", "image")},
	}) {
		if g.often(45) {
			all = append(all, p)
		}
	}
	g.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (g *maker) args() []any {
	all := []string{
		"--device=/dev/dri", "--device /dev/dri", "--device=/dev/kfd", "--device=/dev/dri/renderD128:/dev/dri/renderD128",
		"--group-add=render", "--group-add=video", "--group-add render", "--group-add video", "--group-add=44", "--group-add 110",
		"--shm-size=16g", "--security-opt seccomp=unconfined", "--init", "-v /a//b:/c", "--gpus all", "--gpus=all", "--name=x,y",
	}
	out := []any{}
	for _, i := range g.rng.Perm(len(all)) {
		if g.often(35) {
			for _, part := range strings.Fields(all[i]) {
				out = append(out, part)
			}
		}
	}
	return out
}

func (g *maker) value(v any, depth int) {
	switch v := v.(type) {
	case string:
		g.text(v)
	case []any:
		g.many("[]", len(v), depth, func(i int) { g.value(v[i], depth+1) })
	case object:
		g.many("{}", len(v), depth, func(i int) {
			g.text(v[i].key)
			g.comment(depth)
			g.out.WriteString(":" + g.pick(" ", "", "  "))
			g.comment(depth)
			g.value(v[i].value, depth+1)
		})
	default:
		fmt.Fprint(&g.out, v)
	}
}

// text writes a string, of some with escapes that need not be.
func (g *maker) text(s string) {
	odd := g.often(8)
	g.out.WriteString(`"`)
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			g.out.WriteString(`\` + string(r))
		case odd && r < 0x80 && g.often(25):
			fmt.Fprintf(&g.out, `\u%04x`, r)
		default:
			g.out.WriteRune(r)
		}
	}
	g.out.WriteString(`"`)
}

// many writes what stands in brackets.
func (g *maker) many(brackets string, n, depth int, one func(int)) {
	was := g.style
	if g.style < oneLine && depth > 0 && g.often(40) {
		g.style = oneLine
	}
	g.out.WriteString(brackets[:1])
	g.comment(depth + 1)
	for i := range n {
		g.between(i, depth)
		g.comment(depth + 1)
		one(i)
		g.comment(depth + 1)
	}
	if n > 0 && g.often(25) {
		g.out.WriteString(",")
		g.comment(depth)
	}
	g.line(depth)
	g.out.WriteString(brackets[1:])
	g.style = was
}

func (g *maker) between(i, depth int) {
	if i > 0 && g.style == commasFirst {
		g.line(depth)
		g.out.WriteString(", ")
		return
	}
	if i > 0 {
		g.out.WriteString(",")
		g.comment(depth + 1)
	}
	g.line(depth + 1)
}

func (g *maker) line(depth int) {
	switch g.style {
	case oneLine:
		g.out.WriteString(g.pick("", " "))
	case anywhere:
		g.out.WriteString(g.pick("", " ", "\n", "\n\n\t", "\t ", " \n  "))
	default:
		g.out.WriteString("\n" + strings.Repeat(g.tab, depth))
	}
}

func (g *maker) comment(depth int) {
	if !g.often(g.comments) {
		return
	}
	words := g.pick("the GPU", "für später", "日本語 😀", "don't", "\"quoted\"", "// no", "{[", "]}", "render", "a, b", "\\") + fmt.Sprint(" ", g.rng.IntN(1000))
	switch {
	case g.style == oneLine || g.often(40):
		g.out.WriteString(g.pick(" ", "") + "/* " + words + " */" + g.pick(" ", ""))
	case g.often(20):
		g.out.WriteString(" /* a\n" + g.tab + "b */ ")
	default:
		g.out.WriteString(g.pick(" ", "\t", "") + "// " + words + g.pick("", "  ") + "\n" + strings.Repeat(g.tab, depth))
	}
}
