package state

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// plainDisks are file systems that cannot exchange two names, nor rename and refuse
// to replace: NFS answers EINVAL to both. On exFAT and some of FUSE a file has one
// name only, besides.
var plainDisks = map[string]trap{"NFS": {plain: true}, "exFAT": {plain: true, single: true}}

// TestPlainFileSystems: homes are on such file systems, too.
func TestPlainFileSystems(t *testing.T) {
	t.Parallel()
	for name, d := range plainDisks {
		p := newPlot(t)
		before := p.tree(t)
		first, second := d, d
		must(t, p.perform(t, &first))
		if data, err := os.ReadFile(p.file(".bashrc")); err != nil || string(data[:9]) != "# changed" {
			t.Errorf("%s: the change did not arrive: %q, %v", name, data, err)
		}
		must(t, p.takeBackLast(t, &second))
		sameTree(t, name, p.tree(t), before)
	}
}

// TestNamesOnPlainFileSystems lets each call fail that changes a name, and ends the
// process at it and after it.
func TestNamesOnPlainFileSystems(t *testing.T) {
	t.Parallel()
	for name, d := range plainDisks {
		for part := 1; part <= parts; part++ {
			t.Run(fmt.Sprint(name, part), func(t *testing.T) {
				t.Parallel()
				apply, undo := d, d
				brokenOff(t, part, d, &apply, &undo)
				for _, at := range apply.moves {
					for _, broken := range brokenAt(d, at) {
						fine := d
						brokenOff(t, part, d, &broken, &fine)
					}
				}
				for _, at := range undo.moves {
					for _, broken := range brokenAt(d, at) {
						fine := d
						brokenOff(t, part, d, &fine, &broken)
					}
				}
			})
		}
	}
}

func brokenAt(d trap, at int) []trap {
	fails, ends, endsAfter := d, d, d
	fails.at, ends.at, endsAfter.at = at, at, at+1
	ends.dead, endsAfter.dead = true, true
	fails.err, ends.err, endsAfter.err = unix.EIO, unix.EIO, unix.EIO
	return []trap{fails, ends, endsAfter}
}

// brokenOff applies and undoes a part of the acts through disks that may break, with
// the runs after them on one that does not, and wants everything as it was.
func brokenOff(t *testing.T, part int, d trap, apply, undo *trap) {
	t.Helper()
	p := newPlot(t)
	p.part = part
	before := p.tree(t)
	next := func() *trap { fine := d; return &fine }
	_ = p.perform(t, apply) // what it says is not the question
	p.recoverAll(t, next())
	if p.standing(t) {
		_ = p.takeBackLast(t, undo)
		p.recoverAll(t, next())
	}
	if p.standing(t) {
		must(t, p.takeBackLast(t, next()))
	}
	sameTree(t, fmt.Sprintf("part %d, apply %q, undo %q", part, apply.said, undo.said), p.tree(t), before)
}
