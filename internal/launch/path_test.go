package launch_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/launch"
)

// tree is a file system in a map: a folder ends in a slash, a link holds its
// target.
type tree map[string]string

func (f tree) look(p string) launch.Place {
	found := f.real(p, 0)
	switch _, file := f[found]; {
	case found == "":
		return launch.Place{}
	case file:
		return launch.Place{Kind: launch.File, Real: found}
	}
	for name := range f {
		if strings.HasPrefix(name, strings.TrimSuffix(found, "/")+"/") {
			return launch.Place{Kind: launch.Folder, Real: found, Beyond: f.beyond(found)}
		}
	}
	return launch.Place{}
}

// real follows links, as far as they lead to something.
func (f tree) real(p string, depth int) string {
	if depth > 8 {
		return ""
	}
	out := "/"
	parts := strings.Split(strings.Trim(p, "/"), "/")
	for i, part := range parts {
		out = path.Join(out, part)
		if target := f[out]; target != "" {
			if !path.IsAbs(target) {
				target = path.Join(path.Dir(out), target)
			}
			return f.real(path.Join(append([]string{target}, parts[i+1:]...)...), depth+1)
		}
	}
	return out
}

func (f tree) beyond(dir string) []string {
	var out []string
	for name, target := range f {
		if path.Dir(name) == dir && target != "" {
			if to := path.Dir(f.real(name, 0)); !strings.HasPrefix(to+"/", dir+"/") {
				out = append(out, to)
			}
		}
	}
	return out
}

var ada = tree{
	"/home/ada/proj/train.py":               "",
	"/home/ada/proj/in a box.wav":           "",
	"/home/ada/proj/data":                   "/mnt/disk/data",
	"/home/ada/proj/venv/bin/python":        "/usr/bin/python3",
	"/home/ada/proj/sub/x":                  "",
	"/home/ada/other/a.wav":                 "",
	"/home/ada/other/b.wav":                 "",
	"/home/ada/results/old.txt":             "",
	"/home/ada/lonely.wav":                  "",
	"/home/ada/hub/snapshots/abc/model.bin": "../../blobs/f00",
	"/home/ada/hub/blobs/f00":               "",
	"/mnt/disk/data/x.wav":                  "",
	"/mnt/top.wav":                          "",
	"/data/big/1.bin":                       "",
	"/data/deep/er/2.bin":                   "",
	"/link":                                 "/data/big",
	"/usr/bin/python3":                      "",
	"/opt/rocm/bin/hipcc":                   "",
	"/opt/models/llama.gguf":                "",
	"/tmp/seen.wav":                         "",
	"/var/tmp/job/x":                        "",
	"/etc/hosts":                            "",
}

