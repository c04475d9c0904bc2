package host

import "testing"

func TestEngineFileKeepsHowContainersAreStarted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ path, text, want string }{
		"docker": {
			"/etc/docker/daemon.json",
			`{"userns-remap": "ada", "default-runtime": "crun", "features": {"cdi": true}, "proxies": {"http-proxy": "http://ada:secret@proxy"}, "insecure-registries": ["build.example.org"]}`,
			`{"default-runtime":"crun","features":{"cdi":true},"userns-remap":"default"}` + "\n",
		},
		"nothing of interest": {"/home/ada/.config/docker/daemon.json", `{"userns-remap": "", "dns": ["10.0.0.1"]}`, "{}\n"},
		"broken":              {"/etc/docker/daemon.json", `{"proxies": "http://ada:secret@proxy`, "{\n"},
		"podman": {
			"/etc/containers/containers.conf",
			"[containers]\nenv = [\"http_proxy=http://ada:secret@proxy\"]\n[engine]\n  runtime = \"crun\"\n# runtime = \"runc\"\n",
			"[containers]\n[engine]\n  runtime = \"crun\"\n",
		},
	} {
		if !isEngineFile(tc.path) {
			t.Errorf("%s: %s is not known", name, tc.path)
		}
		if got := string(engineFile(tc.path, []byte(tc.text))); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
