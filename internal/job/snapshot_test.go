package job_test

import (
	"bytes"
	"testing"

	"github.com/rocsmith/rocsmith/internal/host"
	"github.com/rocsmith/rocsmith/internal/job"
	"github.com/rocsmith/rocsmith/internal/survey"
)

// A snapshot of a machine is judged like the machine. The zoo's people are
// called what redaction would call them, so even the words are the same.
func TestSnapshotIsJudgedLikeTheMachine(t *testing.T) {
	t.Parallel()
	for _, a := range zoo(t) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			want := transcript(diagnose(t, a.reader))
			if got := transcript(diagnose(t, recorded(t, a.reader))); got != want {
				t.Errorf("the snapshot is judged differently\n--- machine\n%s\n--- snapshot\n%s", want, got)
			}
		})
	}
}

// The same holds for the machine that runs the test, up to the names in it.
func TestLiveSnapshotIsJudgedLikeTheMachine(t *testing.T) {
	t.Parallel()
	live := diagnose(t, host.Live())
	replayed := diagnose(t, recorded(t, host.Live()))
	if len(live.Findings) != len(replayed.Findings) {
		t.Fatalf("%d findings live, %d from the snapshot", len(live.Findings), len(replayed.Findings))
	}
	for i, f := range live.Findings {
		g := replayed.Findings[i]
		if f.Check != g.Check || f.Verdict != g.Verdict || f.Cause != g.Cause {
			t.Errorf("live: %s %s %s; from the snapshot: %s %s %s (%s)", f.Check, f.Verdict, f.Cause, g.Check, g.Verdict, g.Cause, g.Message)
		}
	}
}

// A snapshot says how containers are started there, which lint --for asks.
func TestSnapshotKnowsTheEngines(t *testing.T) {
	t.Parallel()
	r, err := host.ParseSnapshot([]byte("rocsmith snapshot 1\nos: linux\nunlisted: absent\n" +
		"-- ask docker --version --\nDocker version 28.2.2, build e6534b4\n-- ask podman --version --\npodman version 5.4.2\n" +
		"-- process --\nuid=1000\ngid=1000\n-- file /etc/docker/daemon.json --\n{\"userns-remap\": \"ada\", \"dns\": [\"10.1.2.3\"]}\n-- end 4 --\n"))
	if err != nil {
		t.Fatal(err)
	}
	again := recorded(t, r)
	if want, got := survey.Engine(r), survey.Engine(again); got != want || !got.Remapped {
		t.Errorf("docker: %+v, want %+v", got, want)
	}
	if want, got := survey.Podman(r), survey.Podman(again); got != want || !got.Rootless {
		t.Errorf("podman: %+v, want %+v", got, want)
	}
}

func recorded(t *testing.T, r host.Reader) host.Reader {
	t.Helper()
	var b bytes.Buffer
	if _, err := job.Record(r, "test", stopped()).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	s, err := host.ParseSnapshot(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func BenchmarkDiagnose(b *testing.B) {
	for _, a := range zoo(b) {
		if a.name == "example-healthy" || a.name == "mi308-cpx-x32" {
			b.Run(a.name, func(b *testing.B) {
				for b.Loop() {
					diagnose(b, a.reader)
				}
			})
		}
	}
}
