package image

import "strings"

// aliases are the names under which engines may keep an image: in full, and as
// Podman calls what it has built itself.
func aliases(name string) []string {
	full := inFull(name)
	rest, docker := strings.CutPrefix(full, "docker.io/")
	if !docker {
		return []string{full}
	}
	return []string{full, "localhost/" + strings.TrimPrefix(rest, "library/")}
}

// inFull adds what may be left out of the name of an image: the registry, the
// folder of the official images of Docker's, and the tag. A name with a tag and a
// digest is that of the digest.
func inFull(name string) string {
	name, digest, _ := strings.Cut(name, "@")
	tag := "latest"
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, tag = name[:i], name[i+1:]
	}
	first, rest, nested := strings.Cut(name, "/")
	switch {
	case !nested:
		name = "docker.io/library/" + name
	case first == "index.docker.io":
		name = "docker.io/" + rest
	case !strings.ContainsAny(first, ".:") && first != "localhost":
		name = "docker.io/" + name
	}
	if digest != "" {
		return name + "@" + digest
	}
	return name + ":" + tag
}
