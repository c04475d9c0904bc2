package host

import (
	"slices"
	"strings"
)

// placing are words of the kernel command line that say where a machine is and
// where it was installed from, and nothing about its GPU.
var placing = []string{
	"ip", "nfsroot", "netroot", "nbdroot", "ks", "inst.ks", "inst.repo", "inst.stage2", "url", "root.hostname", "systemd.hostname", "hostname",
	"iscsi_initiator", "rd.iscsi.initiator", "bootif", "cloud-config-url", "ds", "autoinstall", "nameserver",
}

// commandLine hides the values of such words, and of every word that holds an
// address.
func commandLine(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		key, value, found := strings.Cut(word, "=")
		if found && (slices.Contains(placing, strings.ToLower(key)) || strings.Contains(value, "://")) {
			_, end, _ := strings.Cut(value, "\n")
			words[i] = key + "=redacted"
			if strings.HasSuffix(value, "\n") {
				words[i] += end + "\n"
			}
		}
	}
	return strings.Join(words, " ")
}
