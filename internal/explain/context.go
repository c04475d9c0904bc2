package explain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/cause"
)

var (
	wholeGfx     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^gfx[0-9a-f]{3,4}$`) })
	variableName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:HSA|HIP|ROCR|ROCM|ROCBLAS|HIPBLASLT|MIOPEN|PYTORCH|TORCH|CUDA|NCCL|RCCL|AMD|GPU)_[A-Z0-9_]+$`)
	})
)

// FromJSON takes what it can from a report of another tool about the machine: rocm-cli's examination and RDHC's results
// name GPUs and variables, each in its own shape, and the shapes change. So names are believed, wherever they stand: a
// text that is a gfx is a GPU, and a key that is a variable of ROCm has its value beside it.
func FromJSON(data []byte) (Surroundings, error) {
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return Surroundings{}, fmt.Errorf("it is no JSON: %w", err)
	}
	s := Surroundings{Env: map[string]string{}}
	s.walk("", doc)
	slices.Sort(s.GPUs)
	s.GPUs = slices.Compact(s.GPUs)
	return s, nil
}

func (s *Surroundings) walk(key string, node any) {
	switch node := node.(type) {
	case map[string]any:
		for k, child := range node {
			s.walk(k, child)
		}
		// A list of variables has pairs.
		name, _ := node["name"].(string)
		if value, ok := node["value"].(string); ok && variableName().MatchString(name) {
			s.Env[name] = value
		}
	case []any:
		for _, child := range node {
			s.walk(key, child)
		}
	case string:
		s.text(key, node)
	}
}

func (s *Surroundings) text(key, value string) {
	switch {
	case wholeGfx().MatchString(value) && !strings.Contains(strings.ToLower(key), "support"): // no list of what a build is for
		s.GPUs = append(s.GPUs, value)
	case variableName().MatchString(key) && value != "":
		s.Env[key] = value
	case slices.Contains([]string{"os", "platform", "system", "os_name"}, strings.ToLower(key)) && strings.Contains(strings.ToLower(value), "windows"):
		s.Platform = []cause.Platform{cause.PlatformWindows}
	case strings.Contains(value, "microsoft-standard-WSL"):
		s.Platform = append(s.Platform, cause.PlatformWSL)
	}
}

// Plus adds what somebody else knows; what this one knows counts more.
func (s Surroundings) Plus(o Surroundings) Surroundings {
	if len(s.GPUs) == 0 {
		s.GPUs = o.GPUs
	}
	env := map[string]string{}
	for _, from := range []map[string]string{o.Env, s.Env} {
		for name, value := range from {
			env[name] = value
		}
	}
	s.Env = env
	s.Platform = append(slices.Clone(s.Platform), o.Platform...)
	return s
}
