package rocm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Image is what the name of a container image tells of it.
type Image struct {
	Repository words  // one or several of the same kind
	Tags       string // a pattern: the row is about these tags only
	Scheme     string // a pattern that every tag of the publisher matches
	Says       string // the scheme for people
	Example    string // a tag
	Floating   []string
	Torch      bool     // it brings torch for ROCm
	Brings     []string // Python packages
	TorchIn    string   `json:"torch_in"` // patterns that find versions in a tag
	ROCmIn     string   `json:"rocm_in"`
	Gfx        []string
	Generation string // the beginning of that of all GPUs that it holds code for
	Provenance
}

type imageFile struct{ Images []Image }

var knownImages = sync.OnceValue(func() []Image { return load[imageFile]("images").Images })

// Images are the images that are known.
func Images() []Image { return slices.Clone(knownImages()) }

// LookupImage finds what is known of an image by its repository, without docker.io/, and its tag.
func LookupImage(repository, tag string) (Image, bool) {
	repository = strings.TrimPrefix(repository, "docker.io/")
	return find(knownImages(), func(i Image) bool {
		return slices.Contains(i.Repository, repository) && (i.Tags == "" || matches(i.Tags, tag))
	})
}

// SplitImage divides the name of an image, [registry/]repository[:tag][@digest], into
// its parts.
func SplitImage(name string) (repository, tag, digest string) {
	repository, digest, _ = strings.Cut(name, "@")
	if i := strings.LastIndexByte(repository, ':'); i > strings.LastIndexByte(repository, '/') {
		repository, tag = repository[:i], repository[i+1:]
	}
	return repository, tag, digest
}

// ForROCm tells by its name whether an image is made for AMD GPUs.
func ForROCm(repository, tag string) bool {
	repository = strings.TrimPrefix(repository, "docker.io/")
	if strings.HasPrefix(repository, "rocm/") || strings.Contains(repository, "rocm") {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(tag, func(r rune) bool { return r == '-' || r == '_' }), func(word string) bool {
		return strings.TrimRight(word, "0123456789.") == "rocm"
	})
}

// FollowsScheme tells whether a tag may be one of the publisher's. It is true where no scheme is known.
func (i Image) FollowsScheme(tag string) bool { return i.Scheme == "" || matches(i.Scheme, tag) }

// Versions finds the versions of torch and ROCm in a tag; each is "" where the tag does not tell.
func (i Image) Versions(tag string) (torch, release string) {
	return submatch(i.TorchIn, tag), submatch(i.ROCmIn, tag)
}

// Targets are the GPUs that an image holds code for, with how it is known. Of an image with torch the list is that of
// the wheel of the same versions. It is not ok where nothing is known.
func (i Image) Targets(tag string) (gfx []string, from Provenance, ok bool) {
	switch {
	case len(i.Gfx) > 0:
		return i.Gfx, i.Provenance, true
	case i.Generation != "":
		for _, t := range Targets() {
			if strings.HasPrefix(t.Generation, i.Generation) {
				gfx = append(gfx, t.Gfx)
			}
		}
		return gfx, i.Provenance, true
	case !i.Torch:
		return nil, Provenance{}, false
	}
	torch, release := i.Versions(tag)
	gfx, wheel, ok := TorchTargets(torch + "+rocm" + release)
	return gfx, wheel.Provenance, ok
}

func matches(pattern, s string) bool { return compiled(pattern).MatchString(s) }

func submatch(pattern, s string) string {
	if pattern == "" {
		return ""
	}
	if m := compiled(pattern).FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// imagePatterns are those of the table, compiled when the first one is asked for.
var imagePatterns = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for _, i := range knownImages() {
		for _, pattern := range []string{i.Tags, i.Scheme, i.TorchIn, i.ROCmIn} {
			if pattern != "" {
				out[pattern] = regexp.MustCompile(pattern)
			}
		}
	}
	return out
})

func compiled(pattern string) *regexp.Regexp { return imagePatterns()[pattern] }
