package host

import (
	"encoding/json"
	"path"
	"strings"
)

// isEngineFile finds the settings of Docker and of Podman.
func isEngineFile(p string) bool {
	return strings.HasSuffix(p, "/docker/daemon.json") || path.Base(p) == "containers.conf"
}

// engineFile keeps of the settings of an engine what says how it starts
// containers: registries, proxies and the passwords for them stand beside it.
func engineFile(p string, body []byte) []byte {
	if path.Base(p) == "containers.conf" {
		var kept strings.Builder
		for line := range strings.Lines(string(body)) {
			key, _, _ := strings.Cut(line, "=")
			if word := strings.TrimSpace(key); word == "runtime" || strings.HasPrefix(word, "[") {
				kept.WriteString(line)
			}
		}
		return []byte(kept.String())
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return []byte("{\n") // as little to be read as before
	}
	kept := map[string]json.RawMessage{}
	for _, key := range []string{"default-runtime", "selinux-enabled", "features"} {
		if value, there := all[key]; there {
			kept[key] = value
		}
	}
	if user := string(all["userns-remap"]); user != "" && user != `""` {
		kept["userns-remap"] = json.RawMessage(`"default"`) // and not whose ids they are
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return []byte("{\n")
	}
	return append(text, '\n')
}
