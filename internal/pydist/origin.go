package pydist

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
)

// ReadOrigin completes what is seldom asked for: who installed a distribution
// and from where. Files that are missing or unreadable leave it as it is.
func (d *Distribution) ReadOrigin(fsys fs.FS) {
	if data, err := readBounded(fsys, path.Join(d.Path, "INSTALLER")); err == nil && len(data) <= maxHeader {
		d.Installer = strings.ToValidUTF8(string(bytes.TrimSpace(data)), "�")
	}
	if data, err := readBounded(fsys, path.Join(d.Path, "direct_url.json")); err == nil {
		origin := parseDirectURL(data)
		origin.Editable = origin.Editable || d.Origin.Editable
		d.Origin = origin
	}
}

// parseDirectURL reads direct_url.json (PEP 610). Junk is no origin.
func parseDirectURL(data []byte) Origin {
	var direct struct {
		URL     string `json:"url"`
		DirInfo struct {
			Editable bool `json:"editable"`
		} `json:"dir_info"`
		VCSInfo struct {
			Commit string `json:"commit_id"`
		} `json:"vcs_info"`
	}
	if json.Unmarshal(data, &direct) != nil {
		return Origin{}
	}
	return Origin{URL: direct.URL, Editable: direct.DirInfo.Editable, Commit: direct.VCSInfo.Commit}
}
