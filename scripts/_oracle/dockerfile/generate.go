package main

import (
	"math/rand/v2"
	"strings"
)

// generate makes a file up: every kind of instruction, with what makes reading
// them hard strewn in.
func generate(seed uint64) []byte {
	g := &generator{rand.New(rand.NewPCG(seed, 10)), '\\', "\n"}
	if g.one(5) {
		g.end = "\r\n"
	}
	var out strings.Builder
	if g.one(20) {
		out.WriteString("\uFEFF")
	}
	if g.one(4) {
		out.WriteString(g.pick("# syntax=docker/dockerfile:1", "#syntax = a b", "# check=skip=all", "# not=one", "#!shebang") + g.end)
	}
	if g.one(6) {
		g.escape = '`'
		out.WriteString(g.pick("# escape=`", "#escape = ` ", "# Escape=`") + g.end)
	}
	for range 1 + g.IntN(8) {
		out.WriteString(g.instruction())
		if g.one(4) {
			out.WriteString(g.pick("", "  ", "# comment \\", "\t# comment", "#") + g.end)
		}
	}
	text := out.String()
	if g.one(6) {
		text = strings.TrimRight(text, "\r\n")
	}
	return []byte(text)
}

type generator struct {
	*rand.Rand
	escape byte
	end    string
}

func (g *generator) one(of int) bool            { return g.IntN(of) == 0 }
func (g *generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g *generator) instruction() string {
	line := g.indented() + g.body()
	if g.one(12) && !strings.HasPrefix(strings.TrimSpace(line), "ONBUILD") {
		line = "ONBUILD " + strings.TrimLeft(line, " \t")
	}
	return line
}

func (g *generator) indented() string { return g.pick("", "", "", " ", "\t", "  ") }

func (g *generator) body() string {
	switch g.IntN(12) {
	case 0, 1:
		return g.pick("FROM", "from", "From") + g.gap() + g.flags("--platform=linux/amd64") + g.pick("rocm/pytorch:latest", "${BASE:-a}", "a@sha256:0", "scratch") + g.pick("", " AS b", " as c") + g.tail()
	case 2, 3:
		return "RUN" + g.gap() + g.flags("--mount=type=cache,target=/x", "--network=none") + g.shell()
	case 4, 5:
		return g.pick("ENV", "LABEL", "env") + g.gap() + g.pairs() + g.tail()
	case 6:
		return "ARG" + g.gap() + g.pick("A", "A=1", "A=\"x y\" B", "A='q' B=2", "A=${B:-c}") + g.tail()
	case 7, 8:
		return g.pick("COPY", "ADD") + g.gap() + g.flags("--from=b", "--chown=1:1", "--link") + g.pick("a b", "[\"a b\", \"/\"]", "[\"a\" b", g.word()+" /", "[ 'a', 'b' ]") + g.tail()
	case 9:
		return g.pick("CMD", "ENTRYPOINT", "SHELL", "VOLUME") + g.gap() + g.pick("[\"a\", \"b\"]", "a b", "[]", "[\"a\",]", "[ \"\\u00e9\\\"\" , \"b\" ]  ", "sh -c \"x\"") + g.tail()
	case 10:
		return g.pick("USER a", "WORKDIR /a b", "STOPSIGNAL 9", "EXPOSE 80  443/tcp", "HEALTHCHECK NONE", "HEALTHCHECK --interval=5s CMD a b", "HEALTHCHECK CMD [\"a\"]", "MAINTAINER a b", "NOSUCH a b", "{{ template }}", "RUN", "ENV", "HEALTHCHECK") + g.tail()
	}
	return g.heredoc()
}

func (g *generator) gap() string {
	return g.pick(" ", " ", "  ", "\t", " "+string(g.escape)+g.end+"  ")
}

func (g *generator) tail() string {
	return g.pick("", "", "", " ", "\t", " "+string(g.escape)+" "+g.end+"# in between"+g.end+g.end+" ") + g.end
}

func (g *generator) flags(from ...string) string {
	if g.one(3) {
		return g.pick(from...) + " " + g.pick("", "", "--x=\"a b\" ", "-- ", "--y='z' ")
	}
	return ""
}

func (g *generator) word() string {
	return g.pick("a", "b=c", "\"d e\"", "'f g'", "h"+string(g.escape)+" i", "$J", "${K}", "ü", string(g.escape)+string(g.escape), "l#m", "\"n"+string(g.escape)+"\"o\"")
}

func (g *generator) pairs() string {
	if g.one(4) {
		return g.pick("A b", "A b=c d", "A  \"b\"", "A\tb")
	}
	var out []string
	for range 1 + g.IntN(3) {
		out = append(out, g.pick("A", "B_1", "lower")+"="+g.word())
	}
	between := g.pick(" ", "  ", " "+string(g.escape)+g.end+"\t")
	return strings.Join(out, between)
}

func (g *generator) shell() string {
	var out strings.Builder
	for i := range 1 + g.IntN(4) {
		if i > 0 {
			out.WriteString(g.pick(" && ", " ; ", " | ", " "+string(g.escape)+g.end+"  && ", " && "+string(g.escape)+"  "+g.end+" # why"+g.end+"  ", string(g.escape)+g.end+g.end))
		}
		out.WriteString(g.pick("pip install ", "echo ", "") + g.word() + " " + g.word())
	}
	return out.String() + g.tail()
}

func (g *generator) heredoc() string {
	name := g.pick("EOF", "'EOF'", "\"EOF\"", "E2")
	plain := strings.Trim(name, "'\"")
	dash, tabs := "", ""
	if g.one(3) {
		dash, tabs = "-", "\t"
	}
	head := g.pick("RUN ", "RUN bash ", "RUN python3 - ", "COPY ", "RUN --mount=type=cache,target=/x ") + g.pick("", "", "0", "3") + "<<" + dash + name
	if strings.HasPrefix(head, "COPY") {
		head += " /file"
	}
	body := g.pick("", "pip install x"+g.end, "# c"+g.end+" y \\"+g.end, g.end, "EOFX"+g.end)
	return head + g.end + body + tabs + plain + g.end
}
