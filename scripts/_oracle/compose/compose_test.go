package compose_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"

	"github.com/rocsmith/rocsmith/internal/composefile"
)

var shell = map[string]string{"SHELL_GID": "991", "SHELL_EMPTY": "", "PASSED": "on"}

// service is what both readers are compared by: the keys that decide how a GPU
// is handed over.
type service struct {
	Image, User, IPC, Userns, Shm string
	Privileged                    bool
	Devices, Groups, Security     []string
	Capabilities, Volumes         []string
	Reservations, Profiles        []string
	Environment                   map[string]string
	Build                         string
}

func TestHandMade(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no projects: %v", err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, split(string(data)))
		})
	}
}

// TestGenerated compares as many projects as ORACLE_PROJECTS says.
func TestGenerated(t *testing.T) {
	count := 300
	if text := os.Getenv("ORACLE_PROJECTS"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	for seed := range count {
		files := generate(uint64(seed))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if compare(t, files) {
				read++
			}
		})
	}
	if read < count/2 {
		t.Errorf("only %d of %d projects could be read by both", read, count)
	}
}

// compare reads a project twice. It is true where both could.
func compare(t *testing.T, files map[string]string) bool {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, wantErr := theirs(dir)
	got, gotErr := ours(dir)
	if (wantErr != nil) != (gotErr != nil) {
		if wantErr != nil && onlyTheirs(wantErr) {
			return false
		}
		t.Fatalf("compose-go says %v, rocsmith says %v\n%s", wantErr, gotErr, show(files))
	}
	if wantErr != nil {
		return false
	}
	for name, w := range want {
		g, there := got[name]
		a, _ := json.MarshalIndent(w, "", " ")
		b, _ := json.MarshalIndent(g, "", " ")
		if !there || string(a) != string(b) {
			t.Fatalf("service %s: rocsmith reads\n%s\ncompose-go reads\n%s\n%s", name, b, a, show(files))
		}
	}
	if len(want) != len(got) {
		t.Fatalf("rocsmith reads %d services, compose-go %d\n%s", len(got), len(want), show(files))
	}
	return true
}

