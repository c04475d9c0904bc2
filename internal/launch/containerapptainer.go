package launch

import "strings"

// ApptainerArgv is a command that starts a container with apptainer. It keeps the
// caller's groups and the nodes of /dev by itself; --containall would take them
// away (apptainer-exec(1)).
func ApptainerArgv(program, image string, t Translation) []string {
	line := []string{program, "exec"}
	for _, m := range t.Mounts {
		bind := m.Source + ":" + m.Target
		if m.ReadOnly {
			bind += ":ro"
		}
		line = append(line, "--bind", bind)
	}
	if t.Dir != "" {
		line = append(line, "--pwd", t.Dir)
	}
	if !strings.HasSuffix(image, ".sif") && !strings.Contains(image, "://") {
		image = "docker://" + image
	}
	return append(append(line, image), t.Args...)
}