func adaAt(dir string) launch.Workplace {
	return launch.Workplace{Dir: dir, Home: "/home/ada", Look: ada.look}
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	const here = "/home/ada/proj"
	tests := []struct {
		name   string
		dir    string
		given  []launch.Mount
		words  string // parted by |
		want   string // "" is the same
		mounts string // parted by blanks, besides the working folder
		image  string
	}{
		{name: "a program of the image", words: "python3|train.py"},
		{name: "relative", words: "./train.py|sub/x|new/out.txt|./new.txt"},
		{name: "blanks", words: "play|in a box.wav"},
		{name: "a script", words: "bash|-lc|~/run.sh --fast && ../other/tool >/data/big/out"},
		{name: "no script, though it follows -c", words: "tar|-c|../other/a.wav", mounts: "/home/ada/other"},
		{name: "words that are none", words: "serve|meta-llama/Llama-3|https://x.org/a/b|s/a/b/|1/2|--|/|-|/v1/chat|a=b=c|~ada/x|@|:|,|/nowhere/at/all"},
		{name: "the image's own", words: "/usr/bin/python3|/opt/rocm/bin/hipcc|--hosts=/etc/hosts|/dev/null|/proc/cpuinfo|/usr/nothing", image: "/usr/bin/python3 /opt/rocm/bin/hipcc /etc/hosts"},
		{name: "left to the image though it is here", words: "llama|/opt/models/llama.gguf", image: "/opt/models/llama.gguf"},
		{name: "given with --mount", given: []launch.Mount{{Source: "/opt/models", Target: "/opt/models"}}, words: "llama|-m|/opt/models/llama.gguf", mounts: "/opt/models"},
		{name: "given at another place", given: []launch.Mount{{Source: "/data", Target: "/in", ReadOnly: true}}, words: "cat|/data/big/1.bin|--o=/data/new", want: "cat|/in/big/1.bin|--o=/in/new", mounts: "/data:/in:ro"},
		{name: "home", words: "play|~/other/a.wav|--out=~/other/new.wav", want: "play|/home/ada/other/a.wav|--out=/home/ada/other/new.wav", mounts: "/home/ada/other"},
		{name: "a file of the home folder itself", words: "play|~/lonely.wav", want: "play|/home/ada/lonely.wav", mounts: "/home/ada/lonely.wav"},
		{name: "several files of one folder", words: "cat|/home/ada/other/a.wav|/home/ada/other/b.wav|../other/a.wav", mounts: "/home/ada/other"},
		{name: "options", words: "x|-o/data/big/new.bin|--in=/data/big/1.bin|-i|../results/old.txt|if=/data/deep/er/2.bin|@/data/big/1.bin|file:///data/big/1.bin", mounts: "/data/big /data/deep/er /home/ada/results"},
		{name: "a list", words: "x|--libs=/data/big:/home/ada/other:/usr/lib|/data/big/1.bin,/data/deep/er/2.bin|~/other,b", want: "x|--libs=/data/big:/home/ada/other:/usr/lib|/data/big/1.bin,/data/deep/er/2.bin|/home/ada/other,b", mounts: "/data/big /data/deep/er /home/ada/other"},
		{name: "an output in a folder to be made", words: "x|--out-dir|/data/new/run1", mounts: "/data"},
		{name: "a folder holds another", words: "x|/data/big/1.bin|/data", mounts: "/data"},
		{name: "a link out of the working folder", words: "play|data/x.wav|data/new.wav|data", want: "play|/mnt/disk/data/x.wav|/mnt/disk/data/new.wav|/mnt/disk/data", mounts: "/mnt/disk/data"},
		{name: "a link to the image's own", words: "venv/bin/python|train.py"},
		{name: "a link of the whole machine", words: "cat|/link/1.bin", want: "cat|/data/big/1.bin", mounts: "/data/big"},
		{name: "links inside of a folder", words: "serve|--model|../hub/snapshots/abc", mounts: "/home/ada/hub/blobs /home/ada/hub/snapshots/abc"},
		{name: "the shared folder", words: "x|/tmp/seen.wav|/tmp", mounts: "/tmp/seen.wav"},
		{name: "new in the shared folder", words: "x|/tmp/new.wav|/tmp/seen.wav", mounts: "/tmp"},
		{name: "below the shared folder", words: "x|/var/tmp/job/x", mounts: "/var/tmp/job"},
		{name: "a file of a folder of mounts", words: "x|/mnt/top.wav", mounts: "/mnt/top.wav"},
		{name: "at home", dir: "/home/ada", words: "play|lonely.wav|results/new.txt|org/model|new.txt", want: "play|/home/ada/lonely.wav|/home/ada/results/new.txt|org/model|new.txt", mounts: "/home/ada/lonely.wav /home/ada/results"},
		{name: "working folder given elsewhere", given: []launch.Mount{{Source: here, Target: "/work"}}, words: "python|train.py|./sub/x", want: "python|/work/train.py|/work/sub/x", mounts: here + ":/work"},
		{name: "beside a working folder that was given elsewhere", given: []launch.Mount{{Source: here, Target: "/work"}}, words: "python|../other/a.wav", want: "python|/home/ada/other/a.wav", mounts: "/home/ada/other " + here + ":/work"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.dir
			if dir == "" {
				dir = here
			}
			got, err := launch.Translate(strings.Split(tt.words, "|"), adaAt(dir), tt.given)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = tt.words
			}
			if words := strings.Join(got.Args, "|"); words != want {
				t.Errorf("words\n %s, want\n %s", words, want)
			}
			if image := strings.Join(got.Image, " "); image != tt.image {
				t.Errorf("left to the image %q, want %q", image, tt.image)
			}
			if mounts := written(got.Mounts, here); mounts != tt.mounts {
				t.Errorf("mounts %q, want %q", mounts, tt.mounts)
			}
		})
	}
}

func TestTranslateForAService(t *testing.T) {
	t.Parallel()
	w := adaAt("/home/ada/proj")
	w.Apart = true
	given := []launch.Mount{{Source: "/home/ada/proj/sub", Target: "/app"}}
	words := []string{"python", "train.py", "sub/x", "sub/new", "./train.py", "../other/a.wav", "/usr/bin/python3", "org/model"}
	want := []string{"python", "train.py", "/app/x", "sub/new", "/home/ada/proj/train.py", "/home/ada/other/a.wav", "/usr/bin/python3", "org/model"}
	got, err := launch.Translate(words, w, given)
	if err != nil || !slices.Equal(got.Args, want) || got.Dir != "" {
		t.Errorf("%q, %v, want %q", got.Args, err, want)
	}
	if mounts := written(got.Mounts, ""); mounts != "/home/ada/other /home/ada/proj /home/ada/proj/sub:/app" {
		t.Errorf("mounts %s", mounts)
	}
}

