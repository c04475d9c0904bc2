package launch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
	"github.com/rocsmith/rocsmith/internal/remedy"
)

var me = launch.Owner{UID: 1000, Boot: "b1", Namespace: "pid:[1]", PID: 42, Start: "77"}

func boxed(access grant.Access) launch.Container {
	return launch.Container{
		Image: "rocm/dev:6.4", Command: []string{"python3", "--entrypoint"}, Access: access, UID: 1000, GID: 1001,
		Mounts: []launch.Mount{{Source: "/home/ada/a,b", Target: "/home/ada/a,b"}, {Source: "/data", Target: "/in", ReadOnly: true}},
		Dir:    "/home/ada/a,b", Variables: []string{"HOME=/h", "HF_TOKEN"}, Interactive: true, Owner: me, Name: "rocsmith-run-x",
	}
}

func TestArgumentsGiveWhatIsNeeded(t *testing.T) {
	t.Parallel()
	access := grant.Access{Devices: []string{"/dev/kfd", "/dev/dri/renderD128"}, Groups: []string{"110"}}
	docker := launch.Engine{Engine: grant.Engine{Kind: grant.Docker}, Init: true}
	args, err := docker.Arguments(boxed(access))
	if err != nil {
		t.Fatal(err)
	}
	const want = `run|--rm|--pull=never|--name|rocsmith-run-x|--label|io.github.rocsmith.run=1000/b1/pid:[1]/42/77|--init|--interactive|--user|1000:1001|` +
		`--device|/dev/kfd|--device|/dev/dri/renderD128|--group-add|110|--shm-size|8g|` +
		`--mount|type=bind,"source=/home/ada/a,b","target=/home/ada/a,b"|--mount|type=bind,source=/data,target=/in,readonly|` +
		`--workdir|/home/ada/a,b|--env|HOME=/h|--env|HF_TOKEN|--entrypoint||rocm/dev:6.4|python3|--entrypoint`
	if got := strings.Join(args, "|"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestNobodyOwnsWhatAPersonStarts(t *testing.T) {
	t.Parallel()
	c := boxed(grant.Access{})
	c.Owner, c.Name = launch.Owner{}, ""
	args, err := (launch.Engine{Engine: grant.Engine{Kind: grant.Docker}}).Arguments(c)
	if err != nil || slices.Contains(args, "--label") || slices.Contains(args, "--name") {
		t.Errorf("%q, %v: the next run would remove it", args, err)
	}
}

func TestArgumentsFollowTheEngine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		engine   grant.Engine
		access   grant.Access
		terminal bool
		has, not []string
	}{
		{"rootless podman", grant.Engine{Kind: grant.Podman, Rootless: true}, grant.Access{Groups: []string{"keep-groups"}}, true, []string{"--userns=keep-id", "--user 1000:1001", "--group-add keep-groups", "--tty"}, []string{"label=disable", "--init"}},
		{"podman of root", grant.Engine{Kind: grant.Podman}, grant.Access{}, false, []string{"--user 1000:1001"}, []string{"keep-id", "--tty", "--device"}},
		{"rootless docker", grant.Engine{Kind: grant.Docker, Rootless: true}, grant.Access{}, false, []string{"--user 0:0"}, []string{"1000:1001"}},
		{"userns-remap", grant.Engine{Kind: grant.Docker, Remapped: true}, grant.Access{}, false, []string{"--user 1000:1001 --userns=host"}, nil},
		{"SELinux", grant.Engine{Kind: grant.Docker, SELinux: true}, grant.Access{Labels: true}, false, []string{"--security-opt label=disable"}, []string{"--privileged"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := boxed(tt.access)
			c.Terminal = tt.terminal
			args, err := (launch.Engine{Engine: tt.engine}).Arguments(c)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Join(args, " ")
			for _, s := range tt.has {
				if !strings.Contains(line, s) {
					t.Errorf("%s lacks %s", line, s)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(line, s) {
					t.Errorf("%s has %s", line, s)
				}
			}
		})
	}
	if _, err := (launch.Engine{Engine: grant.Engine{Kind: grant.Docker}}).Arguments(boxed(grant.Access{Refused: "ids are translated"})); err == nil || !strings.Contains(err.Error(), "ids are translated") {
		t.Errorf("an engine that cannot: %v", err)
	}
}

func TestEndTellsTheEngineFromTheCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind       grant.Kind
		name, tail string
		code, want int
		says       string // of the error; "" where the command ran
	}{
		{grant.Docker, "fine", "", 0, 0, ""},
		{grant.Docker, "the command's 125", "boo\n", 125, 125, ""},
		{grant.Docker, "docker's 125", "docker: Error response from daemon: invalid mount config\n\nRun 'docker run --help' for more information\n", 125, 125, "docker says: invalid mount config"},
		{grant.Docker, "docker's 125, and its log", "docker: Error response from daemon: error mounting \"sysfs\": unknown.\ntime=\"2026-11-15T15:28:36Z\" level=error msg=\"error waiting for container: context canceled\"\n", 125, 125, "docker says: error mounting"},
		{grant.Docker, "docker's 127", "docker: Error response from daemon: exec: \"x\": executable file not found in $PATH: unknown\n", 127, 127, "there is no program train in the image img"},
		{grant.Podman, "podman's 126", "Error: runc: exec: \"/etc\": permission denied: OCI permission denied\n", 126, 126, "train in the image img cannot be executed"},
		{grant.Docker, "the command's 127", "sh: x: not found\n", 127, 127, ""},
		{grant.Docker, "tini", "[FATAL tini (7)] exec train failed: No such file or directory\n", 127, 127, "there is no program train in the image img"},
		{grant.Podman, "catatonit", "ERROR (catatonit:6): failed to exec pid1: No such file or directory\n", 1, 127, "there is no program train in the image img"},
		{grant.Podman, "catatonit, no right", "ERROR (catatonit:6): failed to exec pid1: Permission denied\n", 1, 126, "cannot be executed"},
		{grant.Docker, "the command's 1", "Error: something of its own\n", 1, 1, ""},
		{grant.Podman, "no room", "Error: mkdir /x: no space left on device\n", 125, 125, "no room on the disk"},
		{grant.Docker, "a signal", "", 139, 139, ""},
		{grant.Podman, "podman's 127", "Error: runc: runc create failed: unable to start container process: exec: \"x\": executable file not found in $PATH: OCI runtime attempted to invoke a command that was not found\n", 127, 127, "there is no program train in the image img"},
		{grant.Docker, "the command's 127, with words of its own", "Error: the file a.yaml was not found\n", 127, 127, ""},
		{grant.Podman, "the command's 127, with words like podman's", "Error: the file a.yaml was not found\n", 127, 127, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := launch.Engine{Engine: grant.Engine{Kind: tt.kind}, Program: "/nosuch/engine"}
			c := launch.Container{Image: "img", Command: []string{"train"}}
			command, err := e.Command(c)
			if err != nil {
				t.Fatal(err)
			}
			end, err := command.Ended(launch.End{Code: tt.code, Tail: []byte(tt.tail)})
			var start *launch.StartError
			switch {
			case end.Code != tt.want:
				t.Errorf("code %d, want %d", end.Code, tt.want)
			case tt.says == "" && err != nil:
				t.Error(err)
			case tt.says != "" && (!errors.As(err, &start) || start.Code != tt.want || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("%v, want %q", err, tt.says)
			}
		})
	}
}

