package python

import (
	"fmt"
	"slices"

	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

// unlessShared reports a finding without its mend where that would edit a list
// which is also installed for something else: what is wrong for AMD GPUs may be
// all that a build for CUDA has.
func unlessShared(p *lint.Pass, report func(lint.Finding)) func(lint.Finding) {
	return func(f lint.Finding) {
		other, shared := otherUser(p, f.File)
		if !shared {
			report(f)
			return
		}
		f.Mend = nil
		f.Evidence = append(f.Evidence, machine.Evidence{
			From: machine.Source(fmt.Sprintf("%s:%d", other.file.Path, other.line)),
			Text: "installs " + f.File.Path + ", too, and is not for AMD GPUs",
		})
		f.Advice = []remedy.Remedy{cure("python-own-list", "Give the build for AMD GPUs a list of its own",
			manual(fmt.Sprintf("Copy %s, change the copy, and let only the build for AMD GPUs install it; %s needs this one as it is", f.File.Path, other.file.Path)))}
		report(f)
	}
}

// otherUser finds an install of a list that is not for AMD GPUs, as far as can be
// told.
func otherUser(p *lint.Pass, list *lint.File) (install, bool) {
	if list.Kind != lint.Requirements {
		return install{}, false
	}
	for _, b := range builds(p) {
		for _, s := range b.steps {
			names := slices.ContainsFunc(s.requirements, func(r requirement) bool { return r.file == list })
			if names && s.file != list && !s.before.rocm && !s.namesROCm() {
				return s.install, true
			}
		}
	}
	return install{}, false
}
