package lint

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// otherwise are endings of names that say what a file is, whatever stands before
// them: lists, pages, copies, and templates that something else fills in.
var otherwise = []string{
	".dockerignore", ".md", ".rst", ".html", ".gz", ".xz", ".bz2", ".zst", ".bak", ".orig", ".rej", ".swp",
	".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".erb", ".mustache",
}

// KindOf tells a project file by its name; Kubernetes manifests, but for those of
// kustomize, have no names of their own and are told by what is in them.
func KindOf(name string) (Kind, bool) {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	switch {
	case slices.Contains(otherwise, ext), strings.HasSuffix(ext, "~"):
		return "", false
	case ext == ".dockerfile", ext == ".containerfile", stem(base, "dockerfile"), stem(base, "containerfile"):
		return Dockerfile, true
	case isYAML(ext) && slices.Contains(words(base), "compose"):
		return Compose, true
	case (ext == ".txt" || ext == ".in") && (mentions(base, "requirements", "constraints") || path.Base(path.Dir(name)) == "requirements"):
		return Requirements, true
	case isYAML(ext) && strings.TrimSuffix(base, ext) == "kustomization":
		return Kubernetes, true
	case base == "pyproject.toml":
		return PyProject, true
	case base == "devcontainer.json" || base == ".devcontainer.json":
		return DevContainer, true
	case ext == ".container":
		return Quadlet, true
	case ext == ".sh" || ext == ".bash":
		return Script, true
	case ext == ".env" || stem(base, ".env"):
		return EnvFile, true
	}
	return "", false
}

// stem reports a name, or one with something behind a dot: Dockerfile.rocm.
func stem(base, name string) bool { return base == name || strings.HasPrefix(base, name+".") }

func isYAML(ext string) bool { return ext == ".yml" || ext == ".yaml" }

func words(base string) []string {
	return strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

func mentions(base string, names ...string) bool {
	return slices.ContainsFunc(words(base), func(w string) bool { return slices.Contains(names, w) })
}

// kindOfYAML tells a YAML file by its keys at the margin. Compose files under
// another name are known only where somebody pointed at them: other programs have
// services too.
func kindOfYAML(head []byte, pointedAt bool) (Kind, bool) {
	switch {
	case atMargin(head, "apiVersion:") && atMargin(head, "kind:"):
		return Kubernetes, true
	case pointedAt && atMargin(head, "services:"):
		return Compose, true
	}
	return "", false
}

func atMargin(text []byte, key string) bool {
	return bytes.HasPrefix(text, []byte(key)) || bytes.Contains(text, []byte("\n"+key))
}

// kindOfContent tells a file that somebody pointed at and whose name says nothing.
func kindOfContent(name string, head []byte) (Kind, bool) {
	if isYAML(strings.ToLower(path.Ext(name))) {
		return kindOfYAML(head, true)
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("sh")) {
		return Script, true
	}
	return "", false
}
