package devcontainer

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/dockerfile"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

// A settings is a devcontainer.json that is about AMD GPUs, or seems to be.
type settings struct {
	*value
	file *lint.File
	sign string // why it seems so
	args []argument
}

// An argument is a flag of runArgs with its value, in one string or in two.
type argument struct {
	flag, value string
	first, last *value // the same, where flag and value are one string
}

// all returns those of a project. Settings that lead to compose files get nothing
// by runArgs, and are judged with those.
func all(p *lint.Pass) []*settings {
	var out []*settings
	for _, f := range p.Of(lint.DevContainer) {
		v, err := parse(f.Data)
		if err != nil || v.get("dockerComposeFile") != nil {
			continue // said by project/readable, or by the rules of compose
		}
		s := &settings{value: v, file: f, args: arguments(v.get("runArgs"))}
		if s.sign = s.computes(p.Project); s.sign != "" {
			out = append(out, s)
		}
	}
	return out
}

func arguments(list *value) []argument {
	if list == nil {
		return nil
	}
	var out []argument
	for i := 0; i < len(list.items); i++ {
		v := list.items[i]
		flag, text, joined := strings.Cut(v.text, "=")
		a := argument{flag: flag, value: text, first: v, last: v}
		if !joined && i+1 < len(list.items) && !strings.HasPrefix(list.items[i+1].text, "-") {
			i++
			a.value, a.last = list.items[i].text, list.items[i]
		}
		out = append(out, a)
	}
	return out
}

// of returns the arguments of a flag.
func (s *settings) of(flag string) []argument {
	return slices.DeleteFunc(slices.Clone(s.args), func(a argument) bool { return a.flag != flag })
}

func (s *settings) computes(p *lint.Project) string {
	image := s.image(p)
	repository, tag, _ := rocm.SplitImage(image)
	switch {
	case image != "" && rocm.ForROCm(repository, tag):
		return "its image is " + image
	case s.has("/dev/kfd"), s.byCDI():
		return "it is given the GPU"
	}
	for _, list := range []string{"containerEnv", "remoteEnv"} {
		env := s.get(list)
		if env == nil {
			continue
		}
		for _, m := range env.members {
			if slices.ContainsFunc([]string{"HSA_", "HIP_", "ROCR_"}, func(p string) bool { return strings.HasPrefix(m.key, p) }) {
				return "it is given " + m.key
			}
		}
	}
	return ""
}

// image is the one that is named, or the one on which the Dockerfile builds.
func (s *settings) image(p *lint.Project) string {
	if named := s.get("image").string(); named != "" {
		return named
	}
	name := s.get("build").get("dockerfile").string()
	if name == "" {
		name = s.get("dockerFile").string() // the older place
	}
	if name == "" || path.IsAbs(name) {
		return ""
	}
	f, err := p.File(path.Join(path.Dir(s.file.Path), name), lint.Dockerfile)
	if err != nil {
		return ""
	}
	d, err := dockerfile.Parse(f.Data)
	if err != nil {
		return ""
	}
	stages := d.Stages()
	if len(stages) == 0 {
		return ""
	}
	return stages[len(stages)-1].Root()
}

// has tells whether a device is passed, by itself or with its folder.
func (s *settings) has(device string) bool {
	return slices.ContainsFunc(s.of("--device"), func(a argument) bool {
		host, _, _ := strings.Cut(a.value, ":")
		host = path.Clean(host)
		return host == device || host == "/dev" || strings.HasPrefix(host, device+"/")
	})
}

func (s *settings) byCDI() bool {
	return slices.ContainsFunc(s.of("--device"), func(a argument) bool { return strings.HasPrefix(a.value, "amd.com/gpu") })
}

// privileged is where the container is said to be so.
func (s *settings) privileged() *value {
	if v := s.get("privileged"); v != nil && v.literal == "true" {
		return v
	}
	for _, a := range s.of("--privileged") {
		if a.value != "false" {
			return a.first
		}
	}
	return nil
}

func (s *settings) line(at *value) int {
	if at == nil {
		at = s.value
	}
	return 1 + bytes.Count(s.file.Data[:at.start], []byte("\n"))
}

// add puts arguments at the end of runArgs, in the way in which it is written;
// where there is none, it is made behind the image.
func (s *settings) add(title string, args ...string) *lint.Mend {
	list := s.get("runArgs")
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = `"` + a + `"`
	}
	whole := "[" + strings.Join(quoted, ", ") + "]"
	switch {
	case list != nil && !list.list:
		return nil
	case list != nil && len(list.items) == 0:
		inside := s.file.Data[list.start+1 : list.end-1]
		if len(bytes.TrimSpace(inside)) > 0 { // a comment, which stays
			return s.mend(title, list.start+1, list.start+1, strings.Join(quoted, ", "))
		}
		return s.mend(title, list.start, list.end, whole)
	case list != nil:
		last := list.items[len(list.items)-1]
		return &lint.Mend{Title: title, Edits: s.behind(last.end, last.start, quoted)}
	}
	for _, key := range []string{"build", "image", "dockerFile"} {
		for _, m := range s.members {
			if m.key == key {
				return &lint.Mend{Title: title, Edits: s.behind(m.value.end, m.start, []string{`"runArgs": ` + whole})}
			}
		}
	}
	return nil
}

// behind puts members behind one that ends at a place and begins at another, on
// lines of their own where it has one; a comment behind it stays with it.
func (s *settings) behind(end, start int, texts []string) []lint.Edit {
	gap := s.newLine(start)
	rest := lineRest(s.file.Data[end:])
	edit := func(at int, text string) lint.Edit { return lint.Edit{File: s.file, Start: at, End: at, New: text} }
	comma, alone := endsMember(rest)
	switch {
	case gap == " " || !alone || len(rest) == 0:
		return []lint.Edit{edit(end, ","+gap+strings.Join(texts, ","+gap))}
	case comma:
		return []lint.Edit{edit(end+len(rest), gap+strings.Join(texts, ","+gap)+",")}
	}
	return []lint.Edit{edit(end, ","), edit(end+len(rest), gap+strings.Join(texts, ","+gap))}
}

// endsMember tells whether the rest of a line behind a member is no more than a
// comma, and a comment that ends with the line: then another one may follow there.
func endsMember(rest []byte) (comma, alone bool) {
	blank := func(b []byte) []byte { return bytes.TrimLeft(b, " \t") }
	rest, comma = bytes.CutPrefix(blank(rest), []byte(","))
	rest = blank(rest)
	return comma, len(rest) == 0 || bytes.HasPrefix(rest, []byte("//"))
}

// lineRest is what is left of a line, without its end.
func lineRest(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// newLine is a line end, and what stands in front of a place in its line; a blank
// where something else stands there too.
func (s *settings) newLine(at int) string {
	from := bytes.LastIndexByte(s.file.Data[:at], '\n') + 1
	before := s.file.Data[from:at]
	if from == 0 || len(bytes.TrimLeft(before, " \t")) > 0 {
		return " "
	}
	eol := "\n"
	if from > 1 && s.file.Data[from-2] == '\r' {
		eol = "\r\n"
	}
	return eol + string(before)
}

func (s *settings) mend(title string, start, end int, text string) *lint.Mend {
	return &lint.Mend{Title: title, Edits: []lint.Edit{{File: s.file, Start: start, End: end, New: text}}}
}