// TestEndWithoutAReader: docker has words and a code of its own for it.
func TestEndWithoutAReader(t *testing.T) {
	t.Parallel()
	e := launch.Engine{Engine: grant.Engine{Kind: grant.Docker}, Program: "/nosuch/engine"}
	command, err := e.Command(launch.Container{Image: "img", Command: []string{"train"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, unread := range []bool{true, false} {
		end, err := command.Ended(launch.End{Code: 1, Tail: []byte("y\nwrite /dev/stdout: broken pipe\n"), Unread: unread})
		if err != nil || (end.Code == 141) != unread || end.Interrupted != unread {
			t.Errorf("%v: %+v %v", unread, end, err)
		}
	}
}

// TestKeysInAContainer: at a terminal Ctrl-C goes to the container, and rocsmith hears
// of the end alone.
func TestKeysInAContainer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		terminal bool
		code     int
		want     bool
	}{{true, 130, true}, {true, 131, true}, {true, 139, false}, {false, 130, false}} {
		e := launch.Engine{Engine: grant.Engine{Kind: grant.Podman}, Program: "/nosuch/engine"}
		command, err := e.Command(launch.Container{Image: "img", Command: []string{"train"}, Terminal: tt.terminal})
		if err != nil {
			t.Fatal(err)
		}
		if end, err := command.Ended(launch.End{Code: tt.code}); err != nil || end.Interrupted != tt.want {
			t.Errorf("%+v: %+v %v", tt, end, err)
		}
	}
}

func TestOwnerIsAbandonedOnlyForCertain(t *testing.T) {
	t.Parallel()
	alive := func(pid int) string {
		if pid == 42 {
			return "77"
		}
		return ""
	}
	change := func(f func(*launch.Owner)) launch.Owner {
		o := me
		f(&o)
		return o
	}
	tests := []struct {
		name  string
		owner launch.Owner
		want  bool
	}{
		{"it lives", me, false},
		{"it is gone", change(func(o *launch.Owner) { o.PID = 43 }), true},
		{"its number is another's now", change(func(o *launch.Owner) { o.Start = "5" }), true},
		{"before the boot", change(func(o *launch.Owner) { o.Boot = "b0" }), true},
		{"another user", change(func(o *launch.Owner) { o.UID, o.PID = 0, 43 }), false},
		{"another user before the boot", change(func(o *launch.Owner) { o.UID, o.Boot = 0, "b0" }), false},
		{"another namespace", change(func(o *launch.Owner) { o.Namespace, o.PID = "pid:[2]", 43 }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			read, ok := launch.ParseOwner(tt.owner.String())
			if !ok || read != tt.owner || read.Abandoned(me, alive) != tt.want {
				t.Errorf("%q is %+v %v, abandoned %v, want %v", tt.owner, read, ok, read.Abandoned(me, alive), tt.want)
			}
		})
	}
	for _, junk := range []string{"", "1/b", "x/b/n/1/s", "-1/b/n/1/s", "1//n/1/s", "1/b/n/0/s", "1/b/n/1/", "1/b/n/1/s/t", "<no value>"} {
		if o, ok := launch.ParseOwner(junk); ok {
			t.Errorf("%q is %+v", junk, o)
		}
	}
}

func TestApptainerLine(t *testing.T) {
	t.Parallel()
	told := launch.Translation{Args: []string{"python3", "it's.py"}, Dir: "/p", Mounts: []launch.Mount{{Source: "/p", Target: "/p"}, {Source: "/d", Target: "/in", ReadOnly: true}}}
	tests := []struct{ image, want string }{
		{"rocm/dev:6.4", `apptainer exec --bind /p:/p --bind /d:/in:ro --pwd /p docker://rocm/dev:6.4 python3 'it'\''s.py'`},
		{"./my.sif", `apptainer exec --bind /p:/p --bind /d:/in:ro --pwd /p ./my.sif python3 'it'\''s.py'`},
	}
	for _, tt := range tests {
		if got := remedy.Paste(launch.ApptainerArgv("apptainer", tt.image, told)...); got != tt.want {
			t.Errorf("%s\nwant %s", got, tt.want)
		}
	}
}

func TestNamesDiffer(t *testing.T) {
	t.Parallel()
	names := []string{launch.NewName(), launch.NewName(), launch.NewName()}
	slices.Sort(names)
	if len(slices.Compact(names)) != 3 || !strings.HasPrefix(names[0], "rocsmith-run-") {
		t.Error(names)
	}
}
