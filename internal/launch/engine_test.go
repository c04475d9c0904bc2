package launch_test

import (
	"testing"

	"github.com/rocsmith/rocsmith/internal/grant"
	"github.com/rocsmith/rocsmith/internal/launch"
)

func TestParseEngineInfo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       grant.Engine
		fails      bool
	}{
		{
			"docker", `{"ServerVersion":"28.2.2","DefaultRuntime":"runc","SecurityOptions":["name=seccomp,profile=builtin","name=cgroupns"],"CDISpecDirs":["/etc/cdi"]}`,
			grant.Engine{Kind: grant.Docker, Version: "28.2.2", Runtime: "runc", CDI: true}, false,
		},
		{
			"rootless docker, SELinux", `{"ServerVersion":"27.0","DefaultRuntime":"runc","SecurityOptions":["name=seccomp,profile=builtin","name=rootless","name=selinux"]}`,
			grant.Engine{Kind: grant.Docker, Version: "27.0", Runtime: "runc", Rootless: true, SELinux: true}, false,
		},
		{
			"userns-remap", `{"ServerVersion":"20.10.24","DefaultRuntime":"runc","SecurityOptions":["name=userns"]}`,
			grant.Engine{Kind: grant.Docker, Version: "20.10.24", Runtime: "runc", Remapped: true}, false,
		},
		{
			"podman", `{"host":{"ociRuntime":{"name":"crun"},"security":{"rootless":true,"selinuxEnabled":true},"serviceIsRemote":false},"version":{"Version":"4.3.1"}}`,
			grant.Engine{Kind: grant.Podman, Version: "4.3.1", Runtime: "crun", Rootless: true, CDI: true, SELinux: true}, false,
		},
		{"podman of another machine", `{"host":{"serviceIsRemote":true},"version":{"Version":"5.0.0"}}`, grant.Engine{}, true},
		{"docker desktop", `{"ServerVersion":"28.2.2","OperatingSystem":"Docker Desktop"}`, grant.Engine{}, true},
		{"no server", `{"ServerVersion":"","ServerErrors":["Cannot connect"]}`, grant.Engine{}, true},
		{"nothing", `{}`, grant.Engine{}, true},
		{"junk", `docker: not found`, grant.Engine{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := launch.ParseEngineInfo([]byte(tt.text))
			if got != tt.want || (err != nil) != tt.fails {
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestImageVersion(t *testing.T) {
	t.Parallel()
	const id = `"sha256:03eaa8aa627931af71f3e8ae1a4fd6dff827e97b01c7297dcf316e857a290798"`
	tests := []struct{ name, text, want string }{
		{"docker, by the image", `{"Id":` + id + `,"Config":{}}`, "image-03eaa8aa6279"},
		{"podman, by the image", `[{"Id":"30dc21cb381af50f","Config":{"Env":["PATH=/bin"]}}]`, "image-30dc21cb381a"},
		{"by its ROCm", `{"Id":` + id + `,"Config":{"Env":["ROCM_VERSION=6.4.1"]}}`, "rocm-6.4.1"},
		{"a version that leads out", `{"Id":` + id + `,"Config":{"Env":["ROCM_VERSION=../../x"]}}`, "image-03eaa8aa6279"},
		{"dots", `{"Id":` + id + `,"Config":{"Env":["ROCM_VERSION=.."]}}`, "image-03eaa8aa6279"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			image, err := launch.ParseImage([]byte(tt.text))
			if err != nil || image.Version() != tt.want {
				t.Errorf("%q, %v, want %q", image.Version(), err, tt.want)
			}
		})
	}
	for _, junk := range []string{"", "[]", "{}", `{"Id":"../../etc"}`, `{"Id":7}`, "null", `[null]`} {
		if image, err := launch.ParseImage([]byte(junk)); err == nil {
			t.Errorf("%s is %+v", junk, image)
		}
	}
}

// FuzzParseAnswers holds what engines answer to what is made of it: a kind, and a
// version that is one name of a folder.
func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte(`{"ServerVersion":"28.2.2","SecurityOptions":["name=rootless"]}`))
	f.Add([]byte(`{"host":{"ociRuntime":{"name":"crun"}},"version":{"Version":"4.3.1"}}`))
	f.Add([]byte(`[{"Id":"30dc21cb381af50f","Config":{"Env":["ROCM_VERSION=6.4.1"]}}]`))
	f.Add([]byte(`{"Id":"sha256:03ea","Config":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if e, err := launch.ParseEngineInfo(text); err == nil && e.Kind != grant.Docker && e.Kind != grant.Podman {
			t.Errorf("%q is %+v", text, e)
		}
		image, err := launch.ParseImage(text)
		if err != nil {
			return
		}
		for _, r := range image.Version() {
			if r == '/' || r == 0 {
				t.Errorf("%q has the version %q", text, image.Version())
			}
		}
	})
}
