package compose

import (
	"bytes"
	"fmt"
	"path"

	"github.com/rocsmith/rocsmith/internal/composefile"
	"github.com/rocsmith/rocsmith/internal/lint"
)

// sampled is where the project itself says that a variable is to be set by whoever
// installs it: in an example of .env, or in a script that writes it. Such a .env is
// on no machine but theirs, and that it is not here is no mistake of the files.
func sampled(p *lint.Pass, name string) (place string, ok bool) {
	for _, f := range p.Files {
		if f.Kind != lint.Script && (f.Kind != lint.EnvFile || path.Base(f.Path) == ".env") {
			continue
		}
		if line := assigned(f.Data, name); line > 0 {
			return fmt.Sprintf("%s:%d", p.Name(f), line), true
		}
	}
	return "", false
}

// sampledAll tells that all variables of a value are set so, and where the first is.
func sampledAll(p *lint.Pass, v *composefile.Value) (place string, ok bool) {
	for _, ref := range v.Vars {
		where, told := sampled(p, ref.Name)
		if !told {
			return "", false
		}
		if place == "" {
			place = where
		}
	}
	return place, place != ""
}

// assigned is the first line with NAME=, 0 where there is none.
func assigned(data []byte, name string) int {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		i := bytes.Index(text, []byte(name+"="))
		if i == 0 || i > 0 && !isName(text[i-1]) {
			return line
		}
	}
	return 0
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
