package state

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The process that is killed is this test program, told by a variable to apply
// and undo in a circle. KillVariable asks for more kills than CI makes.
const (
	victimVariable = "ROCSMITH_TEST_VICTIM"
	killVariable   = "ROCSMITH_KILLS"
	defaultKills   = 100
)

// honest makes real calls, syncs included; only the commands are pretended.
type honest struct{ kernel }

func (honest) run(argv []string) (string, error) { return pretend(argv) }

// TestVictim is no test unless the variable names the folder of a plot.
func TestVictim(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(victimVariable)
	if dir == "" {
		t.Skip("it is the process that TestKill kills")
	}
	p := plot{root: dir + "/root", state: dir + "/state"}
	j, err := open(p.state, disk{honest{}}, clock)
	must(t, err)
	fmt.Println("ready")
	for {
		if _, err := j.Recover(); err != nil {
			t.Fatal(err)
		}
		e, err := j.Begin(Entry{Version: "test"}, p.acts(t))
		must(t, err)
		must(t, j.Apply(e))
		_, err = j.Undo(e)
		must(t, err)
	}
}

// TestKill ends the process at random moments of real runs on a real file
// system. Each file is then the old or the new one, and what the next run does
// first brings everything back to the last byte.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := defaultKills
	if n, err := strconv.Atoi(os.Getenv(killVariable)); err == nil {
		kills = n
	}
	p := newPlot(t)
	before := p.tree(t)
	reference := newPlot(t)
	must(t, reference.perform(t, &trap{}))
	after := reference.tree(t)
	statuses := map[Status]int{}
	for range kills {
		p.kill(t)
		p.oldOrNew(t, before, after)
		if entries, err := Read(p.state); err != nil {
			t.Fatal(err)
		} else if len(entries) > 0 {
			statuses[entries[len(entries)-1].Status]++
		}
		j, err := open(p.state, disk{honest{}}, clock)
		must(t, err)
		recovered, err := j.Recover()
		must(t, err)
		if len(recovered) > 0 && recovered[0].Status == Kept { // nobody else changed anything
			t.Errorf("the next run left %+v", recovered[0].Steps)
		}
		must(t, j.Close())
		if p.standing(t) {
			must(t, p.takeBackLast(t, &trap{}))
		}
		sameTree(t, "after a kill", p.tree(t), before)
		if t.Failed() {
			t.FailNow()
		}
		must(t, os.RemoveAll(p.state))
	}
	t.Logf("%d kills; the journal said %v", kills, statuses)
}

func (p plot) kill(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$", "-test.v")
	cmd.Env = append(os.Environ(), victimVariable+"="+strings.TrimSuffix(p.root, "/root"))
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
	}
	const longest = 60 * time.Millisecond // several rounds of apply and undo
	time.Sleep(rand.N(longest))
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
}

// oldOrNew wants every file that the plan changes to hold the old or the new
// content, with the mode that goes with it: never a half, never nothing.
func (p plot) oldOrNew(t *testing.T, before, after map[string]string) {
	t.Helper()
	now := p.tree(t)
	for _, name := range []string{"/.bashrc", "/.zshrc", "/etc/group", "/etc/gshadow"} {
		fields := strings.Fields(now[name])
		if len(fields) < 4 {
			t.Fatalf("%s is %q after a kill", name, now[name])
		}
		was, is := strings.Fields(before[name]), strings.Fields(after[name])
		if fields[0] != was[0] || fields[3] != was[3] && fields[3] != is[3] {
			t.Errorf("%s is %q after a kill, neither %q nor %q", name, now[name], before[name], after[name])
		}
	}
	if (now["/cache.ukdb"] == "") == (now["/cache.ukdb.aside"] == "") {
		t.Errorf("after a kill the cache has %q and aside %q", now["/cache.ukdb"], now["/cache.ukdb.aside"])
	}
}