// written shows mounts, without the working folder at its own place.
func written(mounts []launch.Mount, dir string) string {
	var out []string
	for _, m := range mounts {
		text := m.Source
		if m.Target != m.Source {
			text += ":" + m.Target
		}
		if m.ReadOnly {
			text += ":ro"
		}
		if text != dir {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestTranslateRefusesTheWholeHome(t *testing.T) {
	t.Parallel()
	tests := []struct{ word, says string }{
		{"~", "the whole of /home/ada"},
		{"/home/ada", "the whole of /home/ada"},
		{"/home", "the whole of /home"},
		{"--out=~/fresh", "if it is to be a folder, make it first (mkdir -p /home/ada/fresh), or"},
		{"--out=~/fresh/a/b.txt", "make its folder first (mkdir -p /home/ada/fresh/a)"},
		{"--out=~/new.txt", "the whole of /home/ada; name it in a folder of its own, or"},
		{"/home/ada/new/dir/x.txt", "mkdir -p /home/ada/new/dir"},
		{"../new.txt", "--mount /home/ada"},
	}
	for _, tt := range tests {
		t.Run(tt.word, func(t *testing.T) {
			t.Parallel()
			_, err := launch.Translate([]string{"x", tt.word}, adaAt("/home/ada/proj"), nil)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
	got, err := launch.Translate([]string{"x", "~/new.txt"}, adaAt("/home/ada"), []launch.Mount{{Source: "/home/ada", Target: "/home/ada"}})
	if err != nil || got.Args[1] != "/home/ada/new.txt" || got.Dir != "/home/ada" || len(got.Notes) != 0 {
		t.Errorf("allowed with --mount: %+v, %v", got, err)
	}
}

func TestTranslateSaysWhatIsNotMounted(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/home/ada", "/", "/usr", "/opt/rocm/bin"} {
		got, err := launch.Translate([]string{"ls"}, adaAt(dir), nil)
		if err != nil || got.Dir != "" || len(got.Mounts) != 0 || len(got.Notes) != 1 {
			t.Errorf("in %s: %+v, %v", dir, got, err)
		}
	}
}

func TestParseMount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want launch.Mount
		says string
	}{
		{text: "/data", want: launch.Mount{Source: "/data", Target: "/data"}},
		{text: "/data:ro", want: launch.Mount{Source: "/data", Target: "/data", ReadOnly: true}},
		{text: "~/other:/in:ro", want: launch.Mount{Source: "/home/ada/other", Target: "/in", ReadOnly: true}},
		{text: "sub:/in/", want: launch.Mount{Source: "/home/ada/proj/sub", Target: "/in"}},
		{text: "/link:rw", want: launch.Mount{Source: "/data/big", Target: "/link"}},
		{text: "/missing", says: "there is no /missing"},
		{text: "", says: "write SOURCE"},
		{text: ":/in", says: "write SOURCE"},
		{text: "/data:/in:z", says: "write SOURCE"},
		{text: "/data:in", says: "absolute path"},
		{text: "/data:/..", says: "not /"},
		{text: "--x", says: "no path"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := launch.ParseMount(tt.text, adaAt("/home/ada/proj"))
			switch {
			case tt.says == "" && (err != nil || got != tt.want):
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

// FuzzTranslate holds any command to what may never happen: the whole home or
// the whole machine is mounted, a mount has no source, a word gets lost.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{"python3|train.py", "x|--out=~/new|~|/data/new", "x|../..|/home/ada/../..|data/x.wav", "@/tmp/seen.wav,/data:/link|-o~/other/./x|//data//big", "./\x00|a=/etc/../data|~/../ada/other"} {
		f.Add(seed, "/home/ada/proj")
		f.Add(seed, "/home/ada")
	}
	f.Fuzz(func(t *testing.T, words, dir string) {
		if !path.IsAbs(dir) || path.Clean(dir) != dir {
			return
		}
		args := strings.Split(words, "|")
		got, err := launch.Translate(args, adaAt(dir), nil)
		if err != nil {
			return
		}
		if len(got.Args) != len(args) {
			t.Fatalf("%q became %q", args, got.Args)
		}
		for _, m := range got.Mounts {
			if !path.IsAbs(m.Source) || m.Source != m.Target || m.Source == "/" || m.Source == "/home" || m.Source == "/home/ada" {
				t.Errorf("%q in %s mounts %+v", args, dir, m)
			}
			if m.Source != dir && ada.look(m.Source).Kind == launch.Nothing {
				t.Errorf("%q in %s mounts %+v, which is not here", args, dir, m)
			}
		}
		again, err := launch.Translate(got.Args, adaAt(dir), nil)
		if err != nil || !slices.Equal(again.Args, got.Args) {
			t.Errorf("%q is translated to %q, and that to %q (%v)", args, got.Args, again.Args, err)
		}
	})
}
