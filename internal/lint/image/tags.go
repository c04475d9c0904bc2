package image

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocsmith/rocsmith/internal/check"
	"github.com/rocsmith/rocsmith/internal/lint"
	"github.com/rocsmith/rocsmith/internal/machine"
	"github.com/rocsmith/rocsmith/internal/remedy"
	"github.com/rocsmith/rocsmith/internal/rocm"
)

func floating(p *lint.Pass) {
	for _, r := range references(p) {
		if !r.amd() || r.digest != "" {
			continue
		}
		known, listed := rocm.LookupImage(r.repository, r.tag)
		moves := r.tag == "latest" || strings.HasPrefix(r.tag, "latest-") || slices.Contains(known.Floating, r.tag)
		var says string
		switch {
		case r.tag == "":
			says = fmt.Sprintf("%s has no tag, which means latest.", r.repository)
		case moves:
			says = fmt.Sprintf("%s is a tag that its publisher moves.", r.name)
		default:
			continue
		}
		brings := "another release than the one that was tried." // of tools and helpers there is no more to say
		if listed || r.gpu && rocm.ForROCm(r.repository, r.tag) {
			brings = "another ROCm, without code for this GPU or for another driver than the one here."
		}
		p.Report(lint.Finding{
			File: r.file, Line: r.line, Verdict: check.Warn,
			Message: says + " The next pull may bring " + brings,
			Advice:  nameRelease(r, known),
		})
	}
}

// nameRelease advises a tag of the publisher's, and how to learn which release is
// in use now.
func nameRelease(r reference, known rocm.Image) []remedy.Remedy {
	engine := "docker"
	if r.file.Kind == lint.Quadlet {
		engine = "podman"
	}
	steps := []remedy.Step{command("See which one is in use now", engine+" image inspect --format '{{join .RepoDigests \"\\n\"}}' "+named(r))}
	if known.Example != "" {
		steps = append(steps, manual(fmt.Sprintf("Write a release in its place, such as %s:%s", r.repository, known.Example)))
	} else {
		steps = append(steps, manual("Write the tag of a release in its place"))
	}
	return advice("image-name-release", "Name a release instead", steps...)
}

func named(r reference) string {
	if r.tag == "" {
		return r.repository + ":latest"
	}
	return r.repository + ":" + r.tag
}

func undigested(p *lint.Pass) {
	for _, r := range references(p) {
		if !r.amd() || r.digest != "" || r.tag == "" {
			continue
		}
		p.Report(lint.Finding{
			File: r.file, Line: r.line, Verdict: check.Warn,
			Message: fmt.Sprintf("%s is named by a tag and not by its digest. A tag can be published again with other contents.", r.name),
			Advice: advice("image-name-digest", "Add the digest",
				command("Read it from the registry", "docker buildx imagetools inspect "+named(r)),
				manual(fmt.Sprintf("Write %s@sha256:… with the digest that it names", named(r)))),
		})
	}
}

func misnamed(p *lint.Pass) {
	for _, r := range references(p) {
		known, ok := rocm.LookupImage(r.repository, r.tag)
		if !ok || r.tag == "" || r.digest != "" || known.FollowsScheme(r.tag) {
			continue
		}
		p.Report(lint.Finding{
			File: r.file, Line: r.line, Verdict: check.Warn,
			Message: fmt.Sprintf("The tag %s does not follow the scheme of %s, and probably does not exist. Tags there read %s, such as %s.",
				r.tag, r.repository, known.Says, known.Example),
			Evidence: []machine.Evidence{provenance(known.Provenance)},
			Advice: advice("image-real-tag", "Take a tag that exists",
				manual(fmt.Sprintf("Look the tags up at https://hub.docker.com/r/%s/tags", strings.TrimPrefix(r.repository, "docker.io/"))),
				command("Or ask the registry about this one", "docker buildx imagetools inspect "+named(r))),
		})
	}
}