// onlyTheirs are errors of compose's own rules about keys, which rocsmith leaves
// to compose.
func onlyTheirs(err error) bool {
	for _, text := range []string{"validating", "neither an image nor a build", "undefined volume", "invalid", "not allowed", "must be", "unexpected type", "empty compose file", ".gpus"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

func show(files map[string]string) string {
	var b strings.Builder
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func theirs(dir string) (map[string]service, error) {
	var env []string
	for k, v := range shell {
		env = append(env, k+"="+v)
	}
	options, err := cli.NewProjectOptions(nil, cli.WithWorkingDirectory(dir), cli.WithEnv(env), cli.WithEnvFiles(), cli.WithDotEnv,
		cli.WithDefaultConfigPath, cli.WithName("oracle"), cli.WithProfiles([]string{"*"}), cli.WithConsistency(false))
	if err != nil {
		return nil, err
	}
	p, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	out := map[string]service{}
	for name, s := range p.Services {
		out[name] = convert(dir, s)
	}
	return out, nil
}

func convert(dir string, s types.ServiceConfig) service {
	out := service{Image: s.Image, User: s.User, IPC: s.Ipc, Userns: s.UserNSMode, Privileged: s.Privileged,
		Groups: s.GroupAdd, Security: s.SecurityOpt, Capabilities: s.CapAdd, Profiles: s.Profiles, Environment: map[string]string{}}
	if s.ShmSize != 0 {
		out.Shm = fmt.Sprint(int64(s.ShmSize))
	}
	if s.Build != nil {
		out.Build = relative(dir, s.Build.Context)
	}
	for _, d := range s.Devices {
		out.Devices = append(out.Devices, d.Source+">"+d.Target+">"+d.Permissions)
	}
	for _, v := range s.Volumes {
		label := ""
		if v.Bind != nil {
			label = v.Bind.SELinux
		}
		out.Volumes = append(out.Volumes, fmt.Sprint(v.Type, ">", relative(dir, v.Source), ">", v.Target, ">", v.ReadOnly, ">", label))
	}
	for k, v := range s.Environment {
		if v == nil {
			out.Environment[k] = "(unset)"
			continue
		}
		out.Environment[k] = *v
	}
	if s.Deploy != nil && s.Deploy.Resources.Reservations != nil {
		for _, d := range s.Deploy.Resources.Reservations.Devices {
			out.Reservations = append(out.Reservations, fmt.Sprint(d.Driver, d.Capabilities, d.IDs))
		}
	}
	for _, d := range s.Gpus {
		out.Reservations = append(out.Reservations, fmt.Sprint(d.Driver, d.Capabilities, d.IDs))
	}
	return out
}

func relative(dir, path string) string {
	above := filepath.Dir(dir)
	if rel, err := filepath.Rel(above, path); err == nil && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		if rel, err = filepath.Rel(dir, path); err == nil {
			return rel
		}
	}
	return path
}

func ours(dir string) (map[string]service, error) {
	fsys := os.DirFS(dir)
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	p, err := composefile.Load(composefile.Options{
		Read:  func(name string) ([]byte, error) { return fs.ReadFile(fsys, name) },
		Shell: func(name string) (string, bool) { v, set := shell[name]; return v, set },
	}, composefile.Default(names)...)
	if err != nil {
		return nil, err
	}
	out := map[string]service{}
	for _, s := range p.Services {
		out[s.Name] = read(s)
	}
	return out, nil
}

func read(s *composefile.Service) service {
	out := service{Image: s.Get("image").String(), User: s.Get("user").String(), IPC: s.Get("ipc").String(),
		Userns: s.Get("userns_mode").String(), Privileged: s.Get("privileged").String() == "true", Environment: map[string]string{}}
	if shm := s.Get("shm_size"); shm != nil {
		out.Shm = fmt.Sprint(bytes(shm.Text))
	}
	if b := s.Get("build"); b != nil {
		out.Build = b.String()
		if c := b.Get("context"); c != nil {
			out.Build = c.Text
		}
		out.Build = filepath.Join(b.Dir, out.Build)
		if c := b.Get("context"); c != nil {
			out.Build = filepath.Join(c.Dir, c.Text)
		}
	}
	for _, d := range s.Devices() {
		out.Devices = append(out.Devices, d.Source+">"+d.Target+">"+d.Permissions)
	}
	out.Groups = texts(s.Groups())
	out.Security = texts(s.List("security_opt"))
	out.Capabilities = texts(s.List("cap_add"))
	out.Profiles = s.Profiles
	for _, v := range s.Volumes() {
		out.Volumes = append(out.Volumes, fmt.Sprint(v.Type, ">", v.Source, ">", v.Target, ">", v.ReadOnly, ">", v.SELinux))
	}
	vars, _ := s.Environment()
	for _, v := range vars {
		out.Environment[v.Name] = v.Text
		if !v.Set {
			out.Environment[v.Name] = "(unset)"
		}
	}
	for _, r := range s.Reservations() {
		out.Reservations = append(out.Reservations, fmt.Sprint(r.Get("driver").String(), texts(itemsOf(r.Get("capabilities"))), texts(itemsOf(r.Get("device_ids")))))
	}
	return out
}

func itemsOf(v *composefile.Value) []*composefile.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

func texts(values []*composefile.Value) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.Text)
	}
	return out
}

// bytes reads the sizes that the projects here use.
func bytes(text string) int64 {
	units := []string{"b", "k", "m", "g"}
	lower := strings.ToLower(strings.TrimSpace(text))
	scale := int64(1)
	for i, u := range units {
		if strings.HasSuffix(lower, u) || strings.HasSuffix(lower, u+"b") && u != "b" {
			lower = strings.TrimSuffix(strings.TrimSuffix(lower, "b"), u)
			scale = int64(1) << (10 * i)
		}
	}
	n, _ := strconv.ParseInt(lower, 10, 64)
	return n * scale
}

// split makes files of "-- name --" sections.
func split(text string) map[string]string {
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if after, found := strings.CutPrefix(line, "-- "); found {
			name = strings.TrimSuffix(strings.TrimSpace(after), " --")
			continue
		}
		out[name] += line
	}
	return out
}

