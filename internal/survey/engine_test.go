package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/host"
)

func TestEngine(t *testing.T) {
	t.Parallel()
	const (
		head   = "rocsmith snapshot 1\nos: linux\nunlisted: absent\n"
		docker = "-- ask docker --version --\nDocker version 28.2.2, build e6534b4\n"
		newer  = "-- ask docker --version --\nDocker version 29.0.1, build 1\n"
		podman = "-- ask podman --version --\npodman version 4.3.1\n"
		user   = "-- process --\nuid=1000\ngid=1000\n"
		root   = "-- process --\nuid=0\ngid=0\n"
		home   = "-- env --\nHOME=\"/home/u\"\nDOCKER_HOST unset\n"
	)
	for name, tc := range map[string]struct {
		text string
		want grant.Engine
	}{
		"none":          {"", grant.Engine{}},
		"docker":        {docker + user + home, grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc"}},
		"before podman": {docker + podman + user, grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc"}},
		"with CDI":      {newer + user, grant.Engine{Kind: grant.Docker, Version: "29.0.1", Runtime: "runc", CDI: true}},
		"CDI off":       {newer + user + "-- file /etc/docker/daemon.json --\n{\"features\": {\"cdi\": false}}\n", grant.Engine{Kind: grant.Docker, Version: "29.0.1", Runtime: "runc"}},
		"settings": {
			docker + user + "-- file /etc/docker/daemon.json --\n{\"userns-remap\": \"default\", \"default-runtime\": \"crun\", \"features\": {\"cdi\": true}, \"selinux-enabled\": true}\n-- file /sys/fs/selinux/enforce --\n1\n",
			grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "crun", CDI: true, Remapped: true, SELinux: true},
		},
		"broken settings": {docker + user + "-- file /etc/docker/daemon.json --\n{\n", grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc"}},
		"rootless by variable": {
			docker + user + "-- env --\nDOCKER_HOST=\"unix:///run/user/1000/docker.sock\"\nHOME=\"/home/u\"\n-- file /etc/docker/daemon.json --\n{\"userns-remap\": \"default\"}\n",
			grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc", Rootless: true},
		},
		"rootless by socket":   {docker + user + home + "-- stat /run/user/1000/docker.sock --\nsocket 0660\n", grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc", Rootless: true}},
		"podman":               {podman + root + "-- stat /usr/bin/crun --\nfile 0755\n", grant.Engine{Kind: grant.Podman, Version: "4.3.1", Runtime: "crun", CDI: true}},
		"podman of a user":     {podman + user + "-- file /etc/containers/containers.conf --\n[engine]\nruntime = \"runc\"\n", grant.Engine{Kind: grant.Podman, Version: "4.3.1", Runtime: "runc", CDI: true, Rootless: true}},
		"podman called docker": {"-- ask docker --version --\npodman version 5.4.2\n" + root, grant.Engine{Kind: grant.Podman, Version: "5.4.2", CDI: true}},
		"an old one":           {"-- ask podman --version --\npodman version 3.4.4\n" + root, grant.Engine{Kind: grant.Podman, Version: "3.4.4"}},
		"something else":       {"-- ask docker --version --\nhello\n", grant.Engine{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Engine(written(t, head+tc.text)); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
	both := grant.Engine{Kind: grant.Podman, Version: "4.3.1", CDI: true, Rootless: true}
	if got := Podman(written(t, head+docker+podman+user)); got != both {
		t.Errorf("podman beside docker: %+v", got)
	}
	if got := Podman(written(t, head+docker+user)); got != (grant.Engine{}) {
		t.Errorf("podman without podman: %+v", got)
	}
	if got := Engine(written(t, "rocsmith snapshot 1\nos: windows\nunlisted: absent\n")); got != (grant.Engine{}) {
		t.Errorf("on Windows: %+v", got)
	}
}

// written is a machine that is written by hand.
func written(t *testing.T, text string) host.Reader {
	t.Helper()
	s, err := host.ParseSnapshot(fmt.Appendf(nil, "%s-- end %d --\n", text, strings.Count(text, "\n-- ")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
