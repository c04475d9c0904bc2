package fix

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/state"
)

var sha256Sum = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// kernelFolder is the end of the only folders that files are copied into: rocBLAS
// looks for its kernels there.
func kernelFolder(dir string) bool {
	return path.Base(dir) == "library" && strings.Contains(dir, "/rocblas/")
}

func awayWith(place string) string {
	return fmt.Sprintf("in %s, move the files away that rocsmith put there (rocsmith case names them), and take .aside off the names of those that have it", path.Dir(place))
}

// copy adds a file from elsewhere. What has its name is moved aside first.
func (b *builder) copy(s remedy.Step) error {
	switch {
	case !kernelFolder(path.Dir(s.Path)):
		return fmt.Errorf("%s is no place for kernels of rocBLAS", s.Path)
	case !path.IsAbs(s.From) || !sha256Sum().MatchString(s.Sum):
		return fmt.Errorf("%s: it is not known what is to be copied there", s.Path)
	}
	place, image, err := b.world.Look(s.Path, false)
	switch {
	case err != nil:
		return err
	case image.Folder:
		return fmt.Errorf("%s is a folder", place)
	case !image.Absent:
		if err := b.moveAside(remedy.Step{Kind: remedy.MoveAside, Text: s.Text, Path: place}); err != nil {
			return err
		}
		last := &b.others[len(b.others)-1]
		last.Source, last.ByHand = nil, awayWith(place) // whoever takes the copy over moves aside as well
	}
	s.Path = place
	b.others = append(b.others, Step{
		Title: "copy " + path.Base(s.From) + " to " + place, Detail: "SHA-256 " + s.Sum, ByHand: awayWith(place),
		Root:   b.who.UID != 0 && !b.world.MayWrite(path.Dir(place)),
		Act:    state.Act{Kind: state.Copy, Path: place, From: s.From, Before: state.Image{Absent: true}, Mode: publicMode, Size: s.Size, Sum: s.Sum},
		Source: []remedy.Step{s},
	})
	return nil
}
