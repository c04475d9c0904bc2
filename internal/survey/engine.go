package survey

import (
	"context"
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/host"
)

// Engine finds out what starts containers on a machine, from its files and from
// the versions that docker and podman tell. Their daemons are not asked: docker
// info may start one, and podman info makes folders. Where both are there it is
// Docker, for which most compose files are written. The zero value is none.
func Engine(r host.Reader) grant.Engine {
	if r.OS() != "linux" {
		return grant.Engine{}
	}
	confined := selinux(r).Value == "enforcing"
	docker := version(r, host.Docker)
	if name, number, _ := strings.Cut(docker, " "); name == "Docker" {
		return dockerEngine(r, number, confined)
	}
	// The docker of some distributions is podman under another name.
	for _, answer := range []string{docker, version(r, host.Podman)} {
		if name, number, _ := strings.Cut(answer, " "); name == "podman" {
			return podmanEngine(r, number, confined)
		}
	}
	return grant.Engine{}
}

// Podman finds podman, which starts its own units whatever starts everything else.
// The zero value is none.
func Podman(r host.Reader) grant.Engine {
	if r.OS() != "linux" {
		return grant.Engine{}
	}
	name, number, _ := strings.Cut(version(r, host.Podman), " ")
	if name != "podman" {
		return grant.Engine{}
	}
	return podmanEngine(r, number, selinux(r).Value == "enforcing")
}

var versionLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Docker|podman) version (\d+\.\d+(?:\.\d+)?)`)
})

// version asks a client for its make and version: "Docker 28.2.2".
func version(r host.Reader, tool host.Tool) string {
	out, err := r.Ask(context.Background(), tool, "--version")
	if err != nil {
		return ""
	}
	m := versionLine().FindStringSubmatch(string(out))
	if m == nil {
		return ""
	}
	return m[1] + " " + m[2]
}

// A daemonFile is what Docker's daemon is told (dockerd(8)).
type daemonFile struct {
	Remap    string          `json:"userns-remap"`
	Runtime  string          `json:"default-runtime"`
	SELinux  bool            `json:"selinux-enabled"`
	Features map[string]bool `json:"features"`
}

func dockerEngine(r host.Reader, version string, confined bool) grant.Engine {
	e := grant.Engine{Kind: grant.Docker, Version: version, Runtime: "runc", Rootless: rootlessDocker(r)}
	settings := "/etc/docker/daemon.json"
	if home, _, err := r.Getenv("HOME"); e.Rootless && err == nil {
		settings = path.Join(home, ".config/docker/daemon.json")
	}
	var f daemonFile
	data, err := r.ReadFile(settings)
	if err == nil && json.Unmarshal(data, &f) == nil {
		e.Remapped = f.Remap != ""
		e.SELinux = f.SELinux && confined
		if f.Runtime != "" {
			e.Runtime = f.Runtime
		}
	}
	// On by default since 28.3, to be switched on since 25 (docs.docker.com, "CDI").
	on, said := f.Features["cdi"]
	e.CDI = atLeast(version, 28, 3) && !said || on && atLeast(version, 25, 0)
	return e
}

// rootlessDocker tells by the socket that the client would use. The client's own
// settings hold passwords and are not read.
func rootlessDocker(r host.Reader) bool {
	if at, set, err := r.Getenv("DOCKER_HOST"); err == nil && set && at != "" {
		return strings.HasPrefix(at, "unix:///run/user/")
	}
	p, err := r.Process()
	if err != nil {
		return false
	}
	_, own := r.Lstat("/run/user/" + strconv.FormatUint(uint64(p.EUID), 10) + "/docker.sock")
	_, system := r.Lstat("/run/docker.sock")
	return own == nil && system != nil
}

func podmanEngine(r host.Reader, version string, confined bool) grant.Engine {
	// CDI was tried with 4.3; older ones are taken not to know it.
	e := grant.Engine{Kind: grant.Podman, Version: version, SELinux: confined, CDI: atLeast(version, 4, 3)}
	if p, err := r.Process(); err == nil {
		e.Rootless = p.EUID != 0
	}
	e.Runtime = podmanRuntime(r)
	return e
}

var runtimeLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*runtime\s*=\s*"([^"]+)"`)
})

// podmanRuntime reads what containers.conf(5) says, the last file first; without
// a word podman takes crun before runc.
func podmanRuntime(r host.Reader) string {
	files := []string{"/etc/containers/containers.conf", "/usr/share/containers/containers.conf"}
	if home, _, err := r.Getenv("HOME"); err == nil && home != "" {
		files = append([]string{path.Join(home, ".config/containers/containers.conf")}, files...)
	}
	for _, file := range files {
		data, err := r.ReadFile(file)
		if m := runtimeLine().FindSubmatch(data); err == nil && m != nil {
			return path.Base(string(m[1]))
		}
	}
	for _, name := range []string{"crun", "runc"} {
		for _, dir := range []string{"/usr/bin", "/usr/sbin", "/usr/local/bin"} {
			if _, err := r.Lstat(path.Join(dir, name)); err == nil {
				return name
			}
		}
	}
	return ""
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}
