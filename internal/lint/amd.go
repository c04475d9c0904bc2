package lint

import "strings"

// marks are what files say that are made for AMD GPUs, in small letters.
var marks = []string{
	"/dev/kfd", "amd.com/gpu", "rocm", "repo.radeon.com", "hsa_override_gfx_version",
	"hip_visible_devices", "rocr_visible_devices", "miopen_", "hipcc", "amdgpu",
}

// ForAMD tells whether any file of the project, comments aside, speaks of AMD
// GPUs. Some rules are about habits that are wrong everywhere; they are silent
// where nobody asked about AMD.
func (p *Project) ForAMD() bool {
	return Shared(p, "lint/for-amd", func() bool {
		for _, f := range p.Files {
			if f.ForAMD() {
				return true
			}
		}
		return false
	})
}

// ForAMD tells whether a file speaks of AMD GPUs, comments aside.
func (f *File) ForAMD() bool { return speaksOfAMD(f.Data) }

func speaksOfAMD(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		text := strings.ToLower(strings.TrimSpace(line))
		if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
			continue
		}
		for _, mark := range marks {
			if strings.Contains(text, mark) {
				return true
			}
		}
	}
	return false
}
