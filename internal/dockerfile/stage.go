package dockerfile

import (
	"strconv"
	"strings"
)

// A Stage is what one FROM begins.
type Stage struct {
	Name string // after AS, lower case; "" where it has none
	From *Instruction
	// Image is the base as it was written, and Base what becomes of it with the
	// defaults of ARG. It is "" where an argument has no default.
	Image Word
	Base  string
	// On is the earlier stage that the base names, nil where it is an image.
	On           *Stage
	Instructions []*Instruction // after FROM, those of ONBUILD included
}

// Root is the image that a stage comes down to, through the stages it builds on.
func (s *Stage) Root() string {
	for s.On != nil {
		s = s.On
	}
	return s.Base
}

// Stages returns the stages of a file in their order.
func (f *File) Stages() []*Stage {
	var out []*Stage
	args := map[string]string{}
	named := map[string]*Stage{} // by name, and by number
	for _, in := range f.Instructions {
		switch {
		case in.Name == "FROM" && len(in.Words) > 0:
			s := f.stage(in, args, named)
			named[strconv.Itoa(len(out))] = s
			if s.Name != "" {
				named[s.Name] = s
			}
			out = append(out, s)
		case len(out) > 0:
			s := out[len(out)-1]
			s.Instructions = append(s.Instructions, in)
		case in.Name == "ARG":
			f.defaults(in, args)
		}
	}
	return out
}

// defaults adds the arguments of an ARG before the first FROM.
func (f *File) defaults(in *Instruction, args map[string]string) {
	for _, p := range in.Pairs {
		if p.Bare {
			continue
		}
		if value, ok := f.Expand(p.Value.Text, args); ok {
			args[p.Name.Text] = value
		}
	}
}

func (f *File) stage(in *Instruction, args map[string]string, earlier map[string]*Stage) *Stage {
	s := &Stage{From: in, Image: in.Words[0]}
	if len(in.Words) == 3 && strings.EqualFold(in.Words[1].Text, "AS") {
		s.Name = strings.ToLower(in.Words[2].Text)
	}
	if base, ok := f.Expand(s.Image.Text, args); ok {
		s.Base, s.On = base, earlier[strings.ToLower(base)]
	}
	return s
}
